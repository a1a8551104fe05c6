/** `tts explain` as people run it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome, tts } from '../../support/processes/tts.js';

let home: Home;
beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());

const explain = (args: readonly string[], stdin: string | undefined = undefined) =>
  tts(['explain', ...args], { env: home.env, ...(stdin === undefined ? {} : { stdin }) });

interface Explained {
  readonly text: string;
  readonly normalized: string;
  readonly phonemes: string;
  readonly parts: readonly {
    readonly kind: string;
    readonly ms?: number;
    readonly tokens?: readonly { id: number }[];
  }[];
}

describe('tts explain', () => {
  it('shows each step from the text to the tokens, and how to change a word', async () => {
    const { code, stdout } = await explain(['Hello there. It costs $5 today.']);
    const shown = stdout.toString();
    expect(code).toBe(0);
    expect(shown).toContain('Segment 1 of 2, from character 0, sentence pause after it');
    expect(shown).toContain('normalised  It costs five dollars today.');
    expect(shown).toContain('$5 → fˈIv dˈɑləɹz');
    expect(shown).toContain('phonemes    həlˈO ðˈɛɹ.');
    expect(shown).toMatch(/tokens {6}11: 50 83 54 156 31 16/);
    expect(shown).toContain('--lexicon FILE');
  });

  it('prints JSON, with SSML and from a pipe', async () => {
    const { code, stdout } = await explain(['--json', '--ssml'], 'One<break time="1s"/><sub alias="two">2nd</sub>');
    expect(code).toBe(0);
    const [segment, ...more] = JSON.parse(stdout.toString()) as Explained[];
    expect(more).toEqual([]);
    expect(segment!.parts.map(({ kind, ms }) => ms ?? kind)).toEqual(['speech', 1000, 'speech']);
    expect(segment!.phonemes).toBe('wˈʌn tˈu');
  });

  it('reads a file, with the words of a lexicon', async () => {
    writeFileSync(home.file('words.txt'), 'nginx = /ˈɛndʒɪnɛks/\n');
    writeFileSync(home.file('text.txt'), 'Start nginx now.');
    const { code, stdout } = await explain(['-f', home.file('text.txt'), '--lexicon', home.file('words.txt')]);
    expect(code).toBe(0);
    expect(stdout.toString()).toContain('nginx → ˈɛnʤɪnɛks');
  });

  it('reads with the accent of a voice', async () => {
    const voice = {
      id: 'from_london',
      display_name: 'From London',
      language: 'en',
      gender: 'female',
      description: 'British.',
      style: 'bf_emma',
    };
    mkdirSync(home.file('voices'), { recursive: true });
    writeFileSync(home.file('voices/from_london.json'), JSON.stringify(voice));
    const args = ['--voices-dir', home.file('voices'), '--json', 'Meet in the garden at 5:15.'];
    const british = await explain(['-v', 'from_london', ...args]);
    expect(british.code, british.stderr).toBe(0);
    const [segment] = JSON.parse(british.stdout.toString()) as Explained[];
    expect(segment!.normalized).toBe('Meet in the garden at quarter past five.');
    expect(segment!.phonemes).toContain('ɡˈɑːdən');
    const unknown = await explain(['-v', 'from_londn', ...args]);
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain('from_london');
  });

  it('says what is not spoken', async () => {
    const { stdout } = await explain(['Nice 世界 work']);
    expect(stdout.toString()).toMatch(/Not spoken \(characters\): .*2/);
    const markup = await explain(['--ssml', '<audio src="x.wav">Slowly</audio> now.']);
    expect(markup.stdout.toString()).toMatch(/^Without effect: <audio>$/m);
  });

  it('says where SSML or a lexicon is wrong, and fails', async () => {
    const ssml = await explain(['--ssml', 'a < b']);
    expect(ssml.code).toBe(2);
    expect(ssml.stderr).toContain('line 1, column 3');
    writeFileSync(home.file('bad.txt'), 'nonsense\n');
    const lexicon = await explain(['x', '--lexicon', home.file('bad.txt')]);
    expect(lexicon.code).toBe(2);
    expect(lexicon.stderr).toContain('bad.txt, line 1');
  });

  it('shows what a lexicon changes, line by line, before and after', async () => {
    const lexicon = home.file('diff-lexicon.txt');
    writeFileSync(lexicon, 'Siobhan = /ʃəˈvɔːn/\nzorblat = zorb lat\n');
    const text = 'Siobhan came.\nNothing here.\nA zorblat, and Siobhan.';
    const { code, stdout } = await explain(['--diff', lexicon, text]);
    const shown = stdout.toString();
    expect(code).toBe(0);
    expect(shown).toMatch(/Line 1 {2}Siobhan came\.\n {2}- Siobhan → .*\n {2}\+ Siobhan → Siobhan \/ʃəvˈɔn\//);
    expect(shown).not.toContain('Nothing here.');
    expect(shown).toContain('+ zorblat → zorb lat');
    expect(shown).toContain('2 of 3 lines change.');
    const json = await explain(['--diff', lexicon, '--json', 'Nothing here.']);
    expect(JSON.parse(json.stdout.toString())).toEqual([]);
  });
});
