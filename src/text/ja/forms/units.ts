/** Units of measure, currencies and their names. */

/** Behind a number, as they are written: the longer ones are tried first. */
const UNITS: Readonly<Record<string, string>> = {
  '%': 'パーセント',
  '‰': 'パーミル',
  '℃': 'ド',
  '°C': 'ド',
  '℉': 'カシド',
  '°F': 'カシド',
  '°': 'ド',
  km: 'キロメートル',
  m: 'メートル',
  cm: 'センチメートル',
  mm: 'ミリメートル',
  nm: 'ナノメートル',
  μm: 'マイクロメートル',
  µm: 'マイクロメートル',
  kg: 'キログラム',
  g: 'グラム',
  mg: 'ミリグラム',
  t: 'トン',
  L: 'リットル',
  l: 'リットル',
  ml: 'ミリリットル',
  mL: 'ミリリットル',
  dl: 'デシリットル',
  cc: 'シーシー',
  'm²': 'ヘーホーメートル',
  m2: 'ヘーホーメートル',
  'cm²': 'ヘーホーセンチメートル',
  'km²': 'ヘーホーキロメートル',
  'm³': 'リッポーメートル',
  'cm³': 'リッポーセンチメートル',
  ha: 'ヘクタール',
  KB: 'キロバイト',
  MB: 'メガバイト',
  GB: 'ギガバイト',
  TB: 'テラバイト',
  kB: 'キロバイト',
  Mbps: 'メガビーピーエス',
  Gbps: 'ギガビーピーエス',
  Hz: 'ヘルツ',
  kHz: 'キロヘルツ',
  MHz: 'メガヘルツ',
  GHz: 'ギガヘルツ',
  W: 'ワット',
  kW: 'キロワット',
  kWh: 'キロワットジ',
  V: 'ボルト',
  A: 'アンペア',
  mA: 'ミリアンペア',
  mAh: 'ミリアンペアジ',
  hPa: 'ヘクトパスカル',
  kPa: 'キロパスカル',
  dB: 'デシベル',
  kcal: 'キロカロリー',
  cal: 'カロリー',
  dpi: 'ディーピーアイ',
  px: 'ピクセル',
  pt: 'ポイント',
  fps: 'エフピーエス',
  rpm: 'アールピーエム',
  bpm: 'ビーピーエム',
  ppm: 'ピーピーエム',
  min: 'フン',
  ms: 'ミリビョー',
  in: 'インチ',
  ft: 'フィート',
  lb: 'ポンド',
  oz: 'オンス',
  mph: 'マイル',
};
/** Speeds are named before the number. */
export const SPEEDS: Readonly<Record<string, readonly [string, string]>> = {
  'km/h': ['ジソク', 'キロメートル'],
  'm/s': ['ビョーソク', 'メートル'],
  mph: ['ジソク', 'マイル'],
};
const escaped = (unit: string) => unit.replace(/[/°%]/g, '\\$&');
const all = [...Object.keys(UNITS), ...Object.keys(SPEEDS)].sort((a, b) => b.length - a.length).map(escaped);

/** Sticky: a unit with no letter behind it. */
export const UNIT = new RegExp(` ?(${all.join('|')})(?![A-Za-z0-9])`, 'y');

export const unitName = (unit: string): string | undefined => UNITS[unit];

/** Before a number: the whole and its hundredth. */
export const CURRENCIES: Readonly<Record<string, readonly [string, string | undefined]>> = {
  '¥': ['円', undefined],
  '￥': ['円', undefined],
  $: ['ドル', 'セント'],
  '€': ['ユーロ', 'セント'],
  '£': ['ポンド', 'ペンス'],
  '₩': ['ウォン', undefined],
};
