/**
 * What a user of the client sees. Nothing here needs the types of a browser or of Node, so that
 * both can use it.
 */

export interface ClientOptions {
  /** Address of the server. In a browser the one that `/client.js` came from, or the page's own. */
  readonly baseUrl?: string;
  /** An API key. Whoever sees the page sees it too: for strangers, take `ticket`. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>);
  /**
   * Gets a ticket for a session from a backend of your own, which asks `POST /v1/stream-tickets`
   * for it with your key.
   */
  readonly ticket?: (session: SessionRequest) => Promise<string>;
}

/** The body of `POST /v1/stream-tickets`. */
export interface SessionRequest {
  readonly voice: string;
  readonly query: Readonly<Record<string, string>>;
}

export interface SpeakOptions {
  /** Id of a voice; the server's default where it is left out. */
  readonly voice?: string;
  /** `base-tts-fast` where it is left out. */
  readonly model?: string;
  /** Another reading of the same text; 0 is the canonical one. */
  readonly seed?: number;
  /** The text carries SSML. */
  readonly ssml?: boolean;
  readonly language?: string;
  /** Plays the speech. True in a browser, where it is left out; nothing else can play. */
  readonly play?: boolean;
  /** How fast it is played, 0.5 to 2, with the pitch kept. */
  readonly rate?: number;
  /** How loud it is played, 0 to 1. */
  readonly volume?: number;
  readonly signal?: AbortSignal;
}

export interface Voice {
  readonly id: string;
  readonly display_name: string;
  /** The language it speaks, such as `en`. */
  readonly language: string;
  /** The same with its accent, such as `en-GB`. */
  readonly locale?: string;
  readonly gender: 'female' | 'male' | 'neutral';
  readonly description: string;
}

export interface SpokenWord {
  readonly text: string;
  /** UTF-16 units into all text that was written. */
  readonly charIndex: number;
  readonly charLength: number;
  /** From the beginning of the speech, at the voice's own pace. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface Alignment {
  /** Code points of the text as it was sent. */
  readonly chars: readonly string[];
  /** From the first sample of the chunk. */
  readonly charStartTimesMs: readonly number[];
  readonly charDurationsMs: readonly number[];
}

export interface SpeechChunk {
  /** 24 kHz, mono. */
  readonly pcm: Int16Array;
  /** Words that end within it. */
  readonly words: readonly SpokenWord[];
  /** Absent with a Free key, which has no times. */
  readonly alignment?: Alignment | undefined;
}

export interface SpeechEvents {
  /** The first sound is heard or, where nothing plays, has come. */
  start: undefined;
  chunk: SpeechChunk;
  /** A word is heard or, where nothing plays, has come. */
  word: SpokenWord;
  pause: undefined;
  resume: undefined;
  /** All was heard or, where nothing plays, has come. */
  end: undefined;
  /** Also after `cancel`, with the code `cancelled`. */
  error: SpeechError;
}

/** Speech that is being made, and played in a browser. */
export interface Speech extends AsyncIterable<SpeechChunk> {
  /** The result takes the listener away again. */
  on<Type extends keyof SpeechEvents>(type: Type, listener: (event: SpeechEvents[Type]) => void): () => void;
  /** Resolves at `end`; rejects with a `SpeechError`. */
  readonly done: Promise<void>;
  /** All samples, once they have come. To be called before the first of them. */
  collect(): Promise<{ readonly pcm: Int16Array; readonly words: readonly SpokenWord[] }>;
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Speech whose text is still being written. */
export interface WritableSpeech extends Speech {
  /** `flush`: what is pending is spoken now, without waiting for the end of its sentence. */
  write(text: string, flush?: boolean): void;
  /** No more text comes. */
  end(): void;
}

export interface SpeechError extends Error {
  /** The server's code, `unreachable`, `connection_lost` or `cancelled`. */
  readonly code: string;
  /** Status of the HTTP response; 0 where there was none. */
  readonly status: number;
  readonly requestId: string | undefined;
}

export interface SpeechClient {
  voices(options?: { readonly model?: string; readonly signal?: AbortSignal }): Promise<readonly Voice[]>;
  /** Says a text: aloud in a browser. */
  speak(text: string, options?: SpeakOptions): Speech;
  /** Speaks while the text is being written. */
  stream(options?: SpeakOptions): WritableSpeech;
}

/** The supported part of `speechSynthesis` and `SpeechSynthesisUtterance` (Web Speech API). */
export interface SpeechSynthesisShim {
  readonly speechSynthesis: object;
  readonly SpeechSynthesisUtterance: new (text?: string) => object;
  /** Puts both into the page's globals; the result puts back what was there. */
  install(): () => void;
}
