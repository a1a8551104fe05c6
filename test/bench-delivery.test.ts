/** The delivery bench: its pitch tracker on tones whose pitch is known, and its measures. */
import { describe, expect, it } from 'vitest';
import { placeWords, spokenSentences, type TimedWord } from '../bench/sound/delivery/clip.js';
import { contoursPicture } from '../bench/sound/delivery/contours.js';
import { measure } from '../bench/sound/delivery/measure.js';
import { lastMovement, melodyOf } from '../bench/sound/delivery/melody.js';
import { HOP_MS, pitchTrack, semitones } from '../bench/sound/delivery/pitch-track.js';
import { placeBetween, restFigures, silencesOf } from '../bench/sound/delivery/rests.js';
import { QUESTIONS, STORY, textOf } from '../bench/sound/delivery/story.js';
import { deliveryTable } from '../bench/sound/delivery/table.js';
import { SAMPLE_RATE } from '../src/protocol/audio.js';

/** A buzz of twelve harmonics and two resonances; its pitch at a second is `hzAt`, 0 is silence. */
function voice(seconds: number, hzAt: (second: number) => number): Int16Array {
  let phase = 0;
  return Int16Array.from({ length: Math.round(seconds * SAMPLE_RATE) }, (_, i) => {
    const hz = hzAt(i / SAMPLE_RATE);
    if (hz === 0) return 0;
    phase += (2 * Math.PI * hz) / SAMPLE_RATE;
    let sum = 0;
    for (let harmonic = 1; harmonic <= 12; harmonic++) {
      const at = harmonic * hz;
      const near = (formant: number) => 1 / (1 + ((at - formant) / 150) ** 2);
      sum += (near(600) + 0.5 * near(1_400) + 0.1) * Math.sin(harmonic * phase);
    }
    return sum * 4_000;
  });
}

/** How far the track is from the true pitch, in semitones, away from the ends. */
function errorsOf(track: Float64Array, hzAt: (second: number) => number): number[] {
  return [...track]
    .map((hz, at) => [hz, hzAt((at * HOP_MS) / 1_000)] as const)
    .slice(5, -5)
    .map(([hz, truth]) => (hz === 0 ? 12 : Math.abs(semitones(hz) - semitones(truth))));
}

describe('the pitch tracker', () => {
  it.each([75, 110, 180, 260, 380, 520])('finds a steady buzz of %i Hz within a twentieth of a semitone', (hz) => {
    const errors = errorsOf(pitchTrack(voice(0.6, () => hz)), () => hz);
    expect(Math.max(...errors)).toBeLessThan(0.05);
  });

  it.each([
    ['up', 120, 240],
    ['down', 300, 110],
  ])('follows a glide %s an octave and more within a third of a semitone', (_, from, to) => {
    const hzAt = (second: number) => from * (to / from) ** (second / 0.8);
    expect(Math.max(...errorsOf(pitchTrack(voice(0.8, hzAt)), hzAt))).toBeLessThan(0.35);
  });

  it('finds no pitch in silence and in noise', () => {
    let state = 1;
    const noise = Int16Array.from({ length: SAMPLE_RATE }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return (state % 8_001) - 4_000;
    });
    expect(pitchTrack(new Int16Array(SAMPLE_RATE)).every((hz) => hz === 0)).toBe(true);
    expect(pitchTrack(noise).filter((hz) => hz > 0).length).toBeLessThan(8);
  });

  it('does not take an octave for the pitch where the fundamental is weak', () => {
    const weak = Int16Array.from({ length: SAMPLE_RATE / 2 }, (_, i) => {
      const at = (2 * Math.PI * i) / SAMPLE_RATE;
      return 300 * Math.sin(150 * at) + 4_000 * Math.sin(300 * at) + 3_000 * Math.sin(450 * at);
    });
    expect(Math.max(...errorsOf(pitchTrack(weak), () => 150))).toBeLessThan(0.1);
  });
});

describe('the last movement of a question', () => {
  const moved = (hzAt: (second: number) => number) => lastMovement(pitchTrack(voice(1, hzAt)), 0, 1_000);
  const bent = (second: number, bySemitones: number) =>
    200 * 2 ** ((bySemitones * Math.max(0, second - 0.6)) / 0.4 / 12);

  it('is a rise, a fall, or the rise behind a fall', () => {
    expect(moved((second) => bent(second, 6))).toBeGreaterThan(4.8);
    expect(moved((second) => bent(second, -6))).toBeLessThan(-4.8);
    const fallRise = (second: number) => 200 * 2 ** ((second < 0.6 ? -10 * second : -6 + 12.5 * (second - 0.6)) / 12);
    expect(moved(fallRise)).toBeGreaterThan(3.5);
    expect(moved(fallRise)).toBeLessThan(5.5);
  });

  it('is small where the pitch stays', () => {
    expect(Math.abs(moved((second) => bent(second, 1)))).toBeLessThan(1.5);
  });
});

