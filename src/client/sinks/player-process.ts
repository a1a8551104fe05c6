/**
 * The player process: raw samples from stdin to the sound device. A library that aborts ends it
 * alone.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import {
  bytesToSamples,
  CHANNELS,
  msToSamples,
  SAMPLE_RATE,
  SampleJoiner,
  samplesToBytes,
  samplesToMs,
} from '../../protocol/audio.js';
import type { PlayerReport } from './players.js';

interface SoundDevice {
  /** Audio it takes at once when it begins (ms). Less than this would be heard as a gap. */
  readonly firstFillMs: number;
  write(bytes: Buffer): Promise<void>;
  /** Resolves when everything written was heard. */
  drain(): Promise<void>;
}

interface Library {
  readonly name: string;
  open(): Promise<SoundDevice>;
}

/** Buffer of the library (ms), against a busy machine. It still plays from the first write on. */
const DEVICE_BUFFER_MS = 1_000;
/** Buffer asked of the sound server (ms); its default of 25 is too little on a busy machine. */
const SERVER_BUFFER_MS = 100;
/**
 * Audio before the library begins (ms). It takes portions as long as the server's buffer (70 of the
 * 100 ms with PulseAudio), fills up short ones with silence, and takes two at the start: one for
 * the server, one for itself. A chunk more bridges the time until the next one comes.
 */
const FIRST_FILL_MS = 160;
/** Audio that a device may still hold when the library's buffer is empty (ms). */
const TAIL_MS = SERVER_BUFFER_MS + 100;

const report = (line: PlayerReport) => process.stdout.write(`${JSON.stringify(line)}\n`);

const LIBRARIES: readonly Library[] = [
  {
    name: 'speaker',
    async open() {
      const { default: Speaker } = await import('speaker');
      const speaker = new Speaker({ channels: CHANNELS, bitDepth: 16, sampleRate: SAMPLE_RATE });
      return {
        firstFillMs: 0,
        write: (bytes) =>
          new Promise((resolve, reject) => {
            speaker.once('error', reject);
            speaker.write(bytes, (error) => {
              speaker.off('error', reject);
              if (error) reject(error);
              else resolve();
            });
          }),
        drain: () =>
          new Promise((resolve) => {
            speaker.once('close', () => resolve());
            speaker.end();
          }),
      };
    },
  },
  {
    name: '@audio/speaker',
    async open() {
      process.env.PULSE_LATENCY_MSEC ??= String(SERVER_BUFFER_MS);
      const { default: open } = await import('@audio/speaker');
      const before = process.platform === 'linux' ? openFiles() : 0;
      const write = open({
        sampleRate: SAMPLE_RATE,
        channels: CHANNELS,
        bitDepth: 16,
        bufferSize: DEVICE_BUFFER_MS,
        backend: 'miniaudio',
      });
      // Without a device it plays to a dummy. A real device opens a socket or a device file.
      if (process.platform === 'linux' && openFiles() <= before) throw new Error('it found no device');
      const put = (bytes: Buffer) =>
        new Promise<void>((resolve, reject) => write(bytes, (error) => (error ? reject(error) : resolve())));
      return {
        firstFillMs: FIRST_FILL_MS,
        write: put,
        async drain() {
          await put(Buffer.alloc(samplesToBytes(msToSamples(TAIL_MS))));
          await new Promise<void>((resolve) => write.flush(resolve));
          write.close();
        },
      };
    },
  },
];

const openFiles = (): number => readdirSync('/proc/self/fd').length;

/** Whether there is a device. Without one a library aborts, and the other plays to a dummy. */
function deviceSeen(): boolean {
  if (process.platform !== 'linux') return true;
  if (process.env.PULSE_SERVER || process.env.PIPEWIRE_REMOTE) return true;
  const runtime = process.env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`;
  const sockets = [
    process.env.PULSE_RUNTIME_PATH && path.join(process.env.PULSE_RUNTIME_PATH, 'native'),
    path.join(runtime, 'pulse', 'native'),
    path.join(runtime, 'pipewire-0'),
    '/var/run/pulse/native',
  ];
  if (sockets.some((socket) => socket && existsSync(socket))) return true;
  // A configuration file may name any device.
  const configured = [process.env.ALSA_CONFIG_PATH, path.join(homedir(), '.asoundrc'), '/etc/asound.conf'];
  if (configured.some((file) => file && existsSync(file))) return true;
  try {
    return readFileSync('/proc/asound/pcm', 'utf8').includes('playback');
  } catch {
    // No such file: the kernel has no sound support.
    return false;
  }
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

async function openDevice(skip: readonly string[]): Promise<SoundDevice | undefined> {
  const seen = deviceSeen();
  for (const { name, open } of LIBRARIES) {
    if (skip.includes(name)) continue;
    if (!isInstalled(name)) {
      report({ type: 'unfit', name, installed: false, why: 'not installed' });
      continue;
    }
    if (!seen) {
      report({ type: 'unfit', name, installed: true, why: 'installed, but this machine has no sound device' });
      continue;
    }
    report({ type: 'trying', name });
    try {
      const device = await open();
      report({ type: 'ready', name });
      return device;
    } catch (error) {
      const message = (error as Error).message.split('\n')[0]!;
      const unbuilt = message.startsWith('Could not locate the bindings file');
      report({ type: 'unfit', name, installed: !unbuilt, why: unbuilt ? 'not built for this machine' : message });
    }
  }
  report({ type: 'none', deviceSeen: seen });
  return undefined;
}

async function play(device: SoundDevice): Promise<void> {
  let begun = false;
  const joiner = new SampleJoiner();
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    const sound = joiner.take(part);
    if (sound.length === 0) continue;
    if (begun) {
      await device.write(sound);
      continue;
    }
    begun = true;
    // Silence that fills up a portion goes in front of the audio, never inside it.
    const lead = Buffer.alloc(Math.max(0, samplesToBytes(msToSamples(device.firstFillMs)) - sound.length));
    const writing = device.write(Buffer.concat([lead, sound]));
    const leadMs = samplesToMs(bytesToSamples(lead.length));
    if (leadMs > 0) setTimeout(report, leadMs, { type: 'started' });
    else report({ type: 'started' });
    await writing;
  }
  if (begun) await device.drain();
}

// On Ctrl-C the command decides, and kills this process.
process.on('SIGINT', () => undefined);
const device = await openDevice(process.argv.slice(2));
if (device) await play(device);
process.exit(device ? 0 : 1);
