/** The sound devices of PulseAudio (or PipeWire, through the same program) and of ALSA. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface OutputDevice {
  readonly name: string;
  readonly description: string;
  /** The program that plays on it. */
  readonly player: 'paplay' | 'aplay';
}

/** Lists the devices; none where the system has no program that lists them. */
export async function findDevices(signal: AbortSignal): Promise<OutputDevice[]> {
  const [pulse, alsa] = await Promise.all([
    output('pactl', ['list', 'sinks'], signal),
    output('aplay', ['-L'], signal),
  ]);
  return [...pulseSinks(pulse), ...alsaDevices(alsa)];
}

async function output(command: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    // In English, which is what is parsed.
    const { stdout } = await promisify(execFile)('env', ['LC_ALL=C', command, ...args], { signal, timeout: 5_000 });
    return stdout;
  } catch {
    // Not installed, or no sound server: there are no such devices.
    signal.throwIfAborted();
    return '';
  }
}

function pulseSinks(text: string): OutputDevice[] {
  return text.split(/^Sink #/m).flatMap((part) => {
    const name = /^\s*Name: (.+)$/m.exec(part)?.[1];
    const description = /^\s*Description: (.+)$/m.exec(part)?.[1] ?? '';
    return name ? [{ name, description, player: 'paplay' as const }] : [];
  });
}

/** Names at the margin, their descriptions indented below them. */
function alsaDevices(text: string): OutputDevice[] {
  return text
    .split(/\n(?=\S)/)
    .filter(Boolean)
    .map((part) => {
      const [name = '', ...lines] = part.split('\n').map((line) => line.trim());
      return { name, description: lines.filter(Boolean).join(', '), player: 'aplay' as const };
    });
}
