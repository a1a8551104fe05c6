/** A graph that gives what it is given: a tensor that was left on a device comes from there through it. */
import { createCodec, DATA_TYPE } from './schema.js';

/** `x` in, `y` out, both of two dimensions. */
export function copyGraph(): Uint8Array {
  const codec = createCodec();
  const value = (name: string) => codec.valueInfo(name, DATA_TYPE.float, ['rows', 'samples']);
  const graph = {
    name: 'copy',
    node: [codec.node('Identity', ['x'], ['y'])],
    initializer: [],
    input: [value('x')],
    output: [value('y')],
  };
  // The operator set's version, as the one field of its message.
  const opset = Uint8Array.of(0x10, 17);
  return codec.encode({ irVersion: 8, opsetImport: [opset], producerName: 'selfhosted-tts', graph });
}
