/** Tells people what of a text is not spoken: foreign letters and signs, markup without effect. */
import { isBlank } from '../protocol/characters.js';
import { nothingToSay } from '../protocol/errors.js';
import { DEFAULT_LANGUAGE, type Language } from '../protocol/job.js';
import { codeOf, type LanguageCode } from '../protocol/languages.js';

/** Latin letters and common punctuation, to stand between square brackets. */
const COMMON = '\\t\\n\\r -~\\u00a0-\\u024f\\u2010-\\u2026';
const WIDE = '\\u3001-\\u3011\\u3041-\\u30ff\\u4e00-\\u9fff\\uff01-\\uff5e';
/** Anything but those and the letters of the language; all that is left out is among it. */
const UNUSUAL: Partial<Readonly<Record<LanguageCode, RegExp>>> = {
  en: new RegExp(`[^${COMMON}]`),
  hi: new RegExp(`[^${COMMON}\\u0900-\\u097f]`),
  ja: new RegExp(`[^${COMMON}${WIDE}]`),
  zh: new RegExp(`[^${COMMON}\\u3001-\\u3011\\u4e00-\\u9fff\\uff01-\\uff5e]`),
};

interface Reading {
  push(text: string): void;
  unspoken(): string;
  readonly ignoredMarkup: readonly string[];
}

export class LeftOut {
  private reading: Promise<Reading> | undefined;
  private sawText = false;

  /** `language` is the voice's, as far as it is known here. */
  constructor(
    private readonly ssml: boolean,
    private readonly language: Language = DEFAULT_LANGUAGE,
  ) {}

  /** `text` is going to be spoken. For ordinary text nothing is loaded. */
  async add(text: string): Promise<void> {
    this.sawText ||= !isBlank(text);
    const unusual = UNUSUAL[codeOf(this.language)] ?? UNUSUAL.en!;
    if (!this.ssml && !unusual.test(text)) return;
    this.reading ??= read(this.ssml, this.language);
    (await this.reading).push(text);
  }

  /** For a run that made no sound: throws where there was text that cannot be spoken. */
  async refuseNothing(): Promise<void> {
    if (!this.sawText) return;
    throw nothingToSay((await this.reading)?.unspoken());
  }

  /** One remark for all of it, or undefined where everything was spoken. */
  async inWords(): Promise<string | undefined> {
    const reading = await this.reading;
    const unspoken = reading?.unspoken();
    const markup = reading?.ignoredMarkup ?? [];
    const remarks = [
      ...(unspoken ? [`Left out, because it cannot be spoken: ${unspoken}.`] : []),
      ...(markup.length > 0 ? [`Without effect: ${markup.join(', ')}; the text inside was spoken.`] : []),
    ];
    return remarks.length > 0 ? remarks.join(' ') : undefined;
  }
}

async function read(ssml: boolean, language: Language): Promise<Reading> {
  const [{ Survey }, { unspokenInWords }, { Segmenter }, { loadFrontEnd }] = await Promise.all([
    import('../text/survey.js'),
    import('../text/unspoken.js'),
    import('../text/segment/segment.js'),
    import('../text/languages.js'),
  ]);
  await loadFrontEnd(language);
  const survey = new Survey({ language });
  // Cuts do not change what is left out, so that tokens need not be counted.
  const segmenter = new Segmenter({ countTokens: () => 0, ssml, language });
  const whole = (text: string) => survey.add({ spans: [{ kind: 'text', text, start: 0, end: 0 }] });
  return {
    push(text) {
      if (!ssml) return whole(text);
      try {
        for (const segment of segmenter.push(text)) survey.add(segment);
      } catch {
        // The server refuses markup that is wrong.
      }
    },
    unspoken: () => unspokenInWords(survey.unspoken),
    get ignoredMarkup() {
      return segmenter.ignoredMarkup;
    },
  };
}
