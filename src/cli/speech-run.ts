/** One run of a speaking command: sinks, server, live lines, and what is said at its end. */
import { fstatSync } from 'node:fs';
import type { Chapter } from '../audio/tags.js';
import type { ServerAddress } from '../client/address.js';
import type { LeftOut } from '../client/left-out.js';
import type { Progress } from '../client/progress.js';
import type { AudioSink } from '../client/sinks/sink.js';
import type { SpeakerSink } from '../client/sinks/speaker.js';
import type { Sources } from '../config.js';
import { samplesToMs } from '../protocol/audio.js';
import { isBlank } from '../protocol/characters.js';
import type { SpeechModel } from '../protocol/contract.js';
import { type ErrorCode, printable, TtsError } from '../protocol/errors.js';
import { type Connection, closeSoon, connect, lostSettings, ofOwnServer } from './connection.js';
import { orAbort } from './interrupt.js';
import { longJobRemark } from './long-job.js';
import { checkModel, withVoiceSuggestion } from './names.js';
import { chooseModel, knownChoice } from './service/model-choice.js';
import { type Destination, isUnheard, type OutputOptions, type SpeechOptions } from './speech-options.js';
import { complain, liveLines, styled } from './terminal.js';
import { languageOf, needsStandardModel } from './voice-choice.js';

export interface SpeechRun {
  readonly address: ServerAddress;
  readonly model: SpeechModel;
  readonly sink: AudioSink;
  readonly progress: Progress;
  /** Told of every piece of text that is spoken, it knows at the end what was not. */
  readonly leftOut: LeftOut;
  /** Files beside the sound, for the last lines on a terminal. */
  readonly wrote: string[];
}

interface Book {
  readonly title?: string;
  readonly chapterTitles: readonly string[];
  /** Asked at the end. */
  chapters(): readonly Chapter[];
}

export interface RunOptions {
  readonly settings: Sources;
  readonly voice: string;
  readonly destination: Destination;
  readonly options: OutputOptions & Pick<SpeechOptions, 'speed'>;
  /** Light up the words as they are spoken. */
  readonly show: boolean;
  /** The whole text is there from the start. */
  readonly steady: boolean;
  /** The text carries markup. */
  readonly ssml?: boolean;
  /** Voices that the text itself names, as far as it is known. */
  readonly textVoices?: readonly string[];
  /** Characters of the text, where all of it is there. */
  readonly chars?: number;
  /** What the file tells about itself. */
  readonly book?: Book;
  /** Live lines that are redrawn, lines of the text once they were heard, or nothing. */
  readonly screen: 'lines' | 'spoken' | 'none';
}

/** Failures that come from the other side, after which the sound in hand is still worth hearing. */
const BROKEN: readonly ErrorCode[] = [
  'connection_lost',
  'shutting_down',
  'overloaded',
  'store_unavailable',
  'synthesis_failed',
  'internal_error',
  'inactivity_timeout',
  'insufficient_credits',
];

interface Sinks {
  readonly sink: AudioSink;
  readonly player: SpeakerSink | undefined;
  /** What is written, where a file is. */
  readonly file: AudioSink | undefined;
}

