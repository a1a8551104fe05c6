/** The published graph's nodes and constants, looked up by the tensors they make. */
import type { Model, Node, Tensor } from '../schema.js';
import { floatsOf } from '../weights.js';

/** Names in the published graph begin with this. */
export const GENERATOR = '/decoder/decoder/generator/';

export interface Anatomy {
  /** The node that makes a tensor. Throws where it is of none of these types. */
  readonly maker: (tensor: string, ...opTypes: readonly string[]) => Node;
  readonly values: (tensor: string) => Float32Array;
  readonly dims: (tensor: string) => readonly number[];
  readonly isConstant: (tensor: string) => boolean;
}

export function anatomyOf(model: Model): Anatomy {
  const makers = new Map(model.graph.node.flatMap((node) => node.output.map((output) => [output, node] as const)));
  const weights = new Map(model.graph.initializer.map((tensor) => [tensor.name, tensor]));
  const weight = (name: string): Tensor => {
    const found = weights.get(name);
    if (!found) throw new Error(`the graph has no constant ${name}`);
    return found;
  };
  return {
    maker(tensor, ...opTypes) {
      const node = makers.get(tensor);
      if (!node || !opTypes.includes(node.opType)) {
        throw new Error(`${tensor} is not made by ${opTypes.join(' or ')}, but ${node?.opType ?? 'nothing'}`);
      }
      return node;
    },
    values: (name) => floatsOf(weight(name)),
    dims: (name) => weight(name).dims,
    isConstant: (name) => weights.has(name),
  };
}
