/** The sound device as a sink: a real sound server, recorded and compared sample by sample. */
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { openSpeaker as OpenSpeaker } from '../../src/client/sinks/speaker.js';
import { hasPulse, heardInOnePiece, noise, type SoundCard, startSoundCard } from '../../testkit/sound/pulse.js';
import { audioSinkContract } from '../contract/audio-sink.js';

const never = new AbortController().signal;
const SOUND = noise(12_000);

/** The player process runs from the build. */
const { openSpeaker } = (await import(path.resolve(import.meta.dirname, '../../dist/client/sinks/speaker.js'))) as {
  openSpeaker: typeof OpenSpeaker;
};

if (!hasPulse()) {
  it('leaves the sound device out: pulseaudio, pulseaudio-utils, alsa-utils and libasound2-plugins are not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  // A machine that is starved for long enough breaks up any sound: that is heard again, not taken
  // for a fault.
  describe('the sound device', { retry: 2 }, () => {
    let card: SoundCard;
    beforeAll(async () => {
      card = await startSoundCard();
      Object.assign(process.env, card.env);
    });
    afterAll(async () => {
      delete process.env.PULSE_SERVER;
      await card.close();
    });

    // Best first; each is reached by leaving out the ones before it.
    const players = ['speaker', '@audio/speaker', 'aplay', 'paplay'];
    players.forEach((player, index) => {
      audioSinkContract(
        `the sound device through ${player}`,
        async () => {
          const sink = await openSpeaker({ without: players.slice(0, index) }, never);
          const recorder = await card.record();
          return {
            sink,
            received: async (written) => written.subarray(0, heardInOnePiece(written, await recorder.stop())),
            dispose: async () => void (await recorder.stop()),
          };
        },
        { retry: 2 },
      );

      it(`plays what was written with ${player}, every sample of it, without a gap between chunks`, async () => {
        const sink = await openSpeaker({ without: players.slice(0, index) }, never);
        const recorder = await card.record();
        for (let at = 0; at < SOUND.length; at += 480) await sink.write(SOUND.subarray(at, at + 480), never);
        expect(sink.heardSamples).toBeLessThanOrEqual(SOUND.length);
        await sink.finish(never);
        expect(sink.heardSamples).toBe(SOUND.length);
        // `speaker` is built on the machine it is installed on, where that can be done; what
        // replaces it plays the same.
        expect(player === 'speaker' ? players : [player]).toContain(sink.player);
        expect(heardInOnePiece(SOUND, await recorder.stop())).toBe(SOUND.length);
      });
    });

    it('leaves no gap where the rest comes late and the device begins before it has its fill', async () => {
      const sink = await openSpeaker({}, never);
      const recorder = await card.record();
      await sink.write(SOUND.subarray(0, 960), never);
      await sleep(65);
      await sink.write(SOUND.subarray(960), never);
      await sink.finish(never);
      expect(heardInOnePiece(SOUND, await recorder.stop())).toBe(SOUND.length);
    });

    it('says that nothing can play, and what to do, where every way is left out', async () => {
      const without = [...players, 'pw-play', 'ffplay'];
      await expect(openSpeaker({ without }, never)).rejects.toMatchObject({
        code: 'no_sound_device',
        message: /-o out\.wav/,
      });
    });

    it('is not fooled by a library that plays to nobody where it finds no device', async () => {
      const hardware = existsSync('/proc/asound/pcm') && readFileSync('/proc/asound/pcm', 'utf8').includes('playback');
      process.env.PULSE_SERVER = `unix:${path.join(tmpdir(), 'nobody-listens-here')}`;
      const found = await openSpeaker({ without: ['ffplay'] }, never).catch((error) => error as { code: string });
      Object.assign(process.env, card.env);
      if ('discard' in found) await found.discard();
      expect('code' in found ? found.code : hardware).toBe(hardware ? true : 'no_sound_device');
    });

    it('rests less often where a steady text comes slower than it is heard', async () => {
      const gaps = async (steady: boolean) => {
        const sink = await openSpeaker({ steady }, never);
        const recorder = await card.record();
        for (let chunk = 0; chunk < 8; chunk++) {
          await sink.write(SOUND.subarray(0, 2_400), never);
          await sleep(220);
        }
        await sink.finish(never);
        const recorded = await recorder.stop();
        const sounding = recorded.slice(recorded.findIndex(Boolean), recorded.findLastIndex(Boolean) + 1);
        return sounding.join(',').match(/(?:,0){240,}/g)?.length ?? 0;
      };
      const [steady, unsteady] = [await gaps(true), await gaps(false)];
      expect(steady).toBeGreaterThan(0);
      expect(steady).toBeLessThan(unsteady);
    });

    it('stops at once when it is discarded', async () => {
      const recorder = await card.record();
      const sink = await openSpeaker({}, never);
      await sink.write(noise(24_000 * 30), never);
      while (recorder.firstSoundMs() === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      await sink.discard();
      await sink.discard();
      const recorded = await recorder.stop();
      expect(recorded.findLastIndex((sample) => sample !== 0)).toBeLessThan(24_000 * 20);
    });

    it('says that the player is gone instead of falling silent', async () => {
      const sink = await openSpeaker({}, never);
      await sink.write(noise(4_800), never);
      await sink.discard();
      await expect(sink.write(SOUND, never)).rejects.toMatchObject({ code: 'playback_failed' });
    });
  });
}