export async function runSpeech(
  {
    settings,
    voice,
    destination,
    options,
    show,
    steady,
    ssml = false,
    textVoices = [],
    chars = 0,
    book,
    screen: wanted,
  }: RunOptions,
  speak: (run: SpeechRun, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { config } = settings;
  const quiet = options.quiet ?? false;
  const live = liveLines(quiet);
  const remark = (text: string | undefined) => {
    if (text !== undefined && !quiet) complain(text);
  };
  const asked =
    checkModel(config.model) ??
    ((await needsStandardModel(config, voice, ...textVoices)) ? 'base-tts' : await knownChoice(config));
  const [{ Progress }, { LeftOut }] = await Promise.all([
    import('../client/progress.js'),
    import('../client/left-out.js'),
  ]);
  const progress = new Progress();
  const leftOut = new LeftOut(ssml, await languageOf(config, voice));
  const wrote: string[] = [];
  const connecting = connect(
    // A server of our own loads the model that is going to speak, and no other.
    asked ? { ...settings, config: { ...config, model: asked } } : settings,
    {
      onPreparation: (preparation) => progress.preparing(preparation),
      speech: true,
      unheard: isUnheard(destination),
    },
    signal,
  );
  const opening = openSinks(destination, options, { steady, voice, book }, signal);
  const sinks = await besideConnection(opening, connecting, signal);
  const { sink, player } = sinks;
  remark(lostSettings(settings));
  const screen = wanted === 'none' || !live ? undefined : openLive(wanted, progress, sinks, { show, ssml });
  let connection: Connection | undefined;
  try {
    connection = await connecting;
    await orAbort(connection.ready(), signal);
    const model = asked ?? (await chooseModel(config));
    signal.throwIfAborted();
    if (isUnheard(destination) && connection.kind !== 'remote')
      remark(await longJobRemark(config, { model, chars, speed: options.speed ?? 1 }));
    const delivery = settings.sources.style === 'default' ? undefined : { style: config.style };
    const speaker = `${model} · ${voice} · ${connection.name}`;
    if (live && wanted !== 'lines') process.stderr.write(`${speaker}\n`);
    progress.speaker = speaker;
    await speak(
      { address: { ...connection, unheard: isUnheard(destination), delivery }, model, sink, progress, leftOut, wrote },
      signal,
    );
    if (progress.made === 0) await leftOut.refuseNothing();
    await sink.finish(signal);
    progress.done();
    const shown = await screen?.close(true);
    // A machine too busy to draw in time still says who spoke.
    if (shown === false) process.stderr.write(`${speaker}\n`);
    remark(await leftOut.inWords());
    if (destination.kind === 'file') wrote.unshift(`${destination.file}, ${await lengthText(progress)}`);
    if (live) for (const line of wrote) process.stderr.write(`wrote ${line}\n`);
  } catch (error) {
    await screen?.close(false);
    const named = connection && { voice, model: asked ?? ('base-tts' as const), address: connection };
    const told = named ? await withVoiceSuggestion(error, named, signal) : error;
    const known = connection?.kind === 'embedded' ? ofOwnServer(told) : told;
    const kept = await keptOf(destination, sinks, options.keepPartial ?? false, progress);
    // Where a person types, their Ctrl-C stands on the line.
    if (kept && signal.aborted && live) process.stderr.write(`${wanted === 'lines' ? '' : '\n'}${kept}\n`);
    if (live) for (const line of wrote) process.stderr.write(`wrote ${line}\n`);
    throw await lastWords(known, { sink, player, kept, ssml }, progress, signal);
  } finally {
    await sink.discard();
    await closeSoon(connection, signal);
  }
}

/** What is opened while the engine starts; where that fails, the connection is ended. */
async function besideConnection<T>(
  opening: Promise<T>,
  connecting: Promise<Connection>,
  signal: AbortSignal,
): Promise<T> {
  // Told to those who wait for it.
  connecting.catch(() => undefined);
  try {
    return await opening;
  } catch (error) {
    await closeSoon(await connecting.catch(() => undefined), signal);
    throw error;
  }
}

async function openSinks(
  destination: Destination,
  { volume = 100, outputDevice }: OutputOptions,
  { steady, voice, book }: { readonly steady: boolean; readonly voice: string; readonly book: Book | undefined },
  signal: AbortSignal,
): Promise<Sinks> {
  const play = destination.kind === 'speaker' || destination.play;
  const speaker = { steady, ...(outputDevice === undefined ? {} : { device: outputDevice }) };
  const player = play ? await (await import('../client/sinks/speaker.js')).openSpeaker(speaker, signal) : undefined;
  const { createVolumeSink } = await import('../client/sinks/volume.js');
  const as = (sink: AudioSink, file?: AudioSink): Sinks => ({
    sink: volume === 100 ? sink : createVolumeSink(sink, volume / 100),
    player,
    file,
  });
  if (destination.kind === 'speaker') return as(player!);
  const { format } = destination;
  const encoding = {
    format,
    tags: { ...(book?.title === undefined ? {} : { title: book.title }), artist: voice },
    ...(book && { chapterTitles: book.chapterTitles, chapters: () => book.chapters() }),
  };
  try {
    const output =
      destination.kind === 'stdout'
        ? await (await import('../client/sinks/pipe.js')).createPipeSink(process.stdout, {
            ...encoding,
            whole: destination.whole,
            close: false,
            ...stdoutFile(),
          })
        : await (await import('../client/sinks/file.js')).createFileSink(destination.file, encoding);
    const file = destination.kind === 'file' ? output : undefined;
    if (!player) return as(output, file);
    const { createTeeSink } = await import('../client/sinks/tee.js');
    return as(createTeeSink(output, player), file);
  } catch (error) {
    await player?.discard();
    throw error;
  }
}

/** Where stdout is a file, Linux lets it be opened once more, for reading and at any place. */
function stdoutFile(): { file: string } | undefined {
  return process.platform === 'linux' && fstatSync(1).isFile() ? { file: '/proc/self/fd/1' } : undefined;
}

interface Live {
  /** Resolves with whether its lines stand. */
  close(keep: boolean): Promise<boolean>;
}

const FOLLOW_MS = 60;

function openLive(
  kind: 'lines' | 'spoken',
  progress: Progress,
  { sink, player }: Sinks,
  style: { readonly show: boolean; readonly ssml: boolean },
): Live {
  if (kind === 'spoken') {
    let heard = '';
    const write = (ended: boolean) => {
      heard += printable(progress.timeline.takeSpoken(sink.heardSamples));
      const lines = heard.split('\n');
      heard = ended ? '' : lines.pop()!;
      for (const line of lines.filter((text) => !isBlank(text))) process.stderr.write(`▸ ${line}\n`);
    };
    const timer = setInterval(write, FOLLOW_MS, false);
    return {
      async close() {
        clearInterval(timer);
        write(true);
        return true;
      },
    };
  }
  const opening = import('../client/ui/screen.js').then(({ openScreen }) =>
    openScreen({
      style: { ...style, color: styled() },
      snapshot: () => progress.snapshot(sink.heardSamples, player !== undefined),
      env: process.env,
    }),
  );
  return { close: async (keep) => (await opening).close(keep) };
}

async function lengthText({ made }: Progress): Promise<string> {
  const { clockText } = await import('../client/ui/format.js');
  const ms = samplesToMs(made);
  // Cut as the clock above it is.
  return ms < 60_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : clockText(ms);
}

/** What becomes of an unfinished file, in words; undefined where there is none. */
async function keptOf(
  destination: Destination,
  { file }: Sinks,
  keepPartial: boolean,
  progress: Progress,
): Promise<string | undefined> {
  if (destination.kind !== 'file' || !file || progress.made === 0) return undefined;
  if (!keepPartial) return `Nothing was kept of ${destination.file}; --keep-partial keeps what there is.`;
  await file.finish(new AbortController().signal);
  return `Kept the first ${await lengthText(progress)} in ${destination.file}.`;
}

/** Plays what is in hand, and adds to the error how far the speech came. */
async function lastWords(
  error: unknown,
  { sink, player, kept, ssml }: Omit<Sinks, 'file'> & { kept: string | undefined; ssml: boolean },
  progress: Progress,
  signal: AbortSignal,
): Promise<unknown> {
  if (signal.aborted || !(error instanceof TtsError) || !BROKEN.includes(error.code) || progress.made === 0)
    return error;
  if (player) {
    // The error is reported, not that the sound in hand cannot be played either.
    await player.finish(signal).catch(() => undefined);
  }
  const samples = player ? player.heardSamples : sink.heardSamples;
  const chars = progress.timeline.charsAt(samples);
  const { displayText } = await import('../text/display.js');
  const spoken = displayText(progress.timeline.at(samples).spoken, { ssml });
  const words = spoken.join('').trim().split(/\s+/).slice(-6).join(' ');
  const { requestId, retryAfterS } = error;
  const upTo = words ? `, up to "… ${words}"` : '';
  const until = `Until then ${(samplesToMs(samples) / 1000).toFixed(1)} s were ${player ? 'spoken' : 'made'}, about ${chars} characters${upTo}.`;
  return new TtsError(error.code, [error.message, until, kept].filter(Boolean).join(' '), {
    cause: error,
    ...(requestId ? { requestId } : {}),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });
}
