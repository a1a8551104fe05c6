/** How much of what was written has been heard, reckoned from the time the device began to take it. */
import { msToSamples, samplesToMs } from '../../protocol/audio.js';

/**
 * No sound system tells this the same way, but all of them play in real time: heard is what was written, limited by the
 * time that passed since the device last began from empty.
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

  /** Milliseconds of sound written and not yet heard. */
  aheadMs(nowMs: number): number {
    return samplesToMs(this.written - this.heard(nowMs));
  }
}
