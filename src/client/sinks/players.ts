/** Players, best first: our own player process, then programs that systems come with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import { TtsError } from '../../protocol/errors.js';

/** A running player: takes raw samples on stdin, and exits with 0 when they were heard. */
export interface Player {
  readonly name: string;
  readonly child: ChildProcess;
  /** Whether a WAV header goes before the samples. */
  readonly wantsWavHeader: boolean;
  /** Resolves when the device took the first samples; never, if the player does not report it. */
  readonly started: Promise<void>;
}

/** A library or program that could not be used. */
export interface UnfitPlayer {
  readonly name: string;
  /** False where it is not installed, or not built for this machine. */
  readonly installed: boolean;
  readonly why: string;
}

export interface PlayerSearch {
  readonly player: Player | undefined;
  /** All that were tried before `player`. */
  readonly tried: readonly UnfitPlayer[];
  /** False where the machine shows no sound device. */
  readonly deviceSeen: boolean;
}

interface SystemPlayer {
  readonly command: string;
  readonly args: readonly string[];
  readonly wantsWavHeader?: boolean;
  /** Without a device it reports no error. */
  readonly needsDevice?: boolean;
  readonly platform?: NodeJS.Platform;
}

const RATE = String(SAMPLE_RATE);
/** Windows' player refuses a WAV of unknown length, so that the sizes are patched first. */
const POWERSHELL_PLAYER = [
  '$f = [IO.Path]::GetTempFileName()',
  '$o = [IO.File]::Open($f, "Create")',
  '[Console]::OpenStandardInput().CopyTo($o)',
  '$n = $o.Length',
  '$o.Position = 4; $o.Write([BitConverter]::GetBytes([uint32]($n - 8)), 0, 4)',
  '$o.Position = 40; $o.Write([BitConverter]::GetBytes([uint32]($n - 44)), 0, 4)',
  '$o.Close()',
  '(New-Object Media.SoundPlayer $f).PlaySync()',
  'Remove-Item $f',
].join('; ');

