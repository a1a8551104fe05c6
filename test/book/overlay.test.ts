/** EPUB 3 with media overlays: books of every kind, where each word stands, and when it is said. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEncoder } from '../../src/audio/encoder.js';
import type { ReadingOptions } from '../../src/book/book.js';
import { utterancesOf } from '../../src/book/make/utterances.js';
import { type Element, find, findAll, isElement, parseXml, textInside } from '../../src/book/markup.js';
import { MarkedSource } from '../../src/book/overlay/marks.js';
import { OverlayBook } from '../../src/book/overlay/overlay-book.js';
import { openPublication } from '../../src/book/overlay/publication.js';
import { readBook } from '../../src/book/read-book.js';
import type { Language } from '../../src/protocol/job.js';
import { type EpubParts, epubFiles, epubOf, type ZipFiles, zipOf } from '../../testkit/epub.js';
import { unzip } from '../../testkit/unzip.js';
import { epubProblems, hasEpubcheck } from '../support/books/epubcheck.js';
import { readOverlays } from '../support/books/overlays.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tts-overlay-'));
let count = 0;

interface Making extends Partial<ReadingOptions> {
  readonly by?: 'sentence' | 'word';
  readonly language?: Language;
  readonly indices?: readonly number[];
}

/** Every character takes so long in these books. */
const CHAR_MS = 10;
const REST_MS = 100;

/** The book with a sound that lasts as long as its text: the file, and what is in it. */
async function made(name: string, content: Buffer | string, making: Making = {}) {
  const file = path.join(folder, `${++count}-${name}`);
  writeFileSync(file, content);
  const out = path.join(folder, `${count}-out.epub`);
  const { by = 'sentence', language = 'en-US', notes = 'skip', skipBroken = false } = making;
  const book = await readBook(file, { notes, skipBroken });
  const publication = await openPublication(book, file, { language, pictures: 'beside' });
  const handle = await open(out, 'wx+');
  const indices = making.indices ?? book.chapters.map((_, index) => index);
  const sound = { ending: 'mp3', open: () => createEncoder('mp3') } as const;
  const overlay = new OverlayBook({ publication, handle, indices, by, sound, narrator: 'a voice', language });
  for (const index of indices) {
    const utterances = await utterancesOf(publication.book.chapters[index]!, language, { places: true });
    await overlay.chapter(index, utterances);
    for (const utterance of utterances) {
      const startsMs = [...utterance.text].map((_, char) => char * CHAR_MS);
      const pcm = new Int16Array(startsMs.length * CHAR_MS * 24).fill(100);
      await overlay.write({ utterance, pcm, startsMs, isNew: true }, REST_MS);
    }
  }
  await overlay.finish();
  overlay.close();
  await handle.close();
  const files = unzip(readFileSync(out));
  return { out, files, ...readOverlays(files) };
}

/** The text nodes of a document, in order. */
function allText(bytes: Buffer | string, name: string): string[] {
  const texts: string[] = [];
  const visit = ({ children }: Element) => {
    for (const child of children)
      if (isElement(child)) visit(child);
      else texts.push(child.text);
  };
  visit(parseXml(Buffer.from(bytes), name));
  return texts;
}

const LAMP: EpubParts = {
  title: 'The Lamp &amp; the Sea',
  documents: {
    'a.xhtml': `<h1 id="one">Dusk</h1><p>The keeper &amp; his <i>old <b>dog</b></i> climbed. “Stop,” he said<a epub:type="noteref" href="#n1">1</a>; it went on.<span epub:type="pagebreak" id="p3" title="3"/> <em>All of it was over.</em> Half of it <i>lay there. And the rest</i> did not.</p>
      <table><tr><td>Ann</td><td>seven</td></tr></table><div class="poem"><p>One line<br/>two lines</p></div>
      <ol><li>apple</li><li><p>pear</p></li></ol><aside epub:type="footnote" id="n1"><p>A note of his.</p></aside>
      <p>He said <span lang="fr">bonjour, madame</span> again &#8212; &quot;<b>O</b>nce&quot;.</p><p><!-- c -->After<!-- d --> a [<![CDATA[raw < text]]>] it ended.</p>
      <p lang="ja"><ruby>東京<rt>とうきょう</rt></ruby>へ。</p>
      <p>Energy: <math xmlns="http://www.w3.org/1998/Math/MathML" alttext="E equals m"><mi>E</mi></math>.</p>`,
    'b%20c.xhtml': '<h1>Night</h1><p>Nobody saw.<a epub:type="noteref" href="a.xhtml#n1">2</a></p>',
  },
  contents: [
    ['I. Dusk', 'a.xhtml#one'],
    ['II. Night', 'b%20c.xhtml'],
  ],
};

