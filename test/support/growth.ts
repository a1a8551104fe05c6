/**
 * Work that can be counted, so that a busy machine changes nothing: the blocks of the program's
 * code that run, the steps of its patterns, and the characters that searches go over.
 */
import { Session } from 'node:inspector';
import { afterAll, beforeAll } from 'vitest';
import { nativeExec } from './regexp-parser.js';
import { stepsOf } from './regexp-steps.js';

/**
 * Four times the text may be this many times the work; quadratic work would be sixteen times. A
 * segment, which may take work by its square, is bounded.
 */
export const MOST_GROWTH = 10;

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

let session: Session | undefined;

/** To be called once in a file: until its last test the runtime counts the blocks of code it runs. */
export function countBlocks(): void {
  beforeAll(() => {
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  });
  afterAll(() => {
    session?.post('Profiler.stopPreciseCoverage');
    session?.disconnect();
    session = undefined;
  });
}

/** Blocks of code below `src/` that ran since it was last asked. */
function takeBlocks(): number {
  let blocks = 0;
  session!.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    for (const { url, functions } of (coverage as Coverage).result) {
      if (!url.includes('/src/')) continue;
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
    }
  });
  return blocks;
}

/**
 * Counts the steps of patterns and what searches in strings go over, until it is undone. What the
 * counting itself searches is left out.
 */
function countSearches(count: (steps: number) => void): () => void {
  const { indexOf, includes } = String.prototype;
  let isCounting = false;
  const counted = <T>(result: T, steps: () => number): T => {
    if (isCounting) return result;
    isCounting = true;
    try {
      count(steps());
    } finally {
      isCounting = false;
    }
    return result;
  };
  const goneOver = (text: string, at: number, from = 0) => Math.max(0, (at < 0 ? text.length : at) - from);
  String.prototype.indexOf = function (sought, from) {
    const at = indexOf.call(this, sought, from);
    return counted(at, () => goneOver(String(this), at, from));
  };
  String.prototype.includes = function (sought, from) {
    const at = indexOf.call(this, sought, from);
    return counted(at >= 0, () => goneOver(String(this), at, from));
  };
  RegExp.prototype.exec = function (input) {
    const { lastIndex } = this;
    const found = nativeExec.call(this, input);
    return counted(found, () => stepsOf(this, String(input), lastIndex, found));
  };
  return () => {
    Object.assign(String.prototype, { indexOf, includes });
    RegExp.prototype.exec = nativeExec;
  };
}

function workOf(work: (text: string) => void, text: string): number {
  let counted = 0;
  const undo = countSearches((steps) => {
    counted += steps;
  });
  takeBlocks();
  try {
    work(text);
  } finally {
    undo();
  }
  return counted + takeBlocks();
}

/** How many times the work four times the text is. */
export function growth(work: (text: string) => void, make: (length: number) => string, length: number): number {
  // What is made at first use is made before anything is counted.
  work(make(length * 4));
  return workOf(work, make(length * 4)) / workOf(work, make(length));
}
