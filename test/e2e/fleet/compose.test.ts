/**
 * deploy/compose.yaml as it is, started where there is Docker: a gateway that speaks by a worker,
 * with keys in PostgreSQL.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

const FILE = path.resolve(import.meta.dirname, '../../../deploy/compose.yaml');
/** A tone in place of the voice, so that no model is fetched, and any free port. */
const OVERRIDE = `
services:
  gateway:
    environment: { TTS_ENGINE: sine }
    ports: !override ["127.0.0.1::8787"]
  worker:
    environment: { TTS_ENGINE: sine }
`;

/** Whether a daemon answers that can run a compose file. */
function hasDocker(): boolean {
  try {
    execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' });
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

if (!hasDocker()) {
  // Not among the packages that CI installs: a daemon cannot be had everywhere.
  it('leaves the compose file out: there is no Docker here', () => undefined);
} else {
  it('starts, is healthy, and speaks for a key that was made in it', { timeout: 30 * 60_000 }, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tts-compose-'));
    const override = path.join(folder, 'override.yaml');
    writeFileSync(override, OVERRIDE);
    const env = { ...process.env, POSTGRES_PASSWORD: 'test-only', NATS_TOKEN: 'test-only' };
    const compose = (...args: string[]) =>
      execFileSync(
        'docker',
        ['compose', '-p', path.basename(folder).toLowerCase(), '-f', FILE, '-f', override, ...args],
        {
          env,
          encoding: 'utf8',
          maxBuffer: 2 ** 26,
        },
      );
    try {
      compose('up', '--build', '--detach', '--wait');
      const made = compose(
        'exec',
        '-T',
        'gateway',
        'tts',
        'keys',
        'create',
        '--tier',
        'partner',
        '--credits',
        '1000',
        '--json',
      );
      const { key } = JSON.parse(made) as { key: string };
      const address = compose('port', 'gateway', '8787').trim();
      const response = await fetch(`http://${address}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'base-tts-fast', input: 'Good evening, all.', response_format: 'pcm' }),
      });
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    } finally {
      compose('down', '--volumes', '--timeout', '10');
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
