/** Media overlays: which part of the sound belongs to which part of a document. */
import path from 'node:path';
import { escapeAttribute } from '../../protocol/characters.js';

/** One span and its sound. */
export interface Clip {
  readonly id: string;
  /** Path of the sound in the archive. */
  readonly sound: string;
  readonly beginMs: number;
  readonly endMs: number;
}

/** `smil` and `document`: paths in the archive. */
export function smilOf(smil: string, document: string, clips: readonly Clip[]): string {
  const pars = clips.map(
    ({ id, sound, beginMs, endMs }, index) =>
      `<par id="p${index + 1}"><text src="${hrefOf(smil, document)}#${id}"/>` +
      `<audio src="${hrefOf(smil, sound)}" clipBegin="${clockOf(beginMs)}" clipEnd="${clockOf(endMs)}"/></par>\n`,
  );
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    '<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0">\n' +
    `<body>\n${pars.join('')}</body>\n</smil>\n`
  );
}

export const lengthOf = (clips: readonly Clip[]): number =>
  clips.reduce((sum, { beginMs, endMs }) => sum + endMs - beginMs, 0);

/** Hours, minutes, seconds and milliseconds. `ms` is whole. */
export function clockOf(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1000).padStart(3, '0');
  return `${Math.floor(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}

/** How one file of the archive is named in another. */
export const hrefOf = (from: string, to: string): string =>
  escapeAttribute(path.posix.relative(path.posix.dirname(from), to).split('/').map(encodeURIComponent).join('/'));
