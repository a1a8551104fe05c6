/** Where the chapters of a text begin: at its headings, of Markdown or as books set them. */
import { isBlank, trim } from '../protocol/characters.js';

export interface TextChapter {
  readonly title: string;
  /**
   * The text from this heading to the next, the heading included. All of them in order are the
   * whole text.
   */
  readonly text: string;
}

interface Heading {
  readonly at: number;
  readonly title: string;
  readonly level: number;
}

const FENCE = /^ {0,3}(```|~~~)/;
const HASHES = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/**
 * A line of its own in a plain text: "Chapter 3", "CHAPTER IV. The Storm", "Part Two: Home",
 * "Prologue".
 */
const BOOK =
  /^[ \t]*((?:chapter|part|book|section|act|letter)[ \t]+(?:\d+|[ivxlcdm]+|[a-z]+(?:-[a-z]+)?)(?:[.:—–-]?[ \t]*.{0,80})?|prologue|epilogue|preface|foreword|introduction|afterword|conclusion|appendix(?:[ \t]+\S+)?)[.:]?[ \t]*$/i;
const NUMBER =
  /^(?:\d+|[ivxlcdm]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|the|first|last)\b/i;

/**
 * The same in the other languages: "Capítulo 3", "Chapitre premier", "अध्याय १", "第三章 嵐", "序章".
 */
const FOREIGN_BOOK = new RegExp(
  `^[ \\t\\u3000]*(?:${[
    '(?:cap[íi]tulo|capitolo|chapitre|parte|partie|libro|livre|livro|acto|acte|atto|ato)[ \\t]+(?:\\d+|[ivxlcdm]+|(?:prim|premi|segund|second|terc|terz|trois|quart|quint|últim|ultim)\\p{L}*|un[oa]?|dos|deux|due|dois|duas|tr[eê]s?|trois|cuatro|quatre|quattro|quatro|cinco|cinq|cinque)(?![\\p{L}\\p{N}]).{0,80}',
    'pr[oó]logo|ep[íi]logo|prologue|épilogue|prefacio|prefácio|préface|prefazione|introducción|introduction|introduzione|introdução|conclusión|conclusione|conclusão|apéndice|annexe|appendice|apêndice',
    '(?:अध्याय|भाग|खंड)[ \\t]+[\\d०-९\\p{L}\\p{M}]+(?:[ \\t:—–-].{0,80})?|प्रस्तावना|भूमिका|उपसंहार',
    '第[ \\t]?[\\d０-９〇零一二三四五六七八九十百千两]+[ \\t]?[章回部話话幕節节卷巻](?:[ \\t\\u3000:：、—].{0,60})?|[序終终][章]|[序后後]言|前言|楔子|尾声|プロローグ|エピローグ|まえがき|あとがき|はじめに|おわりに',
  ].join('|')})[.:]?[ \\t]*$`,
  'iu',
);

/**
 * What stands before the first heading is a chapter by the name of `opening`; so is a text without
 * headings.
 */
export function chaptersOf(text: string, opening: string): TextChapter[] {
  const headings = leading(headingsOf(text));
  const begin = headings[0]?.at ?? text.length;
  const before = text.slice(0, begin);
  const hasOpening = headings.length === 0 || !isBlank(before);
  const chapters = headings.map(({ at, title }, i) => ({
    title,
    text: text.slice(i === 0 && !hasOpening ? 0 : at, headings[i + 1]?.at ?? text.length),
  }));
  return [...(hasOpening ? [{ title: opening, text: before }] : []), ...joined(chapters)];
}

/** The title of a text: its first heading, where that stands above all others. */
export function headingTitle(text: string): string | undefined {
  const [first, ...others] = headingsOf(text);
  const isAbove = first && !isBookHeading(first.title) && others.every(({ level }) => level > first.level);
  return isAbove ? first.title : undefined;
}

/**
 * A part and its first chapter, a title and the first part: what says nothing but its heading
 * belongs to the next.
 */
function joined(chapters: readonly TextChapter[]): TextChapter[] {
  const out: TextChapter[] = [];
  let held: TextChapter | undefined;
  for (const [i, chapter] of chapters.entries()) {
    const whole = held ? { title: `${held.title}: ${chapter.title}`, text: held.text + chapter.text } : chapter;
    const lines = trim(chapter.text).split('\n').slice(1);
    const bare = i < chapters.length - 1 && lines.every((line) => isBlank(line) || UNDERLINE.test(line));
    held = bare ? whole : undefined;
    if (!bare) out.push(whole);
  }
  return out;
}

/** Finer headings than those that come again and again are sections within a chapter. */
function leading(headings: readonly Heading[]): readonly Heading[] {
  const counts = new Map<number, number>();
  for (const { level } of headings) counts.set(level, (counts.get(level) ?? 0) + 1);
  const levels = [...counts.keys()].sort((a, b) => a - b);
  const deepest = levels.find((level) => counts.get(level)! > 1) ?? levels[0];
  return headings.filter(({ level }) => level <= deepest!);
}

/**
 * A full line with two more below it begins a paragraph ("BOOK I. (Folio) is …"). With one line
 * below, it may be a long heading.
 */
const FULL_LINE = 55;
const goesOn = (line: string, below: readonly string[]): boolean =>
  line.length >= FULL_LINE && below.length === 2 && below.every((each) => !isBlank(each));

function headingsOf(text: string): Heading[] {
  const markdown: Heading[] = [];
  const book: Heading[] = [];
  let at = 0;
  let fenced = false;
  let before = { at: 0, line: '', blankBefore: true };
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const hashes = HASHES.exec(line);
    const underline = UNDERLINE.exec(line);
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced && hashes) markdown.push({ at, title: plain(hashes[2]!), level: hashes[1]!.length });
    else if (!fenced && underline && before.blankBefore && !isBlank(before.line)) {
      markdown.push({ at: before.at, title: plain(before.line), level: underline[1]![0] === '=' ? 1 : 2 });
    } else if (
      !fenced &&
      isBlank(before.line) &&
      isBookHeading(line) &&
      !goesOn(line, lines.slice(index + 1, index + 3))
    ) {
      book.push({ at, title: trim(line), level: 1 });
    }
    before = { at, line, blankBefore: isBlank(before.line) };
    at += line.length + 1;
  }
  return markdown.length > 0 ? markdown : book;
}

function isBookHeading(line: string): boolean {
  if (trim(line).length > 100) return false;
  if (FOREIGN_BOOK.test(line)) return true;
  if (!BOOK.test(line)) return false;
  const [, rest] = /^\s*(?:chapter|part|book|section|act|letter)\s+(.*)$/i.exec(line) ?? [];
  return rest === undefined || NUMBER.test(rest);
}

/** Marks of emphasis, code and links are not part of a title. */
const plain = (title: string): string =>
  title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`]+/g, '')
    .trim();
