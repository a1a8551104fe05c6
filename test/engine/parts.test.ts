/** The engine's parts that need no model: where tokens are cut, what a damaged clip looks like. */
import { describe, expect, it } from 'vitest';
import { closeShort, partsOf, splitTokens } from '../../src/engine/parts.js';
import type { Segment } from '../../src/protocol/job.js';
import { createAlphabet } from '../../src/text/tokens.js';
import type { Reading, ReadingToken } from '../../src/text/types.js';
import { resampleTo16k } from '../../testkit/sound/resample.js';
import { letterErrors } from '../support/letters.js';
import { faultsOf } from '../support/sound/clip-checks.js';

describe('a part that is too long for the model', () => {
  const token = (symbol: string, i: number): ReadingToken => ({ id: 1, symbol, start: i, end: i + 1 });

  it('is cut at spaces and loses nothing', () => {
    const tokens = [...'abcd efg '.repeat(200)].map(token);
    const parts = splitTokens(tokens);
    expect(parts.flat()).toEqual(tokens);
    expect(parts.every((part) => part.length <= 510)).toBe(true);
    expect(parts.slice(0, -1).every((part) => part.at(-1)!.symbol === ' ')).toBe(true);
  });

  it('is cut anywhere where there are no spaces', () => {
    const tokens = [...'a'.repeat(1_300)].map(token);
    expect(splitTokens(tokens).map((part) => part.length)).toEqual([510, 510, 280]);
  });
});

describe('a very short part', () => {
  const tokensOf = (symbols: string) => [...symbols].map((symbol, i) => ({ id: 1, symbol, start: i, end: i + 1 }));

  it('is closed with a full stop that stands for no character', () => {
    expect(closeShort(tokensOf('nˈO')).at(-1)).toEqual({
      id: createAlphabet().get('.'),
      symbol: '.',
      start: 3,
      end: 3,
    });
  });

  it('is left alone where it has an end mark, and so is all that is longer', () => {
    expect(closeShort(tokensOf('nˈO!')).length).toBe(4);
    expect(closeShort(tokensOf('həlˈO ðɛɹ')).length).toBe(9);
    expect(closeShort([])).toEqual([]);
  });
});

describe('a part of a sentence that other segments begin and end', () => {
  const tokensOf = (symbols: string, at = 0) => [...symbols].map((symbol) => ({ id: 1, symbol, start: at, end: at }));
  const reading = (own: string, before: string, ahead: string): Reading => ({
    normalized: '',
    words: [],
    phonemes: '',
    parts: [{ kind: 'speech', tokens: tokensOf(own) }],
    questions: [],
    stressed: [],
    before: tokensOf(before, -2),
    ahead: tokensOf(ahead, -2),
    skipped: {},
  });
  const speed = { acoustic: 1, vocoder: 1, stretch: 1 };
  const said = (own: string, segment: Pick<Segment, 'pause' | 'follows'>, before = '', ahead = '') => {
    const [part] = partsOf(reading(own, before, ahead), segment, speed).parts;
    if (part?.kind !== 'speech') throw new Error('no speech');
    const symbols = [part.before, part.tokens, part.ahead].map((tokens) => tokens.map(({ symbol }) => symbol).join(''));
    return [symbols.join('|'), part.isJoined];
  };

  it('is said with the words beside it, and with a comma where they are not known', () => {
    expect(said('bcd', { pause: 'joined' }, '', 'efg')).toEqual(['|bcd| efg', false]);
    expect(said('bcd', { pause: 'joined' })).toEqual(['|bcd,|', false]);
    expect(said('bcd', { pause: 'sentence', follows: 'joined' }, 'a')).toEqual(['a |bcd|', true]);
    expect(said('bcd', { pause: 'clause', follows: 'carried' }, 'a')).toEqual(['a, |bcd|', false]);
    expect(said('bcd', { pause: 'clause', follows: 'clause' }, 'a,')).toEqual(['a, |bcd|', false]);
    expect(said('bcd', { pause: 'clause' }, 'a,')).toEqual(['|bcd.|', false]);
  });

  it('is said alone where the model does not take both', () => {
    expect(said('bcdefgh', { pause: 'clause', follows: 'clause' }, 'a'.repeat(503))).toEqual(['|bcdefgh|', false]);
    expect(said('b'.repeat(509), { pause: 'joined' }, '', 'efg')[0]).toMatch(/^\|b+,\|$/);
  });
});

