/** Numbers that name something by custom: verses, pension plans, teams, numbered headings. */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal, pairs, triple, year } from './numbers/numbers.js';
import { romanValue } from './numbers/roman.js';

const BOOKS = new Set(
  (
    'Genesis Exodus Leviticus Numbers Deuteronomy Joshua Judges Ruth Samuel Kings Chronicles Ezra Nehemiah Esther Job Psalm Psalms ' +
    'Proverbs Ecclesiastes Isaiah Jeremiah Lamentations Ezekiel Daniel Hosea Joel Amos Obadiah Jonah Micah Nahum Habakkuk ' +
    'Zephaniah Haggai Zechariah Malachi Matthew Mark Luke John Acts Romans Corinthians Galatians Ephesians Philippians ' +
    'Colossians Thessalonians Timothy Titus Philemon Hebrews James Peter Jude Revelation Surah Sura Quran'
  ).split(' '),
);
/** Books by their abbreviations. */
const SHORT_BOOKS: ReadonlyMap<string, string> = new Map(
  (
    'Gen Genesis|Ge Genesis|Exod Exodus|Ex Exodus|Lev Leviticus|Num Numbers|Deut Deuteronomy|Dt Deuteronomy|Josh Joshua|Judg Judges|Sam Samuel|Kgs Kings|Chron Chronicles|' +
    'Chr Chronicles|Neh Nehemiah|Esth Esther|Ps Psalm|Pss Psalms|Prov Proverbs|Eccl Ecclesiastes|Isa Isaiah|Jer Jeremiah|Lam Lamentations|' +
    'Ezek Ezekiel|Dan Daniel|Hos Hosea|Obad Obadiah|Mic Micah|Nah Nahum|Hab Habakkuk|Zeph Zephaniah|Hag Haggai|Zech Zechariah|Mal Malachi|' +
    'Matt Matthew|Mt Matthew|Mk Mark|Lk Luke|Jn John|Rom Romans|Cor Corinthians|Gal Galatians|Eph Ephesians|Phil Philippians|Col Colossians|' +
    'Thess Thessalonians|Tim Timothy|Tit Titus|Philem Philemon|Heb Hebrews|Jas James|Pet Peter|Rev Revelation'
  )
    .split('|')
    .map((row) => row.split(' ') as [string, string]),
);
const CITED = /([A-Z][a-z]{1,12})\.? (?=\d{1,3}:\d)/y;
const NUMBERED_BOOK = /([123]) ([A-Z][a-z]{1,14})\.? (?=\d{1,3}:\d)/y;

const bookOf = (written: string): string | undefined =>
  SHORT_BOOKS.get(written) ?? (BOOKS.has(written) ? written : undefined);

/** "Gen. 1:1", "1 Cor. 13:4": the name of the book. */
export const bookRule: Rule = {
  name: 'book with a verse',
  begins: { digits: { next: /[ ]/, space: /[A-Z]/ }, words: { first: /[A-Z]/, known: SHORT_BOOKS.keys() } },
  apply(scan, at) {
    if (!scan.atBoundary(at)) return at;
    const numbered = matchAt(NUMBERED_BOOK, scan.text, at);
    const match = numbered ?? matchAt(CITED, scan.text, at);
    const book = match ? bookOf(match[numbered ? 2 : 1]!) : undefined;
    if (!match || book === undefined) return at;
    const number = numbered ? `${['First', 'Second', 'Third'][Number(numbered[1]) - 1]} ` : '';
    const end = at + match[0].length - 1;
    scan.out.say(number + book, at, end);
    scan.remember(book);
    return end;
  },
};

const STANDARD = /(\d{1,5})(?:-(\d{1,2}))?:((?:19|20)\d\d)(?![\d:])/y;

