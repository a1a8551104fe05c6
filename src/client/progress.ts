/** The progress of a run: audio made and heard, the text that goes with it, and its speed. */
import { msToSamples, samplesToMs } from '../protocol/audio.js';
import type { Preparation } from '../protocol/preparation.js';
import type { Alignment } from '../protocol/stream-messages.js';
import { Timeline } from './timeline.js';

export type Phase = 'starting' | 'preparing' | 'waiting' | 'speaking' | 'done';

/** Everything the terminal shows, at one moment. */
export interface Snapshot {
  readonly phase: Phase;
  readonly preparation: Preparation | undefined;
  /** Model, voice and server, once they are known. */
  readonly speaker: string | undefined;
  /** The text up to now, and the text after it as far as it is known. */
  readonly spoken: string;
  readonly upcoming: string;
  /** 0 to 1, of the sound that is being heard. */
  readonly level: number;
  readonly heardMs: number;
  readonly totalMs: number;
  /** False while `totalMs` is an estimate. */
  readonly totalKnown: boolean;
  /** Estimated time until all is heard, or written where nothing is played, once it is known. */
  readonly leftMs: number | undefined;
  readonly firstAudioMs: number | undefined;
  readonly realTimeFactor: number | undefined;
}

const LEVEL_SAMPLES = msToSamples(50);
/** A sink that takes longer than this (ms) is full, so that the time is not the server's. */
const THROTTLED_MS = 40;

export class Progress {
  readonly timeline = new Timeline();
  /** Model, voice and server, for people. */
  speaker: string | undefined;
  private phase: Phase = 'starting';
  private preparation: Preparation | undefined;
  private readonly levels: number[] = [];
  private levelSum = 0;
  private levelCount = 0;
  private madeSamples = 0;
  private complete = false;
  private requestedMs: number | undefined;
  private waitingSinceMs = 0;
  private receivedMs = 0;
  private firstAudioMs: number | undefined;
  private synthesisMs = 0;
  private measuredSamples = 0;
  private throttled = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get made(): number {
    return this.madeSamples;
  }

  preparing(preparation: Preparation): void {
    this.phase = 'preparing';
    this.preparation = preparation;
  }

  /** A request left, or a session began to take text. */
  requested(): void {
    if (this.phase !== 'speaking') this.phase = 'waiting';
    this.requestedMs ??= this.now();
    this.waitingSinceMs = this.now();
  }

  /** Sound arrived. `alignment` is of the text that begins in it. */
  received(pcm: Int16Array, alignment?: Alignment): void {
    if (alignment) this.timeline.align(alignment, this.madeSamples);
    if (pcm.length === 0) return;
    const now = this.now();
    this.phase = 'speaking';
    this.receivedMs = now;
    this.firstAudioMs ??= now - (this.requestedMs ?? now);
    if (!this.throttled) {
      this.synthesisMs += now - this.waitingSinceMs;
      this.measuredSamples += pcm.length;
    }
    this.madeSamples += pcm.length;
    this.timeline.made(this.madeSamples);
    this.addLevels(pcm);
  }

  /** The sink took the audio; from here on the run waits for the server again. */
  taken(): void {
    const now = this.now();
    this.throttled = now - this.receivedMs > THROTTLED_MS;
    this.waitingSinceMs = now;
  }

  finished(): void {
    this.complete = true;
  }

  done(): void {
    this.phase = 'done';
    this.complete = true;
  }

  /** `playing`: the audio is played, so that the run ends when it was heard. */
  snapshot(heardSamples: number, playing: boolean): Snapshot {
    const expected = this.timeline.estimatedSamples();
    const total = this.complete ? this.madeSamples : Math.max(this.madeSamples, expected);
    const realTimeFactor =
      this.measuredSamples > LEVEL_SAMPLES * 10 ? this.synthesisMs / samplesToMs(this.measuredSamples) : undefined;
    const toMakeMs = samplesToMs(total - this.madeSamples) * (realTimeFactor ?? 1);
    const toHearMs = playing ? samplesToMs(total - heardSamples) : 0;
    return {
      phase: this.phase,
      preparation: this.phase === 'preparing' ? this.preparation : undefined,
      speaker: this.speaker,
      ...this.timeline.at(heardSamples),
      level: this.phase === 'speaking' ? this.levelAt(heardSamples) : 0,
      heardMs: samplesToMs(heardSamples),
      totalMs: samplesToMs(total),
      totalKnown: this.complete,
      leftMs:
        realTimeFactor === undefined || (!this.complete && expected === 0) ? undefined : Math.max(toMakeMs, toHearMs),
      firstAudioMs: this.firstAudioMs,
      realTimeFactor,
    };
  }

  private levelAt(samples: number): number {
    return this.levels[Math.min(Math.floor(samples / LEVEL_SAMPLES), this.levels.length - 1)] ?? 0;
  }

  /** Level of every 50 ms on a logarithmic scale: -50 dB is 0, full scale is 1. */
  private addLevels(pcm: Int16Array): void {
    for (const sample of pcm) {
      this.levelSum += sample * sample;
      if (++this.levelCount < LEVEL_SAMPLES) continue;
      const rms = Math.sqrt(this.levelSum / LEVEL_SAMPLES) / 32_768;
      this.levels.push(Math.max(0, Math.min(1, 1 + (20 * Math.log10(rms + 1e-9)) / 50)));
      this.levelSum = 0;
      this.levelCount = 0;
    }
  }
}
