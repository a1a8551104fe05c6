/** Units of measure and of money, by their signs in either script. */

const UNITS: Readonly<Record<string, string>> = {
  किमी: 'किलोमीटर',
  'कि.मी.': 'किलोमीटर',
  'कि.मी': 'किलोमीटर',
  km: 'किलोमीटर',
  'मी.': 'मीटर',
  m: 'मीटर',
  सेमी: 'सेंटीमीटर',
  'से.मी.': 'सेंटीमीटर',
  cm: 'सेंटीमीटर',
  मिमी: 'मिलीमीटर',
  'मि.मी.': 'मिलीमीटर',
  mm: 'मिलीमीटर',
  किग्रा: 'किलोग्राम',
  'कि.ग्रा.': 'किलोग्राम',
  kg: 'किलोग्राम',
  'ग्रा.': 'ग्राम',
  g: 'ग्राम',
  gm: 'ग्राम',
  mg: 'मिलीग्राम',
  'ली.': 'लीटर',
  L: 'लीटर',
  l: 'लीटर',
  मिली: 'मिलीलीटर',
  'मि.ली.': 'मिलीलीटर',
  ml: 'मिलीलीटर',
  'हे.': 'हेक्टेयर',
  ha: 'हेक्टेयर',
  'm²': 'वर्ग मीटर',
  'km²': 'वर्ग किलोमीटर',
  'm³': 'घन मीटर',
  '°C': 'डिग्री सेल्सियस',
  '°F': 'डिग्री फ़ारेनहाइट',
  '°': 'डिग्री',
  '%': 'प्रतिशत',
  GB: 'जीबी',
  MB: 'एमबी',
  KB: 'केबी',
  TB: 'टीबी',
  W: 'वाट',
  kW: 'किलोवाट',
  MW: 'मेगावाट',
  kWh: 'किलोवाट घंटा',
  V: 'वोल्ट',
  Hz: 'हर्ट्ज़',
  MHz: 'मेगाहर्ट्ज़',
  GHz: 'गीगाहर्ट्ज़',
  sec: 'सेकंड',
  s: 'सेकंड',
  min: 'मिनट',
  h: 'घंटे',
  hr: 'घंटे',
  ft: 'फ़ुट',
  mph: 'मील प्रति घंटा',
  kmph: 'किलोमीटर प्रति घंटा',
  'किमी.': 'किलोमीटर',
  मी: 'मीटर',
  'घं.': 'घंटे',
};

export const unitOf = (sign: string): string | undefined => (Object.hasOwn(UNITS, sign) ? UNITS[sign] : undefined);

/** A unit as written behind a number. */
export const UNIT =
  /( ?)(°[CF]?|%|[A-Za-z]{1,4}[²³]?|[\u0900-\u0963]{1,6}(?:\.[\u0900-\u0963]{1,5}\.?|\.)?)(?![A-Za-z\u0900-\u0963])/y;
/** What a unit is measured by: "किमी/घंटा". */
export const PER = /\/(h|hr|s|sec|kg|km|day|[\u0900-\u0963]{2,10})(?![A-Za-z\u0900-\u0963])/y;
const PER_NAMES: Readonly<Record<string, string>> = {
  h: 'घंटा',
  hr: 'घंटा',
  s: 'सेकंड',
  sec: 'सेकंड',
  kg: 'किलोग्राम',
  km: 'किलोमीटर',
  day: 'दिन',
};
export const perName = (sign: string): string =>
  Object.hasOwn(PER_NAMES, sign) ? PER_NAMES[sign]! : (unitOf(sign) ?? sign);

export interface Currency {
  readonly one: string;
  readonly many: string;
  readonly hundredths?: string;
}

const RUPEE: Currency = { one: 'रुपया', many: 'रुपये', hundredths: 'पैसे' };
const same = (name: string, hundredths?: string): Currency => ({
  one: name,
  many: name,
  ...(hundredths !== undefined && { hundredths }),
});
const CURRENCIES: Readonly<Record<string, Currency>> = {
  '₹': RUPEE,
  $: same('डॉलर', 'सेंट'),
  '€': same('यूरो', 'सेंट'),
  '£': same('पाउंड', 'पेंस'),
  '¥': same('येन'),
  Rs: RUPEE,
  INR: RUPEE,
  रु: RUPEE,
  रू: RUPEE,
  USD: same('डॉलर', 'सेंट'),
};
export const currencyOf = (sign: string): Currency | undefined =>
  Object.hasOwn(CURRENCIES, sign) ? CURRENCIES[sign] : undefined;
