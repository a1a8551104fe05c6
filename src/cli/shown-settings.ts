/** Settings as they are shown to people: values in words, and never a secret. */
import { type Config, flagOf, type Setting, type Source, type Sources } from '../config.js';
import type { AdminSettings } from '../protocol/admin/figures.js';
import { freeLimitText } from '../protocol/free-limit.js';

export type ShownSettings = Pick<AdminSettings, 'config_file' | 'settings'>;

/** A value in one line. */
export const settingText = (value: Config[keyof Config]): string =>
  typeof value === 'object' ? freeLimitText(value) : String(value);

/** The flag, variable or file that a value came from. */
export const originOf = (row: Setting, source: Source, file: Sources['file']): string =>
  ({ flag: flagOf(row.key), environment: row.env, file: file.path, default: 'default' })[source];

/** As the dashboard shows them. */
export const shownSettings = ({ config, sources, file }: Sources, rows: readonly Setting[]): ShownSettings => ({
  config_file: file,
  settings: rows.map((row) => {
    const value = settingText(config[row.key]);
    return {
      name: row.key,
      group: row.group,
      description: row.description,
      value: row.secret ? null : value,
      is_set: value !== '',
      source: sources[row.key],
      origin: originOf(row, sources[row.key], file),
    };
  }),
});
