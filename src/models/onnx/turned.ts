/** Turning tensors round: lines of frames, one a channel, to rows of channels, and back. */
import type { Node, OnnxCodec } from './schema.js';

/** Attributes of the Transpose. */
export const TURNED = { perm: [0, 2, 1] } as const;

export const isTurn = (node: Node | undefined, codec: OnnxCodec): node is Node =>
  node?.opType === 'Transpose' && String(codec.intsOf(node, 'perm')) === String(TURNED.perm);
