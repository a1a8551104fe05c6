/** A graph that copies its input: it fetches a tensor that was left on a device. */
import { createCodec, DATA_TYPE } from './schema.js';

/** `x` in, `y` out, both of two dimensions. */
export function copyGraph(dataType: number = DATA_TYPE.float): Uint8Array {
  const codec = createCodec();
  const value = (name: string) => codec.valueInfo(name, dataType, ['rows', 'samples']);
  const graph = {
    name: 'copy',
    node: [codec.node('Identity', ['x'], ['y'])],
    initializer: [],
    input: [value('x')],
    output: [value('y')],
  };
  // An encoded OperatorSetId with its version (17) alone.
  const opset = Uint8Array.of(0x10, 17);
  return codec.encode({ irVersion: 8, opsetImport: [opset], producerName: 'selfhosted-tts', graph });
}
