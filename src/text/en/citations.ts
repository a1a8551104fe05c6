/** Numbers that name something by custom: verses, pension plans, teams, numbered headings. */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal, triple } from './numbers/numbers.js';
import { romanValue } from './numbers/roman.js';

const BOOKS = new Set(
  (
    'Genesis Exodus Leviticus Numbers Deuteronomy Joshua Judges Ruth Samuel Kings Chronicles Ezra Nehemiah Esther Job Psalm Psalms ' +
    'Proverbs Ecclesiastes Isaiah Jeremiah Lamentations Ezekiel Daniel Hosea Joel Amos Obadiah Jonah Micah Nahum Habakkuk ' +
    'Zephaniah Haggai Zechariah Malachi Matthew Mark Luke John Acts Romans Corinthians Galatians Ephesians Philippians ' +
    'Colossians Thessalonians Timothy Titus Philemon Hebrews James Peter Jude Revelation Surah Sura Quran'
  ).split(' '),
);
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
