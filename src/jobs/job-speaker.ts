/** Speaks the sentences of a job through the gateway, behind live listeners. */
import type { Clock } from '../clock.js';
import { SpokenText } from '../gateway/spoken-text.js';
import type { Gateway } from '../gateway/types.js';
import { joinPcm, samplesToMs } from '../protocol/audio.js';
import { countChars } from '../protocol/characters.js';
import { parseModel, type SpeechModel } from '../protocol/contract.js';
import { BOOK_STYLE, type SentencePlace } from '../protocol/delivery/delivery.js';
import { type ErrorCode, TtsError } from '../protocol/errors.js';
import type { Language } from '../protocol/job.js';
import type { Texts } from '../text/thread/texts.js';

export interface JobSpeakerOptions {
  readonly gateway: Pick<Gateway, 'open'>;
  readonly texts: Pick<Texts, 'cutter'>;
  readonly clock: Clock;
}

export interface SpokenJob {
  readonly id: string;
  readonly keyId: string;
  readonly model: SpeechModel;
  readonly voice: string;
  readonly language: Language;
  readonly speed: number;
}

interface Sentence {
  readonly text: string;
  readonly ssml: boolean;
  readonly place?: SentencePlace | undefined;
}

export interface SpokenSentence {
  readonly pcm: Int16Array;
  /** When each code point of the text as sent begins (ms). */
  readonly startsMs: readonly number[];
}

/** Failures that pass by themselves: a job waits for workers as long as it takes. */
const PASSING: readonly ErrorCode[] = ['overloaded', 'no_worker_ready'];
/** Attempts at a sentence on which an engine failed. */
const ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;

export class JobSpeaker {
  readonly #options: JobSpeakerOptions;

  constructor(options: JobSpeakerOptions) {
    this.#options = options;
  }

  async speak(job: SpokenJob, sentence: Sentence, signal: AbortSignal): Promise<SpokenSentence> {
    let waitMs = FIRST_WAIT_MS;
    for (let failures = 0; ; ) {
      try {
        return await this.#once(job, sentence, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof TtsError) || !error.row.retryable) throw error;
        if (!PASSING.includes(error.code) && ++failures >= ATTEMPTS) throw error;
        await this.#options.clock.sleep(waitMs, signal);
        waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
      }
    }
  }

  async #once(job: SpokenJob, { text, ssml, place }: Sentence, signal: AbortSignal): Promise<SpokenSentence> {
    const { gateway, texts } = this.#options;
    const { id, keyId, model, voice, language, speed } = job;
    const cutter = texts.cutter({ language, ssml, inTimeChars: Number.POSITIVE_INFINITY });
    const delivery = { style: BOOK_STYLE, place };
    const about = { model: parseModel(model).base, voice, language, seed: 0, speed, owner: keyId, requestId: id };
    let speech: ReturnType<Gateway['open']>;
    try {
      speech = gateway.open({ ...about, ...delivery, whole: true, chars: countChars(text) });
    } catch (error) {
      cutter.close();
      throw error;
    }
    const spoken = new SpokenText(speech, cutter);
    const parts: Int16Array[] = [];
    const startsMs: number[] = [];
    let samples = 0;
    try {
      spoken.text(text);
      spoken.end();
      for await (const event of spoken.speak(signal)) {
        if (event.type === 'segment') {
          const { startSamples } = event.timings;
          const starts = Array.from(event.segment.text, (_, char) => samples + (startSamples[char] ?? 0));
          for (const start of starts) startsMs.push(Math.round(samplesToMs(start)));
        } else if (event.type === 'audio') {
          parts.push(event.pcm);
          samples += event.pcm.length;
        }
      }
    } finally {
      spoken.close();
    }
    return { pcm: joinPcm(parts), startsMs };
  }
}
