/** How an utterance of the light vocoder is cut into windows: short where somebody waits, long where he has sound in hand. */
import { FIRST_SOUND_MS } from '../protocol/job.js';
import type { Grant } from './engine.js';

/** What the network sees to either side of a frame. */
export const CONTEXT_FRAMES = 40;

/**
 * Every window pays for its context. The first is as short as a beginning of speech can be, for the sake of the first sound, and the
 * later ones are as long as is done before the sound of those before them has run out, also on a slow machine.
 */
const FIRST_FRAMES = 32;
const SECOND_FRAMES = 128;
const LATER_FRAMES = 384;
/** A rest shorter than this joins the window before it. */
const LEAST_FRAMES = 40;

/**
 * A window takes this part of the time there is at most: others use the machine too, and word of when it is due may have lain unread for
 * as long as the run before it.
 */
const SAFETY = 2;
/** Runs that are looked back at: their median, for one may have waited for a graph to be loaded. */
const RUNS = 5;

/** A window that is to be run: of the utterance's frames up to `to`, from `from` on; the first of them is number 0. */
export interface Beginning {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

export interface Windows {
  /** One past the window's last frame, never before that of `scheduledEnd`. */
  endOf(window: Beginning, grant: Grant): number;
  /** It took so long, with its context of so many frames. */
  ran(frames: number, ms: number, grant: Grant): void;
}

const ended = (end: number, to: number): number => (to - end < LEAST_FRAMES ? to : end);

/** Where a window ends that somebody waits for. */
export function scheduledEnd({ number, from, to }: Beginning): number {
  const frames = number === 0 ? FIRST_FRAMES : number === 1 ? SECOND_FRAMES : LATER_FRAMES;
  return ended(from + frames, to);
}

/** The same for everybody: what a GPU's batches are made for. */
export const fixedWindows: Windows = { endOf: scheduledEnd, ran: () => undefined };

/** All of an utterance at once: for whoever compares. */
export const oneWindow: Windows = { endOf: ({ to }) => to, ran: () => undefined };

/** As long as is done in time, by what the last runs took: with all cores and with few, which differ. */
export function timelyWindows(): Windows {
  const lastRuns = { wide: [] as number[], narrow: [] as number[] };
  const runsOf = ({ wide }: Grant) => lastRuns[wide ? 'wide' : 'narrow'];
  return {
    endOf(window, grant) {
      const scheduled = scheduledEnd(window);
      const leftMs = grant.dueMs - performance.now();
      const msPerFrame = medianOf(runsOf(grant));
      // Within the time of a first sound, somebody waits for this one.
      if (!(leftMs > FIRST_SOUND_MS) || msPerFrame === undefined) return scheduled;
      const frames = Math.floor(leftMs / (SAFETY * msPerFrame)) - 2 * CONTEXT_FRAMES;
      return Math.max(scheduled, ended(window.from + Math.min(LATER_FRAMES, frames), window.to));
    },
    ran(frames, ms, grant) {
      const runs = runsOf(grant);
      runs.push(ms / frames);
      if (runs.length > RUNS) runs.shift();
    },
  };
}

const medianOf = (numbers: readonly number[]): number | undefined =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
