/**
 * Text lines on stdin to token ids on stdout, as our own front-end reads them: what the model meets in use.
 *
 *   node front-end.mjs en-US < text.txt > ids.txt        (after `npm run build` at the top of the repository)
 *
 * Japanese and Mandarin fetch their dictionaries into the model cache the first time.
 */
import { createInterface } from 'node:readline';
import { loadConfig } from '../../../dist/config.js';
import { ensureLanguage } from '../../../dist/models/language-packs.js';
import { createReader } from '../../../dist/text/reader.js';

const LIMIT = 509;
const { modelDir, offline } = loadConfig().config;
const files = (language) => ensureLanguage(language, { modelDir, offline });
const reader = await createReader({ language: process.argv[2] ?? 'en-US', files });

for await (const line of createInterface({ input: process.stdin })) {
  const spans = [{ kind: 'text', text: line, start: 0, end: [...line].length }];
  const { parts } = reader.read({ text: line, offset: 0, spans, pause: 'sentence' });
  const [first] = parts.filter(({ kind }) => kind === 'speech');
  console.log((first?.tokens ?? []).map(({ id }) => id).slice(0, LIMIT).join(' '));
}
