/** How many live listeners a server carries without a stall, found by bisection, and how fast it is when saturated. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TtsError } from '../../protocol/errors.js';
import type { Listen, Listened } from './listener.js';

export type Arrivals = 'spread' | 'burst';

export interface TrialOptions {
  readonly listen: Listen;
  /** Spoken in turn. */
  readonly texts: readonly string[];
  readonly arrivals: Arrivals;
  /** Texts each listener hears, one after the other. */
  readonly rounds: number;
  /** Whoever has to wait longer for his first sound is not carried either. */
  readonly firstWithinMs?: number;
}

export interface Trial {
  readonly streams: number;
  readonly heard: readonly Listened[];
  /** Streams that stalled, that began too late, and that were refused or broke off. */
  readonly stalled: number;
  readonly late: number;
  readonly lost: number;
  readonly wallMs: number;
  readonly carried: boolean;
}

/** One stream in a thousand may stall; of fewer than a thousand, none. */
const MAX_STALLED = 0.001;
/** The search ends when what is carried is known this closely. */
const PRECISION = 0.04;
/** Noise of the machine is no verdict on the server: only what fails so often has failed. */
const TRIES = 2;

/** Whoever was refused asks again this soon, */
const AGAIN_MS = 100;
/** for so long. */
const PATIENCE_MS = 30_000;

const isRefusal = (error: unknown): boolean => error instanceof TtsError && error.code === 'overloaded';

/** A server that takes no more than it can carry may have its hands full with what came before. */
async function listenAgain(listen: Listen, text: string, signal: AbortSignal): Promise<Listened> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await listen(text, signal);
    } catch (error) {
      if (!isRefusal(error) || performance.now() > untilMs) throw error;
    }
    await sleep(AGAIN_MS, undefined, { signal });
  }
}

/** `streams` listeners at once for a few texts each. Ends early once too many have stalled. */
export async function tryStreams(streams: number, options: TrialOptions, signal: AbortSignal): Promise<Trial> {
  const { listen, texts, arrivals, rounds, firstWithinMs = Number.POSITIVE_INFINITY } = options;
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  // One listener a stream waits on it.
  setMaxListeners(0, stop);
  const heard: Listened[] = [];
  let stalled = 0;
  let late = 0;
  let lost = 0;
  const startMs = performance.now();
  const judge = () => {
    if (stalled + late + lost > streams * rounds * MAX_STALLED) failed.abort();
  };
  const listener = async (number: number, firstMs: number): Promise<void> => {
    // Spread evenly over the length of a text: arrivals as a busy service sees them.
    if (arrivals === 'spread') await sleep((number / streams) * firstMs, undefined, { signal: stop });
    for (let round = 0; round < rounds; round++) {
      const one = await listen(texts[(number + round) % texts.length]!, stop);
      heard.push(one);
      if (one.stalled) stalled++;
      else if (one.firstAudioMs > firstWithinMs) late++;
      judge();
      const restMs = one.playedOutAtMs - performance.now();
      if (restMs > 0 && round + 1 < rounds) await sleep(restMs, undefined, { signal: stop });
    }
  };
  const first = await listenAgain(listen, texts[0]!, signal);
  await Promise.all(
    Array.from({ length: streams }, (_, number) =>
      listener(number, first.audioMs).catch((error: unknown) => {
        if (signal.aborted) throw error;
        if (failed.signal.aborted) return;
        lost++;
        judge();
      }),
    ),
  );
  return { streams, heard, stalled, late, lost, wallMs: performance.now() - startMs, carried: !failed.signal.aborted };
}

export interface SearchOptions {
  readonly from?: number;
  readonly most?: number;
  /** Fewer are not looked for. */
  readonly least?: number;
  readonly precision?: number;
  readonly tries?: number;
  readonly onTrial?: (trial: Trial) => void | Promise<void>;
}

/** The largest trial that was carried; undefined where not even one stream is. */
export async function findCapacity(
  options: TrialOptions,
  { from = 1, most = 1_000, least = 1, precision = PRECISION, tries = TRIES, onTrial }: SearchOptions,
  signal: AbortSignal,
): Promise<Trial | undefined> {
  let best: Trial | undefined;
  let failsAt = most + 1;
  const attempt = async (streams: number): Promise<void> => {
    for (let attempts = 0; attempts < tries; attempts++) {
      const trial = await tryStreams(streams, options, signal);
      await onTrial?.(trial);
      if (!trial.carried) continue;
      best = trial;
      return;
    }
    failsAt = streams;
  };
  await attempt(Math.min(most, Math.max(1, Math.floor(from))));
  while (best === undefined && failsAt > Math.max(1, least)) await attempt(Math.floor(failsAt / 2));
  while (best !== undefined && failsAt > most && most - best.streams > best.streams * precision)
    await attempt(Math.min(most, best.streams * 2));
  while (best !== undefined && failsAt - best.streams > Math.max(1, best.streams * precision)) {
    await attempt(Math.floor((best.streams + failsAt) / 2));
  }
  return best;
}

/** Seconds of speech a second with `clients` that listen to nothing but the next text. */
export async function saturate(
  { listen, texts }: Pick<TrialOptions, 'listen' | 'texts'>,
  { clients, seconds }: { clients: number; seconds: number },
  signal: AbortSignal,
): Promise<number> {
  const startMs = performance.now();
  let audioMs = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, number) => {
      for (let turn = number; performance.now() - startMs < seconds * 1000; turn++) {
        try {
          const heard = await listen(texts[turn % texts.length]!, signal);
          audioMs += heard.audioMs;
        } catch (error) {
          // A server that takes no more than it can carry is as busy as it can be.
          if (!isRefusal(error)) throw error;
          await sleep(AGAIN_MS, undefined, { signal });
        }
      }
    }),
  );
  return audioMs / (performance.now() - startMs);
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
