/** `tts voices`: the catalogue as a table, filtered here, and a sample of any voice in it. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import type { SpeechModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import type { Voice, VoiceCatalog } from '../../protocol/http.js';
import type { Language } from '../../protocol/job.js';
import { knownLanguage, speaks } from '../../protocol/languages.js';
import { matchesSearch, sampleOf } from '../../protocol/playground/voice-words.js';
import { didYouMean } from '../../protocol/suggestion.js';
import { closeSoon, connect, ofOwnServer } from '../connection.js';
import { addSettings, settingsOf } from '../context.js';
import { untilInterrupted } from '../interrupt.js';
import { checkModel, noSuchVoice, voiceIdOf } from '../names.js';
import { printTable } from '../output.js';
import { catalogueOptions, ownCatalogue } from '../own-voices.js';
import { destinationOf } from '../speech-options.js';
import { shrinking } from '../table.js';

interface VoicesOptions {
  readonly search?: string;
  readonly gender?: string;
  readonly language?: string;
  readonly json?: boolean;
  /** True without an id: each of them. */
  readonly preview?: string | true;
  readonly output?: string;
  readonly quiet?: boolean;
}

const EXAMPLES = `
Examples:
  tts voices                                       all voices
  tts voices --gender female --language en         some of them
  tts voices --search calm --json | jq -r '.data[].id'
  tts voices --search british --gender male        some others
  tts voices --preview english_female_articulate   hear one
  tts voices --preview --gender male               hear each of these
  tts voices mix cosy=af_heart:60,bm_george:40     make one of your own, for -v cosy
  tts voices import cosy.json                      take one that the playground saved
  tts voices remove cosy                           remove it again`;

const MIX_EXAMPLES = `
Examples:
  tts voices mix cosy=af_heart:60,af_bella:40
  tts speak -v cosy "Good evening."                speak with it
  tts voices mix dusk=british_male_george:2,am_onyx:1 --voices-dir ~/voices
  tts voices --preview dusk --voices-dir ~/voices  hear it`;

export function command(): Command {
  const voices = new Command('voices')
    .description('Lists the voices that can speak, and lets you hear them.')
    .option('--search <TEXT>', 'only voices whose id, name, language or description has these words')
    .addOption(new Option('--gender <NAME>', 'only voices of this gender').choices(['female', 'male', 'neutral']))
    .option('--language <CODE>', 'only voices that speak this language')
    .option('--json', 'print the catalogue as JSON')
    .option('--preview [ID]', 'speak a sample with this voice; without an id, with each that is listed')
    .option('-o, --output <FILE>', 'with --preview: write the sample instead of playing it')
    .option('-q, --quiet', 'no progress, no remarks');
  voices.addCommand(mixCommand());
  voices.addCommand(importCommand());
  voices.addCommand(removeCommand());
  addSettings(voices, ['model', 'server', 'apiKey', 'apiKeyFile', 'engine'], { model: '-m' });
  return addSettings(voices, ['modelDir', 'voicesDir', 'offline', 'runtimeDir'])
    .addHelpText('after', EXAMPLES)
    .action((options: VoicesOptions, self: Command) =>
      untilInterrupted((signal) =>
        options.preview === undefined ? list(options, self, signal) : preview(options, self, signal),
      ),
    );
}

function mixCommand(): Command {
  const mix = new Command('mix')
    .description(
      'Makes a voice of other voices: their styles, by shares. -v NAME speaks it, also through a running server.',
    )
    .argument('<NAME=STYLE:SHARE,STYLE:SHARE>', 'the new voice, and what it is made of')
    .option('-o, --output <FILE>', 'write the file here (default: NAME.json in the voices folder, else in your own)');
  return addSettings(mix, ['voicesDir'])
    .addHelpText('after', MIX_EXAMPLES)
    .action((spec: string, _options: object, self: Command) => mixInto(spec, self));
}

function importCommand(): Command {
  const take = new Command('import')
    .description('Takes a voice file that the playground or another machine made. -v speaks it from then on.')
    .argument('<FILE>', 'the voice file, JSON');
  return addSettings(take, ['voicesDir']).action((file: string, _options: object, self: Command) =>
    importVoice(file, self),
  );
}

function removeCommand(): Command {
  const remove = new Command('remove')
    .description('Removes a voice that tts voices mix made.')
    .argument('<NAME>', 'the voice');
  return addSettings(remove, ['voicesDir']).action((name: string, _options: object, self: Command) =>
    removeVoice(name, self),
  );
}

async function mixInto(spec: string, self: Command): Promise<void> {
  // The command above has such an option too, and takes it.
  const { output } = self.optsWithGlobals<{ readonly output?: string }>();
  const { config } = settingsOf(self);
  const { voicesDir, userDir } = catalogueOptions(config);
  const { mixVoice } = await import('../../models/voice-mix.js');
  const voice = mixVoice(spec, await ownCatalogue(config));
  const folder = voicesDir || userDir;
  const file = output ?? path.join(folder, `${voice.id}.json`);
  if (existsSync(file))
    throw new TtsError('usage', `${file} is there already. Name another file with -o, or remove it.`);
  const [{ writeWhole }, { makeFolder }] = await Promise.all([
    import('../../client/sinks/file.js'),
    import('../../folder.js'),
  ]);
  if (output === undefined) makeFolder(folder);
  await writeWhole(file, `${JSON.stringify(voice, null, 2)}\n`);
  const isFound = output === undefined && voicesDir === '';
  const flag = isFound ? '' : ` --voices-dir ${path.dirname(file)}`;
  process.stderr.write(`wrote ${file}\nhear it: tts voices --preview ${voice.id}${flag}\n`);
}

