/** Cuts a part out of a graph: the nodes and weights between named tensors. */
import type { Graph, Model, Node, ValueInfo } from './schema.js';

/** An end of a part: the tensor's name in the whole graph, and its description in the part. */
export interface Port {
  readonly tensor: string;
  readonly as: ValueInfo;
}

/** The part of `model` that makes `outputs` out of `inputs`. It shares weights with `model`. */
export function cut(model: Model, inputs: readonly Port[], outputs: readonly Port[]): Model {
  const { graph } = model;
  const makers = new Map<string, Node>();
  for (const node of graph.node) for (const output of node.output) makers.set(output, node);
  const weights = new Set(graph.initializer.map((tensor) => tensor.name));

  const given = new Set(inputs.map((port) => port.tensor));
  const needed = new Set<string>();
  const nodes = new Set<Node>();
  const open = outputs.map((port) => port.tensor);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === '' || given.has(name) || needed.has(name)) continue;
    needed.add(name);
    if (weights.has(name)) continue;
    const maker = makers.get(name);
    if (!maker) throw new Error(`the graph has nothing that makes the tensor ${name}`);
    nodes.add(maker);
    open.push(...maker.input);
  }

  const names = new Map([...inputs, ...outputs].map((port) => [port.tensor, port.as.name]));
  const renamed = (name: string) => names.get(name) ?? name;
  const part: Graph = {
    ...graph,
    // In the order of the whole graph, which is sorted.
    node: graph.node
      .filter((node) => nodes.has(node))
      .map((node) => ({ ...node, input: node.input.map(renamed), output: node.output.map(renamed) })),
    initializer: graph.initializer.filter((tensor) => needed.has(tensor.name)),
    input: inputs.map((port) => port.as),
    output: outputs.map((port) => port.as),
  };
  return { ...model, graph: part };
}

/** The graph without nodes and weights that its outputs do not need. */
export function prune(model: Model): Model {
  const asIs = (info: ValueInfo): Port => ({ tensor: info.name, as: info });
  return cut(model, model.graph.input.map(asIs), model.graph.output.map(asIs));
}
