/** Several voices in commands: a book with a cast, and tags in a plain text. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { serverAtHome } from '../support/at-home.js';

const { home, run, jobs } = await serverAtHome({ sine: { msPerChar: 4 } });
const { all } = loadCatalogue();

/** What was said while `action` ran, in the order of the text, as `voice: text`. */
async function said(action: () => Promise<unknown>): Promise<string[]> {
  const before = jobs().length;
  await action();
  const voiceOf = (mix: unknown) =>
    all.find((entry) => JSON.stringify(entry.mix) === JSON.stringify(mix))?.voice.id ?? 'unknown';
  return jobs()
    .slice(before)
    .map(({ mix, segment }) => `${voiceOf(mix)}: ${segment.text.trim()}`);
}

const BOOK = `# The Tide

“The tide is turning,” said Captain Ahab. “Do you see it, Mr. Starbuck?”

“I see it,” said Starbuck quietly.

“Then let us go home.”

Nobody moved. “It is late,” somebody said.
`;
writeFileSync(home.file('tide.md'), BOOK);
const NARRATOR = 'english_female_professional';

describe('tts book with a cast', () => {
  it('writes a draft with how often each speaks, and does not replace it', async () => {
    expect(await run(['book', 'tide.md', '--cast-draft', 'tide.cast'])).toMatchObject({ code: 0, stderr: '' });
    const draft = readFileSync(home.file('tide.cast'), 'utf8');
    const lines = draft
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('# Who') && !line.startsWith('# A'));
    expect(lines[0]).toBe('# 4 of 5 quotations have a speaker; the narrator reads the others.');
    expect(lines[1]).toBe(`narrator = ${NARRATOR}`);
    expect(lines[2]).toMatch(/^Captain Ahab = \w+ {2}# 3 times$/);
    expect(lines[3]).toMatch(/^# Starbuck = \w+ {2}# once$/);
    expect(lines[2]).not.toContain(NARRATOR);
    expect(await run(['book', 'tide.md', '--cast-draft', 'tide.cast'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/edited.*Name another file/),
    });
    expect(String((await run(['book', 'tide.md', '--cast-draft', '-'])).stdout)).toBe(draft);
  });

  it('reads each character in the voice of the cast, and the rest in the narrator’s', async () => {
    writeFileSync(home.file('a.cast'), 'Ahab = british_male_george # three times\nStarbuck = am_adam\n');
    const first = await said(() => run(['book', 'tide.md', '-o', 'tide.mp3', '-q', '--cast', 'a.cast']));
    expect([...first].sort()).toEqual(
      [
        `${NARRATOR}: The Tide`,
        'british_male_george: “The tide is turning,”',
        `${NARRATOR}: said Captain Ahab.`,
        'british_male_george: “Do you see it, Mr. Starbuck?”',
        'american_male_adam: “I see it,”',
        `${NARRATOR}: said Starbuck quietly.`,
        'british_male_george: “Then let us go home.”',
        `${NARRATOR}: Nobody moved.`,
        `${NARRATOR}: “It is late,” somebody said.`,
      ].sort(),
    );
    // Only what is said in another voice now is made anew.
    writeFileSync(home.file('a.cast'), 'narrator = english_female_professional\nAhab = british_male_george\n');
    const second = await said(() => run(['book', 'tide.md', '-o', 'tide.mp3', '-q', '--cast', 'a.cast']));
    expect(second).toEqual([`${NARRATOR}: “I see it,” said Starbuck quietly.`]);
  });

  it('tells a mistake by its line, and who of the cast says nothing', async () => {
    writeFileSync(home.file('b.cast'), '# A cast\nAhab = british_male_gorge\n');
    expect(await run(['book', 'tide.md', '-o', 'b.mp3', '--cast', 'b.cast'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/b\.cast, line 2: .*british_male_george/),
    });
    writeFileSync(home.file('b.cast'), 'Ahab british_male_george\n');
    expect(await run(['book', 'tide.md', '-o', 'b.mp3', '--cast', 'b.cast'])).toMatchObject({
      stderr: expect.stringMatching(/line 1: .*NAME = VOICE/),
    });
    writeFileSync(home.file('b.cast'), 'Queequeg = british_male_george\n');
    expect(await run(['book', 'tide.md', '-o', 'b.mp3', '--cast', 'b.cast'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/nothing is said by: Queequeg/),
    });
    expect(await run(['book', 'tide.md', '--cast', 'none.cast'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no such file/),
    });
  });
});

describe('--voice-tags', () => {
  const text = 'He said: [voice:bm_george]Good day & good luck.[/voice] And left.';
  it('changes the voice of what is spoken, in a file and in a pipe', async () => {
    const wanted = [
      `${NARRATOR}: He said:`,
      'british_male_george: <voice name="british_male_george">Good day &amp; good luck.</voice>',
      `${NARRATOR}: And left.`,
    ];
    expect(await said(() => run(['speak', '--voice-tags', text, '-o', 'tags.wav', '-q']))).toEqual(wanted);
    const streamed = await said(() => run(['stream', '--voice-tags', '-o', 'tags.wav', '-q'], { stdin: text }));
    expect(streamed).toEqual(wanted);
  });

  it('makes subtitles without the tags', async () => {
    expect(await run(['speak', '--voice-tags', text, '-o', 'tags.wav', '--srt', '-', '-q'])).toMatchObject({ code: 0 });
    const { stdout } = await run(['speak', '--voice-tags', text, '-o', 'tags.wav', '--srt', '-', '-q']);
    expect(String(stdout)).toContain('Good day & good luck.');
    expect(String(stdout)).not.toContain('voice');
  });

  it('is not for SSML, which has its own', async () => {
    expect(await run(['speak', '--voice-tags', '--ssml', 'Hi.', '-o', 'x.wav'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/<voice name=/),
    });
  });
});
