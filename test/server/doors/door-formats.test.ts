/**
 * Every format of both doors, decoded again by another decoder; and what a connection that is cut
 * leaves behind.
 */
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEncoders } from '../../../src/audio/encoder.js';
import { type AudioFormat, audioSpec } from '../../../src/audio/format.js';
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';
import { type Decoding, decodeAll, grainOf, hasFfmpeg, messagesOf, rawOptions } from '../../support/sound/ffmpeg.js';

const TEXT = 'Good evening. This is the second sentence, and it is a little longer.';
const VOICE = 'english_female_professional';

let server: TestServer;
let speechMs: number;
beforeAll(async () => {
  server = await startTestServer();
  const pcm = await server.speak({ model: 'base-tts', voice: VOICE, input: TEXT, response_format: 'pcm' });
  speechMs = (await pcm.arrayBuffer()).byteLength / (SAMPLE_RATE / 500);
});
afterAll(() => server.close());

const headers = () => ({ authorization: `Bearer ${server.partner.key}`, 'content-type': 'application/json' });
const ask = (path: string, body: object) =>
  fetch(`${server.baseUrl}${path}`, { method: 'POST', headers: headers(), body: JSON.stringify(body) });
const openai = (format: string, more: object = {}) =>
  ask('/openai/v1/audio/speech', { model: 'base-tts', voice: VOICE, input: TEXT, response_format: format, ...more });
const elevenlabs = (format: string, more: object = {}) =>
  ask(`/elevenlabs/v1/text-to-speech/${VOICE}/stream?output_format=${format}`, {
    text: TEXT,
    model_id: 'base-tts',
    ...more,
  });

const OPENAI = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
const ELEVENLABS = [
  ...['mp3_22050_32', 'mp3_44100_32', 'mp3_44100_64', 'mp3_44100_96', 'mp3_44100_128', 'mp3_44100_192'],
  ...['pcm_8000', 'pcm_16000', 'pcm_22050', 'pcm_24000', 'pcm_32000', 'pcm_44100', 'pcm_48000'],
  ...['wav_8000', 'wav_16000', 'wav_22050', 'wav_24000', 'wav_32000', 'wav_44100', 'wav_48000'],
  ...['ulaw_8000', 'alaw_8000', 'opus_48000_32', 'opus_48000_64', 'opus_48000_96', 'opus_48000_128', 'opus_48000_192'],
];

/**
 * As another decoder hears it from a pipe: all of the speech and less than a frame more (a stream's
 * first frame cannot say how far the last one is filled), which is a frame of mp3, the silence that
 * fills a streamed WAV's last packet, and not one sample of any other format, rounding apart.
 */
async function expectWholeSpeech(formats: readonly string[], asked: (format: string) => Promise<Response>) {
  const streams: Decoding[] = [];
  for (const format of formats as AudioFormat[]) {
    const response = await asked(format);
    expect(response.status, format).toBe(200);
    streams.push({ of: Buffer.from(await response.arrayBuffer()), ...rawOptions(format), rates: [undefined] });
  }
  for (const [i, [samples]] of decodeAll(streams).entries()) {
    const format = formats[i] as AudioFormat;
    expect(
      samples!.some((sample) => Math.abs(sample) > 1_000),
      format,
    ).toBe(true);
    const { rate, frame: grain } = grainOf(format);
    const frame = audioSpec(format).codec === 'wav' ? Math.max(2_048, rate / 10) : grain;
    const meant = (speechMs * rate) / 1_000;
    expect(samples!.length, format).toBeGreaterThanOrEqual(Math.floor(meant));
    expect(samples!.length, format).toBeLessThan(meant + Math.max(frame, 2));
  }
}

// Debian: ffmpeg. Left out where it is not installed, but not on the build machine.
if (!hasFfmpeg()) it('leaves the formats out: ffmpeg is not installed', () => expect(process.env.CI).not.toBe('true'));

