/** `tts models`: what is on this machine, fetching, checking and removing it. */

import { Command } from 'commander';
import type { Sources } from '../../config.js';
import type { InventoryOptions, ModelEntry } from '../../models/inventory.js';
import { mayBeHere } from '../../protocol/device.js';
import { EXIT, TtsError } from '../../protocol/errors.js';
import { BASE_MODELS } from '../../protocol/job.js';
import { addSettings, settingsOf } from '../context.js';
import { untilInterrupted } from '../interrupt.js';
import { baseModel } from '../names.js';
import { printJson, printTable } from '../output.js';
import { createPullReporter, megabytes } from '../pull-progress.js';
import { measureOnce } from '../service/fetch-models.js';
import { right, shrinking } from '../table.js';

const jsonOf = ({ downloadBytes, ...entry }: ModelEntry) => ({ ...entry, download_bytes: downloadBytes });

async function list(options: { json?: boolean }, command: Command): Promise<void> {
  const { modelDir } = settingsOf(command).config;
  const { listModels } = await import('../../models/inventory.js');
  const { listLanguages } = await import('../../models/language-packs.js');
  const entries = await listModels({ modelDir });
  if (options.json) {
    printJson(entries.map(jsonOf));
    return;
  }
  const rows = entries.map((entry) => [
    entry.name,
    entry.state,
    ['missing', 'unprepared'].includes(entry.state) ? `about ${megabytes(entry.bytes)}` : megabytes(entry.bytes),
    entry.licence,
    entry.source,
    entry.description,
  ]);
  for (const { language, title, ready, bytes, downloadBytes, licence, source } of await listLanguages({ modelDir })) {
    const size = ready ? megabytes(bytes) : `about ${megabytes(downloadBytes)}`;
    rows.push([language, ready ? 'ready' : 'missing', size, licence, source, title]);
  }
  printTable(['MODEL', 'STATE', right('SIZE'), 'LICENCE', shrinking('SOURCE'), shrinking('WHAT')], rows);
  if (process.stdout.isTTY) process.stdout.write(`\nModels share one download, kept in ${modelDir}\n`);
}

async function measure({ config }: Sources, signal: AbortSignal): Promise<void> {
  const { createLogger } = await import('../../log.js');
  const log = await createLogger({ level: 'warn', pretty: true });
  const reporter = createPullReporter();
  const measured = await measureOnce({ config, log, onProgress: reporter.show }, signal).finally(reporter.end);
  if (measured === undefined) return;
  const [{ speedText }, { chooseModel }] = await Promise.all([
    import('../../client/ui/format.js'),
    import('../service/model-choice.js'),
  ]);
  const model = await chooseModel({ ...config, server: '' });
  process.stderr.write(
    `tts: base-tts is ${speedText(measured.realTimeFactor)} here; tts speak takes ${model} unless told otherwise\n`,
  );
}

/** Fetches the dictionary of a language, where it has one. */
async function pullLanguage(name: string, command: Command): Promise<void> {
  const { modelDir, offline } = settingsOf(command).config;
  const { ensureLanguage, languageNamed } = await import('../../models/language-packs.js');
  const language = languageNamed(name);
  await untilInterrupted(async (signal) => {
    const reporter = createPullReporter();
    const options = { modelDir, offline, depth: 'hashes' as const, onProgress: reporter.show, signal };
    const folder = await ensureLanguage(language, options).finally(reporter.end);
    process.stderr.write(
      folder === '' ? `tts: ${language} needs no files of its own\n` : `tts: ${language} is ready in ${folder}\n`,
    );
  });
}

interface PullOptions {
  readonly language?: string;
}

async function pull(name: string | undefined, { language }: PullOptions, command: Command): Promise<void> {
  if (language !== undefined) {
    await pullLanguage(language, command);
    if (name === undefined) return;
  }
  const settings = settingsOf(command);
  const { modelDir, offline, device } = settings.config;
  const models = name === undefined ? BASE_MODELS : [baseModel(name)];
  const { ensureModel } = await import('../../models/packs.js');
  await untilInterrupted(async (signal) => {
    for (const model of models) {
      const reporter = createPullReporter();
      try {
        const gpu = mayBeHere(device);
        await ensureModel(model, { modelDir, offline, gpu, depth: 'hashes', onProgress: reporter.show, signal });
      } finally {
        reporter.end();
      }
      process.stderr.write(`tts: ${model} is ready in ${modelDir}\n`);
    }
    if (models.includes('base-tts')) await measure(settings, signal);
  });
}

