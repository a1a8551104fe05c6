/** What every sink must do, wherever its samples go. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AudioSink } from '../../src/client/sinks/sink.js';
import { pcmBytes } from '../../src/protocol/audio.js';
import { noise } from '../../testkit/sound/pulse.js';

export interface SinkFixture {
  readonly sink: AudioSink;
  /** What came out at the other end of a finished sink; left out where nobody can look. */
  readonly received?: (written: Int16Array) => Promise<Int16Array>;
  /** Whether something lies there that could be taken for the whole. */
  readonly looksWhole?: () => boolean;
  readonly dispose?: () => Promise<void>;
}

const SOUND = noise(12_000);
const never = new AbortController().signal;

export function audioSinkContract(
  name: string,
  open: () => Promise<SinkFixture>,
  options: { retry?: number } = {},
): void {
  describe(`${name} as a sink`, options, () => {
    let fixture: SinkFixture;
    let sink: AudioSink;
    beforeEach(async () => {
      fixture = await open();
      sink = fixture.sink;
    });
    afterEach(async () => {
      await sink.discard();
      await fixture.dispose?.();
    });
    const same = (a: Int16Array, b: Int16Array) => Buffer.compare(pcmBytes(a), pcmBytes(b)) === 0;

    it('delivers every sample in order, however they were cut, and keeps it when it is discarded afterwards', async () => {
      let size = 1;
      for (let at = 0; at < SOUND.length; at += size, size = Math.min(700, size * 3)) {
        await sink.write(SOUND.subarray(at, at + size), never);
        await sink.write(new Int16Array(0), never);
      }
      await sink.finish(never);
      expect(sink.heardSamples).toBe(SOUND.length);
      await sink.discard();
      if (fixture.received) expect(same(await fixture.received(SOUND), SOUND)).toBe(true);
    });

    it('never counts more than was written, and never less than before', async () => {
      let written = 0;
      let before = 0;
      for (let at = 0; at < SOUND.length; at += 900) {
        await sink.write(SOUND.subarray(at, at + 900), never);
        written = Math.min(SOUND.length, at + 900);
        const heard = sink.heardSamples;
        expect(heard).toBeGreaterThanOrEqual(before);
        expect(heard).toBeLessThanOrEqual(written);
        before = heard;
      }
    });

    it('takes nothing once it was told to stop, and leaves nothing that looks whole', async () => {
      const stop = new AbortController();
      await sink.write(SOUND.subarray(0, 100), stop.signal);
      stop.abort();
      await expect(sink.write(SOUND, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
      await sink.discard();
      await sink.discard();
      expect(fixture.looksWhole?.() ?? false).toBe(false);
    });

    it('can be finished without a sound, and discarded before one', async () => {
      await sink.finish(never);
      expect(sink.heardSamples).toBe(0);
      const other = await open();
      await other.sink.discard();
      expect(other.sink.heardSamples).toBe(0);
      await other.dispose?.();
    });
  });
}