describe.skipIf(!hasFfmpeg())('a format', () => {
  it("of OpenAI's door has its type, and is as long as the speech within a frame", async () => {
    const types: Record<string, string | null> = {};
    await expectWholeSpeech(Object.keys(OPENAI), async (format) => {
      const response = await openai(format);
      types[format] = response.headers.get('content-type');
      return response;
    });
    expect(types).toEqual(OPENAI);
  });

  it.each(['mp3', 'pcm', 'wav', 'ulaw', 'alaw', 'opus'])(
    "of ElevenLabs' door is as long as the speech within a frame: each that begins with %s",
    async (codec) => {
      const formats = ELEVENLABS.filter((format) => format.startsWith(`${codec}_`));
      expect(formats).not.toEqual([]);
      await expectWholeSpeech(formats, async (format) => {
        const response = await elevenlabs(format);
        expect(response.headers.get('content-type'), format).toMatch(/^audio\//);
        return response;
      });
    },
  );

  it.each(['wav_8000', 'wav_24000', 'wav_44100', 'wav_48000'])(
    '%s as a stream is not called corrupt',
    async (format) => {
      const bytes = Buffer.from(await (await elevenlabs(format)).arrayBuffer());
      expect(bytes.readUInt32LE(40)).toBe(0xffff_ffff);
      expect(messagesOf(bytes)).not.toMatch(/corrupt/i);
      const whole = await ask(`/elevenlabs/v1/text-to-speech/${VOICE}?output_format=${format}`, { text: TEXT });
      const file = Buffer.from(await whole.arrayBuffer());
      expect(file.readUInt32LE(40)).toBe(file.length - 44);
      expect(messagesOf(file)).toBe('');
    },
  );

  it.each([0.5, 2])('is faster or slower with speed %d, through both doors alike', async (speed) => {
    const one = (await (await openai('pcm', { speed })).arrayBuffer()).byteLength / 48;
    const other = (await (await elevenlabs('pcm_24000', { voice_settings: { speed } })).arrayBuffer()).byteLength / 48;
    expect(one).toBe(other);
    expect(Math.abs(one - speechMs / speed)).toBeLessThan(50);
  });
});

describe('a connection that is cut', () => {
  const LONG = TEXT.repeat(50);
  const request = (path: string, body: object) => {
    const text = JSON.stringify(body);
    const lines = [`POST ${path} HTTP/1.1`, 'host: localhost', `content-length: ${Buffer.byteLength(text)}`];
    for (const [name, value] of Object.entries(headers())) lines.push(`${name}: ${value}`);
    return `${lines.join('\r\n')}\r\n\r\n${text}`;
  };

  it('leaves no encoder behind, whichever format and whenever it was cut', async () => {
    // Suites before this one in the same process may have left some.
    const leftOpen = openEncoders();
    const many = await startTestServer({ limits: { partnerConcurrency: 100 }, sine: { msPerChar: 60, pace: 10 } });
    const sockets = [...Object.keys(OPENAI), ...ELEVENLABS.slice(0, 5)].map((format, i) => {
      const socket = createConnection({ port: many.port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      const text = i < 5 ? { model: 'tts-1', input: LONG.slice(0, 4_000), response_format: format } : { text: LONG };
      const path = i < 5 ? '/openai/v1/audio/speech' : `/elevenlabs/v1/text-to-speech/${VOICE}?output_format=${format}`;
      socket.write(request(path, text).replace(server.partner.key, many.partner.key));
      // Some before the first byte, some in the middle, some that never read.
      if (i % 3 === 0) socket.once('data', () => socket.destroy());
      else if (i % 3 === 1) setTimeout(() => socket.destroy(), 30);
      else socket.pause();
      return socket;
    });
    await until(() => many.accounts.active > 0);
    await until(() => sockets.filter((_, i) => i % 3 !== 2).every(({ destroyed }) => destroyed));
    for (const socket of sockets) socket.destroy();
    await until(() => many.accounts.active === 0 && many.gateway.stats.open === 0, 'the end of all work');
    await until(() => openEncoders() <= leftOpen, 'the end of the encoders');
    expect((await many.ledger()).every(({ credits }) => credits === 0)).toBe(true);
    await many.close();
  });
});
