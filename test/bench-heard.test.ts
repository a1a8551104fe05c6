/** The chaos bench's comparison: what it must find wrong, and what it must not. */
import { describe, expect, it } from 'vitest';
import { Disturbances } from '../bench/resilience/faults.js';
import { compareHeard, heardOf } from '../bench/resilience/heard.js';
import { MS_PER_CHAR } from '../bench/resilience/service.js';
import type { Talk } from '../bench/resilience/talkers.js';
import type { LedgerRow } from '../src/accounts/store.js';
import { msToSamples } from '../src/protocol/audio.js';

const SAID = 'He is at home. She is not. ';
const FIRST = 'He is at home.'.length;
const ALL = SAID.trimEnd().length;
const samples = (text: string) => text.replaceAll(' ', '').length * msToSamples(MS_PER_CHAR);
const gateway = { name: '', baseUrl: '', up: true, kills: new Disturbances(), faults: new Disturbances() };

const talk = (more: Partial<Talk>): Talk => ({
  keyId: 'k',
  requestId: 't',
  manner: 'quick',
  gateway,
  startMs: 0,
  endMs: 1,
  said: SAID,
  heardSamples: samples(SAID),
  ending: 'completed',
  told: '1000',
  ...more,
});
const row = (more: Partial<LedgerRow>): LedgerRow => ({
  time: '2026-03-01T10:00:00.000Z',
  requestId: 't',
  keyId: 'k',
  model: 'm',
  voice: 'v',
  characters: ALL,
  credits: ALL,
  audioMs: 0,
  outcome: 'completed',
  deliveredCharacters: ALL,
  ...more,
});
const compare = (one: Talk, rows: readonly LedgerRow[], { billDelivered = false, killed = false } = {}) => {
  const fateOf = () => (killed ? ('killed' as const) : undefined);
  const found = compareHeard([one], new Map([['t', rows]]), { billDelivered, fateOf, deleted: new Set() });
  const { over, under, free } = found.keys.get('k')!;
  return { over, under, free, wrong: found.wrong.length, inFlight: found.inFlight };
};
const FINE = { over: 0, under: 0, free: 0, wrong: 0, inFlight: 0 };

describe('what was heard, from its samples', () => {
  it('is told in characters, sentences and whether the last of them ended just there', () => {
    expect(heardOf(SAID, 0)).toEqual({ chars: 0, whole: 0, before: 0, atEnd: true });
    expect(heardOf(SAID, samples('He is at home.') - 1)).toEqual({
      chars: FIRST - 1,
      whole: 0,
      before: 0,
      atEnd: false,
    });
    expect(heardOf(SAID, samples('He is at home.'))).toEqual({ chars: FIRST, whole: FIRST, before: 0, atEnd: true });
    expect(heardOf(SAID, samples(SAID))).toEqual({ chars: ALL, whole: ALL, before: FIRST, atEnd: true });
  });
});

describe('the comparison with the ledger', () => {
  it('finds nothing where a completed session is billed once and whole', () => {
    expect(compare(talk({}), [row({})])).toEqual(FINE);
  });

  it('finds a completed session that was billed too little, too much, twice or never', () => {
    expect(compare(talk({}), [row({ credits: ALL - 3 })])).toMatchObject({ under: 3, over: 0, wrong: 1 });
    expect(compare(talk({}), [row({ credits: ALL + 3 })])).toMatchObject({ under: 0, over: 3, wrong: 1 });
    expect(compare(talk({}), [row({}), row({})]).wrong).toBe(1);
    expect(compare(talk({}), [])).toMatchObject({ under: ALL, wrong: 1 });
  });

  it('finds a Final that came before its audio', () => {
    expect(compare(talk({ heardSamples: samples(SAID) - 1 }), [row({})]).wrong).toBe(1);
  });

  it('lets a killed gateway return what it had reserved, and no other', () => {
    const interrupted = row({ outcome: 'interrupted', credits: 0, deliveredCharacters: 0 });
    expect(compare(talk({}), [interrupted], { killed: true })).toMatchObject({ wrong: 0, under: 0, free: ALL });
    expect(compare(talk({}), [interrupted])).toMatchObject({ under: ALL });
  });

  it('takes what was heard of a session that its client left as free, or as due where that is billed', () => {
    const left = talk({ ending: 'left', heardSamples: samples('He is at home. She') });
    const cancelled = row({ outcome: 'cancelled', credits: 0, deliveredCharacters: FIRST });
    expect(compare(left, [cancelled])).toEqual({ ...FINE, free: FIRST });
    expect(compare(left, [{ ...cancelled, credits: FIRST }])).toMatchObject({ over: FIRST, wrong: 1 });
    expect(compare(left, [{ ...cancelled, credits: FIRST }], { billDelivered: true })).toEqual(FINE);
    expect(compare(left, [cancelled], { billDelivered: true })).toMatchObject({ under: FIRST, wrong: 1 });
    const more = { ...cancelled, credits: ALL, deliveredCharacters: ALL };
    expect(compare(left, [more], { billDelivered: true })).toMatchObject({ over: ALL - FIRST, wrong: 2 });
  });

  it('allows for the end of the last sentence, which may have been on its way', () => {
    const left = talk({ ending: 'left', heardSamples: samples(SAID) });
    const first = row({ outcome: 'cancelled', credits: FIRST, deliveredCharacters: FIRST });
    expect(compare(left, [first], { billDelivered: true })).toMatchObject({
      wrong: 0,
      under: 0,
      inFlight: ALL - FIRST,
    });
  });

  it('has a server that failed bill nothing, or what it delivered on a lost reservation', () => {
    const ended = talk({ ending: 'ended', told: 'store_unavailable', heardSamples: samples('He is at home. S') });
    const failed = row({ outcome: 'failed', credits: 0, deliveredCharacters: FIRST });
    expect(compare(ended, [failed], { billDelivered: true }).wrong).toBe(0);
    expect(compare(ended, [{ ...failed, credits: FIRST }], { billDelivered: true }).wrong).toBe(0);
    expect(compare(ended, [{ ...failed, credits: FIRST }]).wrong).toBe(1);
  });

  it('knows from the ledger what was written to a client that vanished', () => {
    const gone = talk({ ending: 'vanished', heardSamples: 0 });
    const audioMs = (samples('He is at home.') * 1000) / 24_000;
    const delivered = row({ outcome: 'cancelled', credits: FIRST, deliveredCharacters: FIRST });
    expect(compare(gone, [{ ...delivered, audioMs }], { billDelivered: true }).wrong).toBe(0);
    expect(compare(gone, [{ ...delivered, audioMs: audioMs - 2 }], { billDelivered: true }).wrong).toBe(2);
  });
});
