/** Tones as they change in a row of syllables: 一, 不, and third tones. */

/** A syllable in its clause. */
export interface Toned {
  readonly char: string;
  readonly sound: string;
  tone: number;
  /** Whether a word begins with it. */
  readonly starts: boolean;
  /** How long the word is that it belongs to, and the word. */
  readonly word: string;
}

const DIGITS = /[零〇一二三四五六七八九幺]/;
/** Behind these 一 is a number of its own. */
const ORDINAL = /[第十初周期]/;
/** Before these 一 is one of a row: a month, a number of a house. */
const LABELLED = /[月号楼班级等]/;

/** Changes the tones of the syllables of one clause. */
export function applySandhi(syllables: Toned[]): void {
  for (const [i, { char }] of syllables.entries()) {
    if (char === '一') changeYi(syllables, i);
    else if (char === '不') changeBu(syllables, i);
  }
  changeThirds(syllables);
}

function changeYi(syllables: Toned[], i: number): void {
  const yi = syllables[i]!;
  const [before, after] = [syllables[i - 1], syllables[i + 1]];
  if (yi.sound !== 'yi' || !after || after.char === '十') return;
  if (before && (DIGITS.test(before.char) || ORDINAL.test(before.char) || before.char === '点')) return;
  if (
    DIGITS.test(after.char) ||
    LABELLED.test(after.char) ||
    (after.char === '点' && DIGITS.test(syllables[i + 2]?.char ?? ''))
  )
    return;
  if (before?.char === after.char) {
    yi.tone = 0;
    return;
  }
  // 个 has lost its fourth tone, and counts as one all the same.
  yi.tone = after.tone === 4 || after.char === '个' ? 2 : 4;
}

function changeBu(syllables: Toned[], i: number): void {
  const bu = syllables[i]!;
  const [before, after] = [syllables[i - 1], syllables[i + 1]];
  if (bu.sound !== 'bu' || bu.tone === 0 || !after) return;
  if (before?.char === after.char) bu.tone = 0;
  else bu.tone = after.tone === 4 ? 2 : 4;
}

/**
 * From the end, so that a syllable sees the tone that the next one has got: of a row every second
 * one changes.
 */
function changeThirds(syllables: Toned[]): void {
  for (let i = syllables.length - 2; i >= 0; i--) {
    const [here, next] = [syllables[i]!, syllables[i + 1]!];
    if (here.tone !== 3) continue;
    if (next.tone === 3) here.tone = 2;
    else if (next.tone === 2 && changedInPair(syllables, i)) here.tone = 2;
  }
}

/** 展览馆, 洗脸水: of three third tones in a word the first two belong together, and both change. */
function changedInPair(syllables: readonly Toned[], i: number): boolean {
  const [here, next, last] = [syllables[i]!, syllables[i + 1]!, syllables[i + 2]];
  return (
    here.starts &&
    here.word.length === 3 &&
    last?.word === here.word &&
    last.tone === 3 &&
    PAIRED.test(here.word) &&
    next.word === here.word
  );
}

/** Words of three third tones that are a pair and one more. */
const PAIRED =
  /^(?:展览馆|洗脸水|管理者|打靶场|保险锁|选举法|手写体|水彩笔|虎骨酒|讲演稿|蒙古语|古典美|勇敢者|演讲者)$/;
