/**
 * A book as an EPUB 3 with its sound, written as it is spoken: a file of sound for each chapter,
 * and each document with its overlay as soon as all of it was said.
 */
import type { FileHandle } from 'node:fs/promises';
import { msToSamples, samplesToMs } from '../../protocol/audio.js';
import type { BookChapter } from '../book.js';
import type { MadeSentence } from '../make/maker.js';
import type { WordPlace } from '../make/places.js';
import type { Utterance } from '../make/utterances.js';
import { MarkedSource } from './marks.js';
import { type NavEntry, navDocument } from './nav.js';
import { ACTIVE_CLASS, type AddedItem, packageSource } from './package-source.js';
import type { Publication } from './publication.js';
import { type Clip, hrefOf, lengthOf, smilOf } from './smil.js';
import { propertiesOf, withStyle } from './upgrade.js';
import { type ZipFile, ZipWriter } from './zip-writer.js';

/** An encoder of one file (`AudioEncoder`). */
interface SoundEncoder {
  encode(pcm: Int16Array): Uint8Array | Promise<Uint8Array>;
  end(): Uint8Array | Promise<Uint8Array>;
  settledHead(): Uint8Array | undefined;
  close(): void;
}

export interface OverlayOptions {
  readonly publication: Publication;
  /** The file, empty and open for reading and writing. */
  readonly handle: FileHandle;
  /** Places of the chapters that are spoken, in order. */
  readonly indices: readonly number[];
  /** What lights up at once. */
  readonly by: 'sentence' | 'word';
  readonly sound: {
    readonly ending: 'm4a' | 'mp3';
    /** Opens the file of the chapter at this place of the book. */
    readonly open: (chapter: number) => Promise<SoundEncoder>;
  };
  readonly narrator: string;
  readonly language: string;
}

/** What was said at once, and when. */
interface Said {
  readonly chapter: number;
  readonly places: readonly WordPlace[];
  /** When each place begins in the chapter's sound. */
  readonly beginsMs: readonly number[];
  endMs: number;
}

interface OpenChapter {
  /** Place in the book. */
  readonly index: number;
  readonly utterances: readonly Utterance[];
  readonly encoder: SoundEncoder;
  readonly file: ZipFile;
  next: number;
  samples: number;
  last: Said | undefined;
}

const MEDIA_TYPES = { m4a: 'audio/mp4', mp3: 'audio/mpeg' } as const;
const STYLE = `.${ACTIVE_CLASS} { background-color: #ffe9a8; color: #111; }\n`;
/** They are compressed already. */
const PACKED = /\.(?:jpe?g|png|gif|webp|mp3|m4a|mp4|aac|ogg|opus|woff2?)$/i;

export class OverlayBook {
  readonly #options: OverlayOptions;
  readonly #zip: ZipWriter;
  /** Folder of what is added. */
  readonly #folder: string;
  readonly #added: AddedItem[] = [];
  /** Ids of overlays by the paths of their documents. */
  readonly #overlays = new Map<string, string>();
  readonly #said = new Map<number, Said[]>();
  /** For each file, the last chapter that says something of it. */
  readonly #lastChapter = new Map<number, number>();
  /** Where each chapter that was spoken begins. */
  readonly #starts = new Map<number, NavEntry>();
  readonly #written = new Set<string>();
  #chapter: OpenChapter | undefined;
  #samples = 0;