/** "ISO 9001:2015": the number of a standard and its year. */
export const standardRule: Rule = {
  name: 'standard with its year',
  begins: { digits: { next: /[:-]/ } },
  apply(scan, at) {
    if (!/^(?:ISO|IEC|EN|DIN|BS|ASTM|ANSI|NF|IEEE|JIS|GB|UNE|OHSAS|AS|NZS|CSA|ETSI|ISA)$/.test(scan.previous))
      return at;
    const match = scan.atBoundary(at) ? matchAt(STANDARD, scan.text, at) : null;
    if (!match) return at;
    const [whole, number, part, written] = match as unknown as [string, string, string | undefined, string];
    const paired = number.length === 4 && !/^\d0/.test(number);
    const said = `${paired ? pairs(number) : cardinal(number)}${part ? ` ${cardinal(part)}` : ''}`;
    scan.out.say(`${said} ${year(Number(written))}`, at, at + whole.length);
    return at + whole.length;
  },
};

const VERSES = /(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?(?![\d:]| ?[AaPp]\.?[Mm]\b)/y;

/** "Genesis 1:1-3". */
export const verseRule: Rule = {
  name: 'verse',
  begins: { digits: { next: /:/ } },
  apply(scan, at) {
    if (!BOOKS.has(scan.previous) || scan.text[at - 1] !== ' ') return at;
    const match = matchAt(VERSES, scan.text, at);
    if (!match) return at;
    const [whole, chapter, verse, until] = match as unknown as [string, string, string, string?];
    const verses = until ? `, verses ${cardinal(verse)} to ${cardinal(until)}` : ` ${cardinal(verse)}`;
    scan.out.say(cardinal(chapter) + verses, at, at + whole.length);
    return at + whole.length;
  },
};

const PLAN = /([45]\d{2})\(([a-z])\)(?:\((\d{1,2})\))?(?![A-Za-z0-9])/y;

/** "401(k)", "501(c)(3)". */
export const planRule: Rule = {
  name: 'plan of the tax code',
  begins: { digits: { next: /\(/ } },
  apply(scan, at) {
    const match = scan.atBoundary(at) ? matchAt(PLAN, scan.text, at) : null;
    if (!match) return at;
    const [whole, section, letter, part] = match as unknown as [string, string, string, string?];
    const words = `${triple(section)} ${letter.toUpperCase()}${part ? ` ${cardinal(part)}` : ''}`;
    scan.out.say(words, at, at + whole.length);
    return at + whole.length;
  },
};

const TEAM = /(\d{1,2})ers(?![A-Za-z0-9])/y;

/** "49ers". */
export const teamRule: Rule = {
  name: 'team',
  begins: { digits: { next: /e/ } },
  apply(scan, at) {
    const match = scan.atBoundary(at) ? matchAt(TEAM, scan.text, at) : null;
    const name = match ? cardinal(match[1]!) : '';
    if (!match || name.endsWith('y')) return at;
    scan.out.say(`${name}${name.endsWith('e') ? 'rs' : 'ers'}`, at, at + match[0].length);
    return at + match[0].length;
  },
};

const HEADING = /([IVXL]{1,7})\.(?= [A-Z])/y;
const HEADED =
  /^(?:Introduction|Background|Overview|Method|Methods|Results|Discussion|Conclusion|Conclusions|Summary|Purpose|Scope|Definitions|Materials|Analysis|References|Appendix|Related|General|Preliminaries)$/;

/** "IV. Results": a numeral at the head of a text; one letter may as well be an initial. */
function heading(scan: Scan, at: number): number {
  if (at !== 0) return at;
  const match = matchAt(HEADING, scan.text, at);
  const value = match ? romanValue(match[1]!) : undefined;
  if (!match || value === undefined) return at;
  if (match[1]!.length === 1 && !HEADED.test(scan.nextWord(match[0].length))) return at;
  scan.out.say(cardinal(value), at, at + match[1]!.length);
  return at + match[1]!.length;
}

export const headingRule: Rule = {
  name: 'numbered heading',
  begins: { words: { first: /[IVXL]/, behind: /\./ } },
  apply: heading,
};
