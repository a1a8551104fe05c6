/**
 * How an utterance is cut into windows: the schedule where somebody waits, and as long as is done
 * in time where nobody does.
 */
import { describe, expect, it } from 'vitest';
import { type StepGrant, UNSCHEDULED } from '../../src/engine/engine.js';
import { dueWindows, longWindows, timelyWindows, type Windows } from '../../src/engine/vocoder/windows.js';

const NOW = 50_000;
const clock = { now: () => NOW };

const dueIn = (ms: number, multiThreaded = true): StepGrant => ({ ...UNSCHEDULED, multiThreaded, dueMs: NOW + ms });

/** The lengths of all windows of so many frames. */
function lengths(windows: Windows, frames: number, grant: StepGrant): number[] {
  const all: number[] = [];
  for (let [number, from] = [0, 20]; from < 20 + frames; number += 1) {
    const end = windows.endOf({ number, from, to: 20 + frames }, grant);
    all.push(end - from);
    from = end;
  }
  return all;
}

/** Windows that have seen runs of `msPerFrame`. */
function seasoned(msPerFrame: number): Windows {
  const windows = timelyWindows(clock);
  windows.ran(100, 100 * msPerFrame, dueIn(0));
  return windows;
}

describe('the schedule', () => {
  it('begins short, goes on long, and leaves no crumb', () => {
    for (const [frames, expected] of [
      [1, [1]],
      [71, [71]],
      [72, [32, 40]],
      [199, [32, 167]],
      [402, [32, 128, 242]],
      [967, [32, 128, 384, 423]],
      [968, [32, 128, 384, 384, 40]],
    ] as const) {
      for (const ms of [0, 999]) expect(lengths(dueWindows(clock), frames, dueIn(ms))).toEqual(expected);
    }
  });

  it('is long from the first on a GPU where the audio is due later', () => {
    for (const [frames, expected] of [
      [71, [71]],
      [402, [402]],
      [424, [384, 40]],
      [968, [384, 384, 200]],
    ] as const)
      expect(lengths(dueWindows(clock), frames, dueIn(1_000))).toEqual(expected);
  });
});

it('are long from the first on, also where it is due at once, for an engine that nobody hears', () => {
  for (const grant of [UNSCHEDULED, dueIn(0), dueIn(0, false), dueIn(1e9)]) {
    expect(lengths(longWindows, 1_000, grant)).toEqual([384, 384, 232]);
    expect(lengths(longWindows, 463, grant)).toEqual([463]);
    expect(lengths(longWindows, 464, grant)).toEqual([384, 80]);
  }
});

describe('timely windows', () => {
  const SCHEDULED = [32, 128, 384, 384, 72];

  it('are those of the schedule where it is due at once, late, within a first sound, or nobody said when', () => {
    for (const ms of [0, -1, -5_000, 150, Number.NaN, Number.NEGATIVE_INFINITY])
      expect(lengths(seasoned(1), 1_000, dueIn(ms))).toEqual(SCHEDULED);
    expect(lengths(seasoned(0.01), 1_000, UNSCHEDULED)).toEqual(SCHEDULED);
  });

  it('open shorter where the second is made while the first is heard, and only for a single listener', () => {
    for (const ms of [0, 90, -5_000, Number.NaN, Number.NEGATIVE_INFINITY])
      expect(lengths(seasoned(0.4), 300, dueIn(ms))).toEqual([16, 32, 128, 124]);
    expect(lengths(seasoned(0.4), 300, dueIn(200))).toEqual([300]);
    expect(lengths(seasoned(0.4), 30, dueIn(0))).toEqual([16, 14]);
    expect(lengths(seasoned(0.4), 80, dueIn(0))).toEqual([16, 64]);
    expect(lengths(seasoned(0.4), 8, dueIn(0))).toEqual([8]);
    expect(lengths(seasoned(0.4), 300, dueIn(90, false))).toEqual([32, 128, 140]);
    expect(lengths(seasoned(0.6), 300, dueIn(0))).toEqual([32, 128, 140]);
    // Speech that is shortened to half of its length is heard in half of the time.
    expect(seasoned(0.4).endOf({ number: 0, from: 20, to: 320, pace: 2 }, dueIn(0))).toBe(52);
  });

  it('are long from the first where there is time, and leave no rest that is shorter than its context', () => {
    for (const ms of [2_000, 1e9, Number.POSITIVE_INFINITY]) {
      expect(lengths(seasoned(1), 1_000, dueIn(ms))).toEqual([384, 384, 232]);
      expect(lengths(seasoned(1), 423, dueIn(ms))).toEqual([423]);
      expect(lengths(seasoned(1), 463, dueIn(ms))).toEqual([463]);
      expect(lengths(seasoned(1), 464, dueIn(ms))).toEqual([384, 80]);
      expect(lengths(seasoned(0), 464, dueIn(ms))).toEqual([384, 80]);
    }
  });

  it('are those of the schedule in company: a newcomer waits for the runs before him', () => {
    for (const ms of [0, 400, 2_000]) expect(lengths(seasoned(1), 1_000, dueIn(ms, false))).toEqual(SCHEDULED);
  });

  it('are equal and of middle length in company where nobody listens yet', () => {
    for (const [frames, expected] of [
      [1, [1]],
      [208, [208]],
      [209, [105, 104]],
      [417, [139, 139, 139]],
      [1_000, [200, 200, 200, 200, 200]],
    ] as const)
      expect(lengths(seasoned(1), frames, dueIn(Number.POSITIVE_INFINITY, false))).toEqual(expected);
  });

  it('are as long as is done with time to spare, with the frames to either side', () => {
    // 280 ms are enough for 200 frames, and 80 of context cost as much as 40 others.
    expect(lengths(seasoned(1), 300, dueIn(280))).toEqual([160, 140]);
    expect(lengths(seasoned(1), 130, dueIn(280))).toEqual([130]);
    // One that would be shorter than the schedule has it is not.
    expect(lengths(seasoned(4), 300, dueIn(280))).toEqual([32, 128, 140]);
  });

  it('go by the last runs that were alone, of which one may have been slow', () => {
    const windows = timelyWindows(clock);
    windows.ran(100, 10, dueIn(0, false));
    expect(lengths(windows, 400, dueIn(1_400))).toEqual([32, 128, 240]);
    windows.ran(100, 300, dueIn(0));
    expect(lengths(windows, 400, dueIn(1_400))).toEqual([293, 107]);
    for (let i = 0; i < 5; i += 1) windows.ran(100, 100, dueIn(0));
    windows.ran(100, 60_000, dueIn(0));
    windows.ran(100, 10, dueIn(0, false));
    expect(lengths(windows, 400, dueIn(1_400))).toEqual([400]);
    for (let i = 0; i < 3; i += 1) windows.ran(100, 500, dueIn(0));
    expect(lengths(windows, 400, dueIn(1_400))).toEqual([160, 160, 80]);
  });
});
