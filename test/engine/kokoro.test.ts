/** The engine with the real model: what it says, when, and how it joins, varies and stops. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { PAUSE_SAMPLES } from '../../src/engine/finish.js';
import type { PauseKind, SegmentSpan } from '../../src/protocol/job.js';
import { createRecogniser, type Recogniser } from '../../testkit/sound/recogniser.js';
import {
  joinPcm,
  modelDirForTests,
  realEngine,
  segmentOf,
  speak,
  UNSCHEDULED_STEPS,
  VOICES,
} from '../../testkit/speech.js';
import { jobOf } from '../support/books/jobs.js';
import { letterErrors, lettersOf } from '../support/letters.js';
import { faultsOf } from '../support/sound/clip-checks.js';

const SENTENCE = 'The ship sailed at dawn, and nobody on the quay waved.';
let engine: Engine;
let recogniser: Recogniser;
beforeAll(async () => {
  engine = await realEngine(['base-tts-fast']);
  recogniser = await createRecogniser(await modelDirForTests());
}, 600_000);
afterAll(async () => {
  await engine?.close();
  await recogniser?.close();
});

const voiceEnd = (pcm: Int16Array) => pcm.findLastIndex((sample) => Math.abs(sample) > 150) + 1;
const voiceStart = (pcm: Int16Array) => pcm.findIndex((sample) => Math.abs(sample) > 150);
const loudness = (pcm: Int16Array) => {
  let [sum, count] = [0, 0];
  for (let at = 0; at + 240 <= pcm.length; at += 240) {
    const power = pcm.subarray(at, at + 240).reduce((total, sample) => total + (sample / 32_768) ** 2, 0) / 240;
    if (power > 1e-4) [sum, count] = [sum + power, count + 1];
  }
  return 10 * Math.log10(sum / count);
};

describe('a segment', () => {
  it('comes in pieces, the first of them short, and the same job gives the same bytes', async () => {
    const first = await speak(engine, SENTENCE);
    const again = await speak(engine, SENTENCE);
    expect(again.pcm).toEqual(first.pcm);
    expect(first.chunks.length).toBeGreaterThan(3);
    expect(first.chunks[0]!).toBeLessThan(12_000);
  });

  it('gives the same bytes to jobs that run side by side', async () => {
    const alone = await speak(engine, SENTENCE);
    const [one, two] = await Promise.all([speak(engine, SENTENCE), speak(engine, 'Another one, meanwhile.')]);
    expect(one.pcm).toEqual(alone.pcm);
    expect(two.pcm).toEqual((await speak(engine, 'Another one, meanwhile.')).pcm);
  });

  it('has a time for every character: in order, inside the sound, none for what is not spoken', async () => {
    const text = 'Well — “yes”, 42 émigrés 🙂 came.';
    const { timings, pcm } = await speak(engine, text);
    const chars = [...text];
    const { startSamples, durationSamples } = timings;
    expect(startSamples.length).toBe(chars.length);
    expect(durationSamples.length).toBe(chars.length);
    for (let i = 1; i < chars.length; i += 1) expect(startSamples[i]!).toBeGreaterThanOrEqual(startSamples[i - 1]!);
    for (const [i, char] of chars.entries()) {
      expect(startSamples[i]! + durationSamples[i]!).toBeLessThanOrEqual(pcm.length);
      if (/[\s—“”,.🙂]/u.test(char)) expect(durationSamples[i]).toBe(0);
      else expect(durationSamples[i]!).toBeGreaterThan(0);
    }
  });

  it('has times that agree with the sound: the rest at a comma lies between the words around it', async () => {
    const { timings, pcm } = await speak(engine, SENTENCE);
    const level = (from: number, to: number) => Math.max(...pcm.subarray(from, to).map(Math.abs));
    const comma = [...SENTENCE].indexOf(',');
    const before = timings.startSamples[comma]!;
    const after = timings.startSamples[comma + 2]!;
    const middle = (before + after) / 2;
    expect(after - before).toBeGreaterThan(2_400);
    expect(level(middle - 1_200, middle + 1_200)).toBeLessThan(300);
    expect(level(before - 4_800, before)).toBeGreaterThan(1_500);
    expect(level(after, after + 4_800)).toBeGreaterThan(1_500);
  });

  it('rests after the voice as long as the place asks for, and begins at once', async () => {
    for (const pause of ['clause', 'sentence', 'paragraph'] as PauseKind[]) {
      const { pcm } = await speak(engine, segmentOf('We waited for the boat.', pause));
      const rest = pcm.length - voiceEnd(pcm) + voiceStart(pcm);
      expect(Math.abs(rest - PAUSE_SAMPLES[pause])).toBeLessThan(1_500);
      expect(voiceStart(pcm)).toBeLessThan(1_800);
    }
  });

  it('joins with the next as one reading: no click, no hole, even loudness', async () => {
    const clips = [];
    for (const [text, pause] of [
      ['However,', 'clause'],
      [' the wind had turned.', 'sentence'],
      [' No.', 'sentence'],
      [' Nobody on the quay waved, and the gulls were quiet.', 'sentence'],
    ] as const) {
      clips.push((await speak(engine, segmentOf(text, pause))).pcm);
    }
    expect(faultsOf(joinPcm(clips))).toEqual([]);
    const levels = clips.map(loudness);
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(4.5);
  });

  it('says very short things like a person', async () => {
    for (const voice of VOICES) {
      for (const text of ['Hi.', 'No', '7', 'Yes!', 'Why?', 'Stop!', 'A']) {
        const { pcm } = await speak(engine, text, { voice });
        const seconds = (voiceEnd(pcm) - voiceStart(pcm)) / 24_000;
        expect(faultsOf(pcm), text).toEqual([]);
        expect(seconds, text).toBeGreaterThan(0.15);
        expect(seconds, text).toBeLessThan(0.9);
        // A breath and a vowel are too little for the recogniser: it hears "Hi" or "Bye" as the
        // last bits fall.
        if (text !== 'Hi.' && text !== 'A') expect(letterErrors(text, await recogniser.transcribe(pcm)), text).toBe(0);
      }
    }
  });

  it('is silent where there is nothing to say', async () => {
    for (const text of ['…', ' ', '🙂']) {
      const { pcm, timings } = await speak(engine, text);
      expect(pcm.length, text).toBe(0);
      expect(timings.startSamples.length).toBe([...text].length);
    }
  });

  it('keeps the rests that were asked for, and the characters around them in time', async () => {
    const text = 'One moment.<break time="700ms"/>Here it is.';
    const at = text.indexOf('<');
    const to = text.indexOf('>') + 1;
    const spans: SegmentSpan[] = [
      { kind: 'text', text: text.slice(0, at), start: 0, end: at },
      { kind: 'break', ms: 700, start: at, end: to },
      { kind: 'text', text: text.slice(to), start: to, end: text.length },
    ];
    const { pcm, timings } = await speak(engine, { ...segmentOf(text), spans });
    const there = timings.startSamples[to]!;
    const quiet = pcm.subarray(there - 12_000, there - 1_200);
    expect(Math.max(...quiet.map(Math.abs))).toBeLessThan(150);
    const end = voiceEnd(pcm.subarray(0, there - 6_000));
    expect(Math.abs(there + voiceStart(pcm.subarray(there)) - end - 16_800)).toBeLessThan(4_000);
    expect(letterErrors('One moment. Here it is.', await recogniser.transcribe(pcm))).toBeLessThan(3);
  });

  it('is read in another way by another seed, again and again the same, and is still understood', async () => {
    const canonical = await speak(engine, SENTENCE);
    for (const seed of [1, 77, 4_294_967_295]) {
      const varied = await speak(engine, SENTENCE, { seed });
      expect(varied.pcm).not.toEqual(canonical.pcm);
      expect((await speak(engine, SENTENCE, { seed })).pcm).toEqual(varied.pcm);
      expect(faultsOf(varied.pcm)).toEqual([]);
      const wrong = letterErrors(SENTENCE, await recogniser.transcribe(varied.pcm));
      expect(wrong / lettersOf(SENTENCE).length).toBeLessThan(0.15);
    }
  });

  it('stops between windows when it is cancelled', async () => {
    const abort = new AbortController();
    const long = `${SENTENCE.slice(0, -1)}, ${SENTENCE.toLowerCase().slice(0, -1)}, and ${SENTENCE.toLowerCase()}`;
    const job = jobOf(long, { model: 'base-tts-fast' });
    let samples = 0;
    const spoken = (async () => {
      for await (const event of engine.speak(job, UNSCHEDULED_STEPS, abort.signal)) {
        if (event.type === 'audio') samples += event.pcm.length;
        if (samples > 0) abort.abort();
      }
    })();
    await expect(spoken).rejects.toMatchObject({ name: 'AbortError' });
    expect(samples).toBeLessThan(24_000);
  });

  it('is refused in a style that does not exist', async () => {
    const mix = [{ style: 'nobody', weight: 1 }];
    await expect(speak(engine, 'Hi.', { mix })).rejects.toMatchObject({ code: 'model_missing' });
  });
});

describe('voices', () => {
  it('speaks in a mix of styles, whatever it is called elsewhere', async () => {
    const half = { weight: 0.5 };
    const mix = [
      { style: 'af_heart', ...half },
      { style: 'bf_emma', ...half },
    ];
    const { pcm } = await speak(engine, SENTENCE, { mix });
    expect(faultsOf(pcm)).toEqual([]);
    expect(letterErrors(SENTENCE, await recogniser.transcribe(pcm))).toBeLessThan(5);
    expect(pcm).not.toEqual((await speak(engine, SENTENCE)).pcm);
  });

  it('reads in the language of the job, and in the other one again after it', async () => {
    const word = 'Tomatoes in the bath.';
    const american = await speak(engine, word);
    const british = await speak(engine, word, { language: 'en-GB' });
    expect(british.pcm).not.toEqual(american.pcm);
    expect((await speak(engine, word)).pcm).toEqual(american.pcm);
  });
});
