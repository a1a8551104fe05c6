/**
 * Every class of numeral, spoken by the model and understood by a recogniser that knows nothing of
 * the text.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { createRecogniser, type Recogniser } from '../../testkit/sound/recogniser.js';
import { modelDirForTests, realEngine, speak } from '../../testkit/speech.js';
import { lettersOf } from '../support/letters.js';

/** What is written, and each way in which the recogniser may write down what must be heard. */
const PHRASES: readonly (readonly [string, string, ...(readonly string[])])[] = [
  ['cardinals', 'There were 347 people in the hall.', 'three hundred forty seven people'],
  ['large cardinals', 'The town has 52,000 houses.', 'fifty two thousand houses'],
  ['ordinals', 'She lives on the 23rd floor.', 'twenty third floor'],
  ['decimals', 'The result was 3.75 in the end.', 'three point seven five', '3.75'],
  ['negative numbers', 'It was -12 degrees outside.', 'minus twelve degrees'],
  ['fractions', 'Add 3/4 of a cup of sugar.', 'three quarters of a cup', 'three fourths of a cup', '3/4'],
  ['percentages', 'Prices rose by 45% last month.', 'forty five percent', '45%'],
  ['ranges', 'Read pages 10-15 before class.', 'ten to fifteen', '10-15'],
  ['years', 'The war ended in 1945, they say.', 'nineteen forty five'],
  ['decades', 'They met in the 1980s in Boston.', 'nineteen eighties', '1980s'],
  ['dates', 'The party is on July 4, 2026.', 'july fourth 2026', 'july fourth twenty twenty six'],
  ['clock times', 'The train leaves at 7:45 p.m. today.', 'seven forty five'],
  ['currencies', 'The ticket costs $25 for children.', 'twenty five dollars'],
  ['cents', 'A coffee is $3.50 over there.', 'three dollars and fifty cents', '$3.50'],
  ['millions of money', 'They raised $12 million for it.', 'twelve million dollars', '$12 million'],
  ['units', 'The parcel weighs 14 kg in all.', 'fourteen kilograms'],
  ['speeds', 'He drove at 65 mph all the way.', 'sixty five miles per hour'],
  ['telephone numbers', 'Please call 555-0142 for help.', '555-0142', '5550142', '555 0142'],
  ['scores', 'We won the game 3-2 last night.', 'three to two', '3-2'],
  ['Roman numerals', 'He read about Henry VIII at school.', 'henry the eighth', 'henry viii'],
  ['versions', 'Install version v2.1 of the program.', 'two point one', '2.1'],
];

/**
 * Spoken by a British voice, as the British say it. The recogniser knows no "zed", but it hears
 * that it is no "zee".
 */
const BRITISH: readonly (readonly [string, string, ...(readonly string[])])[] = [
  ['quarters of an hour', 'The train leaves at 5:15 today.', 'quarter past five'],
  ['numbers', 'There were 365 people in the hall.', 'three hundred and sixty five people', '365 people'],
  ['days before months', 'The party is on 3/4/2026 at home.', 'third of april', '3rd of april'],
  [
    'the last letter',
    'The last letter of the alphabet is Z.',
    'alphabet is zed',
    'alphabet is zedd',
    'alphabet is said',
  ],
];

const fold = (text: string) => text.toLowerCase().replace(/\s/g, '');

let engine: Engine;
let recogniser: Recogniser;
beforeAll(async () => {
  engine = await realEngine(['base-tts-fast']);
  recogniser = await createRecogniser(await modelDirForTests());
}, 600_000);
afterAll(async () => {
  await engine?.close();
  await recogniser?.close();
});

const understands = (heard: string, meant: readonly string[]): boolean =>
  meant.some((phrase) => lettersOf(heard).includes(lettersOf(phrase)) || fold(heard).includes(fold(phrase)));

describe('heard back', () => {
  for (const [name, written, ...meant] of PHRASES) {
    it(name, async () => {
      const { pcm } = await speak(engine, written);
      const heard = await recogniser.transcribe(pcm);
      expect(understands(heard, meant) ? meant[0] : heard).toBe(meant[0]);
    }, 120_000);
  }

  for (const [name, written, ...meant] of BRITISH) {
    it(`${name}, of a British voice`, async () => {
      const voice = { language: 'en-GB', mix: [{ style: 'bf_emma', weight: 1 }] } as const;
      const { pcm } = await speak(engine, written, voice);
      const heard = await recogniser.transcribe(pcm);
      expect(understands(heard, meant) ? meant[0] : heard).toBe(meant[0]);
    }, 120_000);
  }
});
