/** A machine without sound is told what it lacks: the package, or the device. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlayerReport, UnfitPlayer } from '../../src/client/sinks/players.js';
import { soundAdvice, whyNoSound } from '../../src/client/sinks/sound-advice.js';

const dist = path.resolve(import.meta.dirname, '../../dist');

const missing = (name: string): UnfitPlayer => ({ name, installed: false, why: 'not installed' });
const silent = (name: string): UnfitPlayer => ({ name, installed: true, why: 'it found no device' });
const searched = (deviceSeen: boolean, ...tried: UnfitPlayer[]) => ({ player: undefined, deviceSeen, tried });

describe('a machine without sound', () => {
  it('hears that there is no device, and which packages are missing besides', () => {
    const search = searched(false, missing('speaker'), silent('@audio/speaker'), missing('aplay'));
    expect(whyNoSound(search)).toBe(
      'This machine has no sound device (speaker: not installed; @audio/speaker: it found no device; aplay: not installed).',
    );
    const advice = soundAdvice(search, 'linux');
    expect(advice).toMatch(/-o out\.wav.*To install speaker, .*--include=optional.*libasound2-dev.*alsa-utils/);
    expect(advice).not.toContain('@audio/speaker');
  });

  it('hears of a device that nothing plays on, and what would install a player', () => {
    const search = searched(true, missing('speaker'), missing('@audio/speaker'));
    expect(whyNoSound(search)).toMatch(/^There is a sound device here, but nothing that plays on it/);
    expect(soundAdvice(search, 'darwin')).toMatch(/^To install speaker and @audio\/speaker, .*xcode-select --install/);
    expect(soundAdvice(search, 'darwin')).not.toContain('apt');
  });

  it('is not told to install what is there', () => {
    const search = searched(false, silent('speaker'), silent('@audio/speaker'), silent('aplay'));
    expect(soundAdvice(search, 'linux')).toBe('Write files with -o out.wav, or give this machine a sound device.');
  });
});

describe('the player process', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'tts-sound-'));
    for (const part of ['client/sinks', 'protocol'])
      cpSync(path.join(dist, part), path.join(dir, part), { recursive: true });
    writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const unfit = (): Record<string, boolean> => {
    const { stdout } = spawnSync(process.execPath, [path.join(dir, 'client/sinks/player-process.js')], {
      input: '',
      encoding: 'utf8',
    });
    const reports = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as PlayerReport);
    return Object.fromEntries(reports.flatMap((one) => (one.type === 'unfit' ? [[one.name, one.installed]] : [])));
  };

  it('tells a package that is not installed from one that finds no device', () => {
    expect(unfit()).toEqual({ speaker: false, '@audio/speaker': false });
    const folder = path.join(dir, 'node_modules/speaker');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"name":"speaker","main":"index.js"}');
    writeFileSync(path.join(folder, 'index.js'), 'throw new Error("no device here");');
    expect(unfit()).toEqual({ speaker: true, '@audio/speaker': false });
  });
});
