/**
 * Every language is loaded when it is used, reads a sentence of its own, and says it in the model's
 * alphabet.
 */
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/protocol/job.js';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { languageFiles } from '../../testkit/language-files.js';

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

describe.each(LANGUAGES)('%s', (language) => {
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
