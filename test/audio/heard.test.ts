/** Real speech through the encoders and voices, heard with other ears: words, accents, loudness. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEncoder } from '../../src/audio/encoder.js';
import type { AudioFormat } from '../../src/audio/format.js';
import { loadConfig } from '../../src/config.js';
import type { Engine } from '../../src/engine/engine.js';
import { loudness } from '../../testkit/sound/loudness.js';
import { createRecogniser, type Recogniser } from '../../testkit/sound/recogniser.js';
import { joinPcm, modelDirForTests, realEngine, speak } from '../../testkit/speech.js';
import { type Home, makeHome, tts } from '../support/processes/tts.js';
import { decode, decodeFile, hasFfmpeg } from '../support/sound/ffmpeg.js';

const TEXT = 'The old lighthouse keeper climbed the narrow stairs every evening.';
const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

if (!hasFfmpeg()) {
  it('leaves listening to formats and voices out: ffmpeg is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('real speech', () => {
    let engine: Engine;
    let recogniser: Recogniser;
    let home: Home;
    beforeAll(async () => {
      engine = await realEngine(['base-tts-fast']);
      recogniser = await createRecogniser(await modelDirForTests());
      home = makeHome();
    });
    afterAll(async () => {
      await recogniser.close();
      await engine.close();
      home.remove();
    });
    const understood = async (pcm: Int16Array) => {
      const heard = words(await recogniser.transcribe(pcm));
      return words(TEXT).filter((word) => heard.includes(word)).length / words(TEXT).length;
    };

    it('is understood in every codec', async () => {
      const { pcm } = await speak(engine, TEXT);
      const formats: AudioFormat[] = ['mp3', 'mp3_22050_32', 'mp3_44100_128', 'aac', 'opus_48000_32', 'flac', 'wav'];
      for (const format of formats) {
        const encoder = await createEncoder(format);
        const bytes = Buffer.concat([await encoder.encode(pcm), await encoder.end()]);
        encoder.close();
        expect([format, await understood(decode(bytes, { rate: 24_000 }))]).toEqual([format, 1]);
      }
      const telephone = await createEncoder('ulaw_8000');
      const bytes = Buffer.concat([await telephone.encode(pcm), await telephone.end()]);
      telephone.close();
      const heard = decode(bytes, { raw: ['-f', 'mulaw', '-ar', '8000'], rate: 24_000 });
      expect(await understood(heard)).toBeGreaterThan(0.8);
    });

    // The softest and the loudest that the models speak, of either accent and gender.
    it('is equally loud in every voice, to 1 LU', async () => {
      const sentences = [
        'Nobody in the village had ever seen the sea freeze over.',
        'Please leave the parcel with my neighbour, and ring twice.',
      ];
      const voices = ['american_female_nova', 'american_male_adam', 'british_female_isabella', 'british_male_lewis'];
      const levels: Record<string, number> = {};
      for (const voice of ['english_female_professional', 'english_female_articulate', ...voices]) {
        const clips = [];
        for (const text of sentences) clips.push((await speak(engine, text, { voice })).pcm);
        levels[voice] = loudness(joinPcm(clips));
      }
      const all = Object.values(levels);
      expect(Math.max(...all) - Math.min(...all), JSON.stringify(levels)).toBeLessThanOrEqual(1);
    });

    it('is British from the command line, at another pace, in an mp3', async () => {
      const { modelDir } = loadConfig().config;
      const env = { ...home.env, TTS_ENGINE: 'kokoro', TTS_MODEL_DIR: modelDir };
      const run = async (voice: string, ...more: string[]) => {
        const args = ['speak', 'The train leaves at 5:15.', '-v', voice, '-m', 'base-tts-fast', '-q', '-o', 'x.mp3'];
        expect(await tts([...args, ...more], { env, cwd: home.dir })).toMatchObject({ code: 0, stderr: '' });
        return decodeFile(home.file('x.mp3'));
      };
      const british = await run('british_female_emma');
      expect(await recogniser.transcribe(british)).toMatch(/quarter past/i);
      expect(await recogniser.transcribe(await run('american_female_heart'))).not.toMatch(/quarter/i);
      const faster = await run('british_female_emma', '--speed', '1.5');
      // The model counts phonemes in whole steps of 25 ms, so that its part of the speed falls short.
      expect(british.length / faster.length / 1.5).toBeGreaterThan(0.85);
      expect(british.length / faster.length / 1.5).toBeLessThan(1.12);
      expect(await recogniser.transcribe(faster)).toMatch(/quarter past/i);
    });
  });
}
