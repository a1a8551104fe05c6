/** The detector is sure, or silent. */
import { describe, expect, it } from 'vitest';
import { speaks } from '../../src/protocol/languages.js';
import { detectLanguage, unreadableLanguage } from '../../src/text/detect-language.js';

const TEXTS: readonly (readonly [code: string | undefined, text: string])[] = [
  ['en', 'Good morning, we are going to live in Madrid with my family.'],
  ['en', 'The committee met on Tuesday, and nobody was surprised by what it decided.'],
  ['es', 'Buenos días, vamos a vivir en Madrid con la familia.'],
  ['es', '¿Dónde está la estación?'],
  ['es', 'El perro de mi vecino no deja de ladrar por las noches.'],
  ['fr', 'Bonjour, nous allons vivre à Paris avec toute la famille.'],
  ['fr', "C'est une histoire que je n'ai jamais racontée."],
  ['it', 'Buongiorno, andiamo a vivere a Roma con tutta la famiglia.'],
  ['it', 'Non so che cosa fare, ma domani sarà un altro giorno per tutti.'],
  ['pt', 'Bom dia, vamos morar em São Paulo com toda a família.'],
  ['pt', 'O menino não quer ir para a escola hoje.'],
  ['hi', 'नमस्ते, आप कैसे हैं?'],
  ['ja', 'おはようございます。今日はいい天気ですね。'],
  ['ja', 'コーヒー'],
  ['zh', '早上好，我们住在北京。'],
  [undefined, 'Hello.'],
  [undefined, 'OK'],
  [undefined, 'Madrid, Paris, Roma'],
  [undefined, 'Der Hund ist im Garten, und die Katze schläft auf dem Sofa.'],
  [undefined, 'De hond is niet in het huis, maar een kat zit op de bank.'],
  [undefined, '12 + 30 = 42'],
  [undefined, ''],
];

describe('the language of a text', () => {
  it.each(TEXTS)('%s: %s', (code, text) => {
    expect(detectLanguage(text)).toBe(code);
  });
});

describe('a text that a voice cannot read a letter of', () => {
  it.each([
    ['你好', 'en-US', 'zh'],
    ['おはよう', 'es-ES', 'ja'],
    ['नमस्ते', 'en-GB', 'hi'],
    ['Hello there, how are you?', 'ja-JP', 'en'],
    ['Buenos días, ¿cómo está usted?', 'zh-CN', 'es'],
    ['Hello 你好', 'en-US', undefined],
    ['Hello 你好', 'zh-CN', undefined],
    ['2024', 'hi-IN', undefined],
    ['привет', 'en-US', undefined],
    ['…', 'en-US', undefined],
  ] as const)('%s in %s is %s', (text, language, code) => {
    expect(unreadableLanguage(text, language)).toBe(code);
  });
});

it('a voice speaks its language, its locale, and Spanish of either side', () => {
  expect(speaks('en-GB', 'en')).toBe(true);
  expect(speaks('en-US', 'en-GB')).toBe(false);
  expect(speaks('es-ES', 'es-419')).toBe(true);
  expect(speaks('es-ES', 'fr')).toBe(false);
  expect(speaks('es-ES', 'xx')).toBe(false);
});
