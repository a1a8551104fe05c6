/** Opens a graph as an engine's process does, and prints the most memory (kB) that it had. */
import { readFileSync } from 'node:fs';
import { graphLoader } from '../../../dist/engine/graphs/graph-loader.js';
import { cpuProvider } from '../../../dist/engine/graphs/provider.js';

const [file, dir] = process.argv.slice(2);
const session = await graphLoader(dir, cpuProvider(1))(file);
console.log(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
await session.release();
