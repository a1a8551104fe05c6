/**
 * An incremental SSML parser: markup in any pieces becomes what is visible to the reader, each with
 * its source.
 */
import { isBlank } from '../../protocol/characters.js';
import { excerpt, TtsError } from '../../protocol/errors.js';
import type { Language, Prosody, SayAs } from '../../protocol/job.js';
import { codeOf } from '../../protocol/languages.js';
import type { Piece } from './piece.js';
import { combined } from './prosody.js';
import { decodeEntity, nameShown, PARTING, parseTag, type Tag, type Voices } from './ssml-tags.js';

interface Element {
  readonly name: string;
  readonly where: string;
  /** The language that holds inside it, where a `<lang>` around it or itself names one. */
  readonly language?: Language | undefined;
  readonly voice?: string | undefined;
  readonly prosody?: Prosody | undefined;
}

interface Held {
  readonly tag: Tag;
  readonly element: Element;
  source: string;
  text: string;
}

type State = 'text' | 'entity' | 'tag' | 'comment' | 'cdata' | 'instruction';

const MAX_TAG = 4096;
const MAX_HELD = 1000;
const MAX_ENTITY = 12;
const MAX_DEPTH = 100;
/** Names kept of what was ignored: enough to tell, too few to fill the memory. */
const MOST_IGNORED = 20;
const CDATA = '<![CDATA[';
const ENDS = { comment: '-->', cdata: ']]>', instruction: '?>' } as const;
/** Elements spoken as a whole. */
const HELD = new Set(['phoneme', 'sub', 'say-as']);

export interface SsmlOptions {
  /** The language the text is read in. */
  readonly language?: Language | undefined;
  /** The voices that `<voice name>` may name; any name where absent. */
  readonly voices?: Voices | undefined;
}

export class SsmlParser {
  readonly #options: SsmlOptions;
  #state: State = 'text';
  /** What is read of the tag, entity, comment or section that is open. */
  #open = '';
  #quote = '';
  #openedAt = '';
  #stack: Element[] = [];
  #held: Held | null = null;
  #line = 1;
  #column = 1;
  #char = 1;
  #out: Piece[] = [];
  readonly #ignored = new Set<string>();

  constructor(options: SsmlOptions = {}) {
    this.#options = options;
  }

  /**
   * The elements, and attributes of known elements, that were met and change nothing: `<audio>`,
   * `say-as format`.
   */
  get ignored(): readonly string[] {
    return [...this.#ignored];
  }

  push(text: string): Piece[] {
    let run = 0;
    for (let i = 0; i < text.length; i += 1) {
      const char = text[i]!;
      if (this.#state === 'text' && char !== '<' && char !== '&') {
        this.#step(char);
        continue;
      }
      if (this.#state === 'text') {
        this.#text(text.slice(run, i));
        this.#openedAt = this.#here();
      }
      this.#mark(char);
      this.#step(char);
      run = i + 1;
    }
    if (this.#state === 'text') this.#text(text.slice(run));
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** Nothing follows: whatever is still open is an error. */
  end(): void {
    if (this.#state !== 'text') {
      const what = {
        entity: 'reference',
        tag: 'tag',
        comment: 'comment',
        cdata: 'CDATA section',
        instruction: 'instruction',
      };
      this.#fail(
        `the ${what[this.#state]} "${excerpt(this.#open, 40)}" is not finished${this.#state === 'entity' ? '; write "&" itself as &amp;' : ''}`,
        this.#openedAt,
      );
    }
    const element = this.#stack.at(-1);
    if (element) {
      const name = nameShown(element.name);
      this.#fail(`<${name}> is never closed; add </${name}>`, element.where);
    }
  }

  #here(): string {
    return `line ${this.#line}, column ${this.#column} (character ${this.#char})`;
  }

  #step(char: string): void {
    const code = char.charCodeAt(0);
    // The second half of a pair belongs to the character already counted.
    if (code >= 0xdc00 && code < 0xe000) return;
    this.#char += 1;
    if (char === '\n') {
      this.#line += 1;
      this.#column = 1;
    } else {
      this.#column += 1;
    }
  }

