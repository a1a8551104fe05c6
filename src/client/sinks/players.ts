/** The ways to make a machine sound, best first: our own player process, then the players that systems come with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import { TtsError } from '../../protocol/errors.js';

/** A running player: raw samples into its stdin, exit 0 once they were heard. */
export interface Player {
  readonly name: string;
  readonly child: ChildProcess;
  /** What must go in front of the samples. */
  readonly wantsWavHeader: boolean;
  /** Resolves when the device took the first samples; never, where the player does not tell. */
  readonly started: Promise<void>;
}

/** A library or program that could not be used. */
export interface UnfitPlayer {
  readonly name: string;
  /** False where it is not on this machine at all, or was never built for it. */
  readonly installed: boolean;
  readonly why: string;
}

export interface PlayerSearch {
  readonly player: Player | undefined;
  /** Every way that was tried before `player`. */
  readonly tried: readonly UnfitPlayer[];
  /** False where this machine shows no sound device at all. */
  readonly deviceSeen: boolean;
}

interface SystemPlayer {
  readonly command: string;
  readonly args: readonly string[];
  readonly wantsWavHeader?: boolean;
  /** Plays into the void without a word where there is no device. */
  readonly needsDevice?: boolean;
  readonly platform?: NodeJS.Platform;
}

const RATE = String(SAMPLE_RATE);
/** Windows' own player refuses a WAV of unknown length, so the sizes are patched before it plays. */
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
  // The last two take whole files only: the sound is gathered first and heard at the end.
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

/** Long enough for a player to find out that it has no device. */
const SETTLE_MS = 250;
const OPEN_TIMEOUT_MS = 8_000;

export interface SearchOptions {
  /** Names of players to leave out. */
  readonly without?: readonly string[];
  /** The name of the device to play on; else the system chooses. */
  readonly device?: string;
}

/** How the players that can be sent to a device are told its name. */
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

/** Tries the libraries inside our player process; one that takes its process down is skipped in the next. */
async function ownPlayer(
  without: readonly string[],
  tried: UnfitPlayer[],
  signal: AbortSignal,
): Promise<{ player: Player | undefined; deviceSeen: boolean }> {
  const skip = [...without];
  for (;;) {
    signal.throwIfAborted();
    const entry = fileURLToPath(new URL('./player-process.js', import.meta.url));
    // Its own process group: Ctrl-C in the terminal is for the command, which then stops the player itself.
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
  // A spawn that fails has `once` reject, whatever it waits for.
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
