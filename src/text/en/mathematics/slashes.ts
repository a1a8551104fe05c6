/** Fractions that are written with a slash, and the signs of differentials. */
import type { Node, Row } from './nodes.js';

const isSign = (node: Node | undefined, sign: string): boolean => node?.kind === 'symbol' && node.text === sign;

/** Whether a differential begins with the node: "d" or "∂", raised or not. */
export function isDifferential(node: Node | undefined): boolean {
  const base = node?.kind === 'script' ? node.base : node;
  if (base?.kind === 'letter') return base.text === 'd';
  return base?.kind === 'symbol' && (base.text === '∂' || base.text === 'partial');
}

/** "∂f/∂x", "x/2": a slash makes a fraction of what stands beside it. */
export function slashed(nodes: Node[]): Row {
  if (!nodes.some((node) => isSign(node, '/'))) return nodes;
  const row: Node[] = [];
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]!;
    const next = nodes[i + 1];
    if (!isSign(node, '/') || row.length === 0 || !next || !isOperand(next) || !isOperand(row.at(-1)!)) {
      row.push(node);
      continue;
    }
    const differential = isDifferential(next);
    const left = (differential && isDifferential(row.at(-2))) || isCall(row.at(-2), row.at(-1)) ? 2 : 1;
    const right = (differential && nodes[i + 2]) || isCall(next, nodes[i + 2]) ? 2 : 1;
    const top = row.splice(row.length - left, left);
    const bottom = nodes.slice(i + 1, i + 1 + right);
    row.push({ kind: 'fraction', top, bottom, binomial: false, from: top[0]!.from, to: bottom.at(-1)!.to });
    i += right;
  }
  return row;
}

/** "f(x)", "n(n + 1)": brackets directly behind a letter or a number. */
const isCall = (node: Node | undefined, next: Node | undefined): boolean =>
  next?.kind === 'fenced' && /^(?:letter|number|script|function)$/.test(node?.kind ?? '');

const isOperand = (node: Node): boolean =>
  node.kind !== 'break' && node.kind !== 'big' && (node.kind !== 'symbol' || node.command || isDifferential(node));
