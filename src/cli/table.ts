/** Plain tables for people: aligned, no wider than the terminal. */

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Shortened first where the table is too wide. */
  readonly shrink?: boolean;
}

/** A title alone is a column of text. */
export type ColumnSpec = string | Column;

export const right = (title: string): Column => ({ title, align: 'right' });
export const shrinking = (title: string): Column => ({ title, shrink: true });

const GAP = 2;
const MIN_WIDTH = 6;

const cut = (text: string, width: number): string => {
  const points = [...text];
  return points.length <= width ? text : `${points.slice(0, width - 1).join('')}…`;
};

/** Lines of the table, header first. `width` undefined means a pipe: nothing is cut. */
export function table(specs: readonly ColumnSpec[], rows: readonly string[][], width: number | undefined): string {
  const columns = specs.map((spec): Column => (typeof spec === 'string' ? { title: spec } : spec));
  const clean = rows.map((row) => row.map((cell) => cell.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')));
  const widths = columns.map((column, i) => Math.max(column.title.length, ...clean.map((row) => [...row[i]!].length)));
  let excess = width === undefined ? 0 : widths.reduce((sum, w) => sum + w, 0) + GAP * (widths.length - 1) - width;
  for (const pass of [true, false]) {
    // From the right: what comes first tells the rows apart.
    for (let i = columns.length - 1; i >= 0; i--) {
      if (excess <= 0 || (pass && !columns[i]!.shrink)) continue;
      const less = Math.min(excess, Math.max(0, widths[i]! - MIN_WIDTH));
      widths[i]! -= less;
      excess -= less;
    }
  }
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => {
        const text = cut(cell, widths[i]!);
        const space = ' '.repeat(widths[i]! - [...text].length);
        return columns[i]!.align === 'right' ? space + text : text + space;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [columns.map((column) => column.title), ...clean].map(line).join('\n');
}
