/** Questions rise: by the pitch that every voice hands to the vocoder, and as they are heard. */
import { Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastMovement, RISE } from '../../bench/sound/delivery/melody.js';
import { pitchTrack } from '../../bench/sound/delivery/pitch-track.js';
import { intoned } from '../../src/engine/delivery/intonation.js';
import { UNSCHEDULED } from '../../src/engine/engine.js';
import { cpuProvider } from '../../src/engine/graphs/provider.js';
import { createSessions, type LoadedModel, type Sessions } from '../../src/engine/graphs/sessions.js';
import { speakReading } from '../../src/engine/speech.js';
import type { Melody } from '../../src/engine/vocoder/features.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { createReaders, type Readers } from '../../src/text/reader.js';
import type { ReadingToken } from '../../src/text/types.js';
import { joinPcm, modelDirForTests, segmentOf, UNSCHEDULED_STEPS } from '../../testkit/speech.js';
import { pitchOf } from '../support/sound/pitch.js';

type VoiceEntry = ReturnType<typeof loadCatalogue>['all'][number];

const semitones = (hz: number, of: number): number => 12 * Math.log2(hz / of);
const isSame = (one: Int16Array, other: Int16Array): boolean =>
  one.length === other.length && one.every((sample, at) => sample === other[at]);
const tokensOf = (symbols: string): ReadingToken[] =>
  [...symbols].map((symbol, start) => ({ id: 1, symbol, start, end: start + 1 }));

describe('a melody', () => {
  const SYMBOLS = 'ɪz ɪt ˈoʊn?';
  const tokens = tokensOf(SYMBOLS);
  const mark = SYMBOLS.indexOf('?');
  /** Eight frames a token, and silence in the pads. */
  const utterance = (hz: (frame: number, frames: number) => number): Melody => {
    const durations = new Float32Array(tokens.length + 2).fill(4);
    const frames = durations.length * 8;
    const f0 = Float32Array.from({ length: frames }, (_, at) => (at < 8 || at > frames - 20 ? 0 : hz(at, frames)));
    const curve = (data: Float32Array) => new Tensor('float32', data, [1, 1, frames]);
    return { f0: curve(f0), energy: curve(new Float32Array(frames)), frames, durations };
  };
  const f0Of = ({ f0 }: Melody) => f0.data as Float32Array;
  const falling = utterance((at, frames) => 240 - (120 * at) / frames);

  it('that falls is bent up over its last foot, without a step, and nowhere else', () => {
    const [own, bent] = [f0Of(falling), f0Of(intoned(falling, tokens, [{ at: mark }]))];
    const foot = (SYMBOLS.indexOf('ˈ') + 1) * 8 - 8;
    expect(bent.subarray(0, foot)).toEqual(own.subarray(0, foot));
    expect(bent.subarray(-8)).toEqual(own.subarray(-8));
    const end = own.findLastIndex((hz) => hz > 0);
    const lowest = Math.min(...bent.subarray(foot, end));
    expect(semitones(bent[end - 6]!, lowest)).toBeGreaterThan(4);
    for (let at = foot; at < end; at += 1)
      expect(Math.abs(semitones(bent[at + 1]!, bent[at]!)), `${at}`).toBeLessThan(1);
  });

  it('that rises by itself is left alone', () => {
    const rising = utterance((at, frames) => 60 * 2 ** ((3 * at) / frames));
    expect(f0Of(intoned(rising, tokens, [{ at: mark }]))).toEqual(f0Of(rising));
  });

  it('without a question, or without a voice, is left alone', () => {
    expect(intoned(falling, tokens, [])).toBe(falling);
    expect(intoned(falling, tokens, [{ at: 99 }])).toBe(falling);
    const silent = utterance(() => 0);
    expect(f0Of(intoned(silent, tokens, [{ at: mark }]))).toEqual(f0Of(silent));
  });

  it('of a choice rises before "or" and falls at its end', () => {
    const symbols = 'tˈi ɔɹ nˈO?';
    const flat = { ...utterance(() => 200), durations: new Float32Array([...symbols].length + 2).fill(4) };
    const or = symbols.indexOf('ɔ');
    const word = tokensOf(symbols).map((token) => (token.symbol === 'ɹ' ? { ...token, start: or } : token));
    const bent = f0Of(intoned(flat, word, [{ at: symbols.indexOf('?'), or }]));
    const before = (or + 1) * 8 - 5;
    expect(semitones(bent[before]!, 200)).toBeGreaterThan(2);
    const end = bent.findLastIndex((hz) => hz > 0);
    expect(semitones(bent[end - 6]!, 200)).toBeLessThan(-2);
  });
});

