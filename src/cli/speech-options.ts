/** The options that every speaking command shares, checked once. */
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseModel, SPEECH_MODELS, type SpeechModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import { MAX_SPEED, MIN_SPEED } from '../protocol/job.js';
import { MAX_SEED } from '../protocol/stream.js';
import type { StreamParams } from '../protocol/stream-messages.js';
import { addSettings } from './context.js';

/** What a file can be, and the endings of names that say so. */
export type FileFormat = 'wav' | 'mp3' | 'm4a' | 'm4b' | 'aac' | 'opus' | 'flac' | 'pcm';
const ENDINGS: Readonly<Record<FileFormat, RegExp>> = {
  wav: /\.wave?$/i,
  mp3: /\.mp3$/i,
  m4a: /\.m4a$/i,
  m4b: /\.m4b$/i,
  aac: /\.aac$/i,
  opus: /\.(opus|ogg|oga)$/i,
  flac: /\.flac$/i,
  pcm: /\.(pcm|raw|s16le)$/i,
};
const FORMATS = Object.keys(ENDINGS) as readonly FileFormat[];

export interface OutputOptions {
  readonly output?: string;
  readonly format?: FileFormat;
  readonly whole?: boolean;
  readonly play?: boolean;
  readonly quiet?: boolean;
  /** In percent. */
  readonly volume?: number;
  readonly outputDevice?: string;
  readonly keepPartial?: boolean;
}

export interface SpeechOptions extends OutputOptions {
  readonly language?: string;
  readonly seed?: number;
  readonly speed?: number;
  readonly ssml?: boolean;
  readonly voiceTags?: boolean;
  readonly listDevices?: boolean;
}

export function addSpeechOptions(command: Command): Command {
  command
    .option(
      '-o, --output <FILE>',
      'write FILE.wav, .mp3, .m4a, .aac, .opus, .flac or .pcm instead of playing; - is stdout',
    )
    .addOption(
      new Option('--format <NAME>', 'format of the output, else told by its name, wav on stdout').choices(FORMATS),
    )
    .option('--whole', 'with -o -: send nothing before all is there, so that the header tells the exact length')
    .option('--play', 'play as well as write')
    .option('--keep-partial', 'keep what was written when the speech breaks off or is stopped')
    .option('--volume <PERCENT>', 'how loud, 0 to 200 (default: 100)', wholeNumber(0, 200))
    .option('--output-device <NAME>', 'play on this device (default: the one the system uses)')
    .option('--list-devices', 'list the devices for --output-device')
    .option('--ssml', 'the text carries SSML: break, phoneme, sub, say-as, lang, voice, prosody, emphasis')
    .option('--voice-tags', 'a plain text changes its voice: [voice:british_male_george] … [/voice]')
    .option('--language <CODE>', 'speak with the default voice of this language: es, fr, en-GB, es-419 …')
    .option(
      '--seed <N>',
      `another reading of the same text, 0 to ${MAX_SEED} (default: 0, the canonical one)`,
      wholeNumber(0, MAX_SEED),
    )
    .addOption(speedOption())
    .option('-q, --quiet', 'no progress, no remarks');
  addSettings(command, ['voice', 'model', 'style', 'server', 'apiKey', 'apiKeyFile', 'engine'], {
    voice: '-v',
    model: '-m',
  });
  return addSettings(command, ['device', 'threads', 'modelDir', 'offline', 'lexicon', 'voicesDir', 'runtimeDir']);
}

export const speedOption = (): Option =>
  new Option('--speed <N>', `how fast, ${MIN_SPEED} to ${MAX_SPEED} times the voice's own pace (default: 1)`).argParser(
    number(MIN_SPEED, MAX_SPEED),
  );

const number = (min: number, max: number) => (text: string) => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`It is a number from ${min} to ${max}.`);
};

const wholeNumber = (min: number, max: number) => (text: string) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
};

