/** Commands that speak by themselves, in every language: nothing of a language was loaded before. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { makeHome, tts } from '../support/processes/tts.js';

const home = makeHome();
afterAll(() => home.remove());

it.each([
  ['es', 'Buenos días. El tren sale a las nueve.'],
  ['fr', 'Bonjour. Le train part à neuf heures.'],
  ['it', 'Buongiorno. Il treno parte alle nove.'],
  ['pt', 'Bom dia. O trem sai às nove.'],
  ['hi', 'नमस्ते। ट्रेन नौ बजे जाती है।'],
  ['ja', 'おはようございます。電車は九時に出ます。'],
  ['zh', '早上好。火车九点开。'],
])('speaks %s without a server', async (language, text) => {
  const file = home.file(`${language}.wav`);
  const ran = await tts(['speak', text, '--language', language, '-o', file], { env: home.env });
  expect(ran).toMatchObject({ code: 0 });
  expect(readFileSync(file).length).toBeGreaterThan(24_000);
});