function lamp(): Record<string, string | Buffer> {
  const files = epubFiles(LAMP);
  files['OEBPS/b c.xhtml'] = files['OEBPS/b%20c.xhtml']!;
  delete files['OEBPS/b%20c.xhtml'];
  const opf = String(files['OEBPS/book.opf']).replace(
    'href="a.xhtml" media-type="application/xhtml+xml"',
    '$& properties="mathml"',
  );
  return { ...files, 'OEBPS/book.opf': opf };
}

const xhtml11 = (body: string) =>
  `<?xml version="1.0" encoding="iso-8859-1"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><meta http-equiv="Content-Type" content="application/xhtml+xml; charset=utf-8"/><title>t</title></head><body>${body}</body></html>`;

const OLD: EpubParts = {
  version: 2,
  documents: { 'cover.xhtml': '', 'a.xhtml': '', 'b.xhtml': '' },
  contents: [
    ['One', 'a.xhtml', [['Inner', 'a.xhtml#in']]],
    ['Two', 'b.xhtml'],
  ],
  metadata:
    '<dc:contributor opf:role="ill" opf:file-as="D, E">E D</dc:contributor><dc:date opf:event="publication">1899</dc:date><dc:date opf:event="modification">2001-02-03</dc:date><meta name="cover" content="pic"/>',
  manifest: '<item id="pic" href="pic.png" media-type="image/png"/>',
  extra: {
    'OEBPS/pic.png': Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    'OEBPS/cover.xhtml': xhtml11('<div><img src="pic.png" alt="cover" border="0" width="100%"/></div>'),
    'OEBPS/a.xhtml': Buffer.from(
      xhtml11(
        '<h1 align="center">One</h1><p id="in">A caf&eacute;&nbsp;is <big>big</big> and d\xe9j\xe0 <tt>code</tt>.<a name="x"></a></p><center><p>Middle of it.</p></center><table border="1" cellpadding="2" summary="s"><tr><td align="left" width="20%" valign="top">cell</td></tr></table><hr width="50%" /><ul type="disc"><li>thing</li></ul><svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>',
      ),
      'latin1',
    ),
    'OEBPS/b.xhtml': xhtml11('<h1>Two</h1><p>The <font color="red">end</font> of it.</p>'),
  },
};

const MARKDOWN =
  '# A short book\n\nBefore it begins.\n\n## One\n\nThe **first** chapter is `short` &amp; sweet\nand long. It *has* <two> sentences.\n\n> quoted\n\n- item\n\n## Two\n\nSo is the second.\n';
const PICTURE = OLD.extra!['OEBPS/pic.png'] as Buffer;
const HTML =
  '<!doctype html><title>A page</title><script>let x = "</p>";</script><h1 id="a b">First</h1><p align=center>Some text &amp; a <a href="x.html">link</a><img src="https://example.org/x.png"> goes.<p>More <foo>of it</foo> here<br>now. <nav>no</nav><h1>Second</h1><foo><p style="display: none">hidden</p><p>The end.</p></foo>' +
  '<img alt="A dot &amp; more" width=9 src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">' +
  `<picture><source srcset=b.webp><img src="data:image/png;base64,${PICTURE.toString('base64')}"></picture>` +
  '<div><img src="a%20dot.jpg"><img src="../out.png"><img src="/etc/passwd"><img src="missing.png"><img></div>';
const JAPANESE: EpubParts = {
  language: 'ja',
  documents: { 'a.xhtml': '<h1>一</h1><p><ruby>東京<rt>とうきょう</rt></ruby>へ行く。雨が降る。</p>' },
  contents: [['一', 'a.xhtml']],
};

