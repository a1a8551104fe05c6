/** One stretch of speech on a socket: spoken as its text arrives, ended by its final message. */
import type { Outcome } from '../../accounts/types.js';
import type { Clock, Timer } from '../../clock.js';
import { TextQueue } from '../../gateway/text-queue.js';
import type { GatewayEvent } from '../../gateway/types.js';
import { isAbort, publicError } from '../../protocol/errors.js';
import { LiveSpeech } from '../speech/live-speech.js';
import type { Permit } from '../speech/permit.js';
import type { Outbox } from './outbox.js';
import type { WaitingContext } from './waiting-contexts.js';

type Messages = Iterable<object> | AsyncIterable<object>;

/** How a door writes the speech of one context. */
export interface SpeechCodec {
  /** The messages that an event of the speech completes. */
  encode(event: GatewayEvent): Messages;
  /** The messages of what is left when everything was spoken. */
  finish(): Messages;
  /** The message that ends the context. */
  readonly final: object;
  /** Gives back what it holds. Called once, in every case. */
  close?(): void;
}

export interface SpeechContextOptions {
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly inactivityMs: number;
  readonly codec: () => SpeechCodec | Promise<SpeechCodec>;
  /** Asks for its permit; a permit that the handshake got is given as it is. */
  readonly permit: Permit | (() => Promise<Permit>);
  /** Its place among the contexts that wait for their permit. */
  readonly waiting?: WaitingContext | undefined;
  /** Nobody wrote for `inactivityMs`, and no audio is owed. */
  readonly onInactive: () => void;
  /** It ended before its final message. Called once, before `onEnd`. */
  readonly onFailure: (error: unknown) => void;
  /** It takes no more messages: its final one leaves now, or it ended without. Called once. */
  readonly onDone: () => void;
  /** Everything it held was given back, and the ledger has its row. Called once, after `onDone`. */
  readonly onEnd: () => void;
}

export class SpeechContext {
  readonly #options: SpeechContextOptions;
  readonly #abort = new AbortController();
  readonly #opened: Promise<LiveSpeech | undefined>;
  #speech: LiveSpeech | undefined;
  /** What came before it had its permit. */
  #early = new TextQueue();
  #idle: Timer | undefined;
  #begun: boolean;
  /** No more text is taken. */
  #ending = false;
  #done = false;
  #ended = false;

  constructor(options: SpeechContextOptions) {
    this.#options = options;
    // A permit of the handshake is no speech yet: its context begins with the first text.
    this.#begun = typeof options.permit === 'function';
    this.#opened = this.#open();
    void this.#run();
  }

  /** Whether a stop of the server waits for it. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Audio that a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number {
    return this.#speech?.audioAheadMs(nowMs) ?? 0;
  }

  append(text: string): void {
    this.#begun = true;
    this.#act(
      (speech) => speech.append(text),
      (early) => {
        this.#options.waiting?.hold(text.length);
        early.add(text);
      },
    );
  }

  flush(): void {
    this.#act(
      (speech) => speech.flush(),
      (early) => {
        if (early.flush()) this.#options.waiting?.hold(1);
      },
    );
  }

  /** No more text: what is left is spoken, then comes the final message. */
  end(): void {
    this.#begun = true;
    this.#act(
      (speech) => speech.end(),
      (early) => early.end(),
    );
    this.#ending = true;
    this.#idle?.cancel();
  }

  /** A message came that keeps it open. */
  touch(): void {
    this.#watchIdleness();
  }

  /** The only way out: gives back what it held, and settles or returns the reservation. */
  close(outcome: Outcome, byClient: boolean, error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#early = new TextQueue();
    this.#idle?.cancel();
    this.#abort.abort();
    this.#finish();
    void this.#opened.then((speech) => speech?.close(outcome, byClient, error)).then(() => this.#options.onEnd());
  }

  #act(now: (speech: LiveSpeech) => void, later: (early: TextQueue) => void): void {
    if (this.#ended || this.#ending) return;
    try {
      if (this.#speech === undefined) later(this.#early);
      else now(this.#speech);
      this.#watchIdleness();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #open(): Promise<LiveSpeech | undefined> {
    const { permit: asked, clock } = this.#options;
    try {
      const permit = typeof asked === 'function' ? await asked() : asked;
      const { revoked } = permit;
      revoked.addEventListener('abort', () => this.#fail(revoked.reason), { signal: this.#abort.signal });
      return new LiveSpeech({
        permit,
        clock,
        onIdle: () => this.#watchIdleness(),
        onFailure: (error) => this.#fail(error),
      });
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  async #run(): Promise<void> {
    const { outbox, waiting } = this.#options;
    let codec: SpeechCodec | undefined;
    try {
      const speech = await this.#opened;
      if (speech === undefined || this.#ended) return;
      const made = await this.#options.codec();
      codec = made;
      if (this.#ended) return;
      this.#speech = speech;
      this.#catchUp(speech);
      waiting?.leave();
      this.#watchIdleness();
      await speech.speak((event) => this.#send(made.encode(event)), this.#abort.signal);
      await this.#send(made.finish());
      await speech.reserved(this.#abort.signal);
      if (this.#ended) return;
      this.#finish();
      await outbox.deliver(made.final);
      this.close('completed', false);
    } catch (error) {
      this.#fail(error);
    } finally {
      waiting?.leave();
      codec?.close?.();
    }
  }

  #catchUp(speech: LiveSpeech): void {
    const early = this.#early;
    for (let piece = early.take(); piece !== undefined; piece = early.take()) {
      if (piece.kind === 'text') speech.append(piece.text);
      else if (piece.kind === 'flush') speech.flush();
      else speech.end();
    }
  }

  async #send(messages: Messages): Promise<void> {
    for await (const message of messages) await this.#options.outbox.send(message);
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    if (isAbort(error)) {
      this.close('cancelled', true);
      return;
    }
    this.#options.onFailure(error);
    this.close('failed', publicError(error).row.status < 500, error);
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#options.onDone();
  }

  /** Counts from the last message or the last owed audio, whichever came later. */
  #watchIdleness(): void {
    this.#idle?.cancel();
    if (this.#ended || this.#ending || this.#speech === undefined || !this.#speech.idle) return;
    const { inactivityMs, outbox, clock, onInactive } = this.#options;
    this.#idle = clock.setTimeout(() => {
      // Audio that the network has not taken yet is still owed to a client that reads slowly.
      if (outbox.empty) onInactive();
      else this.#watchIdleness();
    }, inactivityMs);
  }
}
