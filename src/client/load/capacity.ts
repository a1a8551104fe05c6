/**
 * How many live listeners a server carries without a stall, by bisection; its speed if saturated.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TtsError } from '../../protocol/errors.js';
import type { Listen, Listened } from './listener.js';

export type Arrivals = 'spread' | 'burst';

export interface TrialOptions {
  readonly listen: Listen;
  /** Spoken one after the other. */
  readonly texts: readonly string[];
  readonly arrivals: Arrivals;
  /** Texts each listener hears, one after the other. */
  readonly rounds: number;
  /** A stream whose first audio comes later than this is not carried. */
  readonly firstWithinMs?: number;
}

export interface Trial {
  readonly streams: number;
  readonly heard: readonly Listened[];
  /** Streams that stalled, whose first audio was late, and that were refused or broke off. */
  readonly stalled: number;
  readonly late: number;
  readonly lost: number;
  readonly wallMs: number;
  readonly carried: boolean;
}

/** Share of streams that may stall: one in a thousand, and none of fewer than a thousand. */
const MAX_STALLED = 0.001;
/** The search ends when the capacity is known to this share. */
const PRECISION = 0.04;
/** Trials that have to fail before a number of streams counts as too many. */
const TRIES = 2;

/** Wait after a refusal (ms). */
const AGAIN_MS = 100;
/** How long the first stream of a trial is asked for again (ms). */
const PATIENCE_MS = 30_000;

const isRefusal = (error: unknown): boolean => error instanceof TtsError && error.code === 'overloaded';

/** Listens, and again after a refusal: the server may still be busy with the trial before. */
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
    // Arrivals are spread evenly over the length of a text, as a busy service sees them.
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
  /** The search ends below this number. */
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

/** Seconds of speech made in a second, with `clients` that ask for the next text at once. */
export async function saturate(
  { listen, texts }: Pick<TrialOptions, 'listen' | 'texts'>,
  { clients, seconds }: { clients: number; seconds: number },
  signal: AbortSignal,
): Promise<number> {
  // Every client waits on the same signal, which Node would take for a leak.
  const stop = AbortSignal.any([signal]);
  setMaxListeners(0, stop);
  const startMs = performance.now();
  let audioMs = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, number) => {
      for (let next = number; performance.now() - startMs < seconds * 1000; next++) {
        try {
          const heard = await listen(texts[next % texts.length]!, stop);
          audioMs += heard.audioMs;
        } catch (error) {
          // A server that refuses is saturated.
          if (!isRefusal(error)) throw error;
          await sleep(AGAIN_MS, undefined, { signal: stop });
        }
      }
    }),
  );
  return audioMs / (performance.now() - startMs);
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
