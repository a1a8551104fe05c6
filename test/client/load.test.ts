import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { findCapacity, saturate, tryStreams } from '../../src/client/load/capacity.js';
import { type Listen, ListenerClock } from '../../src/client/load/listener.js';
import { msToSamples } from '../../src/protocol/audio.js';

const { signal } = new AbortController();

/** A server that carries this many at once: everybody beyond that makes all of them stall. */
function carrying(limit: number): Listen {
  let open = 0;
  return async () => {
    open++;
    const stalled = open > limit;
    await new Promise((resolve) => setTimeout(resolve, 5));
    open--;
    return { firstAudioMs: 1, audioMs: 1, silenceMs: stalled ? 60 : 0, stalled, playedOutAtMs: performance.now() };
  };
}
const trial = (listen: Listen) => ({ listen, texts: ['a', 'b'], arrivals: 'burst' as const, rounds: 2 });

describe('a listener who plays in real time', () => {
  it('is content as long as each piece is there before the last has been played', () => {
    const clock = new ListenerClock(0);
    clock.hear(msToSamples(100), 40);
    clock.hear(msToSamples(100), 140);
    clock.hear(msToSamples(100), 150);
    expect(clock.listened).toMatchObject({ firstAudioMs: 40, audioMs: 300, silenceMs: 0, stalled: false });
    expect(clock.listened.playedOutAtMs).toBe(340);
  });

  it('notices 50 ms of silence, also in several small gaps, and not 49', () => {
    const clock = new ListenerClock(0);
    clock.hear(msToSamples(100), 0);
    clock.hear(msToSamples(100), 149);
    expect(clock.listened).toMatchObject({ silenceMs: 49, stalled: false });
    clock.hear(msToSamples(100), 250);
    expect(clock.listened).toMatchObject({ silenceMs: 50, stalled: true });
  });
});

describe('the search for what a server carries', () => {
  it.each([1, 3, 7, 12])('finds %i, from above and from below', async (limit) => {
    for (const from of [1, 5, 40]) {
      const best = await findCapacity(trial(carrying(limit)), { from, most: 100 }, signal);
      expect(best?.streams).toBe(limit);
    }
  });

  it('stops at the most it was asked for, and says where not even one is carried', async () => {
    expect((await findCapacity(trial(carrying(50)), { most: 8 }, signal))?.streams).toBe(8);
    expect(await findCapacity(trial(carrying(0)), { from: 4, most: 8 }, signal)).toBeUndefined();
  });

  it('counts a stream that was refused as not carried', async () => {
    let asked = 0;
    const listen: Listen = async () => {
      if (++asked === 3) throw new Error('refused');
      return { firstAudioMs: 1, audioMs: 1, silenceMs: 0, stalled: false, playedOutAtMs: 0 };
    };
    expect(await tryStreams(4, trial(listen), signal)).toMatchObject({ carried: false, lost: 1, stalled: 0 });
  });
});

it('counts the speech of all clients that saturate a server', async () => {
  let calls = 0;
  const listen: Listen = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    calls++;
    return { firstAudioMs: 1, audioMs: 1_000, silenceMs: 0, stalled: false, playedOutAtMs: 0 };
  };
  const startMs = performance.now();
  const speed = await saturate({ listen, texts: ['a'] }, { clients: 10, seconds: 0.1 }, signal);
  // Its clock ran no longer than ours.
  expect(speed * (performance.now() - startMs)).toBeGreaterThanOrEqual(calls * 1_000);
});

it('takes a hundred clients that wait on one signal for no leak', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const listen: Listen = async (_text, aborted) => {
    await sleep(5, undefined, { signal: aborted });
    return { firstAudioMs: 1, audioMs: 1_000, silenceMs: 0, stalled: false, playedOutAtMs: 0 };
  };
  await saturate({ listen, texts: ['a'] }, { clients: 100, seconds: 0.05 }, signal);
  await tryStreams(100, { ...trial(listen), rounds: 1 }, signal);
  // A warning is emitted behind the turn of the event loop that caused it.
  await sleep(1);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
