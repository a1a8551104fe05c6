/** What a run knows of itself: the clock, the text that goes with it, the figures. */
import { describe, expect, it } from 'vitest';
import { Progress } from '../../src/client/progress.js';
import { PlaybackClock } from '../../src/client/sinks/playback-clock.js';
import { Timeline } from '../../src/client/timeline.js';
import {
  clockText,
  headColumns,
  levelChar,
  sizeText,
  speedText,
  tailColumns,
  textColumns,
} from '../../src/client/ui/format.js';

describe('the playback clock', () => {
  it('lets time pass no further than what was written', () => {
    const clock = new PlaybackClock();
    clock.wrote(24_000, 1_000);
    expect(clock.heard(1_500)).toBe(12_000);
    expect(clock.heard(9_000)).toBe(24_000);
    expect(clock.aheadMs(1_750)).toBe(250);
  });

  it('starts anew after the device ran dry', () => {
    const clock = new PlaybackClock();
    clock.wrote(2_400, 0);
    clock.wrote(2_400, 5_000);
    expect(clock.heard(5_000)).toBe(2_400);
    expect(clock.heard(5_050)).toBe(3_600);
  });

  it('counts from when the device began', () => {
    const clock = new PlaybackClock();
    clock.wrote(24_000, 0);
    clock.startedAt(100);
    expect(clock.heard(600)).toBe(12_000);
  });
});

describe('the timeline', () => {
  it('follows the alignment exactly', () => {
    const timeline = new Timeline();
    timeline.align(
      { chars: ['H', 'i', ' ', 'y', 'o'], charStartTimesMs: [0, 100, 200, 200, 300], charDurationsMs: [] },
      0,
    );
    expect(timeline.at(2_400)).toEqual({ spoken: 'Hi', upcoming: ' yo' });
    expect(timeline.charsAt(24_000)).toBe(5);
    expect(timeline.at(24_000)).toEqual({ spoken: 'Hi yo', upcoming: '' });
  });

  it('knows what comes next before it is made, where the whole text is known', () => {
    const timeline = new Timeline();
    timeline.expect('Hi 👋 [you](x.md).');
    timeline.align({ chars: [...'Hi 👋 ['], charStartTimesMs: [0, 0, 0, 0, 0, 0], charDurationsMs: [] }, 0);
    expect(timeline.at(0)).toEqual({ spoken: 'Hi 👋 [', upcoming: 'you](x.md).' });
  });

  it('learns from the alignment how long the whole will be', () => {
    const timeline = new Timeline();
    const text = 'A road along the river that goes on and on. '.repeat(50);
    timeline.expect(text);
    // 100 ms a character: slower than is reckoned beforehand.
    const total = text.length * 2_400;
    let before = timeline.estimatedSamples();
    expect(before).toBeLessThan(total * 0.8);
    for (let at = 0; at < text.length; at += 440) {
      const chars = [...text.slice(at, at + 440)];
      timeline.align({ chars, charStartTimesMs: chars.map((_, i) => i * 100), charDurationsMs: [] }, at * 2_400);
      timeline.made((at + chars.length) * 2_400);
      const now = timeline.estimatedSamples();
      expect(now).toBeGreaterThan(before);
      before = now;
    }
    expect(before).toBe(total);
    expect(timeline.charsAt(total / 2)).toBe(text.length / 2 + 1);
  });

  it('hands out heard text once', () => {
    const timeline = new Timeline();
    timeline.align({ chars: ['H', 'i', '!'], charStartTimesMs: [0, 100, 200], charDurationsMs: [] }, 0);
    expect([
      timeline.takeSpoken(0),
      timeline.takeSpoken(2_400),
      timeline.takeSpoken(2_400),
      timeline.takeSpoken(9_999),
    ]).toEqual(['H', 'i', '', '!']);
  });

  it('reckons by length without one, whole words at a time, and ends with all of it', () => {
    const timeline = new Timeline();
    timeline.expect('one two three four');
    timeline.begin('one two three four');
    timeline.made(24_000);
    timeline.end();
    expect(timeline.at(0).spoken).toBe('');
    expect(timeline.at(12_000).spoken).toBe('one two three');
    expect(timeline.at(24_000).spoken).toBe('one two three four');
    expect(timeline.estimatedSamples()).toBe(24_000);
  });
});

describe('progress', () => {
  it('measures the time to the first sound and the speed, without the time the listener took', () => {
    let now = 0;
    const progress = new Progress(() => now);
    expect(progress.snapshot(0, true).phase).toBe('starting');
    progress.requested();
    expect(progress.snapshot(0, true).phase).toBe('waiting');
    now = 200;
    progress.received(new Int16Array(24_000).fill(8_000));
    now = 5_200;
    progress.taken();
    now = 5_300;
    progress.received(new Int16Array(24_000));
    progress.finished();
    const state = progress.snapshot(24_000, true);
    expect(state).toMatchObject({
      phase: 'speaking',
      firstAudioMs: 200,
      heardMs: 1_000,
      totalMs: 2_000,
      totalKnown: true,
    });
    expect(state.realTimeFactor).toBeCloseTo(0.2);
    expect(progress.snapshot(100, true).level).toBeGreaterThan(0.5);
    expect(state.level).toBe(0);
  });
});

describe('what the terminal writes', () => {
  it('writes times, sizes and levels', () => {
    expect(clockText(75_349)).toBe('1:15.3');
    expect([0.42, 0.04, 1.02, 2.5].map(speedText)).toEqual([
      '2.4 × faster than real time',
      '25 × faster than real time',
      'as fast as real time',
      '2.5 × slower than real time',
    ]);
    expect(sizeText(92_361_116)).toBe('92 MB');
    expect([levelChar(0), levelChar(0.01), levelChar(1)]).toEqual([' ', '▁', '█']);
  });

  it('fits a text to its columns, wide characters counted double', () => {
    expect(textColumns('ab世界')).toBe(6);
    expect(tailColumns('one two three', 6)).toBe('…three');
    expect(tailColumns('short', 10)).toBe('short');
    expect(headColumns('one\ntwo', 5)).toBe('one t');
    expect(textColumns(tailColumns('世界世界世界', 7))).toBeLessThanOrEqual(7);
  });
});
