/** Tells people what of a text is not spoken: foreign letters and signs, markup without effect. */
import { isBlank } from '../protocol/characters.js';
import { nothingToSay } from '../protocol/errors.js';

/** Anything but Latin letters and common punctuation; all that is left out is among it. */
const UNUSUAL = /[^\t\n\r -~\u00a0-\u024f\u2010-\u2026]/;

interface Reading {
  push(text: string): void;
  unspoken(): string;
  readonly ignoredMarkup: readonly string[];
}

export class LeftOut {
  private reading: Promise<Reading> | undefined;
  private sawText = false;

  constructor(private readonly ssml: boolean) {}

  /** `text` is going to be spoken. For ordinary text nothing is loaded. */
  async add(text: string): Promise<void> {
    this.sawText ||= !isBlank(text);
    if (!this.ssml && !UNUSUAL.test(text)) return;
    this.reading ??= read(this.ssml);
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

async function read(ssml: boolean): Promise<Reading> {
  const [{ Survey }, { unspokenInWords }, { Segmenter }] = await Promise.all([
    import('../text/survey.js'),
    import('../text/unspoken.js'),
    import('../text/segment/segment.js'),
  ]);
  const survey = new Survey();
  // Cuts do not change what is left out, so that tokens need not be counted.
  const segmenter = new Segmenter({ countTokens: () => 0, ssml });
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