  #fail(problem: string, where = this.#here()): never {
    throw new TtsError('invalid_ssml', `SSML, ${where}: ${problem}.`);
  }

  /** One character of markup. */
  #mark(char: string): void {
    switch (this.#state) {
      case 'text':
        this.#state = char === '<' ? 'tag' : 'entity';
        this.#open = char;
        this.#quote = '';
        return;
      case 'entity':
        this.#open += char;
        if (char === ';') this.#entity();
        else if (!/[#\w]/.test(char) || this.#open.length > MAX_ENTITY) {
          this.#fail('"&" begins a reference such as &amp; here; write the sign itself as &amp;', this.#openedAt);
        }
        return;
      case 'tag':
        this.#open += char;
        this.#tagCharacter(char);
        return;
      default:
        this.#section(char, this.#state);
    }
  }

  #tagCharacter(char: string): void {
    const { length } = this.#open;
    if (length === 2 && !/[\p{L}_/!?]/u.test(char)) {
      this.#fail('"<" begins a tag here; write the sign itself as &lt;', this.#openedAt);
    }
    if (this.#open === '<!--') this.#enter('comment');
    else if (this.#open === CDATA) this.#enter('cdata');
    else if (this.#open === '<?') this.#enter('instruction');
    else if (this.#quote !== '') {
      if (char === this.#quote) this.#quote = '';
      else if (char === '<') this.#fail('"<" stands inside the value of an attribute; write &lt;');
    } else if (length > 1 && (char === '"' || char === "'")) this.#quote = char;
    else if (char === '>') this.#tag();
    else if (char === '<') this.#fail('a tag begins inside another one that has no ">" yet', this.#openedAt);
    if (this.#state === 'tag' && length > MAX_TAG) {
      this.#fail(`a tag of more than ${MAX_TAG} characters`, this.#openedAt);
    }
  }

  #enter(state: 'comment' | 'cdata' | 'instruction'): void {
    this.#state = state;
    this.#silent(this.#open);
    this.#open = '';
  }

  /**
   * Comments, CDATA and instructions pass through as they come: only what may be the start of their
   * end is kept.
   */
  #section(char: string, state: 'comment' | 'cdata' | 'instruction'): void {
    this.#open += char;
    const end = ENDS[state];
    if (this.#open.endsWith(end)) {
      const inside = this.#open.slice(0, -end.length);
      if (state === 'cdata') this.#text(inside);
      else this.#silent(inside);
      this.#silent(end);
      this.#open = '';
      this.#state = 'text';
      return;
    }
    const keep = Math.min(this.#open.length, end.length - 1);
    const passed = this.#open.slice(0, this.#open.length - keep);
    if (passed !== '') {
      if (state === 'cdata') this.#text(passed);
      else this.#silent(passed);
      this.#open = this.#open.slice(passed.length);
    }
  }

  #entity(): void {
    const source = this.#open;
    const text = decodeEntity(source.slice(1, -1));
    if (text === null)
      this.#fail(
        `the reference "${source}" is unknown; XML knows &amp; &lt; &gt; &quot; &apos; and numbers`,
        this.#openedAt,
      );
    this.#open = '';
    this.#state = 'text';
    if (this.#held) this.#hold(source, text);
    else this.#push({ source, visible: text });
  }

  #text(text: string): void {
    if (text === '') return;
    if (this.#held) this.#hold(text, text);
    else this.#push({ source: text, visible: text });
  }

  #push(piece: Piece): void {
    const { voice, prosody, language = this.#languageOf(voice) } = this.#stack.at(-1) ?? {};
    this.#out.push({
      ...piece,
      ...(language !== undefined && { language }),
      ...(voice !== undefined && { voice }),
      ...(prosody !== undefined && { prosody }),
    });
  }

  /** What a voice reads in, where that is another language than the text's. */
  #languageOf(voice: string | undefined): Language | undefined {
    const { language, voices } = this.#options;
    const own = voice === undefined ? undefined : voices?.[voice];
    return own === undefined || language === undefined || codeOf(own) === codeOf(language) ? undefined : own;
  }

  #silent(source: string): void {
    if (this.#held) this.#hold(source, '');
    else this.#out.push({ source, visible: '', said: { kind: 'silent' } });
  }

  #hold(source: string, text: string): void {
    const held = this.#held!;
    held.source += source;
    held.text += text;
    if (held.text.length > MAX_HELD) {
      this.#fail(`more than ${MAX_HELD} characters inside <${held.tag.name}>`, held.element.where);
    }
  }

  #tag(): void {
    const source = this.#open;
    this.#open = '';
    this.#state = 'text';
    if (source.startsWith('<!')) {
      if (!/^<!DOCTYPE\s[^[]*>$/.test(source))
        this.#fail('only comments, CDATA sections and DOCTYPE may begin with "<!"', this.#openedAt);
      this.#silent(source);
      return;
    }
    const fail = (problem: string) => this.#fail(problem, this.#openedAt);
    const tag = parseTag(source, fail, this.#options.voices);
    for (const name of tag.ignored) if (this.#ignored.size < MOST_IGNORED) this.#ignored.add(name);
    if (tag.kind === 'close') this.#close(tag, source);
    else this.#begin(tag, source);
  }

  #begin(tag: Tag, source: string): void {
    const { name } = tag;
    if (this.#held && (HELD.has(name) || name === 'break')) {
      this.#fail(`<${name}> cannot stand inside <${this.#held.tag.name}>, which takes plain text`, this.#openedAt);
    }
    const around = this.#stack.at(-1);
    const element: Element = {
      name,
      where: this.#openedAt,
      language: name === 'lang' ? (tag.value as Language) : around?.language,
      voice: name === 'voice' && tag.value !== '' ? tag.value : around?.voice,
      prosody: combined(around?.prosody, tag.prosody),
    };
    if (tag.kind === 'open') {
      this.#stack.push(element);
      if (this.#stack.length > MAX_DEPTH)
        this.#fail(`more than ${MAX_DEPTH} elements inside one another`, this.#openedAt);
    }
    if (HELD.has(name)) {
      this.#held = { tag, element, source, text: '' };
      if (tag.kind === 'empty') this.#release('');
    } else if (name === 'break') {
      this.#out.push({ source, visible: ' ', said: { kind: 'break', ms: tag.ms } });
    } else {
      this.#drop(tag, source);
    }
  }

  #drop({ name, parts }: Tag, source: string): void {
    if (!this.#held && PARTING.has(name))
      this.#out.push({ source, visible: ' ', said: { kind: 'silent' }, ...(parts && { parts }) });
    else this.#silent(source);
  }

  #close(tag: Tag, source: string): void {
    const element = this.#stack.pop();
    if (!element) this.#fail(`</${nameShown(tag.name)}> closes nothing`, this.#openedAt);
    if (element.name !== tag.name) {
      const [found, due] = [nameShown(tag.name), nameShown(element.name)];
      this.#fail(`</${found}> stands where </${due}> is due (opened at ${element.where})`, this.#openedAt);
    }
    if (this.#held && this.#held.element === element) this.#release(source);
    else this.#drop(tag, source);
  }

  #release(closing: string): void {
    const { tag, source, text } = this.#held!;
    this.#held = null;
    const whole = source + closing;
    if (tag.name === 'sub') this.#push({ source: whole, visible: 'x', said: { kind: 'sub', alias: tag.value } });
    else if (tag.name === 'phoneme') {
      this.#push({ source: whole, visible: 'x', said: { kind: 'phoneme', ipa: tag.value, text } });
    } else if (isBlank(text)) this.#silent(whole);
    else this.#push({ source: whole, visible: 'x', said: { kind: 'say-as', as: tag.value as SayAs, text } });
  }
}
