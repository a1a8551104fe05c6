/** Units of measurement: their signs and their names. */
import { plural } from './numbers.js';

/** Sign, then the name in the singular; a name after a slash is the irregular plural. */
const TABLE = `
km kilometer|m meter|cm centimeter|mm millimeter|nm nanometer|µm micrometer|dm decimeter|mi mile|nmi nautical mile|mile mile|yd yard|yds yard|ft foot/feet|in inch|ly light-year|au astronomical unit
kg kilogram|g gram|mg milligram|µg microgram|mcg microgram|t ton|lb pound|lbs pound|st stone/stone|oz ounce|kt kiloton
L liter|l liter|mL milliliter|ml milliliter|cl centiliter|dl deciliter|dL deciliter|µL microliter|gal gallon|gals gallon|qt quart|qts quart|pt point|pts point|pint pint|tsp teaspoon|tbsp tablespoon|cc cubic centimeter|floz fluid ounce|bbl barrel
s second|sec second|secs second|ms millisecond|µs microsecond|us microsecond|ns nanosecond|ps picosecond|min minute|mins minute|h hour|hr hour|hrs hour|d day|wk week|wks week|mo month|mos month|yr year|yrs year
Hz hertz/hertz|kHz kilohertz/kilohertz|KHz kilohertz/kilohertz|MHz megahertz/megahertz|GHz gigahertz/gigahertz|THz terahertz/terahertz
W watt|kW kilowatt|MW megawatt|GW gigawatt|TW terawatt|mW milliwatt|Wh watt hour|kWh kilowatt hour|MWh megawatt hour|GWh gigawatt hour|TWh terawatt hour|hp horsepower/horsepower
V volt|kV kilovolt|mV millivolt|A amp|mA milliamp|µA microamp|kA kiloamp|mAh milliamp hour|Ah amp hour|Ω ohm|kΩ kilo ohm|MΩ mega ohm|F farad|µF microfarad|nF nanofarad|pF picofarad|mH millihenry/millihenries|T tesla
J joule|kJ kilojoule|MJ megajoule|cal calorie|kcal kilocalorie|eV electron volt|keV kilo electron volt|MeV mega electron volt|GeV giga electron volt|TeV tera electron volt|BTU B T U
Pa pascal|kPa kilopascal|hPa hectopascal|MPa megapascal|GPa gigapascal|psi P S I/P S I|PSI P S I/P S I|bar bar|mbar millibar|atm atmosphere|mmHg millimeter of mercury/millimeters of mercury|N newton|kN kilonewton|Nm newton meter
dB decibel|dBA decibel|dBm D B M/D B M|lm lumen|lx lux/lux|cd candela|mol mole|mmol millimole|K kelvin/kelvin|rad radian|Bq becquerel|Sv sievert|mSv millisievert|µSv microsievert|Gy gray
B byte|kB kilobyte|KB kilobyte|MB megabyte|GB gigabyte|TB terabyte|PB petabyte|EB exabyte|KiB kibibyte|MiB mebibyte|GiB gibibyte|TiB tebibyte|bit bit|kb kilobit|Kb kilobit|Mb megabit|Gb gigabit|Kbit kilobit|Mbit megabit|Gbit gigabit
bps bit per second/bits per second|kbps kilobit per second/kilobits per second|Kbps kilobit per second/kilobits per second|Mbps megabit per second/megabits per second|Gbps gigabit per second/gigabits per second|MBps megabyte per second/megabytes per second
mph mile per hour/miles per hour|kph kilometer per hour/kilometers per hour|kmh kilometer per hour/kilometers per hour|mpg mile per gallon/miles per gallon|rpm R P M/R P M|RPM R P M/R P M|fps frame per second/frames per second|FPS frame per second/frames per second|bpm beat per minute/beats per minute|BPM beat per minute/beats per minute|kn knot|kt knot|kts knot
bp basis point|pc percent/percent|pcs piece|p penny/pence|ppm part per million/parts per million|ppb part per billion/parts per billion|dpi D P I/D P I|ppi P P I/P P I|px pixel|MP megapixel|em em|rem rem
ha hectare|ac acre|sqft square foot/square feet|sqm square meter|sqmi square mile|cuft cubic foot/cubic feet
°C degree Celsius/degrees Celsius|°F degree Fahrenheit/degrees Fahrenheit|°K kelvin/kelvin|° degree
`;

