/** The client: voices, and speech of a text that is all there or still being written. */
import { DEFAULT_VOICE, TICKETS_PATH, VOICES_PATH } from '../../../src/protocol/contract.js';
import { streamPath } from '../../../src/protocol/stream.js';
import { call } from './request.js';
import { type OpenPlayback, SpokenSpeech } from './speech.js';
import type { ClientOptions, SpeakOptions, SpeechClient, Voice } from './types.js';

/** What users do not set: where the client runs, and what a page of the server itself asks for. */
export interface OwnOptions {
  /** Where this client is loaded from, for users that name no server. */
  readonly home: string;
  /** Absent where nothing can be played. */
  readonly openPlayback?: OpenPlayback;
  readonly WebSocket?: typeof WebSocket;
  /** Paths in place of the contract's. */
  readonly ticketsPath?: string;
  readonly streamPath?: (voice: string) => string;
  /** More of the session's query. */
  readonly query?: Readonly<Record<string, string>>;
}

const DEFAULT_MODEL = 'base-tts-fast';
/** The longest that a session may be silent (s); keepalives come more often. */
const INACTIVITY_S = '180';

export class HttpSpeechClient implements SpeechClient {
  readonly #options: ClientOptions & OwnOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions & OwnOptions) {
    this.#options = options;
    // Addresses are written with a slash at the end, or with the path of the API.
    this.#baseUrl = (options.baseUrl ?? options.home).replace(/\/+$/, '').replace(/\/v1$/, '');
  }

  async voices({ model = DEFAULT_MODEL, signal }: { model?: string; signal?: AbortSignal } = {}) {
    const url = `${this.#baseUrl}${VOICES_PATH}?model=${encodeURIComponent(model)}`;
    return (await call<{ data: readonly Voice[] }>(url, { key: await this.#key(), signal })).data;
  }

  speak(text: string, options: SpeakOptions = {}): SpokenSpeech {
    const speech = this.stream(options);
    speech.write(text);
    speech.end();
    return speech;
  }

  stream(options: SpeakOptions = {}): SpokenSpeech {
    const { voice = DEFAULT_VOICE, model = DEFAULT_MODEL, rate = 1, volume = 1, signal } = options;
    const { WebSocket: Socket = WebSocket, streamPath: pathOf = streamPath, openPlayback } = this.#options;
    const open = options.play === false ? undefined : openPlayback;
    const query = this.#query(model, options);
    const socketUrl = `${this.#baseUrl.replace(/^http/, 'ws')}${pathOf(voice)}?${new URLSearchParams(query)}`;
    const source = {
      baseUrl: this.#baseUrl,
      socketUrl,
      WebSocket: Socket,
      model,
      voice,
      key: () => this.#key(),
      ticket: (stop: AbortSignal) => this.#ticket({ voice, query }, stop),
    };
    return new SpokenSpeech(source, { open, rate, volume, signal });
  }

  #query(model: string, { seed, ssml, language }: SpeakOptions): Record<string, string> {
    return {
      model_id: model,
      sync_alignment: 'true',
      inactivity_timeout: INACTIVITY_S,
      ...(seed !== undefined && { seed: String(seed) }),
      ...(ssml && { enable_ssml_parsing: 'true' }),
      ...(language !== undefined && { language_code: language }),
      ...this.#options.query,
    };
  }

  async #key(): Promise<string | undefined> {
    const { apiKey } = this.#options;
    return typeof apiKey === 'function' ? apiKey() : apiKey;
  }

  async #ticket(body: { voice: string; query: Record<string, string> }, signal: AbortSignal): Promise<string> {
    const { ticket, ticketsPath = TICKETS_PATH } = this.#options;
    if (ticket) return ticket(body);
    const key = await this.#key();
    return (await call<{ ticket: string }>(`${this.#baseUrl}${ticketsPath}`, { body, key, signal })).ticket;
  }
}