async function importVoice(from: string, self: Command): Promise<void> {
  const { config } = settingsOf(self);
  const { voicesDir, userDir } = catalogueOptions(config);
  const { readVoiceFile } = await import('../../models/catalogue.js');
  const { text, voice } = readVoiceFile(from);
  const { all } = await ownCatalogue(config);
  if (all.some((entry) => entry.voice.id === voice.id)) {
    throw new TtsError('usage', `There is a voice "${voice.id}" already. Change the field "id" of ${from}.`);
  }
  const folder = voicesDir || userDir;
  const file = path.join(folder, `${voice.id}.json`);
  const [{ writeWhole }, { makeFolder }] = await Promise.all([
    import('../../client/sinks/file.js'),
    import('../../folder.js'),
  ]);
  makeFolder(folder);
  await writeWhole(file, text);
  const flag = voicesDir === '' ? '' : ` --voices-dir ${folder}`;
  process.stderr.write(`wrote ${file}\nhear it: tts voices --preview ${voice.id}${flag}\n`);
}

async function removeVoice(name: string, self: Command): Promise<void> {
  const { config } = settingsOf(self);
  const { all } = await ownCatalogue(config);
  const found = all.find(({ voice }) => voice.id === name);
  const { voicesDir, userDir } = catalogueOptions(config);
  const folders = [voicesDir, userDir].filter(Boolean).map((folder) => path.resolve(folder));
  const own = all.filter(({ file }) => folders.includes(path.resolve(path.dirname(file))));
  if (found === undefined || !own.includes(found)) {
    const ids = own.map(({ voice }) => voice.id);
    const why = found ? `${name} ships with tts, and stays.` : `There is no voice "${name}" of your own.`;
    const there = ids.length === 0 ? 'You have made none yet: tts voices mix.' : `Yours are: ${ids.join(', ')}.`;
    throw new TtsError('voice_not_found', `${why}${found ? '' : didYouMean(name, ids)} ${there}`);
  }
  rmSync(found.file);
  process.stderr.write(`removed ${found.file}\n`);
}

async function list(options: VoicesOptions, self: Command, signal: AbortSignal): Promise<void> {
  const settings = settingsOf(self);
  if (options.language !== undefined) knownLanguage(options.language);
  const model: SpeechModel = checkModel(settings.config.model) ?? 'base-tts';
  const connection = await connect(settings, {}, signal);
  try {
    const { createHttpClient } = await import('../../client/http.js');
    const client = createHttpClient(connection);
    const catalog = await client.voices(model, signal).finally(() => client.close());
    const data = catalog.data.filter((voice) => matches(voice, options));
    if (options.json) process.stdout.write(`${asJson({ ...catalog, data })}\n`);
    else if (data.length > 0) printVoices(data);
    else process.stderr.write(`None of the ${catalog.data.length} voices matches.\n`);
  } catch (error) {
    throw connection.kind === 'embedded' ? ofOwnServer(error) : error;
  } finally {
    await closeSoon(connection, signal);
  }
}

function matches(voice: Voice, { search, gender, language }: VoicesOptions): boolean {
  if (gender && voice.gender !== gender) return false;
  if (language && !speaks((voice.locale ?? voice.language) as Language, language)) return false;
  return matchesSearch(voice, search ?? '');
}

/** Control characters that JSON lets stand are escaped too: a terminal may be reading. */
const asJson = (catalog: VoiceCatalog): string =>
  JSON.stringify(catalog, null, 2).replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

const printVoices = (voices: readonly Voice[]): void =>
  printTable(
    ['VOICE', 'NAME', 'LANGUAGE', 'GENDER', shrinking('DESCRIPTION')],
    voices.map((voice) => [
      voice.id,
      voice.display_name,
      voice.locale ?? voice.language,
      voice.gender,
      voice.description,
    ]),
  );

async function preview(options: VoicesOptions, self: Command, signal: AbortSignal): Promise<void> {
  const settings = settingsOf(self);
  const asked = options.preview!;
  const wanted = asked === true ? asked : await voiceIdOf(asked, settings.config.voicesDir);
  const destination = destinationOf(options, Boolean(process.stdout.isTTY));
  const [{ runSpeech }, { createHttpClient }, { speakRequests }] = await Promise.all([
    import('../speech-run.js'),
    import('../../client/http.js'),
    import('../../client/speak-requests.js'),
  ]);
  await runSpeech(
    {
      settings,
      voice: wanted === true ? 'each voice' : wanted,
      destination,
      options,
      show: false,
      steady: true,
      screen: 'lines',
    },
    async ({ address, model, sink, progress, leftOut }, runSignal) => {
      const client = createHttpClient(address);
      try {
        const { data } = await client.voices(model, runSignal);
        const found = data.filter((voice) => (wanted === true ? matches(voice, options) : voice.id === wanted));
        if (found.length === 0) throw nothingFound(wanted, data);
        for (const voice of found) {
          const sections = [{ text: sampleOf(voice) }];
          const fields = { model, voice: voice.id };
          await speakRequests({ client, sections, fields, sink, progress, leftOut }, runSignal);
        }
      } finally {
        client.close();
      }
    },
    signal,
  );
}

const nothingFound = (wanted: string | true, voices: readonly Voice[]): TtsError =>
  wanted === true
    ? new TtsError('voice_not_found', `None of the ${voices.length} voices matches.`)
    : noSuchVoice(
        wanted,
        voices.map(({ id }) => id),
      );
