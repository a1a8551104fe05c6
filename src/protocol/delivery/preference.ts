/**
 * Preferences of a client (RFC 7240): `Prefer: whole-sentences` cuts no sentence to be heard
 * sooner, `Prefer: style=narration; sentence=2; last` says how a text is delivered, and where in
 * its paragraph the sentence stands that it is, `Prefer: part=middle` that a paragraph goes on from
 * the request before and in the next.
 */
import { DELIVERY_STYLES, type DeliveryStyle, type SentencePlace, type TextPart } from './delivery.js';

export const WHOLE_SENTENCES = 'whole-sentences';

type Header = string | string[] | undefined;

const preferencesOf = (prefer: Header): string[] =>
  [prefer].flat().flatMap((line) => line?.split(',').map((part) => part.trim().toLowerCase()) ?? []);

/** Whether the header has this preference among others. */
export const prefersWholeSentences = (prefer: Header): boolean => preferencesOf(prefer).includes(WHOLE_SENTENCES);

const PARTS: Readonly<Record<string, TextPart>> = {
  'part=first': { continues: false, goesOn: true },
  'part=middle': { continues: true, goesOn: true },
  'part=last': { continues: true, goesOn: false },
};

/** Undefined for a text that neither continues a paragraph nor leaves one open. */
export const partPreference = ({ continues, goesOn }: TextPart): string | undefined =>
  Object.keys(PARTS).find((name) => PARTS[name]!.continues === continues && PARTS[name]!.goesOn === goesOn);

export const preferredPart = (prefer: Header): TextPart | undefined =>
  preferencesOf(prefer)
    .map((preference) => PARTS[preference])
    .find((part) => part !== undefined);

export interface PreferredDelivery {
  readonly style: DeliveryStyle;
  readonly place?: SentencePlace | undefined;
}

/** A paragraph has no more sentences than these that are told apart. */
const MOST_SENTENCES = 10_000;

export function deliveryPreference({ style, place }: PreferredDelivery): string {
  const where = place === undefined ? '' : `; sentence=${place.sentence}${place.last ? '; last' : ''}`;
  return `style=${style}${where}`;
}

/** What the header prefers; nothing where it names no style that is known. */
export function preferredDelivery(prefer: Header): Partial<PreferredDelivery> {
  for (const preference of preferencesOf(prefer)) {
    const [first = '', ...parameters] = preference.split(';').map((part) => part.trim());
    const style = DELIVERY_STYLES.find((name) => first === `style=${name}`);
    if (style === undefined) continue;
    const sentence = parameters.map((each) => /^sentence=(\d{1,5})$/.exec(each)?.[1]).find((number) => number);
    if (sentence === undefined) return { style };
    const place = { sentence: Math.min(MOST_SENTENCES, Number(sentence)), last: parameters.includes('last') };
    return { style, place };
  }
  return {};
}
