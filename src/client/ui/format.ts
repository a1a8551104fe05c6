/** How the terminal writes times, sizes, levels and a text that must fit one line. */

/** 75,300 ms → "1:15.3"; from an hour on without tenths, "1:36:24". */
export function clockText(ms: number): string {
  const tenths = Math.max(0, Math.floor(ms / 100));
  const minutes = Math.floor(tenths / 600);
  const seconds = (tenths % 600) / 10;
  if (minutes < 60) return `${minutes}:${seconds.toFixed(1).padStart(4, '0')}`;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds)}`;
}

/** A length of time in words: "40 s", "12 min", "2 h 5 min". */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The real-time factor in words. */
export function speedText(realTimeFactor: number): string {
  const faster = realTimeFactor <= 1;
  const times = faster ? 1 / realTimeFactor : realTimeFactor;
  if (times < 1.05) return 'as fast as real time';
  return `${times < 10 ? times.toFixed(1) : Math.round(times)} × ${faster ? 'faster' : 'slower'} than real time`;
}

export function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

const STEPS = '▁▂▃▄▅▆▇█';
/** One character for a level from 0 to 1. */
export const levelChar = (level: number): string =>
  level <= 0 ? ' ' : STEPS[Math.min(STEPS.length - 1, Math.floor(level * STEPS.length))]!;

export function bar(share: number, width: number): string {
  const full = Math.round(Math.max(0, Math.min(1, share)) * width);
  return '━'.repeat(full) + '─'.repeat(width - full);
}

/** Columns of a text: wide characters take two, combining marks none. */
export function textColumns(text: string): number {
  let columns = 0;
  for (const char of text) columns += charColumns(char);
  return columns;
}

function charColumns(char: string): number {
  const code = char.codePointAt(0)!;
  if (code < 0x300) return code < 32 ? 0 : 1;
  if (/\p{M}|\u200d|\ufe0f/u.test(char)) return 0;
  if (
    code >= 0x1100 &&
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u.test(
      char,
    )
  ) {
    return 2;
  }
  return 1;
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ');

/** The end of a text that fits `columns`, cut at the front. */
export function tailColumns(text: string, columns: number): string {
  const chars = [...oneLine(text)];
  let used = 0;
  let from = chars.length;
  while (from > 0 && used + charColumns(chars[from - 1]!) <= columns) used += charColumns(chars[--from]!);
  if (from === 0) return chars.join('');
  const cut = chars.slice(from + 1).join('');
  return `…${cut}`;
}

/** The beginning of a text that fits `columns`. */
export function headColumns(text: string, columns: number): string {
  let used = 0;
  let kept = '';
  for (const char of oneLine(text)) {
    used += charColumns(char);
    if (used > columns) break;
    kept += char;
  }
  return kept;
}