/** With a space before them these are words, initials or something else. */
const ONLY_ATTACHED = new Set([
  'in',
  'd',

  'F',
  'T',
  'N',
  'us',
  'em',
  'rem',
  'mo',
  'au',

  'cd',

  'h',
  'bit',
  'rad',
  'bar',
  'ps',
  'p',
]);
/** Attached to a number these are more often something else ("5G", "10T", "4K"). */
const ONLY_SPACED = new Set(['K', 'F', 'T', 'N', 'em', 'ac', 'B', 'st']);

export interface Unit {
  readonly one: string;
  readonly many: string;
}

const UNITS: ReadonlyMap<string, Unit> = new Map(
  TABLE.trim()
    .split(/[|\n]/)
    .map((entry) => {
      const [sign, name] = [entry.slice(0, entry.indexOf(' ')), entry.slice(entry.indexOf(' ') + 1)];
      const [one, many] = name.split('/') as [string, string | undefined];
      return [sign, { one, many: many ?? plural(one) }] as const;
    }),
);

const POWERS: Readonly<Record<string, string>> = { '²': 'square', '2': 'square', '³': 'cubic', '3': 'cubic' };

/** One sign, perhaps raised: "m", "m²", "ft^2". */
function simple(sign: string): Unit | undefined {
  const raised = /^(.+?)(?:\^([23])|([²³]))$/.exec(sign);
  if (!raised) return UNITS.get(sign);
  const base = UNITS.get(raised[1]!);
  if (!base) return undefined;
  const power = POWERS[raised[2] ?? raised[3]!]!;
  // Time is squared the other way round: "meters per second squared".
  if (/second$/.test(base.one)) {
    const word = power === 'square' ? 'squared' : 'cubed';
    return { one: `${base.one} ${word}`, many: `${base.many} ${word}` };
  }
  return { one: `${power} ${base.one}`, many: `${power} ${base.many}` };
}

/** A sign as written behind a number, compound ones included: "km/h", "kg/m³", "N·m". */
export function unit(sign: string): Unit | undefined {
  const known = UNITS.get(sign);
  if (known || !/[/·23²³]/.test(sign)) return known;
  const parts = sign.split('/');
  if (parts.length > 2) return undefined;
  const top = product(parts[0]!);
  if (!top || parts.length === 1) return top;
  const bottom = product(parts[1]!) ?? PER.get(parts[1]!);
  if (!bottom) return undefined;
  return { one: `${top.one} per ${bottom.one}`, many: `${top.many} per ${bottom.one}` };
}

/** Words that follow a slash as often as signs do: "$5/month", "10 MB/sec". */
const PER: ReadonlyMap<string, Unit> = new Map(
  'second minute hour day week month year person user unit night mile kilometer share item piece seat page call request token word'
    .split(' ')
    .map((word) => [word, { one: word, many: `${word}s` }] as const),
);

export function perWord(word: string): string | undefined {
  return (PER.get(word) ?? UNITS.get(word))?.one;
}

function product(sign: string): Unit | undefined {
  const parts = sign.split('·');
  if (parts.length === 1) return simple(sign);
  const first = simple(parts[0]!);
  const second = simple(parts.slice(1).join('·'));
  return first && second ? { one: `${first.one} ${second.one}`, many: `${first.one} ${second.many}` } : undefined;
}

export function mayFollow(sign: string, spaced: boolean): boolean {
  return !(spaced ? ONLY_ATTACHED : ONLY_SPACED).has(sign);
}

/** Signs that are units even where no number stands before them. */
const ALONE: ReadonlyMap<string, string> = new Map(
  (
    'km kg cm mm mph kHz MHz GHz THz kWh KB MB GB TB KiB MiB GiB TiB Mbps Gbps kbps °C °F km/h m/s m² m³ km² ft² dB ' +
    'mAh kcal'
  )
    .split(' ')
    .map((sign) => [sign, unit(sign)!.many]),
);

export function unitAlone(sign: string): string | undefined {
  return ALONE.get(sign);
}
