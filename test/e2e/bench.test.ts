/**
 * `tts bench` as people run it. The engine is a tone that speaks as fast as it is told to, so the
 * answer is known.
 */
import { describe, expect, it } from 'vitest';
import { makeHome, startServe } from '../support/processes/serve-process.js';

/** Texts of half a second, made at a few times the speed of listening. */
const SINE = JSON.stringify({ msPerChar: 4, pace: 6 });

interface Figures {
  server: string;
  model: string;
  listeners: number;
  speed: number;
  first_audio_p50_ms: number;
  first_audio_p95_ms: number;
}

describe('tts bench', () => {
  it('says in a sentence how many listeners this machine carries', { timeout: 240_000 }, async () => {
    const home = makeHome({ TTS_SINE_OPTIONS: SINE });
    const { code, stdout, stderr } = await home.run('bench', '-m', 'base-tts-fast');
    home.remove();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^SERVER +MODEL +LIVE LISTENERS +FULL SPEED +FIRST AUDIO P50 \/ P95\n/);
    expect(stdout).toMatch(/\nThis machine carries \d+ live listeners? with base-tts-fast\.\n$/);
  });

  it('measures another server next to it, and prints figures for a script', { timeout: 240_000 }, async () => {
    const home = makeHome({ TTS_SINE_OPTIONS: SINE });
    const other = makeHome({ TTS_SINE_OPTIONS: SINE });
    const server = await startServe(other, ['--partner-concurrency', '100']);
    const { stdout: key } = await other.run('keys', 'create', '--tier', 'partner', '--credits', '100000000');
    const { code, stdout, stderr } = await home.run(
      ...['bench', '-m', 'base-tts-fast', '--json', '--compare', `${server.baseUrl}/v1`, '--api-key', key.trim()],
    );
    await server.kill('SIGTERM');
    home.remove();
    other.remove();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const figures = JSON.parse(stdout) as Figures[];
    expect(figures.map(({ server: name }) => name)).toEqual(['an engine of this command', server.baseUrl]);
    for (const { model, listeners, speed, first_audio_p95_ms: first } of figures) {
      expect(model).toBe('base-tts-fast');
      expect(listeners).toBeGreaterThan(0);
      expect(speed).toBeGreaterThan(0);
      expect(first).toBeGreaterThan(0);
    }
  });

  it('says why where the other server does not let it in', { timeout: 120_000 }, async () => {
    const home = makeHome({ TTS_SINE_OPTIONS: SINE });
    const other = makeHome();
    const server = await startServe(other);
    const args = ['bench', '-m', 'base-tts-fast', '--compare', server.baseUrl, '--compare-model', 'base-tts'];
    const { code, stderr } = await home.run(...args, '--api-key', 'tts_nobody');
    await server.kill('SIGTERM');
    home.remove();
    other.remove();
    expect(code).toBe(4);
    expect(stderr).toMatch(/^tts: This API key is not known here\./);
  });
});