  constructor(options: OverlayOptions) {
    this.#options = options;
    this.#zip = new ZipWriter(options.handle);
    const base = options.publication.opf.replace(/[^/]*$/, '');
    let name = 'tts';
    while (options.publication.hasPath(`${base}${name}/`)) name += 'x';
    this.#folder = `${base}${name}/`;
    for (const index of options.indices) {
      for (const { file } of this.#chapterAt(index).blocks) this.#lastChapter.set(file, index);
    }
  }

  /** Sound written so far. */
  get audioMs(): number {
    return samplesToMs(this.#samples);
  }

  /** The chapter at this place of the book begins. `utterances` know their places. */
  async chapter(index: number, utterances: readonly Utterance[]): Promise<void> {
    if (this.#chapter === undefined && this.#samples === 0) {
      await this.#zip.add('mimetype', 'application/epub+zip', true);
    }
    await this.#endChapter();
    const encoder = await this.#options.sound.open(index);
    const file = await this.#zip.open(this.#soundPath(index));
    this.#chapter = { index, utterances, encoder, file, next: 0, samples: 0, last: undefined };
  }

  /** The next sentence of the chapter, and the silence behind it. */
  async write({ pcm, startsMs }: MadeSentence, restMs: number): Promise<void> {
    const chapter = this.#chapter!;
    const { places = [], file, text } = chapter.utterances[chapter.next++]!;
    const beginMs = samplesToMs(chapter.samples);
    if (places.length > 0) {
      const lengthMs = samplesToMs(pcm.length);
      const chars = [...text].length;
      const at = ({ char }: WordPlace) => startsMs[char] ?? (lengthMs * char) / chars;
      const beginsMs = places.map((place) => Math.round(beginMs + Math.min(lengthMs, at(place))));
      const said = { chapter: chapter.index, places, beginsMs, endMs: 0 };
      if (chapter.last) chapter.last.endMs = beginsMs[0]!;
      chapter.last = said;
      const ofFile = this.#said.get(file) ?? [];
      ofFile.push(said);
      this.#said.set(file, ofFile);
    }
    await this.#encode(chapter, pcm);
    await this.#encode(chapter, new Int16Array(msToSamples(restMs)));
  }

  async finish(): Promise<void> {
    await this.#endChapter();
    const { publication, narrator } = this.#options;
    const { opf, converted, coverPath, properties } = publication;
    for await (const { path, bytes } of publication.others(this.#written)) {
      await this.#zip.add(path, bytes, PACKED.test(path));
    }
    await this.#zip.add(`${this.#folder}active.css`, STYLE);
    this.#added.push({ id: this.#id('style'), path: `${this.#folder}active.css`, mediaType: 'text/css' });
    await this.#addContents();
    const changes = { added: this.#added, overlays: this.#overlays, properties, converted, coverPath, narrator };
    await this.#zip.add(opf, packageSource(publication.packageSource, opf, changes));
    await this.#zip.finish();
  }

  close(): void {
    this.#chapter?.encoder.close();
    this.#options.publication.close();
  }

  async #encode(chapter: OpenChapter, pcm: Int16Array): Promise<void> {
    if (pcm.length === 0) return;
    await chapter.file.write(await chapter.encoder.encode(pcm));
    chapter.samples += pcm.length;
    this.#samples += pcm.length;
  }

  async #endChapter(): Promise<void> {
    const chapter = this.#chapter;
    if (chapter === undefined) return;
    const { encoder, file, index, last, samples } = chapter;
    if (last) last.endMs = Math.floor(samplesToMs(samples));
    await file.write(await encoder.end());
    await file.close(encoder.settledHead());
    encoder.close();
    this.#chapter = undefined;
    const { ending } = this.#options.sound;
    const id = this.#id(`sound${index + 1}`);
    this.#added.push({ id, path: this.#soundPath(index), mediaType: MEDIA_TYPES[ending] });
    const whole = [...this.#said.keys()].filter((each) => this.#lastChapter.get(each) === index);
    for (const each of whole) {
      await this.#addDocument(each, this.#said.get(each)!);
      this.#said.delete(each);
    }
  }

  async #addDocument(file: number, said: readonly Said[]): Promise<void> {
    const { publication } = this.#options;
    const name = publication.book.files[file]!;
    const document = await publication.document(file);
    const marked = new MarkedSource(document.source);
    const clips = said.flatMap((each) => {
      const own = this.#clips(each, marked, document.nodeOf);
      const [first] = own;
      if (first && !this.#starts.has(each.chapter)) {
        const { title } = this.#chapterAt(each.chapter);
        this.#starts.set(each.chapter, { title, path: name, fragment: first.id, depth: 0 });
      }
      return own;
    });
    if (clips.length === 0) return;
    const source = withStyle(String(marked), hrefOf(name, `${this.#folder}active.css`));
    await this.#zip.add(name, source);
    this.#written.add(name);
    const number = this.#overlays.size + 1;
    const overlay = { id: this.#id(`overlay${number}`), path: `${this.#folder}overlay${number}.smil` };
    await this.#zip.add(overlay.path, smilOf(overlay.path, name, clips));
    this.#overlays.set(name, overlay.id);
    this.#added.push({ ...overlay, mediaType: 'application/smil+xml', ms: lengthOf(clips) });
  }

  /** Each lasts until the next begins, so that nothing is skipped between them. */
  #clips(said: Said, marked: MarkedSource, nodeOf: (node: number) => number | undefined): Clip[] {
    const { places, beginsMs, endMs, chapter } = said;
    const starts: { id: string; beginMs: number }[] = [];
    for (const { from, to } of this.#units(places)) {
      const stretches = places.slice(from, to).map((place) => ({ ...place, node: nodeOf(place.node) ?? -1 }));
      for (const { id, first } of marked.mark(stretches)) starts.push({ id, beginMs: beginsMs[from + first]! });
    }
    return starts.flatMap(({ id, beginMs }, index) => {
      const end = starts[index + 1]?.beginMs ?? endMs;
      return end > beginMs ? [{ id, sound: this.#soundPath(chapter), beginMs, endMs: end }] : [];
    });
  }

  /** What lights up at once, as places. */
  #units(places: readonly WordPlace[]): { readonly from: number; readonly to: number }[] {
    if (this.#options.by === 'sentence') return [{ from: 0, to: places.length }];
    const starts = places.flatMap(({ goesOn }, index) => (goesOn && index > 0 ? [] : [index]));
    return starts.map((from, index) => ({ from, to: starts[index + 1] ?? places.length }));
  }

  async #addContents(): Promise<void> {
    const { publication, language } = this.#options;
    const { contents, book } = publication;
    if (contents === undefined) return;
    const own = [...this.#starts].sort(([a], [b]) => a - b).map(([, entry]) => entry);
    const path = `${this.#folder}nav.xhtml`;
    const entries = contents.length > 0 ? contents : own;
    const nav = navDocument(path, book.title, book.language ?? language, entries);
    await this.#zip.add(path, nav);
    const properties = ['nav', ...propertiesOf(nav)].join(' ');
    this.#added.push({ id: this.#id('nav'), path, mediaType: 'application/xhtml+xml', properties });
  }

  #chapterAt(index: number): BookChapter {
    return this.#options.publication.book.chapters[index]!;
  }

  #soundPath(index: number): string {
    return `${this.#folder}${String(index + 1).padStart(3, '0')}.${this.#options.sound.ending}`;
  }

  /** The package's own ids may begin with anything but the name of the folder. */
  #id(name: string): string {
    return `${this.#folder.split('/').at(-2)}-${name}`;
  }
}