export type Destination =
  | { readonly kind: 'speaker' }
  | { readonly kind: 'stdout'; readonly format: FileFormat; readonly play: boolean; readonly whole: boolean }
  | { readonly kind: 'file'; readonly file: string; readonly format: FileFormat; readonly play: boolean };

/** Whether all of the sound is written before anybody hears any. */
export const isUnheard = (destination: Destination): boolean =>
  destination.kind !== 'speaker' && !destination.play && (destination.kind === 'file' || destination.whole);

/** Where the sound goes, decided before anything is done. */
export function destinationOf(options: OutputOptions, stdoutIsTerminal: boolean): Destination {
  const { output, format, play = false, whole = false } = options;
  if (output === undefined) {
    if (format || whole)
      throw new TtsError('usage', `--${format ? 'format' : 'whole'} needs an output. Add -o FILE, or -o - for stdout.`);
    return { kind: 'speaker' };
  }
  if (whole && output !== '-') {
    throw new TtsError('usage', '--whole is for -o -: a file has the exact length in its header anyway. Leave it out.');
  }
  if (output === '-') {
    if (stdoutIsTerminal) {
      throw new TtsError('usage', 'Sound does not belong on a terminal. Pipe it (… -o - | aplay) or name a file.');
    }
    if ((format === 'm4a' || format === 'm4b') && !whole) {
      throw new TtsError('usage', `${format} begins with its length: add --whole, or take --format aac for a stream.`);
    }
    return { kind: 'stdout', format: format ?? 'wav', play, whole };
  }
  const named = FORMATS.find((name) => ENDINGS[name].test(output));
  if (named && format && named !== format) {
    throw new TtsError('usage', `${output} says ${named} and --format says ${format}. Make them agree.`);
  }
  const chosen = format ?? named;
  if (!chosen) {
    throw new TtsError(
      'usage',
      `What should ${output} be? Name it ${FORMATS.map((name) => `.${name}`).join(', ')}, or add --format NAME.`,
    );
  }
  return { kind: 'file', file: output, format: chosen, play };
}

/** Two outputs must not share a file, nor may one replace the text that is read. */
export function refuseSameFile(
  inputs: readonly string[],
  outputs: ReadonlyArray<readonly [flag: string, file: string | undefined]>,
): void {
  const taken = new Map(inputs.filter((name) => name !== '-').map((name) => [path.resolve(name), '-f']));
  for (const [flag, file] of outputs) {
    if (file === undefined) continue;
    const place = file === '-' ? '-' : path.resolve(file);
    const other = taken.get(place);
    if (other !== undefined) {
      const name = file === '-' ? 'stdout (-)' : file;
      throw new TtsError('usage', `${other} and ${flag} both name ${name}. Give each a file of its own.`);
    }
    taken.set(place, flag);
  }
}

/** Whether the text is sent as SSML. */
export function isMarked({ ssml = false, voiceTags = false }: SpeechOptions): boolean {
  if (ssml && voiceTags) throw new TtsError('usage', 'SSML has <voice name="…">: leave --voice-tags out.');
  return ssml || voiceTags;
}

/** The WebSocket knows the models by their own names; Free access has no way in there. */
export function streamParams(model: SpeechModel, options: SpeechOptions): Partial<StreamParams> {
  const { language, seed } = options;
  const { base, free } = parseModel(model);
  if (!free) {
    return {
      model_id: base,
      ...(language !== undefined && { language_code: language }),
      ...(seed !== undefined && { seed }),
      ...(isMarked(options) && { enable_ssml_parsing: true }),
    };
  }
  const partner = SPEECH_MODELS.filter((name) => !name.endsWith(':free')).join(' or ');
  throw new TtsError(
    'usage',
    `${model} is for plain tts speak: tts stream, --seed, --ssml, --voice-tags and subtitles go over the WebSocket, which takes -m ${partner} and a Partner key.`,
  );
}
