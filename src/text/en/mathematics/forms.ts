/** Questions about parts of a formula: what is a sum, what a single thing, what a sign. */
import { NAMES, OPERATORS, PREFIXES, RELATIONS } from './commands.js';
import type { Node, Row } from './nodes.js';

export const isRelation = (node: Node | undefined): boolean => node?.kind === 'symbol' && RELATIONS.has(node.text);
export const isOperator = (node: Node | undefined): boolean => node?.kind === 'symbol' && OPERATORS.has(node.text);
export const isMinus = (node: Node | undefined): boolean => node?.kind === 'symbol' && /^[-−]$/.test(node.text);

const ADDING = /^(?:[-−+±∓]|pm|mp)$/;

/** Whether terms are added here: brackets around it, or a line below it, have to be heard. */
export const isSum = (row: Row): boolean => {
  const inner = only(row);
  if (inner?.kind === 'group') return isSum(inner.body);
  return row.some((node, index) => index > 0 && node.kind === 'symbol' && ADDING.test(node.text));
};

/** More than one thing, or one that holds more. */
export const isCompound = (row: Row): boolean => row.length > 1 || only(row)?.kind === 'fraction';

/** One number, letter or symbol, with a sign before it or none. */
export function isSimple(row: Row): boolean {
  const rest = isMinus(row[0]) || (row[0]?.kind === 'symbol' && row[0].text === '+') ? row.slice(1) : row;
  const node = only(rest);
  if (node === undefined) return row.length === 0;
  if (node.kind === 'number' || node.kind === 'letter') return true;
  return rest === row && node.kind === 'symbol' && (NAMES.has(node.text) || !PREFIXES.has(node.text));
}

/** The only node of a row, out of its braces. */
export function only(row: Row | undefined): Node | undefined {
  const node = row?.length === 1 ? row[0]! : undefined;
  return node?.kind === 'group' ? (only(node.body) ?? node) : node;
}

/** The digits of a row that is a number and nothing else. */
export function numberOf(row: Row | undefined): string | undefined {
  const node = only(row);
  return node?.kind === 'number' ? node.text : undefined;
}

/** What a node is without its scripts and braces. */
export function bare(node: Node | undefined): Node | undefined {
  if (node?.kind === 'script') return bare(node.base);
  return node?.kind === 'group' ? (only(node.body) ?? node) : node;
}
