// Copies numbers in float16 through the runtime, as the engine packs and unpacks them, and prints their bits.
import { InferenceSession } from 'onnxruntime-node';
import { packed, unpacked } from '../../../dist/engine/graphs/packed.js';
import { copyGraph } from '../../../dist/models/onnx/copy.js';
import { DATA_TYPE } from '../../../dist/models/onnx/schema.js';

const session = await InferenceSession.create(copyGraph(DATA_TYPE.float16));
const data = Uint16Array.from(process.argv.slice(2), Number);
const { y } = packed(await session.run(unpacked({ x: { type: 'float16', data, dims: [1, data.length] } })));
process.stdout.write(y.data.join());
