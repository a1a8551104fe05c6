/** `tts doctor`: looks at everything speaking needs, and says what to do about each finding. */
import { Command } from 'commander';
import type { Config } from '../../config.js';
import { EXIT } from '../../protocol/errors.js';
import { addSettings, settingsOf } from '../context.js';
import type { Finding } from '../doctor/finding.js';
import { untilInterrupted } from '../interrupt.js';
import { fitted } from '../terminal.js';

const EXAMPLES = `
Examples:
  tts doctor                                     this machine
  tts doctor --server https://tts.example.org    and a server elsewhere

Exit code 0 when nothing is broken, 1 when something is.`;

export function command(): Command {
  const doctor = new Command('doctor')
    .description('Checks Node, model, engine, GPU, sound device, port, data folder and server, and says what to do.')
    .option('--json', 'print the findings as JSON');
  addSettings(doctor, [
    'server',
    'apiKey',
    'host',
    'port',
    'dataDir',
    'modelDir',
    'device',
    'threads',
    'workers',
    'engine',
  ]);
  return addSettings(doctor, ['runtimeDir', 'offline', 'voicesDir', 'lexicon'])
    .addHelpText('after', EXAMPLES)
    .action((options: { json?: boolean }, self: Command) =>
      untilInterrupted((signal) => examine(settingsOf(self).config, options.json ?? false, signal)),
    );
}

async function examine(config: Config, json: boolean, signal: AbortSignal): Promise<void> {
  const { CHECKS } = await import('../doctor/checks.js');
  const findings: Finding[] = [];
  const color = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;
  for (const check of CHECKS) {
    signal.throwIfAborted();
    const finding = await check(config, signal);
    if (!finding) continue;
    findings.push(finding);
    if (!json) process.stdout.write(line(finding, color));
  }
  if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  if (findings.some(({ state }) => state === 'broken')) process.exitCode = EXIT.failed;
}

const INDENT = 15;
const MARKS = { fine: ['✓', 32], note: ['!', 33], broken: ['✗', 31] } as const;

function line({ what, state, found, advice }: Finding, color: boolean): string {
  const [mark, code] = MARKS[state];
  const told = fitted(`${mark} ${what.padEnd(12)} ${found}`, INDENT);
  const shown = color ? `\u001b[${code}m${mark}\u001b[0m${told.slice(mark.length)}` : told;
  return `${shown}\n${advice ? `${fitted(`${' '.repeat(INDENT)}→ ${advice}`, INDENT + 2)}\n` : ''}`;
}