describe('an EPUB with its sound', () => {
  it('lights sentences whole where they can be, each until the next begins', async () => {
    const { clips, metadata } = await made('lamp.epub', zipOf(lamp()));
    expect(clips.map(({ text }) => text)).toEqual([
      'Dusk',
      'The keeper & his old dog climbed.',
      '“Stop,” he said1; it went on.',
      'All of it was over.',
      'Half of it',
      'lay there.',
      'And the rest',
      'did not.',
      'Ann',
      'seven',
      'One line',
      'two lines',
      'apple',
      'pear',
      'He said bonjour, madame again — "Once".',
      'After a [raw < text] it ended.',
      '東京とうきょうへ。',
      'Energy:',
      '.',
      'Night',
      'Nobody saw.',
    ]);
    for (const [index, clip] of clips.entries()) {
      const next = clips[index + 1];
      if (next?.sound === clip.sound) expect(clip.endMs).toBe(next.beginMs);
    }
    expect(new Set(clips.map(({ sound }) => sound))).toEqual(new Set(['OEBPS/tts/001.mp3', 'OEBPS/tts/002.mp3']));
    expect(metadata).toMatchObject({ 'media:active-class': 'tts-active', 'media:narrator': 'a voice' });
  });

  it('lights words when they are said, also inside markup and other languages', async () => {
    const { clips } = await made('lamp.epub', zipOf(lamp()), { by: 'word', notes: 'end' });
    const first = clips.slice(0, 8);
    expect(first.map(({ text }) => text)).toEqual(['Dusk', 'The', 'keeper', '&', 'his', 'old', 'dog', 'climbed.']);
    const dusk = 4 * CHAR_MS + REST_MS;
    const sentence = 'The keeper & his old dog climbed.';
    expect(first.slice(1).map(({ beginMs }) => beginMs - dusk)).toEqual(
      ['The', 'keeper', '&', 'his', 'old', 'dog', 'climbed.'].map((word) => sentence.indexOf(word) * CHAR_MS),
    );
    const texts = clips.map(({ text }) => text);
    // The marks of its language are sent, and count.
    const sent = 'He said <lang xml:lang="fr-FR">bonjour, madame</lang> again — &quot;Once&quot;.';
    const said = clips[texts.indexOf('bonjour,') - 2]!;
    const times = clips.slice(texts.indexOf('bonjour,') - 2).map(({ beginMs }) => (beginMs - said.beginMs) / CHAR_MS);
    expect([said.text, times[2], times[4]]).toEqual(['He', sent.indexOf('bonjour'), sent.indexOf('again')]);
    expect(texts).toContain('"Once".');
    // A note that two chapters read is one span with two sounds.
    const notes = clips.filter(({ text }) => text === 'note');
    expect(notes.map(({ id }) => id)).toEqual([notes[0]!.id, notes[0]!.id]);
    expect(new Set(notes.map(({ sound }) => sound)).size).toBe(2);
  });

  it('keeps every text node and everything else of a book', async () => {
    const before = lamp();
    const { files } = await made('lamp.epub', zipOf(before), { by: 'word' });
    for (const name of ['OEBPS/a.xhtml', 'OEBPS/b c.xhtml']) {
      expect(allText(files.get(name)!, name).join('')).toBe(allText(before[name]!, name).join(''));
      const bare = String(files.get(name)).replace(/<span id="tts\d+">|<\/span>|<link [^>]*\/>/g, '');
      expect(bare).toBe(String(before[name]).replace('encoding="UTF-8"', 'encoding="utf-8"').replace('</span>', ''));
    }
    expect(String(files.get('OEBPS/nav.xhtml'))).toBe(String(before['OEBPS/nav.xhtml']));
    expect([...files.keys()][0]).toBe('mimetype');
  });

  it('is an EPUB 3 where the book was an EPUB 2', async () => {
    const { files, root, clips, metadata } = await made('old.epub', epubOf(OLD));
    expect(root.attributes.version).toBe('3.0');
    expect(metadata['dcterms:modified']).toBe('1899-01-01T00:00:00Z');
    const nav = findAll(root, 'item').find(({ attributes }) => attributes.properties === 'nav')!;
    const list = find(parseXml(files.get(`OEBPS/${nav.attributes.href}`)!, 'nav'), 'nav')!;
    expect(findAll(list, 'a').map((link) => [textInside(link), link.attributes.href])).toEqual([
      ['One', '../a.xhtml'],
      ['Inner', '../a.xhtml#in'],
      ['Two', '../b.xhtml'],
    ]);
    const properties = findAll(root, 'item').map(({ attributes }) => [attributes.href, attributes.properties]);
    expect(properties).toEqual(
      expect.arrayContaining([
        ['pic.png', 'cover-image'],
        ['a.xhtml', 'svg'],
      ]),
    );
    expect(clips.map(({ text }) => text)).toContain('A café\u00a0is big and déjà code.'.replace('\u00a0', ' '));
    expect(files.get('OEBPS/pic.png')).toEqual(OLD.extra!['OEBPS/pic.png']);
  });

  it('is made of Markdown and HTML as well', async () => {
    const text = await made('short.md', MARKDOWN);
    expect(text.clips.map((clip) => clip.text)).toEqual([
      'A short book',
      'Before it begins.',
      'One',
      'The first chapter is short & sweet and long.',
      'It has <two> sentences.',
      'quoted',
      'item',
      'Two',
      'So is the second.',
    ]);
    writeFileSync(path.join(folder, 'a dot.jpg'), PICTURE);
    const page = await made('page.html', HTML);
    expect(page.clips.map((clip) => clip.text)).toEqual([
      'First',
      'Some text & a link goes.',
      'More of it here',
      'now.',
      'Second',
      'The end.',
    ]);
    const nav = [...page.files].find(([name]) => name.endsWith('nav.xhtml'))!;
    expect(findAll(parseXml(nav[1], 'nav'), 'a').map(textInside)).toEqual(['First', 'Second']);
    const images = findAll(parseXml(page.files.get('EPUB/book.xhtml')!, 'book'), 'img');
    expect(images.map(({ attributes: { src, alt } }) => [src, alt])).toEqual([
      ['pictures/001.gif', 'A dot & more'],
      ['pictures/002.png', ''],
      ['pictures/002.png', ''],
    ]);
    expect(page.files.get('EPUB/pictures/002.png')).toEqual(PICTURE);
    expect([...page.files.keys()].filter((name) => name.includes('pictures/'))).toHaveLength(2);
  });

  it('has sound for some chapters only where only those are made', async () => {
    const { clips, files } = await made('lamp.epub', zipOf(lamp()), { indices: [1] });
    expect(new Set(clips.map(({ document }) => document))).toEqual(new Set(['OEBPS/b c.xhtml']));
    expect(String(files.get('OEBPS/a.xhtml'))).toBe(String(lamp()['OEBPS/a.xhtml']));
  });

  it('cuts Japanese into words', async () => {
    const { clips } = await made('ja.epub', epubOf(JAPANESE), { by: 'word', language: 'ja-JP' });
    expect(clips.length).toBeGreaterThan(4);
    expect(clips.some(({ text }) => text === '雨')).toBe(true);
  });

  it('can be made of what it made', async () => {
    const { out } = await made('short.md', MARKDOWN);
    const again = await made('again.epub', readFileSync(out), { by: 'word' });
    expect(again.clips.map(({ text }) => text)).toContain('chapter');
    expect(again.clips.every(({ id }) => id.startsWith('ttsx'))).toBe(true);
  });
});

