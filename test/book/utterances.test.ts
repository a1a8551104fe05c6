/** Chapters as they are said: sentences, markup for other languages, and the rests between. */
import { describe, expect, it } from 'vitest';
import type { Block, TextRun } from '../../src/book/book.js';
import { utterancesOf } from '../../src/book/make/utterances.js';
import type { Language } from '../../src/protocol/job.js';

const block = (kind: Block['kind'], ...runs: (string | TextRun)[]): Block => ({
  kind,
  file: 0,
  runs: runs.map((run) => (typeof run === 'string' ? { text: run } : run)),
});
const said = (blocks: Block[], language: Language = 'en-US') => utterancesOf({ title: '', blocks }, language);

describe('utterances', () => {
  it('are sentences, without white space around them, with a rest by what follows', async () => {
    const list = await said([
      block('heading', 'Chapter One'),
      block('paragraph', '  The keeper   climbed the stairs. ', 'Nobody saw ', 'the ship at all.'),
      block('verse', 'A line of verse'),
      block('verse', 'and another one'),
      { ...block('verse', 'of another stanza'), apart: true },
      { ...block('paragraph', 'Another scene begins.'), apart: true },
      block('paragraph', '***'),
    ]);
    expect(list.map(({ text, ssml, restMs }) => [text, ssml, restMs])).toEqual([
      ['Chapter One', false, 1000],
      ['The keeper climbed the stairs.', false, 420],
      ['Nobody saw the ship at all.', false, 800],
      ['A line of verse', false, 350],
      ['and another one', false, 800],
      ['of another stanza', false, 1500],
      ['Another scene begins.', false, 800],
    ]);
  });

  it('rest as a narrator does, and know their place in the paragraph', async () => {
    const text = 'The keeper climbed the stairs of the tower. “Is it you?” she asked. Nobody answered for a long time.';
    const quotation = { from: text.indexOf('“'), to: text.indexOf('”') + 1, voice: 'american_female_nova' };
    const blocks = [block('paragraph', text), block('paragraph', 'It rained.')];
    const options = { style: 'narration', voices: [[quotation], undefined] } as const;
    const list = await utterancesOf({ title: '', blocks }, 'en-US', options);
    expect(list.map(({ shown, place }) => [shown.split(' ')[0], place])).toEqual([
      ['The', { sentence: 0, last: false }],
      ['“Is', { sentence: 1, last: false }],
      ['she', { sentence: 2, last: false }],
      ['Nobody', { sentence: 3, last: true }],
      ['It', { sentence: 0, last: true }],
    ]);
    const [first, asked, , last] = list.map(({ restMs }) => restMs);
    expect(asked).toBeLessThan(250);
    expect(first).toBeGreaterThan(350);
    expect(last).toBeGreaterThan(first!);
    expect(await utterancesOf({ title: '', blocks }, 'en-US', options)).toEqual(list);
  });

  it('name another language and the reading of ruby in markup, and escape the rest', async () => {
    const [french] = await said([
      block(
        'paragraph',
        'He & she said ',
        { text: 'bonjour <madame>', language: 'fr-CA' },
        ' to ',
        { text: 'Ed', language: 'en-GB' },
        '.',
      ),
    ]);
    expect(french).toMatchObject({
      ssml: true,
      text: 'He &amp; she said <lang xml:lang="fr-FR">bonjour &lt;madame&gt;</lang> to Ed.',
      shown: 'He & she said bonjour <madame> to Ed.',
    });
    const [ruby] = await said([block('paragraph', { text: '東京', alias: 'とうきょう' }, 'へ行く。')], 'ja-JP');
    expect(ruby!.text).toBe('<sub alias="とうきょう">東京</sub>へ行く。');
    // A language that nobody speaks here is read by the voice.
    expect((await said([block('paragraph', { text: 'Guten Tag zusammen.', language: 'de' })]))[0]).toMatchObject({
      ssml: false,
    });
  });

  it('keep a span of another language whole where a sentence ends inside it', async () => {
    const list = await said([
      block(
        'paragraph',
        'She said: ',
        { text: 'Je ne sais pas du tout. Demandez à mon frère.', language: 'fr' },
        ' And left.',
      ),
    ]);
    expect(list.map(({ text }) => text)).toEqual([
      'She said: <lang xml:lang="fr-FR">Je ne sais pas du tout. </lang>',
      '<lang xml:lang="fr-FR">Demandez à mon frère.</lang>',
      'And left.',
    ]);
  });
});
