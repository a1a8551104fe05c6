// Copies numbers in float16 through the runtime, as the engine packs and unpacks them, and prints their bits.
import { InferenceSession } from 'onnxruntime-node';
import { packed, unpacked } from '../../../dist/engine/graphs/packed.js';
import { createCodec, DATA_TYPE } from '../../../dist/models/onnx/schema.js';

const codec = createCodec();
const value = (name) => codec.valueInfo(name, DATA_TYPE.float16, ['size']);
const graph = {
  name: 'copy',
  node: [codec.node('Identity', ['x'], ['y'])],
  initializer: [],
  input: [value('x')],
  output: [value('y')],
};
// An encoded OperatorSetId with its version (17) alone.
const opsetImport = [Uint8Array.of(0x10, 17)];
const session = await InferenceSession.create(codec.encode({ irVersion: 8, opsetImport, producerName: 'test', graph }));
const data = Uint16Array.from(process.argv.slice(2), Number);
const { y } = packed(await session.run(unpacked({ x: { type: 'float16', data, dims: [data.length] } })));
process.stdout.write(y.data.join());
