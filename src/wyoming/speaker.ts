/** Speaks for Wyoming clients through a server, which looks at key, limits and credits. */
import type { ServerAddress } from '../client/address.js';
import { createHttpClient, type HttpClient } from '../client/http.js';
import { Progress } from '../client/progress.js';
import type { AudioSink } from '../client/sinks/sink.js';
import { speakRequests } from '../client/speak-requests.js';
import { speakStream } from '../client/speak-stream.js';
import { parseModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import type { EventData } from './events.js';
import { infoOf } from './info.js';
import { Voices, type VoicesOptions, type WantedVoice } from './voices.js';

export interface SpeakerOptions extends Omit<VoicesOptions, 'client'> {
  readonly address: ServerAddress;
  /** Of this program. */
  readonly version: string;
}

export interface Wanted {
  readonly voice: WantedVoice;
  readonly ssml: boolean;
  /** Spoken as it arrives, but for Free models, which speak it when it is all there. */
  readonly text: AsyncIterable<string>;
}

/** Characters that a Free model is given at most; others have no end to their text. */
const MAX_FREE_CHARS = 100_000;

export class Speaker {
  readonly #options: SpeakerOptions;
  readonly #client: HttpClient;
  readonly #voices: Voices;

  constructor(options: SpeakerOptions) {
    this.#options = options;
    this.#client = createHttpClient(options.address);
    this.#voices = new Voices({ ...options, client: this.#client });
  }

  async info(signal: AbortSignal): Promise<EventData> {
    return infoOf(await this.#voices.list(signal), this.#options.version);
  }

  /** Resolves when the sink took all audio of the text. */
  async speak({ voice: wanted, ssml, text }: Wanted, sink: AudioSink, signal: AbortSignal): Promise<void> {
    const { voice, model } = await this.#voices.choose(wanted, signal);
    const { base, free } = parseModel(model);
    const progress = new Progress();
    if (free) {
      if (ssml) throw new TtsError('invalid_value', `${model} reads no SSML: it is for plain text.`);
      const sections = [{ text: await joined(text) }];
      return speakRequests({ client: this.#client, sections, fields: { model, voice }, sink, progress }, signal);
    }
    const params = { model_id: base, ...(ssml && { enable_ssml_parsing: true }) };
    const { address } = this.#options;
    await speakStream({ address, voice, params, text, flushOnNewline: false, sink, progress }, signal);
  }

  close(): void {
    this.#client.close();
  }
}

async function joined(text: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const piece of text) {
    all += piece;
    if (all.length > MAX_FREE_CHARS)
      throw new TtsError('text_too_long', `A Free model is given at most ${MAX_FREE_CHARS} characters at once.`);
  }
  return all;
}