describe('marks in a document', () => {
  it('stand where the text is written, whatever it is written with', () => {
    const source = '<p>a &amp;&#x26; <b>b</b>\r\nc <i>d</i></p>';
    const texts = allText(source, 'x');
    const marked = new MarkedSource(source);
    expect(texts).toEqual(['a && ', 'b', '\nc ', 'd']);
    const word = (node: number, from: number, to: number) => marked.mark([{ node, from, to }])[0]!.id;
    const ids = [word(0, 2, 4), word(2, 1, 2), word(3, 0, 9)];
    expect(String(marked)).toBe(
      `<p>a <span id="${ids[0]}">&amp;&#x26;</span> <b>b</b>\r\n<span id="${ids[1]}">c</span> <i><span id="${ids[2]}">d</span></i></p>`,
    );
    expect(marked.mark([{ node: 9, from: 0, to: 1 }])).toEqual([]);
  });
});

if (!hasEpubcheck()) {
  it('leaves out what epubcheck says: it is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('epubcheck', () => {
    const books: readonly [string, string, Buffer | string | ZipFiles, Making][] = [
      ['an EPUB 3, with its notes', 'lamp.epub', zipOf(lamp()), { by: 'word', notes: 'end' }],
      ['an EPUB 2', 'old.epub', epubOf(OLD), {}],
      ['Markdown', 'short.md', MARKDOWN, {}],
      ['HTML', 'page.html', HTML, { by: 'word' }],
    ];
    let problems: readonly (readonly string[])[];
    let ofBroken: readonly string[];
    beforeAll(async () => {
      const files: string[] = [];
      for (const [, name, content, making] of books) files.push((await made(name, content as Buffer, making)).out);
      const broken = path.join(folder, 'broken.epub');
      const whole = epubFiles(OLD);
      delete whole['OEBPS/pic.png'];
      writeFileSync(broken, zipOf(whole));
      // First, so that a message that came below the wrong file would be seen there.
      [ofBroken = [], ...problems] = epubProblems([broken, ...files]);
    }, 180_000);

    it.each(books.map(([of], at) => [of, at] as const))('finds nothing wrong with %s', (_, at) => {
      expect(problems[at]!.filter((line) => !line.includes('Filename contains spaces'))).toEqual([]);
    });

    it('finds what is wrong with a book without its picture', () => {
      expect(ofBroken).toContainEqual(expect.stringMatching(/^ERROR.*pic\.png/));
    });
  });
}
