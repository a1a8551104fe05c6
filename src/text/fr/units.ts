/** Units of measure and of money by their signs. */

export interface Unit {
  readonly one: string;
  readonly many: string;
  readonly feminine?: true;
}

const unit = (one: string, many = `${one}s`): Unit => ({ one, many });
const feminine = (one: string): Unit => ({ one, many: `${one}s`, feminine: true });

const METRES = { k: 'kilo', h: 'hecto', d: 'déci', c: 'centi', m: 'milli' } as const;

const withPrefixes = (sign: string, noun: string): [string, Unit][] =>
  Object.entries(METRES).map(([prefix, name]) => [prefix + sign, unit(name + noun)]);

/** "m²" is written with the digit raised, or lowered to the line. */
const areas = (): [string, Unit][] =>
  ['km', 'm', 'dm', 'cm', 'mm'].flatMap((sign): [string, Unit][] => {
    const { one, many } = LENGTHS.get(sign)!;
    const square = { one: `${one} carré`, many: `${many} carrés` };
    const cube = { one: `${one} cube`, many: `${many} cubes` };
    return [
      [`${sign}²`, square],
      [`${sign}2`, square],
      [`${sign}³`, cube],
      [`${sign}3`, cube],
    ];
  });

const LENGTHS = new Map<string, Unit>([['m', unit('mètre')], ...withPrefixes('m', 'mètre')]);

const UNITS = new Map<string, Unit>([
  ...LENGTHS,
  ...areas(),
  ['µm', unit('micromètre')],
  ['nm', unit('nanomètre')],
  ['ha', unit('hectare')],
  ['g', unit('gramme')],
  ...withPrefixes('g', 'gramme'),
  ['µg', unit('microgramme')],
  ['t', feminine('tonne')],
  ['l', unit('litre')],
  ['L', unit('litre')],
  ...withPrefixes('l', 'litre'),
  ...withPrefixes('L', 'litre'),
  ['h', feminine('heure')],
  ['min', feminine('minute')],
  ['mn', feminine('minute')],
  ['s', feminine('seconde')],
  ['sec', feminine('seconde')],
  ['ms', feminine('milliseconde')],
  ['j', unit('jour')],
  ['°C', unit('degré Celsius', 'degrés Celsius')],
  ['°F', unit('degré Fahrenheit', 'degrés Fahrenheit')],
  ['°', unit('degré')],
  ['Hz', unit('hertz', 'hertz')],
  ['kHz', unit('kilohertz', 'kilohertz')],
  ['MHz', unit('mégahertz', 'mégahertz')],
  ['GHz', unit('gigahertz', 'gigahertz')],
  ['W', unit('watt')],
  ['kW', unit('kilowatt')],
  ['MW', unit('mégawatt')],
  ['GW', unit('gigawatt')],
  ['Wh', unit('wattheure')],
  ['kWh', unit('kilowattheure')],
  ['MWh', unit('mégawattheure')],
  ['V', unit('volt')],
  ['kV', unit('kilovolt')],
  ['mA', unit('milliampère')],
  ['Pa', unit('pascal')],
  ['hPa', unit('hectopascal')],
  ['kJ', unit('kilojoule')],
  ['kcal', feminine('kilocalorie')],
  ['cal', feminine('calorie')],
  ['dB', unit('décibel')],
  ['ch', unit('cheval', 'chevaux')],
  ['o', unit('octet')],
  ['ko', unit('kilooctet')],
  ['Ko', unit('kilooctet')],
  ['Mo', unit('mégaoctet')],
  ['Go', unit('gigaoctet')],
  ['To', unit('téraoctet')],
  ['Mbit', unit('mégabit')],
  ['Gbit', unit('gigabit')],
  ['Mb', unit('mégabit')],
  ['px', unit('pixel')],
  ['hab', unit('habitant')],
  ['pers', feminine('personne')],
  ['%', unit('pour cent', 'pour cent')],
  ['‰', unit('pour mille', 'pour mille')],
]);

export const unitOf = (sign: string): Unit | undefined => UNITS.get(sign);

/** A unit as written: letters, perhaps raised digits, a degree or a percent sign. */
export const UNIT = /( ?)(°[CF]?|[%‰]|µ?[A-Za-z]{1,4}[²³23]?)(\.(?=\/))?(?![A-Za-zÀ-ɏ0-9²³])/y;
/** What a unit is measured by: "km/h". */
export const PER =
  /\/(µ?[A-Za-z]{1,4}[²³23]?|mois|jour|an|heure|personne|litre|nuit|semaine|minute|seconde)(?![A-Za-zÀ-ɏ0-9²³])/y;

export interface Currency {
  readonly one: string;
  readonly many: string;
  readonly feminine?: true;
  readonly cents?: readonly [one: string, many: string];
}

const CENTIMES = ['centime', 'centimes'] as const;
const CENTS = ['cent', 'cents'] as const;
const EURO: Currency = { one: 'euro', many: 'euros', cents: CENTIMES };
const DOLLAR: Currency = { one: 'dollar', many: 'dollars', cents: CENTS };
const POUND: Currency = { one: 'livre', many: 'livres', feminine: true, cents: ['penny', 'pence'] };
const YEN: Currency = { one: 'yen', many: 'yens' };

const CURRENCIES: Readonly<Record<string, Currency>> = {
  '€': EURO,
  EUR: EURO,
  $: DOLLAR,
  USD: DOLLAR,
  '£': POUND,
  GBP: POUND,
  '¥': YEN,
  JPY: YEN,
  CHF: { one: 'franc suisse', many: 'francs suisses', cents: CENTIMES },
  FCFA: { one: 'franc C F A', many: 'francs C F A' },
  '₹': { one: 'roupie', many: 'roupies', feminine: true },
};

export const currencyOf = (sign: string): Currency | undefined =>
  Object.hasOwn(CURRENCIES, sign) ? CURRENCIES[sign] : undefined;
