/**
 * Every language is loaded when it is used, reads a sentence of its own, and says it in the model's
 * alphabet.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/protocol/job.js';
import { createReader } from '../../src/text/reader.js';
import { surelySounds } from '../../src/text/segment/cutter.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { languageFiles } from '../../testkit/language-files.js';
import { casesOf } from '../../testkit/text-cases.js';

const SENTENCES: Readonly<Record<Language, string>> = {
  'en-US': 'Good morning, we live in 21 houses.',
  'en-GB': 'Good morning, we live in 21 houses.',
  'es-ES': 'Buenos días, ¿vivimos en 21 casas?',
  'es-419': 'Buenos días, ¿vivimos en 21 casas?',
  'fr-FR': 'Bonjour, nous habitons dans 21 maisons.',
  'it-IT': 'Buongiorno, abitiamo in 21 case.',
  'pt-BR': 'Bom dia, moramos em 21 casas.',
  'hi-IN': 'नमस्ते, हम 21 घरों में रहते हैं।',
  'ja-JP': 'おはようございます。21軒の家に住んでいます。',
  'zh-CN': '早上好，我们住在21栋房子里。',
};

const CASES = import.meta.dirname;

/** Everything written in the case files of a language. */
function writtenIn(language: Language): string[] {
  const code = language.slice(0, 2);
  const folder = path.join(CASES, code === 'en' ? 'normalize-cases' : `${code}-cases`);
  const files = readdirSync(folder).filter((file) => /^(?:forms|prose)/.test(file));
  return files.flatMap((file) => casesOf(path.join(folder, file)).map(({ written }) => written));
}

describe.each(LANGUAGES)('%s', (language) => {
  it('drops no symbol of any case, leaves no script unread, and knows before reading what will sound', async () => {
    const reader = await createReader({ language, files: languageFiles });
    const countTokens = (text: string) => reader.countTokens(text);
    for (const text of writtenIn(language)) {
      if (surelySounds(text, language)) expect([text, reader.sounds(text)]).toEqual([text, true]);
      for (const segment of segmentText(text, { countTokens, language })) {
        const { skipped, phonemes } = reader.read(segment);
        const dropped = Object.keys(skipped).filter((kind) => /^(?:symbol:|word|script)/.test(kind));
        expect([text, dropped]).toEqual([text, []]);
        if (language.startsWith('en')) continue;
        expect(phonemes).not.toMatch(/[\d\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Devanagari}]/u);
      }
    }
  });

  it('reads a sentence to its last character, dropping no symbol', async () => {
    const reader = await createReader({ language, files: languageFiles });
    const countTokens = (text: string) => reader.countTokens(text);
    const readings = segmentText(SENTENCES[language], { countTokens, language }).map((each) => reader.read(each));
    expect(readings.map(({ skipped }) => skipped)).toEqual(readings.map(() => ({})));
    const phonemes = readings.map((each) => each.phonemes).join(' ');
    expect(phonemes).toMatch(/\p{L}/u);
    expect(phonemes).not.toMatch(/[\d\p{Script=Han}\p{Script=Kana}\p{Script=Devanagari}]/u);
  });
});

it('tells by the script of the language what will surely sound', () => {
  for (const [text, language] of [
    ['नमस्ते।', 'hi-IN'],
    ['おはよう', 'ja-JP'],
    ['你好。', 'zh-CN'],
    ['Grüße', 'fr-FR'],
  ] as const)
    expect([text, surelySounds(text, language)]).toEqual([text, true]);
  for (const [text, language] of [
    ['नमस्ते', 'en-US'],
    ['你好', 'es-ES'],
    ['。、', 'ja-JP'],
    ['ー', 'ja-JP'],
    ['[你好](x)', 'zh-CN'],
  ] as const)
    expect([text, surelySounds(text, language)]).toEqual([text, false]);
});