describe('base-tts-fast', () => {
  const QUESTIONS = [
    'Are you coming with us tonight?',
    'Did they win the game?',
    'Is this seat taken?',
    'Have you seen my brother?',
    'Would you like to dance with me?',
  ];
  let sessions: Sessions;
  let model: LoadedModel;
  let readers: Readers;
  beforeAll(async () => {
    const modelDir = await modelDirForTests();
    sessions = createSessions({ modelDir, offline: false, provider: cpuProvider(1), vocoder: 'quantised' });
    model = await sessions.model('base-tts-fast');
    readers = await createReaders();
  });
  afterAll(() => sessions.close());
  const voices = loadCatalogue().all.filter(
    ({ voice, language }) => language.startsWith('en') && !voice.id.startsWith('english_'),
  );

  /** By how much the pitch for the vocoder ends above the lowest point of its last 0.6 s. */
  async function rise({ language, mix }: VoiceEntry, text: string): Promise<number> {
    const { parts, questions } = (await readers(language)).read(segmentOf(text));
    const [part] = parts;
    if (part?.kind !== 'speech') throw new Error('nothing is said');
    const style = await model.styles.take(mix, part.tokens.length, 0);
    const intone = (own: Melody) => intoned(own, part.tokens, questions);
    const f0 = (await model.acousticModel(part.tokens, style, UNSCHEDULED, intone)).f0.data as Float32Array;
    const median = [...f0].filter((hz) => hz > 60).sort((a, b) => a - b);
    const least = 0.6 * (median[median.length >> 1] ?? 0);
    const end = f0.findLastIndex((hz) => hz > least) - 4;
    const voiced = f0.subarray(Math.max(0, end - 48), end + 1).filter((hz) => hz > least);
    return semitones(f0[end]!, Math.min(...voiced));
  }

  it('rises in at least four of five questions for yes or no in every English voice', async () => {
    expect(voices).toHaveLength(28);
    for (const entry of voices) {
      const rises: number[] = [];
      for (const text of QUESTIONS) rises.push(await rise(entry, text));
      const up = rises.filter((each) => each >= 2).length;
      expect(up, `${entry.voice.id}: ${rises.map((each) => each.toFixed(1)).join(' ')}`).toBeGreaterThanOrEqual(4);
    }
  });

  async function say({ language, mix }: VoiceEntry, text: string, isTold: boolean): Promise<Int16Array> {
    const segment = segmentOf(text);
    const own = (await readers(language)).read(segment);
    const reading = isTold ? own : { ...own, questions: [] };
    const job = { id: 'x', model: 'base-tts-fast', language, mix, seed: 0, speed: 1, gainDb: 0, segment } as const;
    const parts: Int16Array[] = [];
    for await (const event of speakReading({ job, model, reading, steps: UNSCHEDULED_STEPS }))
      if (event.type === 'audio') parts.push(event.pcm);
    return joinPcm(parts);
  }

  for (const name of ['alice', 'george', 'emma']) {
    it(`is heard to rise in the voice of ${name}, and not in what it says before`, async () => {
      const entry = voices.find(({ voice }) => voice.id.endsWith(name))!;
      const [own, told] = [await say(entry, QUESTIONS[1]!, false), await say(entry, QUESTIONS[1]!, true)];
      const before = pitchOf(own);
      const bends = pitchOf(told).flatMap((hz, at) => (hz > 0 && before[at]! > 0 ? [semitones(hz, before[at]!)] : []));
      const first = bends.slice(0, 13).sort((a, b) => a - b);
      expect(Math.abs(first[6]!)).toBeLessThan(0.3);
      const last = bends.slice(-12).sort((a, b) => a - b);
      expect(last[6]!).toBeGreaterThan(3);
    });
  }

  // Voices that end sentences in a creak, which the features carry as well as the pitch.
  it.each(['lewis', 'onyx', 'echo', 'puck'])(
    'is heard to rise in four of five questions in the voice of %s',
    async (name) => {
      const entry = voices.find(({ voice }) => voice.id.endsWith(name))!;
      const moves: number[] = [];
      for (const text of QUESTIONS) {
        const pcm = joinPcm([new Int16Array(2_400), await say(entry, text, true)]);
        moves.push(lastMovement(pitchTrack(pcm), 0, pcm.length / 24));
      }
      expect(
        moves.filter((move) => move >= RISE).length,
        moves.map((each) => each.toFixed(1)).join(' '),
      ).toBeGreaterThanOrEqual(4);
    },
  );

  it('says questions with a question word, and tags that want to be agreed with, as the voice does', async () => {
    const entry = voices.find(({ voice }) => voice.id.endsWith('alice'))!;
    for (const text of ['Where do you live?', "It's a lovely day, isn't it?"])
      expect(isSame(await say(entry, text, true), await say(entry, text, false)), text).toBe(true);
  });
});
