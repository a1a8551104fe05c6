/** What every command is handed, and how its options become settings. */
import { type Command, Option } from 'commander';
import { type Config, flagOf, loadConfig, SETTINGS, type Sources } from '../config.js';

/** Adds the options of the named settings, with their environment variable and default in the help text. */
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
    const option = new Option(flags, `${row.description} (${choices}default: ${shown}; env: ${row.env})`);
    command.addOption(row.hidden ? option.hideHelp() : option);
  }
  return command;
}

/** The settings of this run: the command's own flags over environment, file and defaults. */
export function settingsOf(command: Command): Sources {
  return loadConfig({ flags: command.optsWithGlobals() });
}