const SYSTEM_PLAYERS: readonly SystemPlayer[] = [
  { command: 'aplay', args: ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', RATE, '-c', '1', '-'] },
  { command: 'paplay', args: ['--raw', '--format=s16le', `--rate=${RATE}`, '--channels=1'] },
  { command: 'pw-play', args: ['--raw', '--format=s16', `--rate=${RATE}`, '--channels=1', '-'] },
  {
    command: 'ffplay',
    args: ['-nodisp', '-autoexit', '-loglevel', 'error', '-i', '-'],
    wantsWavHeader: true,
    needsDevice: true,
  },
  // The last two take whole files only: everything is heard at the end.
  {
    command: 'sh',
    args: ['-c', 'd=$(mktemp -d) && cat > "$d/speech.wav" && afplay "$d/speech.wav"; s=$?; rm -rf "$d"; exit $s'],
    wantsWavHeader: true,
    platform: 'darwin',
  },
  {
    command: 'powershell',
    args: ['-NoProfile', '-NonInteractive', '-Command', POWERSHELL_PLAYER],
    wantsWavHeader: true,
    platform: 'win32',
  },
];

/** Time in which a player finds out that it has no device (ms). */
const SETTLE_MS = 250;
const OPEN_TIMEOUT_MS = 8_000;

export interface SearchOptions {
  /** Names of players to leave out. */
  readonly without?: readonly string[];
  /** The device to play on. Absent: the system chooses. */
  readonly device?: string;
}

/** Arguments that select a device, of players that have any. */
const DEVICE_ARGUMENTS = { paplay: (name: string) => [`--device=${name}`], aplay: (name: string) => ['-D', name] };

export async function findPlayer({ without = [], device }: SearchOptions, signal: AbortSignal): Promise<PlayerSearch> {
  if (device !== undefined) return playerOn(device, signal);
  const tried: UnfitPlayer[] = [];
  const own = await ownPlayer(without, tried, signal);
  const { deviceSeen } = own;
  if (own.player) return { player: own.player, tried, deviceSeen };
  for (const candidate of SYSTEM_PLAYERS) {
    if (candidate.platform && candidate.platform !== process.platform) continue;
    if (without.includes(candidate.command)) continue;
    if (candidate.needsDevice && !deviceSeen) continue;
    signal.throwIfAborted();
    const found = await systemPlayer(candidate);
    if (!('why' in found)) return { player: found, tried, deviceSeen: true };
    tried.push(found);
  }
  return { player: undefined, tried, deviceSeen };
}

async function playerOn(name: string, signal: AbortSignal): Promise<PlayerSearch> {
  const { findDevices } = await import('./devices.js');
  const devices = await findDevices(signal);
  const device = devices.find((candidate) => candidate.name === name);
  if (!device) {
    const names = [...new Set(devices.map((candidate) => candidate.name))].join(', ');
    throw new TtsError(
      'no_sound_device',
      names
        ? `There is no sound device "${name}". There are: ${names}.`
        : 'No device can be named on this machine: choose it in the sound settings of the system.',
    );
  }
  const base = SYSTEM_PLAYERS.find(({ command }) => command === device.player)!;
  const found = await systemPlayer({ ...base, args: [...DEVICE_ARGUMENTS[device.player](name), ...base.args] });
  if (!('why' in found)) return { player: found, tried: [], deviceSeen: true };
  return { player: undefined, tried: [found], deviceSeen: true };
}

/** A line of the player process on its stdout. */
export type PlayerReport =
  | { readonly type: 'trying'; readonly name: string }
  | ({ readonly type: 'unfit' } & UnfitPlayer)
  | { readonly type: 'ready'; readonly name: string }
  | { readonly type: 'started' }
  | { readonly type: 'none'; readonly deviceSeen: boolean };

/** Tries the libraries in our player process. One that kills its process is skipped in the next. */
async function ownPlayer(
  without: readonly string[],
  tried: UnfitPlayer[],
  signal: AbortSignal,
): Promise<{ player: Player | undefined; deviceSeen: boolean }> {
  const skip = [...without];
  for (;;) {
    signal.throwIfAborted();
    const entry = fileURLToPath(new URL('./player-process.js', import.meta.url));
    // A process group of its own: Ctrl-C reaches the command, which then stops the player.
    const child = spawn(process.execPath, [entry, ...skip], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      windowsHide: true,
    });
    child.stdin!.on('error', () => undefined);
    let trying = '';
    let started: () => void = () => undefined;
    const startedPromise = new Promise<void>((resolve) => {
      started = resolve;
    });
    const outcome = await new Promise<PlayerReport | { type: 'died'; why: string }>((resolve) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        resolve({ type: 'died', why: 'it did not open a device in time' });
      }, OPEN_TIMEOUT_MS);
      const settle = (report: PlayerReport | { type: 'died'; why: string }) => {
        clearTimeout(timer);
        resolve(report);
      };
      child.on('error', (error) => settle({ type: 'died', why: error.message }));
      child.on('exit', (code, killedBy) => settle({ type: 'died', why: `it ended with ${killedBy ?? code}` }));
      onLines(child, (line) => {
        const report = JSON.parse(line) as PlayerReport;
        if (report.type === 'trying') trying = report.name;
        else if (report.type === 'unfit')
          tried.push({ name: report.name, installed: report.installed, why: report.why });
        else if (report.type === 'started') started();
        else settle(report);
      });
    });
    if (outcome.type === 'ready') {
      const player = { name: outcome.name, child, wantsWavHeader: false, started: startedPromise };
      return { player, deviceSeen: true };
    }
    if (outcome.type === 'none') return { player: undefined, deviceSeen: outcome.deviceSeen };
    if (trying === '' || skip.includes(trying)) return { player: undefined, deviceSeen: false };
    tried.push({ name: trying, installed: true, why: outcome.type === 'died' ? outcome.why : 'it failed' });
    skip.push(trying);
  }
}

function onLines(child: ChildProcess, take: (line: string) => void): void {
  let rest = '';
  child.stdout!.setEncoding('utf8');
  child.stdout!.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}

async function systemPlayer(candidate: SystemPlayer): Promise<Player | UnfitPlayer> {
  const child = spawn(candidate.command, candidate.args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    windowsHide: true,
  });
  child.stdin!.on('error', () => undefined);
  const unfit = (why: string): UnfitPlayer => ({ name: candidate.command, installed: true, why });
  const failed = (error: NodeJS.ErrnoException): UnfitPlayer =>
    error.code === 'ENOENT' ? { ...unfit('not installed'), installed: false } : unfit(String(error));
  // A spawn that fails makes `once` reject.
  const gone = once(child, 'exit').then(([code]) => unfit(`it found no device (exit ${code})`), failed);
  const settled = new Promise<undefined>((resolve) => setTimeout(resolve, SETTLE_MS, undefined));
  const reason = await Promise.race([gone, settled]);
  if (reason !== undefined) return reason;
  return {
    name: candidate.command,
    child,
    wantsWavHeader: candidate.wantsWavHeader ?? false,
    started: new Promise(() => undefined),
  };
}