async function verify(name: string | undefined, options: { json?: boolean }, command: Command): Promise<void> {
  const { modelDir } = settingsOf(command).config;
  const models = name === undefined ? BASE_MODELS : [baseModel(name)];
  const { verifyModel } = await import('../../models/inventory.js');
  await untilInterrupted(async (signal) => {
    const results = [];
    for (const model of models) results.push(await verifyModel(model, { modelDir, signal }));
    if (options.json) printJson(results);
    else {
      for (const { name, present, files, bytes, bad } of results) {
        if (!present) process.stdout.write(`${name}: not on this machine\n`);
        else if (bad.length === 0) process.stdout.write(`${name}: ${files} files, ${megabytes(bytes)}, all intact\n`);
        else process.stdout.write(`${name}: ${bad.length} of ${files} files damaged\n`);
        for (const file of bad) process.stdout.write(`  ${file}\n`);
      }
    }
    const damaged = results.filter(({ bad }) => bad.length > 0).map(({ name }) => name);
    if (damaged.length > 0) {
      throw new TtsError('model_corrupt', `Damaged: ${damaged.join(', ')}. Repair with: tts models pull`);
    }
    if (results.every(({ present }) => !present)) {
      throw new TtsError('model_missing', `There is nothing to verify in ${modelDir}. Fetch it with: tts models pull`);
    }
  });
}

/** Asks on the terminal; anything but a clear yes is a no. */
async function confirmed(question: string, signal: AbortSignal): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // An end of input (Ctrl-D) is an answer too.
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([lines.question(`${question} [y/N] `, { signal }), closed])).trim());
  } finally {
    lines.close();
  }
}

async function remove(name: string | undefined, { all = false }: { all?: boolean }, command: Command): Promise<void> {
  const { modelDir } = settingsOf(command).config;
  const { listModels, removeAll, removeModel } = await import('../../models/inventory.js');
  const which = `tts models remove ${BASE_MODELS[0]}`;
  if (name !== undefined && all) throw new TtsError('usage', `Name a model or say --all, not both: ${which}`);
  await untilInterrupted(async (signal) => {
    const options: InventoryOptions = { modelDir, signal };
    if (name === undefined && !all) {
      const there = (await listModels(options)).filter(({ state }) => state !== 'missing').map((entry) => entry.name);
      if (!process.stdin.isTTY || !process.stderr.isTTY) {
        throw new TtsError('usage', `Name the model to remove (${which}), or say --all.`);
      }
      if (there.length > 0 && !(await confirmed(`Remove ${there.join(' and ')} from ${modelDir}?`, signal))) {
        process.stderr.write('tts: nothing was removed\n');
        return;
      }
    }
    const freed = name === undefined ? await removeAll(options) : await removeModel(baseModel(name), options);
    if (freed > 0) process.stderr.write(`tts: removed; ${megabytes(freed)} are free again\n`);
    else process.stderr.write('tts: nothing to remove: it is not there, or another model uses all of it\n');
  });
}

export function command(): Command {
  const models = new Command('models').description(
    'The models on this machine. They are fetched at first use, or here.',
  );
  const names = `NAME is ${BASE_MODELS.join(' or ')}; without it, all.`;
  const sub = (usage: string, description: string) =>
    addSettings(models.command(usage).description(description), ['modelDir']);
  sub('list', 'name, state, size, licence and source of each model').option('--json', 'as JSON').action(list);
  addSettings(sub('pull [NAME]', `fetch and prepare, and repair what is damaged. ${names}`), ['offline', 'device'])
    .option('--language <LANGUAGE>', 'fetch the dictionary of a language: ja or zh; the others need none')
    .action(pull);
  sub('verify [NAME]', `compare every byte with the manifests. ${names}`).option('--json', 'as JSON').action(verify);
  sub('remove [NAME]', `delete from this machine. NAME is ${BASE_MODELS.join(' or ')}; without it, asks about all.`)
    .option('--all', 'all models, without asking')
    .action(remove);
  models.addHelpText(
    'after',
    `\nExit codes: ${EXIT.done} done, ${EXIT.usage} usage, ${EXIT.model} model missing or broken, ${EXIT.interrupted} interrupted.`,
  );
  return models;
}