describe('rests', () => {
  it('are silences of 80 ms and more between sounds, to 10 ms', () => {
    const silent = (second: number) =>
      second < 0.3 || (second > 0.8 && second < 1.25) || (second > 1.5 && second < 1.55);
    const found = silencesOf(voice(2, (second) => (silent(second) ? 0 : 200)));
    expect(found).toHaveLength(1);
    expect(Math.abs(found[0]!.ms - 450)).toBeLessThanOrEqual(10);
    expect(Math.abs(found[0]!.startMs - 800)).toBeLessThanOrEqual(10);
  });

  it('are told apart by the mark before them', () => {
    const text =
      '# Head\n\nOne, two; "three." Four: five – six (seven) eight... Nine?\n- ten\n- eleven\n\nMrs. Twelve\n\nend';
    const timed = text.split(/\s+/u).map((word): TimedWord => ({ word, startMs: 0, endMs: 0 }));
    const words = placeWords(text, timed).filter(({ word }) => /\w/u.test(word));
    const placesOf = words.slice(1).map((after, at) => placeBetween(text, words[at]!, after));
    expect(placesOf).toEqual(
      'heading comma semicolon sentence colon dash bracket bracket ellipsis paragraph item paragraph none paragraph'.split(
        ' ',
      ),
    );
  });

  it('are alike where they lie within 5 % of their median', () => {
    const rest = (ms: number) => ({ startMs: 0, endMs: ms, ms });
    expect(restFigures([400, 410, 420, 600].map(rest))).toEqual({
      count: 4,
      quartilesMs: [407.5, 415, 465],
      alike: 0.75,
    });
  });
});

/** Words of 200 ms, 400 ms of rest behind a sentence, a melody that falls 2 semitones a second. */
function spokenEvenly(blocks: typeof STORY) {
  const words: TimedWord[] = [];
  let ms = 0;
  for (const { sentences } of blocks)
    for (const { text } of sentences) {
      for (const word of text.split(' ')) {
        words.push({ word, startMs: ms, endMs: ms + 200 });
        if (/\w/u.test(word)) ms += 200;
      }
      ms += 400;
    }
  const sentences = spokenSentences(blocks, placeWords(textOf(blocks), words));
  const track = new Float64Array(Math.ceil(ms / HOP_MS));
  for (const { startMs, endMs } of sentences)
    for (let at = startMs / HOP_MS; at < endMs / HOP_MS; at++)
      track[at] = 200 * 2 ** ((-2 * (at * HOP_MS - startMs)) / 1_000 / 12);
  return { words, sentences, track, ms };
}

describe('sentences and their melody', () => {
  it('have the slope and the reset that were put in', () => {
    const { sentences, track } = spokenEvenly(STORY);
    const melody = melodyOf(track, sentences);
    expect(melody.sentenceSlope).toBeCloseTo(-2, 3);
    expect(melody.paragraphReset).toBeGreaterThan(0.5);
    expect(melody.questions.filter(({ sentence }) => sentence.asks === 'yes-no')).toHaveLength(5);
  });

  it('become a table and a picture, before beside after', async () => {
    const { words, track, ms } = spokenEvenly(QUESTIONS);
    const pcm = voice(ms / 1_000, (second) => track[Math.floor((second * 1_000) / HOP_MS)] ?? 0);
    const delivery = await measure(QUESTIONS, { pcm, words }, {});
    expect(delivery.paceWithoutRests).toBeGreaterThan(280);
    expect(delivery.paceWithoutRests).toBeLessThan(310);
    const table = deliveryTable(['before', 'after'], [delivery, delivery]);
    expect(table).toMatch(/\| +\| before +\| after +\| readers +\|/);
    expect(table).toMatch(/paragraph +\| 10: 0\.4\d \/ 0\.4\d \/ 0\.4\d s, 100 % alike/);
    const picture = contoursPicture('a & b', [
      ['before', delivery],
      ['after', delivery],
    ]);
    expect(picture).toContain('a &amp; b');
    expect(picture.match(/class="rest"/g)!.length).toBeGreaterThanOrEqual(20);
  });
});
