/** How commands write results to stdout. */
import { type ColumnSpec, table } from './table.js';

/** Indented on a terminal, on one line anywhere else. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`);
};

/** Fitted to the terminal; a pipe gets every cell in full. */
export const printTable = (columns: readonly ColumnSpec[], rows: readonly string[][]): void => {
  const width = process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
  process.stdout.write(`${table(columns, rows, width)}\n`);
};

/** Waits while the reader of a pipe is slow. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise<void>((resolve) => process.stdout.once('drain', resolve));
}
