/** The words of a long text: where they stand, when they are heard, and in which block. */
import { describe, expect, it } from 'vitest';
import { TextFeed } from '../../web/src/client/text-feed.js';
import { fileName } from '../../web/src/playground/player/file-name.js';
import { blockAt, blocksOf, spaceBefore } from '../../web/src/playground/text/blocks.js';
import { pointsOf, WordClock, wordsOf } from '../../web/src/playground/text/words.js';

describe('wordsOf', () => {
  it('counts code points, and gives the text back', () => {
    const text = '  One\u00a0two 👍🏽 x𝒳,\n\nlast ';
    const words = wordsOf(text);
    expect(words.map((word) => word.text)).toEqual(['One', 'two', '👍🏽', 'x𝒳,', 'last']);
    expect(words.map(({ before, text: word }) => before + word).join('')).toBe(text.trimEnd());
    const points = [...text];
    for (const { text: word, start, end } of words) expect(points.slice(start, end).join('')).toBe(word);
    expect(pointsOf(text)).toBe(points.length);
  });
});

describe('WordClock', () => {
  const words = wordsOf('zero one two three');
  const timed = (from: number, chars: number) => {
    const clock = new WordClock(from);
    clock.align(
      {
        chars: new Array(chars).fill('x'),
        charStartTimesMs: Array.from({ length: chars }, (_, i) => i * 100),
        charDurationsMs: new Array(chars).fill(100),
      },
      0,
    );
    return clock;
  };

  it('knows the word of a sample, and none before the first', () => {
    const clock = timed(0, 18);
    expect(clock.at(words, -1)).toBe(-1);
    expect(clock.at(words, 0)).toBe(0);
    expect(clock.at(words, 0.55 * 24_000)).toBe(1);
    expect(clock.at(words, 1e9)).toBe(3);
  });

  it('begins where the speech begins, within the text', () => {
    const clock = timed(9, 5);
    expect(clock.at(words, -1)).toBe(1);
    expect(clock.at(words, 0)).toBe(2);
    expect(clock.startOf(words[0]!)).toBeUndefined();
    expect(clock.startOf(words[3]!)).toBe(0.4 * 24_000);
    expect(clock.at(words, 1e9)).toBe(3);
  });
});

describe('blocksOf', () => {
  it('parts lines and long paragraphs, and leaves no word out', () => {
    const line = `${'word '.repeat(70).trim()}.\n\n`;
    const paragraph = `${'and so it goes on. '.repeat(300)}\n`;
    const words = wordsOf(line.repeat(5) + paragraph + 'x '.repeat(900));
    const blocks = blocksOf(words);
    expect(blocks[0]!.first).toBe(0);
    for (const [i, { first, end }] of blocks.entries()) {
      expect(end - first).toBeLessThanOrEqual(400);
      expect(end).toBe(blocks[i + 1]?.first ?? words.length);
      for (const word of [first, end - 1]) expect(blockAt(blocks, word)).toBe(i);
    }
    expect(blockAt(blocks, -1)).toBe(-1);
    expect(blockAt(blocks, words.length)).toBe(blocks.length);
  });

  it('begins a block on its own line', () => {
    const word = (before: string) => ({ text: 'x', before, start: 0, end: 1 });
    expect(spaceBefore(word('\n\n'), true)).toBe('\n');
    expect(spaceBefore(word(' '), true)).toBe('');
    expect(spaceBefore(word(' '), false)).toBe(' ');
  });
});

describe('TextFeed', () => {
  it('sends a long text as it is spoken, never too much ahead, and then the end', () => {
    const sent: string[] = [];
    let ended = false;
    const feed = new TextFeed({
      text: (text) => void sent.push(text),
      finish: () => {
        ended = true;
      },
    });
    const text = '0123456789'.repeat(20_000);
    feed.say(text, false);
    feed.finish();
    let spoken = 0;
    for (let i = 0; i < 1_000 && !ended; i++) {
      expect(sent.join('').length - spoken).toBeLessThanOrEqual(24_000);
      feed.spoken(1_000);
      spoken += 1_000;
    }
    expect(ended).toBe(true);
    expect(sent.join('')).toBe(text);
    expect(Math.max(...sent.map(({ length }) => length))).toBe(4_000);
  });
});

describe('fileName', () => {
  it.each([
    ['Good morning. Dr. Rivera moved the meeting to 9:45 today.', 'Good-morning-Dr-Rivera-moved-the-meeting-to-9-45'],
    ['# Chapter 1: "It\'s late"', "Chapter-1-It's-late"],
    ['../../etc/passwd', 'etc-passwd'],
    ['日本語のテキスト', '日本語のテキスト'],
    ['👍 …', 'speech'],
  ])('names %j', (text, name) => {
    expect(fileName(text)).toBe(name);
  });
});
