/** `tts config`: every setting, its value and source; `set` and `unset` change the config file. */
import { Command } from 'commander';
import { type Config, flagOf, SETTINGS, type Setting, writeSetting } from '../../config.js';
import { addSettings, settingsOf } from '../context.js';
import { printTable } from '../output.js';
import { originOf, settingText } from '../shown-settings.js';
import { shrinking } from '../table.js';

const EXAMPLES = `
Settings are taken from flags, then the environment, then the config file, then defaults.

Examples:
  tts config                        what holds here
  TTS_PORT=9000 tts config          what would hold
  tts config --json | jq .settings  for scripts
  tts config set voice english_female_articulate   remember it in the config file
  tts config unset voice                           forget it again`;

export function command(): Command {
  const config = new Command('config')
    .description('Shows every setting, its value, and where the value came from.')
    .option('--json', 'print as JSON');
  config
    .command('set')
    .description('Writes a setting into the config file.')
    .argument('<KEY>', 'the setting, such as voice')
    .argument('<VALUE>', 'its value')
    .action((key: string, value: string) => remember(key, value));
  config
    .command('unset')
    .description('Takes a setting out of the config file.')
    .argument('<KEY>', 'the setting, such as voice')
    .action((key: string) => remember(key, undefined));
  return addSettings(
    config,
    SETTINGS.map((row) => row.key),
  )
    .addHelpText('after', EXAMPLES)
    .action((options: { json?: boolean }, self: Command) => show(options.json ?? false, self));
}

function remember(key: string, value: string | undefined): void {
  const file = writeSetting(key, value);
  process.stderr.write(
    `${value === undefined ? 'took' : 'wrote'} ${key} ${value === undefined ? 'out of' : 'to'} ${file}\n`,
  );
}

/** Enough of a secret to recognise it by. */
const masked = (secret: string): string => (secret === '' ? '' : `${secret.slice(0, Math.min(8, secret.length / 4))}…`);

function shown(row: Setting, config: Config): Config[keyof Config] {
  const value = config[row.key];
  return row.secret ? masked(String(value)) : value;
}

function show(json: boolean, self: Command): void {
  const { config, sources, file } = settingsOf(self);
  if (json) {
    const settings = Object.fromEntries(
      SETTINGS.map((row) => [
        row.key,
        { value: shown(row, config), source: sources[row.key], env: row.env, flag: flagOf(row.key) },
      ]),
    );
    process.stdout.write(`${JSON.stringify({ file, settings }, null, 2)}\n`);
    return;
  }
  const rows = SETTINGS.map((row) => {
    const value = settingText(shown(row, config));
    return [row.key, value === '' ? '-' : value, originOf(row, sources[row.key], file), row.env];
  });
  printTable(['SETTING', shrinking('VALUE'), shrinking('FROM'), 'ENVIRONMENT'], rows);
  process.stderr.write(`config file: ${file.path}${file.found ? '' : ' (not there)'}\n`);
}
