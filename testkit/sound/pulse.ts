/**
 * A sound card nobody hears: a private PulseAudio with a null sink, and a recorder at its output.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const present = (command: string): boolean => {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Debian: pulseaudio, pulseaudio-utils, alsa-utils, libasound2-plugins. */
export const hasPulse = (): boolean => ['pulseaudio', 'parec', 'pactl', 'aplay'].every(present);

export interface SoundCard {
  /** What a command needs to find it, and nothing else that sounds. */
  readonly env: Record<string, string>;
  /** Records everything played from now on. */
  record(): Promise<Recorder>;
  close(): Promise<void>;
}

interface Recorder {
  /**
   * Milliseconds (performance.now) at which the first sound that was not silence arrived, and the
   * samples so far.
   */
  firstSoundMs(): number | undefined;
  stop(): Promise<Int16Array>;
}

export async function startSoundCard(): Promise<SoundCard> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tts-pulse-'));
  const socket = path.join(folder, 'native');
  const daemon = spawn(
    'pulseaudio',
    [
      ...['-n', '--daemonize=no', '--use-pid-file=no', '--exit-idle-time=-1', '--realtime=no', '--high-priority=no'],
      ...['-L', `module-native-protocol-unix auth-anonymous=1 socket=${socket}`],
      // Rewinding would let the recorder hear silence that a late stream then replaces.
      ...['-L', 'module-null-sink sink_name=ear rate=24000 format=s16le channels=1 norewinds=1'],
    ],
    {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: folder, PULSE_RUNTIME_PATH: folder, PULSE_STATE_PATH: folder },
    },
  );
  const env = { PULSE_SERVER: `unix:${socket}` };
  await untilAnswers(env);
  return {
    env,
    record: () => record(env),
    async close() {
      await stop(daemon);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilAnswers(env: Record<string, string>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    try {
      execFileSync('pactl', ['list', 'short', 'sinks'], { env: { ...process.env, ...env }, stdio: 'pipe' });
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error('PulseAudio did not come up');
}

async function record(env: Record<string, string>): Promise<Recorder> {
  const args = ['-d', 'ear.monitor', '--raw', '--rate=24000', '--format=s16le', '--channels=1', '--latency-msec=20'];
  const child = spawn('parec', args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
  const parts: Buffer[] = [];
  let firstSoundMs: number | undefined;
  let heardAnything: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => {
    heardAnything = resolve;
  });
  child.stdout.on('data', (part: Buffer) => {
    parts.push(part);
    heardAnything();
    if (firstSoundMs === undefined && part.some((byte) => byte !== 0)) firstSoundMs = performance.now();
  });
  await listening;
  return {
    firstSoundMs: () => firstSoundMs,
    async stop() {
      // What the recorder still holds back.
      await sleep(300);
      await stop(child);
      const bytes = Buffer.concat(parts);
      return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)));
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** How many samples of `played` were heard without a gap or a change, from its first sound on. */
export function heardInOnePiece(played: Int16Array, recorded: Int16Array): number {
  const from = played.findIndex((sample) => sample !== 0);
  const at = recorded.findIndex((sample) => sample !== 0);
  if (from < 0 || at < 0) return 0;
  let count = 0;
  while (from + count < played.length && played[from + count] === (recorded[at + count] ?? 0)) count++;
  return from + count;
}

/** Noise, so that a lost or doubled sample cannot hide. */
export function noise(samples: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: samples }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return ((state >> 8) % 20_000) - 10_000 || 1;
  });
}
