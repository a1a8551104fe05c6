/** How an utterance of the light vocoder is cut into windows: short where somebody waits, long where he has sound in hand. */
import { FIRST_SOUND_MS } from '../../protocol/job.js';
import type { StepGrant } from '../engine.js';

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
 * How many times over the time a window takes must be there: the server uses the machine too, and word of when it is due may have lain
 * unread for as long as the run before it.
 */
const SAFETY = 1.4;
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
  endOf(window: Beginning, grant: StepGrant): number;
  /** It took so long, with its context of so many frames. */
  ran(frames: number, ms: number, grant: StepGrant): void;
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

/**
 * As long as is done in time, by what the last runs took, where nobody else is at work. In company everybody has the schedule's: a
 * newcomer's first sound waits for the runs before it, and long ones would keep it waiting.
 */
export function timelyWindows(): Windows {
  const lastRuns: number[] = [];
  return {
    endOf(window, { multiThreaded, dueMs }) {
      const scheduled = scheduledEnd(window);
      const leftMs = dueMs - performance.now();
      const msPerFrame = medianOf(lastRuns);
      // Within the time of a first sound, somebody waits for this one.
      if (!multiThreaded || !(leftMs > FIRST_SOUND_MS) || msPerFrame === undefined) return scheduled;
      const frames = Math.floor(leftMs / (SAFETY * msPerFrame)) - 2 * CONTEXT_FRAMES;
      // A rest that is shorter than its context costs less with this window than after it.
      const left = window.to - window.from;
      const most = left < LATER_FRAMES + 2 * CONTEXT_FRAMES ? left : LATER_FRAMES;
      return Math.max(scheduled, ended(window.from + Math.min(most, frames), window.to));
    },
    ran(frames, ms, { multiThreaded }) {
      if (!multiThreaded) return;
      lastRuns.push(ms / frames);
      if (lastRuns.length > RUNS) lastRuns.shift();
    },
  };
}

const medianOf = (numbers: readonly number[]): number | undefined =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
