/** Kokoro: reads a segment, runs its tokens through the model's graphs, and hands out samples and times as they come. */
import { env } from 'onnxruntime-node';
import { RECIPE } from '../models/manifest.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';
import { loadLexicon } from '../text/lexicon.js';
import { createReaders } from '../text/reader.js';
import type { Engine, Turn } from './engine.js';
import type { KokoroOptions } from './kokoro-options.js';
import { chooseProvider, cpuProvider } from './provider.js';
import { readMeasurement } from './remembered.js';
import { createSessions } from './sessions.js';
import { speakReading } from './speech.js';

type EngineLog = (level: 'info' | 'warn' | 'debug', message: string, fields?: object) => void;

export async function createKokoroEngine(options: KokoroOptions & { readonly log: EngineLog }): Promise<Engine> {
  const { modelDir, lexicon, preload, offline = false, share = 'machine', log } = options;
  const whole = chooseProvider(options);
  const provider = share === 'machine' || whole.device !== 'cpu' ? whole : cpuProvider(1);
  const wideThreads = share === 'either' ? whole.threads : 0;
  const widens = wideThreads > provider.threads;
  const description = widens ? `${provider.description}, ${wideThreads} for a lone listener` : provider.description;
  const measured = await readMeasurement(modelDir, options);
  const vocoder = measured?.vocoder ?? 'quantised';
  if (options.device === 'auto') log('info', 'device chosen', { device: description, vocoder });
  const sessions = createSessions({
    modelDir,
    offline,
    provider,
    wideThreads,
    vocoder,
    ...(options.device === 'auto' && {
      onFallback: (cause: unknown) =>
        log('warn', 'the device failed and the CPU is used', { device: provider.device, reason: String(cause) }),
    }),
  });
  const readers = await createReaders(lexicon === '' ? {} : { lexicon: await loadLexicon(lexicon) });
  for (const model of preload) await sessions.model(model);
  // After the engine said that it is ready, and before there is a crowd.
  if (widens) setImmediate(() => sessions.narrow().catch(() => undefined));

  async function* speak(job: SegmentJob, turn: Turn, signal: AbortSignal): AsyncGenerator<SpeechEvent> {
    try {
      if (!sessions.isLoaded(job.model)) yield { type: 'progress', loading: true };
      const model = await sessions.model(job.model);
      signal.throwIfAborted();
      const reading = (await readers(job.language)).read(job.segment);
      for await (const event of speakReading({ job, model, reading, turn })) {
        signal.throwIfAborted();
        yield event;
      }
    } catch (error) {
      if (isAbort(error) || error instanceof TtsError) throw error;
      throw new TtsError('synthesis_failed', `The speech engine failed: ${(error as Error).message}`, { cause: error });
    }
  }

  return {
    description,
    // What was read and how is in the times, which whoever resumes a segment compares; this is what it sounds like.
    version: ['kokoro', RECIPE, env.versions.node, process.arch, provider.device, vocoder].join(' '),
    realTimeFactor: measured?.realTimeFactor,
    speak,
    close: () => sessions.close(),
  };
}
