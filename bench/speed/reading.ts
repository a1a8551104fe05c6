/**
 * What reading costs in each language, with the text front-end as built (`npm run build`): the
 * sentences of the case files, cut into segments and read to tokens. Processor time, as other
 * processes would lengthen the other kind.
 *
 *   load    ms until a reader is ready, its dictionary included
 *   first   µs a character (a Unicode code point) of sentences that were not read before, in a
 *           process that has read others
 *   again   the same sentences once more
 *   token   µs a token, first: tokens are what is heard, and a Han character is about four of them
 *
 *   npm run bench -- reading [--language ja-JP]
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { LANGUAGES, type Language } from '../../src/protocol/job.js';
import { languageFiles } from '../../testkit/language-files.js';
import { casesOf } from '../../testkit/text-cases.js';

type Reading = typeof import('../../src/text/reader.js');
type Segmenting = typeof import('../../src/text/segment/segment.js');

const CASES = path.resolve(import.meta.dirname, '../../test/text');
const RUNS = 15;

function sentencesOf(language: Language): string[] {
  const code = language.slice(0, 2);
  const folder = path.join(CASES, code === 'en' ? 'normalize-cases' : `${code}-cases`);
  return casesOf(path.join(folder, 'prose.txt')).map(({ written }) => written);
}

/** The text begun at another place: phrases that no cache has, of words that it may have. */
const turned = (text: string, run: number): string => {
  const at = (run * text.length) / RUNS;
  const space = text.indexOf(' ', at) + 1 || Math.floor(at);
  return `${text.slice(space)} ${text.slice(0, space)}`;
};

const processorUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

async function measure(language: Language, built: (file: string) => Promise<unknown>): Promise<void> {
  const { createReader } = (await built('text/reader.js')) as Reading;
  const { segmentText } = (await built('text/segment/segment.js')) as Segmenting;
  const folder = await languageFiles(language);
  const beganUs = processorUs();
  const reader = await createReader({ language, files: async () => folder });
  const loadMs = (processorUs() - beganUs) / 1000;
  const countTokens = (text: string) => reader.countTokens(text);
  const readAll = (sentences: readonly string[]) => {
    const startUs = processorUs();
    let tokens = 0;
    for (const text of sentences) {
      for (const segment of segmentText(text, { countTokens, language })) {
        for (const part of reader.read(segment).parts) if (part.kind === 'speech') tokens += part.tokens.length;
      }
    }
    return { us: processorUs() - startUs, tokens };
  };
  const sentences = sentencesOf(language);
  const [known, fresh] = [0, 1].map((half) => sentences.filter((_, at) => at % 2 === half)) as [string[], string[]];
  const chars = fresh.reduce((sum, text) => sum + [...text].length, 0);
  for (let run = 0; run < RUNS; run++) readAll(known.map((text) => turned(text, run)));
  const first = readAll(fresh);
  const again = Math.min(...Array.from({ length: RUNS }, () => readAll(fresh).us));
  const figures = [loadMs, first.us / chars, again / chars, first.us / first.tokens];
  const columns = figures.map((figure, at) => figure.toFixed(at === 0 ? 0 : 1).padStart(9));
  console.log(`${language.padEnd(8)}${columns.join('')}`);
}

export async function main(args: string[], built: (file: string) => Promise<unknown>): Promise<void> {
  const { values } = parseArgs({ args, options: { language: { type: 'string' } } });
  if (values.language !== undefined) return measure(values.language as Language, built);
  console.log(`        ${['load ms', 'first', 'again', 'token'].map((name) => name.padStart(9)).join('')}`);
  for (const language of LANGUAGES) {
    const run = [path.resolve(import.meta.dirname, '../run.js'), 'reading', '--language', language];
    spawnSync(process.execPath, run, { stdio: 'inherit' });
  }
}
