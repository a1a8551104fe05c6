/** Letters to sounds by rules that are tried in their order at each place of a word. */

/** A pattern for the letters at a place, and the model's symbols for them. */
export type LetterRule = readonly [letters: string, sounds: string];

/** The syllable that bears the stress. A rule whose sounds have a stress mark overrules it. */
type Stress = 'first' | 'last' | 'penult' | 'antepenult';

export interface Orthography {
  readonly stress: Stress | ((word: string) => Stress);
  readonly rules: readonly LetterRule[];
}

const VOWEL = /[AIOWYæɑɔəɛɜɪʊʌiu]/u;

const compiled = new WeakMap<Orthography, readonly (readonly [RegExp, string])[]>();

function patternsOf(orthography: Orthography): readonly (readonly [RegExp, string])[] {
  const known = compiled.get(orthography);
  if (known) return known;
  const made = orthography.rules.map(([letters, sounds]) => [new RegExp(letters, 'uy'), sounds] as const);
  compiled.set(orthography, made);
  return made;
}

/** The sounds of a word in small letters, or undefined where a letter has no rule. */
export function soundsOf(word: string, orthography: Orthography): string | undefined {
  const patterns = patternsOf(orthography);
  let said = '';
  let at = 0;
  while (at < word.length) {
    let end = at;
    for (const [pattern, sounds] of patterns) {
      pattern.lastIndex = at;
      if (!pattern.test(word)) continue;
      said += sounds;
      end = pattern.lastIndex;
      break;
    }
    if (end === at) return undefined;
    at = end;
  }
  const { stress } = orthography;
  return withStress(said, typeof stress === 'string' ? stress : stress(word));
}

function withStress(said: string, stress: Stress): string | undefined {
  // Of two written accents the last one tells.
  const mark = said.lastIndexOf('ˈ');
  const symbols = [...said.replaceAll('ˈ', '')];
  const vowels = symbols.flatMap((symbol, index) => (VOWEL.test(symbol) ? [index] : []));
  if (vowels.length === 0) return undefined;
  const back = { last: 1, penult: 2, antepenult: 3, first: vowels.length }[stress];
  const marked = mark < 0 ? -1 : [...said.slice(0, mark).replaceAll('ˈ', '')].length;
  const at = vowels.find((index) => mark >= 0 && index >= marked) ?? vowels[Math.max(0, vowels.length - back)]!;
  return [...symbols.slice(0, at), 'ˈ', ...symbols.slice(at)].join('');
}
