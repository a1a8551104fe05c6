/** EPUBs of both versions as they are read: order, names, what is left out, and broken ones. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Book, type ReadingOptions, textOf } from '../../src/book/book.js';
import { readBook } from '../../src/book/read-book.js';
import { type EpubParts, epubFiles, epubOf, zipOf } from '../../testkit/epub.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tts-epub-'));
let count = 0;
const STRICT: ReadingOptions = { notes: 'skip', skipBroken: false };

function read(bytes: Buffer, options: Partial<ReadingOptions> = {}): Promise<Book> {
  const file = path.join(folder, `${++count}.epub`);
  writeFileSync(file, bytes);
  return readBook(file, { ...STRICT, ...options });
}
const shown = ({ chapters }: Book) =>
  chapters.map(({ title, blocks }) => [title, ...blocks.map((block) => `${block.kind}: ${textOf(block)}`)]);
const one = async (body: string, options: Partial<ReadingOptions> = {}, parts: Partial<EpubParts> = {}) =>
  shown(await read(epubOf({ documents: { 'a.xhtml': body }, ...parts }), options))[0]!.slice(1);

describe.each([2, 3] as const)('an EPUB %i', (version) => {
  const parts: EpubParts = {
    version,
    title: 'The Lamp &amp; the Sea',
    author: 'A. Writer',
    documents: {
      'title.xhtml': '<h1>The Lamp</h1><p>by A. Writer</p>',
      'part.xhtml': '<h1>Part One</h1>',
      'c%201.xhtml': '<h2 id="one">Dusk</h2><p>The keeper climbed.</p><h2 id="two">Night</h2><p>Nobody saw.</p>',
      'more.xhtml': '<p>It went on.</p>',
      'c2.xhtml': '<h2>Dawn</h2><p>The end.</p>',
    },
    contents: [
      [
        'Part One',
        'part.xhtml',
        [
          ['I. Dusk', 'c%201.xhtml#one', [['fine', 'c%201.xhtml#fine']]],
          ['II. Night', 'c%201.xhtml#two'],
        ],
      ],
      ['III. Dawn', 'c2.xhtml'],
    ],
  };
  const files = epubFiles(parts);
  files['OEBPS/c 1.xhtml'] = files['OEBPS/c%201.xhtml']!;
  delete files['OEBPS/c%201.xhtml'];

  it('is read in the order of the spine, with names of the table of contents', async () => {
    const book = await read(zipOf(files));
    expect(book).toMatchObject({ title: 'The Lamp & the Sea', author: 'A. Writer', language: 'en', problems: [] });
    expect(shown(book)).toEqual([
      ['The Lamp', 'heading: The Lamp', 'paragraph: by A. Writer'],
      [
        'Part One: I. Dusk',
        'heading: Part One',
        'heading: Dusk',
        'paragraph: The keeper climbed.',
        'heading: Night',
        'paragraph: Nobody saw.',
        'paragraph: It went on.',
      ],
      ['III. Dawn', 'heading: Dawn', 'paragraph: The end.'],
    ]);
  });

  it('has chapters inside one file where they are long', async () => {
    const long = files['OEBPS/c 1.xhtml']!.toString().replace(/Nobody saw\./, 'Nobody saw. '.repeat(3_000));
    const book = await read(zipOf({ ...files, 'OEBPS/c 1.xhtml': long }));
    expect(book.chapters.map(({ title }) => title)).toEqual([
      'The Lamp',
      'Part One: I. Dusk',
      'II. Night',
      'III. Dawn',
    ]);
  });

  it('is read by its headings where it has no table of contents', async () => {
    const { contents: _, ...without } = parts;
    const documents = { 'a.xhtml': '<h1>One</h1><p>First.</p>', 'b.xhtml': '<p>Second.</p>' };
    expect(shown(await read(epubOf({ ...without, documents })))).toEqual([
      ['One', 'heading: One', 'paragraph: First.'],
      ['t', 'paragraph: Second.'],
    ]);
  });
});

describe('what is not read', () => {
  it('leaves out page numbers, marks of notes, and notes', async () => {
    const body = `<p>A line<span epub:type="pagebreak" id="p3">3</span> goes on.<a epub:type="noteref" href="#n1">1</a>
      And<sup><a href="#n2">2</a></sup> on<a class="fnanchor" href="#n3">[3]</a>, see <a href="#x">page 3</a>; H<sub>2</sub>O, 1<sup>st</sup>.</p>
      <p><span class="pagenum">[Pg 4]</span>Next.</p>
      <aside epub:type="footnote" id="n1"><p>A note.</p></aside>
      <section role="doc-endnotes"><h2>Notes</h2><ol><li id="n2">Second note. <a href="#r2" role="doc-backlink">↩</a></li></ol></section>
      <div class="footnote"><p><a id="n3"></a><a href="#r3">[3]</a> Third note.</p></div>`;
    expect(await one(body)).toEqual(['paragraph: A line goes on. And on, see page 3; H2O, 1st.', 'paragraph: Next.']);
    expect((await one(body, { notes: 'end' })).slice(2)).toEqual([
      'note: A note.',
      'note: Second note.',
      'note: Third note.',
    ]);
  });

  it('reads notes of another file behind the chapter that refers to them', async () => {
    const documents = {
      'a.xhtml': '<h1>One</h1><p>Here.<a epub:type="noteref" href="n.xhtml#a">1</a></p>',
      'b.xhtml': '<h1>Two</h1><p>There.<a epub:type="noteref" href="n.xhtml#b">2</a></p>',
      'n.xhtml':
        '<section epub:type="endnotes"><h1>Notes</h1><aside id="a" epub:type="endnote">Of one.</aside><aside id="b" epub:type="endnote">Of two.</aside></section>',
    };
    expect(shown(await read(epubOf({ documents }), { notes: 'end' }))).toEqual([
      ['One', 'heading: One', 'paragraph: Here.', 'note: Of one.'],
      ['Two', 'heading: Two', 'paragraph: There.', 'note: Of two.'],
    ]);
  });

  it('leaves out contents, indexes, the edition, what is hidden, and captions that repeat', async () => {
    expect(
      await one(`<nav epub:type="landmarks"><ol><li>Cover</li></ol></nav><section epub:type="copyright-page"><p>All rights.</p></section>
        <p hidden="hidden">Gone</p><p style="display:none">Gone</p><p aria-hidden="true">Gone</p><div role="doc-index"><p>Lamp, 12</p></div>
        <figure><img src="i.png" alt="A lamp"/><figcaption>The lamp</figcaption></figure><p>Text.</p>
        <figure><img src="i.png" alt="A lamp"/><figcaption>The lamp</figcaption></figure><p><img alt="O" src="o.png"/>nce.</p>`),
    ).toEqual(['caption: The lamp', 'paragraph: Text.', 'paragraph: Once.']);
    const documents = {
      'toc.xhtml': `<h1>Contents</h1>${[1, 2, 3, 4].map((n) => `<p><a href="a.xhtml#${n}">Chapter number ${n}</a> .... ${n}</p>`).join('')}`,
      'a.xhtml': '<p>Text.</p>',
    };
    expect(shown(await read(epubOf({ documents })))).toEqual([['t', 'paragraph: Text.']]);
  });

  it('leaves out running heads, and the licence around a text of Project Gutenberg', async () => {
    const page = (n: number) => `<p>THE LAMP</p><p>Page of text ${n}.</p>`;
    const documents = Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}.xhtml`, page(n)]));
    expect(shown(await read(epubOf({ documents }))).flat()).not.toContain('paragraph: THE LAMP');
    const licensed = {
      'a.xhtml':
        '<p>This eBook is for the use of anyone.</p><p>*** START OF THE PROJECT GUTENBERG EBOOK LAMP ***</p><p>Told.</p>',
      'b.xhtml': '<p>More.</p><p>*** END OF THE PROJECT GUTENBERG EBOOK LAMP ***</p><p>Full license.</p>',
    };
    expect(
      shown(await read(epubOf({ documents: licensed })))
        .flat()
        .filter((text) => text.includes(':')),
    ).toEqual(['paragraph: Told.', 'paragraph: More.']);
  });
});

describe('how it is read', () => {
  it('tells quotations, verse by the line, lists, tables by the row, and breaks of a scene apart', async () => {
    expect(
      await one(`<blockquote><p>Quoted.</p></blockquote><div class="poem"><div class="stanza"><p>One<br/>two</p></div><p>three</p></div>
        <ul><li>apple</li><li><p>pear</p></li></ul><ol start="3"><li>third</li></ol>
        <table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td></td><td><p>7.</p></td></tr></table>
        <p>* * *</p><p>After.</p><p>A line<br/>and another</p><pre>x = 1\ny = 2</pre>`),
    ).toEqual([
      'quote: Quoted.',
      'verse: One',
      'verse: two',
      'verse: three',
      'item: apple',
      'item: pear',
      'item: 3. third',
      'row: Name, Age',
      'row: Ann, 7.',
      'paragraph: After.',
      'verse: A line',
      'verse: and another',
      'verse: x = 1',
      'verse: y = 2',
    ]);
    const { chapters } = await read(epubOf({ documents: { 'a.xhtml': '<p>One.</p><hr/><p>Two.</p>' } }));
    expect(chapters[0]!.blocks.map(({ apart }) => apart)).toEqual([undefined, true]);
  });

  it('keeps languages, the readings of ruby, and the words of formulas', async () => {
    const japanese = await read(
      epubOf({
        language: 'ja',
        documents: { 'a.xhtml': '<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>へ。</p>' },
      }),
    );
    expect(japanese.chapters[0]!.blocks[0]!.runs).toMatchObject([
      { text: '東京', alias: 'とうきょう' },
      { text: 'へ。' },
    ]);
    const body =
      '<p>He said <i xml:lang="fr">bonjour, <b>madame</b></i> and <ruby>漢<rt>kan</rt></ruby>: <math alttext="x squared"><mi>x</mi></math>.</p><p lang="de">Ja.</p>';
    const [first, second] = (await read(epubOf({ documents: { 'a.xhtml': body } }))).chapters[0]!.blocks;
    expect(textOf(first!)).toBe('He said bonjour, madame and 漢: x squared .');
    expect(first!.runs.filter(({ language }) => language === 'fr').map(({ text }) => text)).toEqual([
      'bonjour, ',
      'madame',
    ]);
    expect(second!.runs).toMatchObject([{ language: 'de' }]);
  });

  it('points from every run to its text node', async () => {
    const { chapters } = await read(
      epubOf({ documents: { 'a.xhtml': '<p>One <i>two</i>\nthree &amp; &eacute;</p>' } }),
    );
    const { runs } = chapters[0]!.blocks[0]!;
    const nodes = runs.map(({ at }) => at!.node);
    expect(runs.map(({ text }) => text)).toEqual(['One ', 'two', ' three & é']);
    expect(nodes).toEqual([nodes[0], nodes[0]! + 1, nodes[0]! + 2]);
  });
});

describe('a book that cannot be read', () => {
  const documents = { 'a.xhtml': '<p>Whole.</p>', 'b.xhtml': '<p>Broken.' };
  const refused = { code: 'book_unreadable' };

  it('is refused by name where a file is missing, is no XML, or is damaged', async () => {
    const files = epubFiles({ documents });
    await expect(read(zipOf(files))).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/OEBPS\/b\.xhtml .*XML/),
    });
    delete files['OEBPS/b.xhtml'];
    await expect(read(zipOf(files))).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('OEBPS/b.xhtml'),
    });
    const bytes = epubOf({ documents: { 'a.xhtml': `<p>${'Long text. '.repeat(50)}</p>` } });
    await expect(read(bytes.subarray(0, bytes.length / 2))).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/zip/),
    });
    const at = bytes.indexOf('OEBPS/a.xhtml') + 'OEBPS/a.xhtml'.length + 20;
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 0xff;
    await expect(read(damaged)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('OEBPS/a.xhtml'),
    });
    await expect(read(Buffer.from('PK\x03\x04 not a zip'))).rejects.toMatchObject(refused);
    await expect(read(zipOf({ mimetype: 'x' }))).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/container\.xml/),
    });
  });

  it('is read as far as that goes where it is asked for, and says what is missing', async () => {
    const files = epubFiles({ documents: { ...documents, 'c.xhtml': '<p>End.</p>' } });
    delete files['OEBPS/c.xhtml'];
    const book = await read(zipOf(files), { skipBroken: true });
    expect(shown(book).flat()).toEqual(['t', 'paragraph: Whole.', 't', 'paragraph: Broken.']);
    expect(book.problems).toMatchObject([expect.stringContaining('b.xhtml'), expect.stringContaining('c.xhtml')]);
  });

  it('is refused as locked where it has DRM, but not for a font that is hidden', async () => {
    const encryption = (algorithm: string) =>
      `<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData></encryption>`;
    const locked = (extra: Record<string, string>) => read(epubOf({ documents: { 'a.xhtml': '<p>Text.</p>' }, extra }));
    for (const extra of [
      { 'META-INF/encryption.xml': encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc') },
      { 'META-INF/rights.xml': '<rights/>' },
    ]) {
      await expect(locked(extra)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('DRM') });
    }
    expect(await locked({ 'META-INF/encryption.xml': encryption('http://www.idpf.org/2008/embedding') })).toBeDefined();
  });

  it('is refused where it unpacks to more than a book has, nests too deep, or leads out of the archive', async () => {
    const bomb = Buffer.alloc(40 * 1024 * 1024, ' ');
    expect(deflateRawSync(bomb).length * 200).toBeLessThan(bomb.length);
    const extra = { 'OEBPS/a.xhtml': bomb };
    await expect(read(epubOf({ documents: { 'a.xhtml': '' }, extra }))).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/unpack/),
    });
    const deep = '<div>'.repeat(1000) + '</div>'.repeat(1000);
    await expect(read(epubOf({ documents: { 'a.xhtml': deep } }))).rejects.toMatchObject(refused);
    await expect(
      read(epubOf({ documents: { 'a.xhtml': '<p>x</p>' }, extra: { '../../evil': 'x' } })),
    ).rejects.toMatchObject(refused);
    const entity = '<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><html><body><p>&b;</p></body></html>';
    await expect(
      read(epubOf({ documents: { 'a.xhtml': '' }, extra: { 'OEBPS/a.xhtml': entity } })),
    ).rejects.toMatchObject(refused);
  });
});

describe('a book in one file', () => {
  const readText = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return readBook(file, STRICT);
  };

  it('may be Markdown or HTML', async () => {
    const markdown = await readText(
      'm.md',
      '# The Lamp\n\n## Dusk\n\nA *keeper*.\n\n- one\n- two\n\n## Night\n\n> Quoted.\n',
    );
    expect(shown(markdown)).toEqual([
      ['The Lamp: Dusk', 'heading: The Lamp', 'heading: Dusk', 'paragraph: A *keeper*.', 'item: - one', 'item: - two'],
      ['Night', 'heading: Night', 'quote: > Quoted.'],
    ]);
    const html = await readText(
      'm.html',
      '<html lang="en"><title>The Lamp</title><h1>The Lamp<h2>Dusk</h2><p>One<p>Two<h2>Night</h2><ul><li>x</ul>',
    );
    expect(html).toMatchObject({ title: 'The Lamp', language: 'en' });
    expect(shown(html)).toEqual([
      ['The Lamp', 'heading: The Lamp'],
      ['Dusk', 'heading: Dusk', 'paragraph: One', 'paragraph: Two'],
      ['Night', 'heading: Night', 'item: x'],
    ]);
  });

  it('is refused where there is no such file, or it is something else', async () => {
    await expect(readBook(path.join(folder, 'none.epub'), STRICT)).rejects.toMatchObject({ code: 'usage' });
    await expect(readText('x.txt', 'a\0b')).rejects.toMatchObject({ code: 'book_unreadable' });
    await expect(readText('empty.txt', ' \n')).rejects.toMatchObject({ code: 'book_unreadable' });
  });
});
