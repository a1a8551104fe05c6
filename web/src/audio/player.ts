/** Plays a recording while it still grows, and knows which sample is heard. */
import { signal } from '@preact/signals';
import { type Recording, SAMPLE_RATE } from './recording.js';
import ringUrl from './ring.worklet.ts?worker&url';

/** Samples that the ring is kept ahead: enough for a background page with slow timers. */
const AHEAD = SAMPLE_RATE * 8;
const PIECE = SAMPLE_RATE / 4;

interface Report {
  readonly epoch: number;
  /** Samples of the recording that were played at `frame`, from where playback began. */
  readonly played: number;
  readonly frame: number;
  readonly held: number;
  /** Samples of the recording for one that is heard; 0 while nothing moves. */
  readonly speed: number;
  readonly underruns: number;
  readonly done: boolean;
}

export class Player {
  /** Playback has begun and not ended; also while it is paused. */
  readonly playing = signal(false);
  readonly paused = signal(false);
  readonly speed = signal(1);
  /** Counts calls of `play`: each puts the position elsewhere. */
  readonly begins = signal(0);
  /** Gaps in the audio since the start, because nothing was there to play. */
  readonly underruns = signal(0);
  /** Called once in a run, when its first sample is played; `ms` of `performance.now()`. */
  onFirstSound: ((ms: number) => void) | undefined;
  #context: AudioContext | undefined;
  #node: AudioWorkletNode | undefined;
  #opening: Promise<void> | undefined;
  #recording: Recording | undefined;
  /** What was played last, also when it has ended. */
  #latest: Recording | undefined;
  #unsubscribe: (() => void)[] = [];
  #epoch = 0;
  #origin = 0;
  #fed = 0;
  #ended = false;
  #last: Report | undefined;

  /** Has to be called within a click, before anything is awaited: browsers demand it. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    void this.#context?.resume();
    return this.#opening;
  }

  async #open(): Promise<void> {
    const context = new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: 'interactive' });
    this.#context = context;
    await context.audioWorklet.addModule(ringUrl);
    const node = new AudioWorkletNode(context, 'ring', { numberOfInputs: 0, outputChannelCount: [1] });
    node.port.onmessage = ({ data }) => this.#hear(data as Report);
    node.connect(context.destination);
    this.#node = node;
    this.#post({ type: 'speed', speed: this.speed.peek() });
  }

  /** `paused`: at that place, without a sound until `pause(false)`. */
  async play(recording: Recording, from = 0, paused = false): Promise<void> {
    this.#forget();
    this.#recording = recording;
    this.#latest = recording;
    this.#epoch++;
    const epoch = this.#epoch;
    this.#origin = Math.max(0, Math.min(from, recording.length.peek()));
    this.#fed = this.#origin;
    this.#ended = false;
    this.#last = undefined;
    this.underruns.value = 0;
    this.paused.value = paused;
    this.playing.value = true;
    this.begins.value++;
    await this.open();
    if (epoch !== this.#epoch || !this.playing.peek()) return;
    this.#post({ type: 'start', paused: this.paused.peek() });
    this.#unsubscribe = [
      recording.length.subscribe(() => this.#feed()),
      recording.finished.subscribe(() => this.#feed()),
    ];
  }

  pause(paused: boolean): void {
    if (!this.playing.peek()) return;
    if (!paused) void this.open();
    this.#post({ type: 'pause', paused });
    this.paused.value = paused;
  }

  /** Of playback, with the pitch kept. */
  setSpeed(speed: number): void {
    this.speed.value = speed;
    this.#post({ type: 'speed', speed });
  }

  stop(): void {
    this.#post({ type: 'stop' });
    this.#forget();
    this.playing.value = false;
    this.paused.value = false;
  }

  /**
   * The sample of a recording that is heard now, or was last; the one before the first where none
   * was heard yet, or another recording is played.
   */
  position(of: Recording): number {
    if (of !== this.#latest) return -1;
    const { played = 0, frame = 0, held = 0, speed = 0 } = this.#last ?? {};
    const context = this.#context;
    if (context === undefined || played === 0) return this.#origin - 1;
    const ahead = (context.currentTime * SAMPLE_RATE - frame) * speed;
    const latency = (context.outputLatency || context.baseLatency || 0) * SAMPLE_RATE * speed;
    const at = Math.min(played + ahead, played + held) - latency;
    return this.#origin + Math.max(-1, Math.round(at));
  }

  #hear(report: Report): void {
    if (report.epoch !== this.#epoch || !this.playing.peek()) return;
    const first = this.#last?.played ?? 0;
    // At its end all of it was heard.
    this.#last = report.done ? { ...report, speed: 0 } : report;
    if (first === 0 && report.played > 0) {
      this.onFirstSound?.(performance.now() - (report.played * 1000) / SAMPLE_RATE / (report.speed || 1));
    }
    this.underruns.value = report.underruns;
    this.#feed();
    if (report.done) this.stop();
  }

  #feed(): void {
    const recording = this.#recording;
    if (recording === undefined) return;
    const length = recording.length.peek();
    const heard = this.#origin + (this.#last?.played ?? 0);
    while (this.#fed < length && this.#fed - heard < AHEAD) {
      const piece = recording.samples(this.#fed, Math.min(length, this.#fed + PIECE));
      const samples = new Float32Array(piece.length);
      for (let i = 0; i < piece.length; i++) samples[i] = piece[i]! / 32_768;
      this.#fed += piece.length;
      this.#post({ type: 'push', samples }, [samples.buffer]);
    }
    if (this.#ended || !recording.finished.peek() || this.#fed < length) return;
    this.#ended = true;
    this.#post({ type: 'end' });
  }

  #post(message: object, transfer: Transferable[] = []): void {
    this.#node?.port.postMessage({ ...message, epoch: this.#epoch }, transfer);
  }

  #forget(): void {
    for (const forget of this.#unsubscribe) forget();
    this.#unsubscribe = [];
    this.#recording = undefined;
  }
}
