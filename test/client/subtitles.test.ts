/** Subtitles from alignment. */
import { describe, expect, it } from 'vitest';
import { CueBuilder, toSrt, toVtt } from '../../src/client/subtitles.js';
import type { Alignment } from '../../src/protocol/stream-messages.js';
import { displayText } from '../../src/text/display.js';

/** Every character takes `ms`. */
const even = (text: string, ms: number, startMs = 0): Alignment => {
  const chars = [...text];
  return {
    chars,
    charStartTimesMs: chars.map((_, index) => startMs + index * ms),
    charDurationsMs: chars.map((char) => (char === ' ' ? 0 : ms)),
  };
};

const cuesOf = (text: string, ms = 50) => {
  const builder = new CueBuilder();
  builder.add(even(text, ms), 0);
  return builder.cues();
};

describe('subtitles', () => {
  it('writes SubRip: numbered, comma in the times', () => {
    expect(toSrt(cuesOf('Hello there.'))).toBe('1\n00:00:00,000 --> 00:00:00,600\nHello there.\n\n');
  });

  it('writes WebVTT: header, stop in the times, markup escaped', () => {
    expect(toVtt(cuesOf('a < b & c'))).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:00.450\na &lt; b &amp; c\n\n');
  });

  it('counts hours', () => {
    const builder = new CueBuilder();
    builder.add(even('Late.', 100), 24_000 * 3_723);
    expect(toSrt(builder.cues())).toContain('01:02:03,000 --> 01:02:03,500');
  });

  it('joins a word whose characters came in two messages', () => {
    const builder = new CueBuilder();
    builder.add(even('Hel', 50), 0);
    builder.add(even('lo.', 50), 24_000 * 0.15);
    expect(builder.cues()).toEqual([{ startMs: 0, endMs: 300, text: 'Hello.' }]);
  });

  it('keeps cues short enough to read, in order, and apart from each other', () => {
    const text = 'The quick brown fox jumps over the lazy dog, and nobody minds. '.repeat(20).trim();
    const cues = cuesOf(text, 60);
    expect(cues.length).toBeGreaterThan(10);
    expect(cues.map((cue) => cue.text.replace('\n', ' ')).join(' ')).toBe(text);
    cues.forEach((cue, index) => {
      for (const line of cue.text.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
      expect(cue.endMs - cue.startMs).toBeLessThanOrEqual(6_000);
      expect(cue.endMs).toBeGreaterThan(cue.startMs);
      if (index > 0) expect(cue.startMs).toBeGreaterThanOrEqual(cues[index - 1]!.endMs);
    });
  });

  it('keeps French marks that stand apart on the line of their word', () => {
    const text =
      'Il lui demanda alors si elle viendrait demain matin ! « Oui » répondit-elle en riant aux éclats ; puis elle partit.';
    const cues = cuesOf(text);
    expect(cues.map((cue) => cue.text.replace(/[\n\u00a0]/g, ' ')).join(' ')).toBe(text);
    for (const { text: shown } of cues) expect(shown).not.toMatch(/(?:^|[\n ])[!;»]|«(?:$|[\n ])/);
  });

  it('ends a cue at a danda', () => {
    const first = 'यह हमारा पुराना घर है जहाँ हम बहुत साल रहते थे।';
    const cues = cuesOf(`${first} वह पेड़ मेरे दादा जी ने अपने हाथों से लगाया था।`, 30);
    expect(cues[0]!.text.replace('\n', ' ')).toBe(first);
  });

  it('begins a new cue at a blank line', () => {
    expect(cuesOf('One.\n\nTwo.').map(({ text }) => text)).toEqual(['One.', 'Two.']);
  });

  it('makes two short sentences two cues, unless the first is too short to be read', () => {
    const texts = (text: string) => cuesOf(text).map((cue) => cue.text);
    expect(texts('The first line. The second line.')).toEqual(['The first line.', 'The second line.']);
    expect(texts('Is it late? "Not yet," he said.')).toEqual(['Is it late?', '"Not yet," he said.']);
    expect(texts('Ask Dr. Smith. He left at 5 p.m. today.')).toEqual(['Ask Dr. Smith.', 'He left at 5 p.m. today.']);
    expect(texts('No. No. Never again.')).toEqual(['No. No. Never again.']);
  });

  it('shows the text without its marks where it is told what to show', () => {
    const text =
      '# A **bold** title\n\nSee [the docs](https://example.org/a), `run_it()` &amp; go.\n\n| a | b |\n|---|---|\n';
    const builder = new CueBuilder(displayText(text));
    const { chars, charStartTimesMs, charDurationsMs } = even(text, 50);
    // However it was cut into messages.
    for (const [from, to] of [
      [0, 30],
      [30, chars.length],
    ] as const) {
      const times = charStartTimesMs.slice(from, to).map((ms) => ms - from * 50);
      const alignment = {
        chars: chars.slice(from, to),
        charStartTimesMs: times,
        charDurationsMs: charDurationsMs.slice(from, to),
      };
      builder.add(alignment, from * 50 * 24);
    }
    expect(builder.cues().map((cue) => cue.text)).toEqual(['A bold title', 'See the docs, run_it() & go.', 'a b']);
  });
});
