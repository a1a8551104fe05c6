/** What of a text is not spoken, told to people: letters and signs no voice here can say, and markup without an effect. */
import { isBlank } from '../protocol/characters.js';
import { nothingToSay } from '../protocol/errors.js';

/** Every character that can be left out lies beyond these: Latin letters with their accents, and common punctuation. */
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

  /** `text` goes to be spoken. Cheap for ordinary text: nothing is loaded for it. */
  async add(text: string): Promise<void> {
    this.sawText ||= !isBlank(text);
    if (!this.ssml && !UNUSUAL.test(text)) return;
    this.reading ??= read(this.ssml);
    (await this.reading).push(text);
  }

  /** Throws where there was text and none of it can be spoken. For a run that made no sound. */
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
  const [{ Survey, unspokenInWords }, { Segmenter }] = await Promise.all([
    import('../text/survey.js'),
    import('../text/segment/segment.js'),
  ]);
  const survey = new Survey();
  // What is left out hangs on no cut: the limit of a segment is of no account here.
  const segmenter = new Segmenter({ countTokens: () => 0, ssml });
  const whole = (text: string) => survey.add({ spans: [{ kind: 'text', text, start: 0, end: 0 }] });
  return {
    push(text) {
      if (!ssml) return whole(text);
      try {
        for (const segment of segmenter.push(text)) survey.add(segment);
      } catch {
        // Markup that is wrong is the server's to refuse.
      }
    },
    unspoken: () => unspokenInWords(survey.unspoken),
    get ignoredMarkup() {
      return segmenter.ignoredMarkup;
    },
  };
}
