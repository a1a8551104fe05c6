/** Texts of any length that nobody would write. */

export const repeated = (piece: string, units: number): string =>
  piece.repeat(Math.ceil(units / piece.length)).slice(0, units);

/** The same ones every time, taken as UTF-8. */
export function randomBytes(units: number): string {
  let seed = 7;
  const bytes = Buffer.alloc(units);
  for (let i = 0; i < units; i++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = seed >>> 23;
  }
  return bytes.toString('utf8');
}
