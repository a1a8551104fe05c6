/**
 * Voice changes in plain text: `[voice:british_male_george]` and `[/voice]` become SSML, and all
 * else is escaped.
 */
import { escapeMarkup } from '../../protocol/characters.js';

/** A voice by its id, or back to the voice of the order. */
const TAG = /\[voice:[ \t]*([\w-]{1,64})[ \t]*\]|\[\/voice\]/i;
const OPENING = '[voice:';
const CLOSING = '[/voice]';
/** A tag that may still become one has no other characters, and no more of them. */
const UNFINISHED = /^\[voice:[ \t]*[\w-]{0,64}[ \t]*$/i;
/** Behind these a writer may pause, and a session may end. */
const FINISHED = /[.!?…]["'”’)\]]*\s*$/;

export class VoiceTags {
  #held = '';
  #voice = '';
  #isOpen = false;
  /** The id that a server knows a voice by. */
  readonly #idOf: (name: string) => string;

  constructor(idOf: (name: string) => string = (name) => name) {
    this.#idOf = idOf;
  }

  /**
   * The SSML of a piece of text. What may be the beginning of a tag waits for the next piece. No
   * element is open behind a line or a finished sentence.
   */
  push(text: string): string {
    const all = this.#held + text;
    const from = unfinishedFrom(all);
    this.#held = all.slice(from);
    const out = this.#read(all.slice(0, from));
    return FINISHED.test(text) && this.#held === '' ? out + this.#close() : out;
  }

  /** Nothing follows, or nothing of the same document; the voice stays. */
  end(): string {
    const rest = this.#read(this.#held);
    this.#held = '';
    return rest + this.#close();
  }

  #read(text: string): string {
    let out = '';
    let rest = text;
    for (let tag = TAG.exec(rest); tag; tag = TAG.exec(rest)) {
      out += this.#lines(rest.slice(0, tag.index)) + this.#close();
      this.#voice = tag[1] === undefined ? '' : this.#idOf(tag[1]);
      rest = rest.slice(tag.index + tag[0].length);
    }
    return out + this.#lines(rest);
  }

  #lines(text: string): string {
    return text.split(/(\r?\n)/).reduce((out, part, index) => {
      if (index % 2 === 1) return out + this.#close() + part;
      return out + this.#open(part) + escapeMarkup(part);
    }, '');
  }

  #open(text: string): string {
    if (this.#isOpen || this.#voice === '' || text.trim() === '') return '';
    this.#isOpen = true;
    return `<voice name="${this.#voice}">`;
  }

  #close(): string {
    if (!this.#isOpen) return '';
    this.#isOpen = false;
    return '</voice>';
  }
}

/** Text as it stands in SSML. */
/** Where a tag begins that the text does not show to its end; the length of the text elsewhere. */
function unfinishedFrom(text: string): number {
  const from = text.lastIndexOf('[');
  if (from < 0) return text.length;
  const open = text.slice(from).toLowerCase();
  const mayBe = OPENING.startsWith(open) || UNFINISHED.test(open) || (CLOSING.startsWith(open) && open !== CLOSING);
  return mayBe ? from : text.length;
}

/** The voices that SSML names, each once; as far as a glance shows. */
export const voicesNamed = (ssml: string): string[] => [
  ...new Set(Array.from(ssml.matchAll(/<voice\s[^>]*?\bname\s*=\s*["']\s*([\w-]+)/g), (match) => match[1]!)),
];
