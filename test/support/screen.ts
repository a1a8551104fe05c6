/**
 * What a terminal shows in the end: the few movements our live lines use, played on a grid of
 * lines.
 */

// biome-ignore lint/complexity/useRegexLiterals: the escape character is clearer by name
const PIECES = new RegExp('\\u001b\\[([0-9;?]*)([A-Za-z])|\\u001b[=>()78][0-9A-Z]?|[\\r\\n]|[^\\u001b\\r\\n]+', 'g');

export function screenOf(output: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  for (const [piece, argument = '', movement] of output.matchAll(PIECES)) {
    const count = Number.parseInt(argument, 10) || 1;
    if (piece === '\r') column = 0;
    else if (piece === '\n') {
      row++;
      lines[row] ??= '';
    } else if (movement === 'A') row = Math.max(0, row - count);
    else if (movement === 'B') row = Math.min(lines.length - 1, row + count);
    else if (movement === 'G') column = count - 1;
    else if (movement === 'K') lines[row] = argument === '2' ? '' : lines[row]!.slice(0, column);
    else if (movement === 'J') lines.splice(row + 1, Infinity);
    else if (!piece.startsWith('\u001b')) {
      const line = lines[row]!.padEnd(column);
      lines[row] = line.slice(0, column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}
