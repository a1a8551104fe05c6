/**
 * How an utterance of the light vocoder is cut into windows: short ones while the listener waits,
 * long ones while the listener has audio in hand.
 */
import { type Clock, systemClock } from '../../clock.js';
import { FIRST_SOUND_MS } from '../../protocol/job.js';
import { isSoon } from '../due-order.js';
import type { StepGrant } from '../engine.js';

/** Frames to either side of a frame on which its samples depend. */
export const CONTEXT_FRAMES = 40;
/** Frames of it to either side that are still in the output of a graph that narrows. */
export const CONTEXT_LEFT = 1;
/** What a frame of context costs, next to one that is heard: half of the blocks have dropped it. */
const CONTEXT_COST = 0.5;

/** What a run costs, in frames without context. */
export const costOf = (heard: number, context: number): number => heard + CONTEXT_COST * context;

/**
 * Frames (of 12.5 ms) of the first, the second and each later window. Every window costs its
 * context as well. The first is as short as a beginning of speech can be, for an early first sound;
 * later ones are as long as even a slow machine makes before the audio of those before them has run
 * out.
 */
const FIRST_FRAMES = 32;
const SECOND_FRAMES = 128;
const LATER_FRAMES = 384;
/**
 * The same for a single listener on a machine that makes the second window while the first is
 * heard, which is for 60 ms and more: first audio is there a third sooner.
 */
const QUICK_FRAMES = [16, FIRST_FRAMES, SECOND_FRAMES];
const QUICK_FIRST_MS = 60;
/** Most frames of a window of a buffered response beside other streams. */
const BACKGROUND_FRAMES = 208;
/** A remainder shorter than this many frames joins the window before it. */
const LEAST_FRAMES = 40;

/**
 * The time left must be this many times what a longer window takes: the server uses the machine
 * too, and the grant may have lain unread for as long as the run before it.
 */
const SAFETY = 1.4;
/** Runs whose median is taken; a single one may have waited for a graph to be loaded. */
const RUNS = 5;

/**
 * A window to be run, out of the frames [`from`, `to`) that are left; the first one is number 0.
 */
export interface Beginning {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  /** How many times faster its samples are heard than they are made here; 1 where left out. */
  readonly pace?: number;
}

export interface Windows {
  /** One past the window's last frame; before `scheduledEnd` only while first audio is awaited. */
  endOf(window: Beginning, grant: StepGrant): number;
  /** Reports a run that cost `frames` frames (`costOf`) and took `ms` milliseconds. */
  ran(frames: number, ms: number, grant: StepGrant): void;
}

const ended = (end: number, to: number): number => (to - end < LEAST_FRAMES ? to : end);

/** A remainder shorter than its context costs less within this window than after it. */
const isLast = (from: number, to: number): boolean => to - from < LATER_FRAMES + 2 * CONTEXT_FRAMES;

/** Where a window ends that a listener waits for. */
export function scheduledEnd({ number, from, to }: Beginning): number {
  const frames = number === 0 ? FIRST_FRAMES : number === 1 ? SECOND_FRAMES : LATER_FRAMES;
  return ended(from + frames, to);
}

function quickEnd({ number, from, to }: Beginning): number {
  const end = from + (QUICK_FRAMES[number] ?? LATER_FRAMES);
  return number === 0 ? Math.min(end, to) : ended(end, to);
}

/**
 * For a GPU: the schedule for what is due soon, and else long windows from the first on. A sentence
 * in the middle of a text is then one run instead of three, without the context of two of them.
 */
export function dueWindows(clock: Pick<Clock, 'now'> = systemClock): Windows {
  return {
    endOf(window, grant) {
      if (isSoon(grant, clock.now())) return scheduledEnd(window);
      return Math.max(scheduledEnd(window), ended(window.from + LATER_FRAMES, window.to));
    },
    ran: () => undefined,
  };
}

/** Long windows from the first on, for an engine whose speech nobody hears while it is made. */
export const longWindows: Windows = {
  endOf: ({ from, to }) => (isLast(from, to) ? to : ended(from + LATER_FRAMES, to)),
  ran: () => undefined,
};

/** Equal windows for a buffered response: each delays the listeners who come meanwhile. */
function backgroundEnd({ from, to }: Beginning): number {
  return from + Math.ceil((to - from) / Math.ceil((to - from) / BACKGROUND_FRAMES));
}

/** All of an utterance in one window, for comparisons. */
export const oneWindow: Windows = { endOf: ({ to }) => to, ran: () => undefined };

/**
 * While the server serves one stream, windows as long as the last runs say can be made in time.
 * Under load the schedule's: a new stream's first sound waits for the runs before it, and long runs
 * would keep it waiting.
 */
export function timelyWindows(clock: Pick<Clock, 'now'> = systemClock): Windows {
  const lastRuns: number[] = [];
  return {
    endOf(window, { multiThreaded, dueMs }) {
      if (!multiThreaded && dueMs === Number.POSITIVE_INFINITY) return backgroundEnd(window);
      const { number, from, to, pace = 1 } = window;
      const scheduled = scheduledEnd(window);
      const msPerFrame = medianOf(lastRuns);
      if (!multiThreaded || msPerFrame === undefined) return scheduled;
      const framesWithin = (ms: number) => Math.floor(ms / (SAFETY * msPerFrame)) - costOf(0, 2 * CONTEXT_FRAMES);
      const isQuick = framesWithin(QUICK_FIRST_MS / pace) >= FIRST_FRAMES;
      const least = isQuick ? quickEnd(window) : scheduled;
      const leftMs = dueMs - clock.now();
      // A listener who has less than this in hand waits for the window.
      if (!(leftMs > FIRST_SOUND_MS)) return least;
      const most = isLast(from, to) ? to - from : LATER_FRAMES;
      const timely = ended(from + Math.min(most, framesWithin(leftMs)), to);
      return Math.max(number === 0 ? scheduled : least, timely);
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