describe('the checks of a clip', () => {
  /**
   * Something like a voice: pulses at 200 Hz through a resonance, swelling and fading, with quiet
   * ends.
   */
  const voice = (seconds = 1): Int16Array => {
    const pcm = new Int16Array(24_000 * seconds);
    let [y1, y2] = [0, 0];
    for (let i = 0; i < pcm.length; i += 1) {
      const swell = Math.max(0, Math.sin(Math.PI * ((i / pcm.length) * 1.2 - 0.1)));
      const y = (i % 120 < 12 ? Math.sin((Math.PI * (i % 120)) / 12) : 0) + 1.85 * y1 - 0.9 * y2;
      [y2, y1] = [y1, y];
      pcm[i] = Math.round(y * 260 * swell);
    }
    return pcm;
  };

  it('find nothing wrong with a sound one', () => {
    expect(faultsOf(voice())).toEqual([]);
  });
  it('find a cut at either end', () => {
    expect(faultsOf(voice().subarray(9_000))).toContain('cut at the start');
    expect(faultsOf(voice().subarray(0, 14_000))).toContain('cut at the end');
  });
  it('find peaks that were cut flat', () => {
    expect(faultsOf(voice().map((sample) => Math.max(-32_768, Math.min(32_767, sample * 12))))).toContain('clipped');
  });
  it('find silence and holes', () => {
    expect(faultsOf(new Int16Array(24_000))).toEqual(['silent']);
    expect(faultsOf(voice().map((sample) => Math.round(sample / 300)))).toEqual(['silent']);
    const holed = new Int16Array(24_000 * 3);
    holed.set(voice(), 0);
    holed.set(voice(), 48_000);
    expect(faultsOf(holed)).toContain('a hole');
  });
  it('find a click in a rest, a click in a vowel, and a vowel with a piece missing', () => {
    const rest = new Int16Array(36_000);
    rest.set(voice());
    rest[30_000] = 2_000;
    expect(faultsOf(rest)).toContain('a click');
    const vowel = voice();
    vowel[12_060]! += 6_000;
    expect(faultsOf(vowel)).toContain('a click');
    const whole = voice();
    const jump = (at: number) => Math.abs(whole[at]! - whole[at + 51]!);
    let at = 11_000;
    for (let i = at; i < 13_000; i += 1) if (jump(i) > jump(at)) at = i;
    const cut = Int16Array.from([...whole.subarray(0, at + 1), ...whole.subarray(at + 51)]);
    expect(faultsOf(cut)).toContain('a click');
  });
});

describe('the ears of the tests', () => {
  it('fold case, spaces, punctuation and numbers, and count the rest', () => {
    expect(letterErrors('Room 12, please!', 'room twelve please')).toBe(0);
    expect(letterErrors('He paid $25.', 'he paid twenty-five dollars')).toBe(0);
    expect(letterErrors('The dog slept.', 'The dogs slept')).toBe(1);
    expect(letterErrors('Hello', '')).toBe(5);
  });

  it('resample without folding high tones back', () => {
    const tone = (hz: number) =>
      Float32Array.from({ length: 24_000 }, (_, i) => Math.sin((2 * Math.PI * hz * i) / 24_000));
    const rms = (samples: Float32Array) => Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
    expect(resampleTo16k(tone(1_000)).length).toBe(16_000);
    expect(rms(resampleTo16k(tone(1_000)))).toBeCloseTo(Math.SQRT1_2, 2);
    expect(rms(resampleTo16k(tone(10_000)))).toBeLessThan(0.002);
  });
});
