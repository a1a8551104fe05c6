/** How one of two that were compared by ear is named in the sums: its model, its voice, and how. */
import type { Compared } from './playground.js';

/** Speed and style stand in the name where they are not the voice's and the server's own. */
export const comparedName = ({ model, voice, speed = 1, style }: Compared): string =>
  [model, voice, ...(speed === 1 ? [] : [`speed=${speed}`]), ...(style === undefined ? [] : [`style=${style}`])].join(
    ' ',
  );

/** The opposite of `comparedName`. */
export function comparedOf(name: string): Compared {
  const [model = '', voice = '', ...manner] = name.split(' ');
  const { speed, style } = Object.fromEntries(manner.map((each) => each.split('='))) as Record<string, string>;
  return { model, voice, ...(speed !== undefined && { speed: Number(speed) }), ...(style !== undefined && { style }) };
}
