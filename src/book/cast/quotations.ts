/** Quotations of a paragraph: where they are, and whether they can be speech. */

export interface Quotation {
  /** UTF-16 units of the paragraph, the marks included. */
  readonly from: number;
  readonly to: number;
  /** Without its marks. */
  readonly inside: string;
  /** The paragraph ends before the quotation does: the next one goes on with it. */
  readonly isOpen: boolean;
}

const CLOSERS: Readonly<Record<string, string>> = { '“': '”', '"': '"', '«': '»', '„': '“', '‘': '’' };
const LETTER = /[\p{L}\p{N}]/u;

/** In order. British single marks count where no double ones stand in the paragraph. */
export function quotationsOf(text: string): Quotation[] {
  const marks = /[“"«„]/.test(text) ? '“"«„' : '‘';
  const found: Quotation[] = [];
  for (let at = 0; at < text.length; ) {
    const opener = text[at]!;
    if (!marks.includes(opener) || !opensAt(text, at)) {
      at += 1;
      continue;
    }
    const end = closesAt(text, at, CLOSERS[opener]!);
    const to = end < 0 ? text.length : end + 1;
    found.push({ from: at, to, inside: text.slice(at + 1, end < 0 ? text.length : end), isOpen: end < 0 });
    at = to;
  }
  return found;
}

const opensAt = (text: string, at: number): boolean => at === 0 || !LETTER.test(text[at - 1]!);

function closesAt(text: string, from: number, closer: string): number {
  for (let at = text.indexOf(closer, from + 1); at >= 0; at = text.indexOf(closer, at + 1)) {
    const isApostrophe = closer === '’' && LETTER.test(text[at - 1]!) && LETTER.test(text[at + 1] ?? ' ');
    if (!isApostrophe) return at;
  }
  return -1;
}

/** What a quotation ends with where somebody says it: inside its marks, or behind them. */
const ENDS_INSIDE = /[.,!?…—–-]\s*$/;
const ENDS_OUTSIDE = /^\s*,/;
/** What stands before it there. */
const BEGINS_BEHIND = /(?:[.,:;!?…—–)”"»’]|\band)\s*$/;
/** White space and a word before a quotation have no more units. */
const LOOK_BACK = 8;

/** A title, or a word that is quoted as such, is none. */
export function isSpeech(text: string, { from, to, inside, isOpen }: Quotation): boolean {
  const before = text.slice(Math.max(0, from - LOOK_BACK), from);
  const isBegun = before.trim() === '' || BEGINS_BEHIND.test(before);
  return isBegun && (isOpen || ENDS_INSIDE.test(inside) || ENDS_OUTSIDE.test(text.slice(to)));
}
