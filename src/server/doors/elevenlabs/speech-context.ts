/** One stretch of speech on a socket: granted when its first message comes, spoken as text arrives, ended by its final message. */
import type { Outcome } from '../../../accounts/types.js';
import { type AudioEncoder, createEncoder } from '../../../audio/encoder.js';
import type { AudioFormat } from '../../../audio/format.js';
import { TextQueue } from '../../../gateway/text-queue.js';
import type { GatewayEvent } from '../../../gateway/types.js';
import { msToSamples } from '../../../protocol/audio.js';
import { isAbort, TtsError } from '../../../protocol/errors.js';
import type { Outbox } from '../../sockets/outbox.js';
import { encodeInTurns } from '../../speech/encode-in-turns.js';
import type { Grant } from '../../speech/grants.js';
import { LiveSpeech } from '../../speech/live-speech.js';
import { CharacterClock, socketAlignment } from './character-times.js';
import type { WaitingContext } from './waiting-contexts.js';

export interface SpeechContextOptions {
  /** As the client names it, where it does. */
  readonly id: string | undefined;
  readonly format: AudioFormat;
  readonly inactivityMs: number;
  readonly outbox: Outbox;
  readonly open: () => Promise<Grant>;
  /** Its place among those that wait for their grant. */
  readonly waiting: WaitingContext;
  /** Nobody wrote for a while, and nothing is owed. */
  readonly onInactive: () => void;
  /** It ended before its final message; called once, before `onEnd`. */
  readonly onFailure: (error: unknown) => void;
  /** Called once, when it takes no more messages: its final one leaves now, or it ended without. */
  readonly onDone: () => void;
  /** Called once, after `onDone`, when everything it held was given back and the ledger has its row. */
  readonly onEnd: () => void;
}

const MAX_MESSAGE_SAMPLES = msToSamples(200);
/** Silent characters that wait for audio to be told with; beyond it they are told without. */
const MAX_UNTOLD_CHARS = 1_000;

export class SpeechContext {
  readonly #options: SpeechContextOptions;
  readonly #clock = new CharacterClock();
  readonly #abort = new AbortController();
  readonly #opened: Promise<LiveSpeech | undefined>;
  #speech: LiveSpeech | undefined;
  /** What came while its grant was being opened. */
  #early = new TextQueue();
  #idle: NodeJS.Timeout | undefined;
  /** No more text is taken. */
  #ending = false;
  #done = false;
  #ended = false;
  /** Where the last character ended that was told. */
  #toldMs = 0;

  constructor(options: SpeechContextOptions) {
    this.#options = options;
    this.#opened = this.#open();
    void this.#run();
  }

  /** Audio a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number {
    return this.#speech?.audioAheadMs(nowMs) ?? 0;
  }

  append(text: string): void {
    this.#act(
      (speech) => speech.append(text),
      (early) => {
        this.#options.waiting.hold(text.length);
        early.add(text);
      },
    );
  }

  flush(): void {
    this.#act(
      (speech) => speech.flush(),
      (early) => {
        if (early.flush()) this.#options.waiting.hold(1);
      },
    );
  }

  /** No more text: what is left is spoken, then comes the final message. */
  end(): void {
    this.#act(
      (speech) => speech.end(),
      (early) => early.end(),
    );
    this.#ending = true;
    clearTimeout(this.#idle);
  }

  /** It is still wanted. */
  touch(): void {
    this.#watchIdleness();
  }

  /** The socket is gone or goes: nothing more is said of it. */
  cancel(outcome: Exclude<Outcome, 'completed'>, byClient: boolean): void {
    this.#close(outcome, byClient);
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
    try {
      const grant = await this.#options.open();
      const { revoked } = grant;
      revoked.addEventListener('abort', () => this.#fail(revoked.reason), { signal: this.#abort.signal });
      return new LiveSpeech({
        grant,
        onIdle: () => this.#watchIdleness(),
        onFailure: (error) => this.#fail(error),
      });
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  async #run(): Promise<void> {
    const { format, outbox, waiting } = this.#options;
    let encoder: AudioEncoder | undefined;
    try {
      const speech = await this.#opened;
      if (speech === undefined || this.#ended) return;
      const codec = await createEncoder(format);
      encoder = codec;
      if (this.#ended) return;
      this.#speech = speech;
      this.#catchUp(speech);
      waiting.leave();
      this.#watchIdleness();
      await speech.speak((event) => this.#write(event, codec), this.#abort.signal);
      await this.#send(codec.end());
      await this.#sendRest();
      await speech.reserved(this.#abort.signal);
      if (this.#ended) return;
      this.#finish();
      await outbox.deliver(this.#named({ isFinal: true }));
      this.#close('completed', false);
    } catch (error) {
      this.#fail(error);
    } finally {
      waiting.leave();
      encoder?.close();
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

  async #write(event: GatewayEvent, encoder: AudioEncoder): Promise<void> {
    this.#clock.hear(event);
    if (event.type === 'segment-end' && this.#clock.waiting >= MAX_UNTOLD_CHARS) await this.#sendRest();
    if (event.type !== 'audio') return;
    for (let at = 0; at < event.pcm.length; at += MAX_MESSAGE_SAMPLES) {
      await this.#send(await encodeInTurns(encoder, event.pcm.subarray(at, at + MAX_MESSAGE_SAMPLES)));
    }
  }

  async #send(audio: Uint8Array): Promise<void> {
    if (audio.length === 0) return;
    const base64 = Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64');
    await this.#options.outbox.send(this.#named({ audio: base64, isFinal: false, ...this.#alignments() }));
  }

  /** Characters behind the last audio, which no message has told of. */
  async #sendRest(): Promise<void> {
    const alignments = this.#alignments();
    if (alignments.alignment === null) return;
    await this.#options.outbox.send(this.#named({ audio: '', isFinal: false, ...alignments }));
  }

  /**
   * The characters of a segment come with its first audio. Pipecat adds up how long each `alignment` lasts, so its times
   * begin where the one before ended; LiveKit reads those of `normalizedAlignment` from the beginning of the context.
   */
  #alignments() {
    const times = this.#clock.take();
    if (times === undefined) return { alignment: null, normalizedAlignment: null };
    const alignment = socketAlignment(times, this.#toldMs);
    this.#toldMs = times.endMs.at(-1)!;
    return { alignment, normalizedAlignment: socketAlignment(times, 0) };
  }

  #named(message: object): object {
    const { id } = this.#options;
    return id === undefined ? message : { ...message, contextId: id };
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const left = isAbort(error);
    if (!left) this.#options.onFailure(error);
    const ours = error instanceof TtsError ? error.row.status >= 500 : !left;
    this.#close(left ? 'cancelled' : 'failed', !ours);
  }

  /** The only way out: gives back what it held, and settles or returns the reservation. */
  #close(outcome: Outcome, byClient: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#early = new TextQueue();
    clearTimeout(this.#idle);
    this.#abort.abort();
    this.#finish();
    void this.#opened.then((speech) => speech?.close(outcome, byClient)).then(() => this.#options.onEnd());
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#options.onDone();
  }

  /** Counts from the last message or the last owed audio, whichever came later, and only while nothing is owed. */
  #watchIdleness(): void {
    clearTimeout(this.#idle);
    if (this.#ended || this.#ending || this.#speech === undefined || !this.#speech.idle) return;
    const { inactivityMs, outbox, onInactive } = this.#options;
    this.#idle = setTimeout(() => {
      // Sent, but not yet taken by the network: still owed to whoever reads slowly.
      if (outbox.empty) onInactive();
      else this.#watchIdleness();
    }, inactivityMs);
  }
}
