/** One run of a speaking command: sinks before work, a server, the live lines, and an honest end however it comes. */
import type { Progress } from '../client/progress.js';
import type { AudioSink } from '../client/sinks/sink.js';
import type { SpeakerSink } from '../client/sinks/speaker.js';
import type { Sources } from '../config.js';
import { type ErrorCode, TtsError } from '../protocol/errors.js';
import { SPEECH_MODELS, type SpeechModel } from '../protocol/speech.js';
import { type Connection, closeSoon, connect } from './connection.js';
import { chooseModel, knownChoice } from './model-choice.js';
import { checkModel, type Destination } from './speech-options.js';
import { liveLines, styled } from './terminal.js';

export interface SpeechRun {
  readonly address: { readonly baseUrl: string; readonly apiKey: string };
  readonly model: SpeechModel;
  readonly sink: AudioSink;
  readonly progress: Progress;
}

export interface RunOptions {
  readonly settings: Sources;
  readonly destination: Destination;
  readonly quiet: boolean;
  /** Light up the words as they are spoken. */
  readonly show: boolean;
  /** The whole text is there from the start. */
  readonly steady: boolean;
  /** Live lines that are redrawn, words that are only added as they are heard, or nothing. */
  readonly screen: 'lines' | 'words' | 'none';
}

/** Failures that come from the other side, after which the sound in hand is still worth hearing. */
const BROKEN: readonly ErrorCode[] = [
  'connection_lost',
  'shutting_down',
  'overloaded',
  'synthesis_failed',
  'internal_error',
  'inactivity_timeout',
  'insufficient_credits',
];

interface Sinks {
  readonly sink: AudioSink;
  readonly player: SpeakerSink | undefined;
}

export async function runSpeech(
  { settings, destination, quiet, show, steady, screen: wanted }: RunOptions,
  speak: (run: SpeechRun, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { config, sources } = settings;
  const asked = checkModel(config.model) ?? (await knownChoice(config));
  const { Progress } = await import('../client/progress.js');
  const progress = new Progress();
  const { sink, player } = await openSinks(destination, steady, signal);
  const screen = wanted === 'none' || !liveLines(quiet) ? undefined : openLive(wanted, progress, sink, show);
  let connection: Connection | undefined;
  try {
    connection = await connect(
      // A server of our own loads the model that is going to speak, and no other.
      asked ? { ...config, model: asked } : config,
      {
        onDownload: (download) => progress.downloading(download),
        logLevelAsked: sources.logLevel !== 'default',
        speech: true,
      },
      signal,
    );
    await orAbort(connection.ready(), signal);
    const model = asked ?? (await chooseModel(config));
    const { baseUrl, apiKey } = connection;
    await speak({ address: { baseUrl, apiKey }, model, sink, progress }, signal);
    await sink.finish(signal);
    progress.done();
    await screen?.close(true);
    if (destination.kind === 'file' && liveLines(quiet)) remark(destination.file, progress);
  } catch (error) {
    await screen?.close(false);
    throw await lastWords(error, { sink, player }, progress, signal);
  } finally {
    await sink.discard();
    await closeSoon(connection, signal);
  }
}

async function openSinks(destination: Destination, steady: boolean, signal: AbortSignal): Promise<Sinks> {
  const play = destination.kind === 'speaker' || destination.play;
  const player = play ? await (await import('../client/sinks/speaker.js')).openSpeaker({ steady }, signal) : undefined;
  if (destination.kind === 'speaker') return { sink: player!, player };
  const { format } = destination;
  try {
    const output =
      destination.kind === 'stdout'
        ? (await import('../client/sinks/pipe.js')).createPipeSink(process.stdout, { format, close: false })
        : await (await import('../client/sinks/file.js')).createFileSink(destination.file, { format });
    if (!player) return { sink: output, player };
    const { createTeeSink } = await import('../client/sinks/tee.js');
    return { sink: createTeeSink(output, player), player };
  } catch (error) {
    await player?.discard();
    throw error;
  }
}

interface Live {
  close(keep: boolean): Promise<void>;
}

const FOLLOW_MS = 60;

function openLive(kind: 'lines' | 'words', progress: Progress, sink: AudioSink, show: boolean): Live {
  if (kind === 'words') {
    const write = () => process.stderr.write(progress.timeline.takeSpoken(sink.heardSamples));
    const timer = setInterval(write, FOLLOW_MS);
    return {
      async close() {
        clearInterval(timer);
        write();
      },
    };
  }
  const opening = import('../client/ui/screen.js').then(({ openScreen }) =>
    openScreen({ color: styled(), show, snapshot: () => progress.snapshot(sink.heardSamples), env: process.env }),
  );
  return { close: async (keep) => (await opening).close(keep) };
}

function remark(file: string, progress: Progress): void {
  const seconds = (progress.made / 24_000).toFixed(1);
  process.stderr.write(`wrote ${file}, ${seconds} s\n`);
}

/** Plays what is in hand, and adds to the error how far the speech came. */
async function lastWords(
  error: unknown,
  { sink, player }: Sinks,
  progress: Progress,
  signal: AbortSignal,
): Promise<unknown> {
  if (signal.aborted || !(error instanceof TtsError) || !BROKEN.includes(error.code) || progress.made === 0)
    return error;
  if (player) {
    // The sound in hand is worth hearing; that it cannot be heard either is the lesser of the two failures.
    await player.finish(signal).catch(() => undefined);
  }
  const samples = player ? player.heardSamples : sink.heardSamples;
  const chars = progress.timeline.charsAt(samples);
  const { spoken } = progress.timeline.at(samples);
  const words = spoken.trim().split(/\s+/).slice(-6).join(' ');
  const { requestId, retryAfterS } = error;
  return new TtsError(
    error.code,
    `${error.message} Until then ${(samples / 24_000).toFixed(1)} s were ${player ? 'spoken' : 'made'}, about ${chars} characters${
      words ? `, up to "… ${words}"` : ''
    }.`,
    { cause: error, ...(requestId ? { requestId } : {}), ...(retryAfterS === undefined ? {} : { retryAfterS }) },
  );
}

function orAbort(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The WebSocket knows the models by their own names; Free access has no way in there. */
export function streamModel(model: SpeechModel): 'base-tts' | 'base-tts-fast' {
  if (model === 'base-tts' || model === 'base-tts-fast') return model;
  const partner = SPEECH_MODELS.filter((name) => !name.endsWith(':free')).join(' or ');
  throw new TtsError('usage', `${model} cannot be used here: this goes over the WebSocket, which takes -m ${partner}.`);
}
