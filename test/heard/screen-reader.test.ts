/** speech-dispatcher with our module, heard at a sound card: `spd-say` as a screen reader's voice. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { hasPulse, type SoundCard, startSoundCard } from '../../testkit/sound/pulse.js';
import { serverAtHome } from '../support/at-home.js';

function present(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const isThere = hasPulse() && present('speech-dispatcher') && present('spd-say');
if (!isThere) {
  it('leaves screen readers out: speech-dispatcher or the packages of PulseAudio are not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
}

const { home, run, textsSince, jobs } = await serverAtHome({ sine: { msPerChar: 30 } });

describe.skipIf(!isThere)('spd-say', () => {
  const socket = path.join(home.dir, 'speechd.sock');
  let card: SoundCard;
  let dispatcher: ChildProcess;
  const env = () => ({ ...home.env, ...card.env, SPEECHD_ADDRESS: `unix_socket:${socket}` });
  const spdSay = async (...args: string[]) => (await promisify(execFile)('spd-say', args, { env: env() })).stdout;

  beforeAll(async () => {
    card = await startSoundCard();
    await run(['speechd-module', '--install']);
    const args = ['-s', '-t', '0', '-S', socket, '-P', path.join(home.dir, 'pid'), '-L', home.dir];
    dispatcher = spawn('speech-dispatcher', args, { env: env(), stdio: 'ignore' });
    await until(async () => (await spdSay('-O').catch(() => '')).includes('tts'), 'the module');
  });

  afterAll(async () => {
    dispatcher?.kill('SIGTERM');
    await new Promise((resolve) => dispatcher.once('exit', resolve));
    await card?.close();
  });

  it('finds the module beside the others, and its voices by language', async () => {
    expect(await spdSay('-O')).toMatch(/^tts$/m);
    expect(await spdSay('-o', 'tts', '-L')).toMatch(/british_male_george\s+en-GB/);
  });

  it('is heard, and waits for the end', async () => {
    const recorder = await card.record();
    const before = jobs().length;
    await spdSay('-w', '-o', 'tts', 'A sentence of some length. And one more.');
    const heard = await recorder.stop();
    expect(textsSince(before).join('')).toContain('A sentence of some length.');
    const loud = heard.filter((sample) => Math.abs(sample) > 500).length;
    expect(loud / 24_000).toBeGreaterThan(0.4);
  });

  it('says characters and keys, at every rate and pitch', async () => {
    const before = jobs().length;
    await spdSay('-w', '-o', 'tts', '-r', '100', '-p', '50', '-i', '-20', 'Quick words.');
    await spdSay('-w', '-o', 'tts', '-x', '-r', '-50', '<speak>Marked <mark name="here"/> words.</speak>');
    await spdSay('-w', '-o', 'tts', '-m', 'all', 'Signs, too!');
    const spoken = textsSince(before).join(' ');
    expect(spoken).toContain('Quick words.');
    expect(spoken).toMatch(/Marked\s+words/);
    expect(spoken).toMatch(/Signs\s+comma,?\s+too\s+bang|Signs\s+comma,?\s+too\s+exclam/i);
  });

  it('is silent after a stop', async () => {
    const long = spdSay('-w', '-o', 'tts', 'This goes on for a long while. '.repeat(40));
    const recorder = await card.record();
    await until(() => recorder.firstSoundMs() !== undefined, 'sound');
    await spdSay('-S', '-o', 'tts');
    await long;
    const silent = await card.record();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await silent.stop()).every((sample) => sample === 0)).toBe(true);
    await recorder.stop();
  });
});
