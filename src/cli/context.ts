/** What every command is handed, and how its options become settings. */
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type Config, flagOf, loadConfig, SETTINGS, type Setting, type Source, type Sources } from '../config.js';
import { TtsError } from '../protocol/errors.js';
import { complain } from './terminal.js';

/** An option that knows which setting it is of. */
export class SettingOption extends Option {
  constructor(
    flags: string,
    description: string,
    readonly setting: Setting,
  ) {
    super(flags, description);
  }
}

/** Adds the options of the named settings; their help names variable and default. */
export function addSettings(
  command: Command,
  keys: readonly (keyof Config)[],
  shortFlags: Partial<Record<keyof Config, string>> = {},
): Command {
  for (const key of keys) {
    const row = SETTINGS.find((candidate) => candidate.key === key)!;
    const shown = row.defaultText ?? String(row.defaultValue({}));
    const choices = row.choices ? `${row.choices.join('|')}; ` : '';
    const short = shortFlags[key] ? `${shortFlags[key]}, ` : '';
    const flags = `${short}${flagOf(key)}${row.placeholder ? ` <${row.placeholder}>` : ''}`;
    const option = new SettingOption(flags, `${row.description} (${choices}default: ${shown}; env: ${row.env})`, row);
    command.addOption(row.hidden ? option.hideHelp() : option);
  }
  return command;
}

/** From the weakest to the strongest. */
const STRENGTH: readonly Source[] = ['default', 'file', 'environment', 'flag'];

/** The settings of this run: the command's own flags over environment, file and defaults. */
export function settingsOf(command: Command): Sources {
  const flags = command.optsWithGlobals();
  const settings = loadConfig({ flags });
  const { config, sources } = settings;
  if (sources.apiKey === 'flag' && process.stderr.isTTY && !flags.quiet) {
    complain(
      'A key in --api-key can be read in the process list; TTS_API_KEY or --api-key-file FILE keep it out of there.',
    );
  }
  if (sources.database === 'flag' && /:\/\/[^/@]*:[^/@]+@/.test(config.database)) {
    throw new TtsError(
      'config_invalid',
      'A password in --database can be read in the process list. Put the address into TTS_DATABASE or the config file.',
    );
  }
  if (config.apiKeyFile === '' || STRENGTH.indexOf(sources.apiKeyFile) <= STRENGTH.indexOf(sources.apiKey))
    return settings;
  return { ...settings, config: { ...config, apiKey: readKey(config.apiKeyFile) } };
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new TtsError('config_invalid', `The API key cannot be read from ${file}: ${(cause as Error).message}.`, {
      cause,
    });
  }
}
