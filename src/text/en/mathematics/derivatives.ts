/** Fractions that are derivatives: "dy/dx", "∂²f/∂x²". */
import { ordinal } from '../numbers/numbers.js';
import { numberOf } from './forms.js';
import type { Node, Row } from './nodes.js';
import { isDifferential } from './slashes.js';

/** The words and the rows that a derivative is said as; undefined where the fraction is none. */
export function derivative(top: Row, bottom: Row): readonly (string | Row)[] | undefined {
  const sign = baseOf(top[0]);
  if (!isDifferential(top[0]) || !isDifferential(bottom[0]) || bottom.length < 2) return undefined;
  if (baseOf(bottom[0])?.kind !== sign?.kind || !bottom.every((node, i) => i % 2 === 1 || isDifferential(node)))
    return undefined;
  const order = orderOf(top[0]!);
  const of = top.slice(1);
  if (sign?.kind === 'letter') return total(order, of, bottom);
  const variables = bottom.filter((_, i) => i % 2 === 1).map((node): Row => [baseOf(node)!]);
  const respect = variables.flatMap((row, i): (string | Row)[] => (i === 0 ? [row] : ['and', row]));
  const name = order === undefined ? 'the partial derivative' : `the ${ordinal(order)} partial derivative`;
  if (of.length === 0) return [`${name} with respect to`, ...respect, 'of'];
  return [`${name} of`, of, 'with respect to', ...respect];
}

/** "d y d x", "d squared y d x squared", "d d x of". */
function total(order: string | undefined, of: Row, bottom: Row): readonly (string | Row)[] {
  const power =
    order === undefined ? '' : order === '2' ? ' squared' : order === '3' ? ' cubed' : ` to the ${ordinal(order)}`;
  const below: (string | Row)[] = bottom.map((node) => [node]);
  return of.length === 0 ? [`d${power}`, ...below, 'of'] : [`d${power}`, of, ...below];
}

const baseOf = (node: Node | undefined): Node | undefined => (node?.kind === 'script' ? node.base : node);
const orderOf = (node: Node): string | undefined => (node.kind === 'script' ? numberOf(node.sup) : undefined);
