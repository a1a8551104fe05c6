/** Estimates how much of the written audio has been heard. */
import { msToSamples, samplesToMs } from '../../protocol/audio.js';

/**
 * Sound systems report this differently or not at all, but all play in real time. Heard is what was
 * written, limited by the time since the device last began to play.
 */
export class PlaybackClock {
  private written = 0;
  private anchorSamples = 0;
  private anchorMs = 0;

  /** Samples go to the device at `nowMs`. */
  wrote(samples: number, nowMs: number): void {
    if (this.heard(nowMs) >= this.written) {
      this.anchorSamples = this.written;
      this.anchorMs = nowMs;
    }
    this.written += samples;
  }

  /** The device began later than assumed. */
  startedAt(nowMs: number): void {
    this.anchorMs = nowMs;
  }

  heard(nowMs: number): number {
    return Math.min(this.written, this.anchorSamples + Math.max(0, msToSamples(nowMs - this.anchorMs)));
  }

  /** Milliseconds of audio that were written and not yet heard. */
  aheadMs(nowMs: number): number {
    return samplesToMs(this.written - this.heard(nowMs));
  }
}
