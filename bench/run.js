// Runs one benchmark written in TypeScript: npm run bench -- stream --sessions 1,4,16
import path from 'node:path';
import { runnerImport } from 'vite';

// The first argument names a file in this folder; without one it is the comparison of speeds.
const [name, ...options] =
  process.argv[2]?.startsWith('-') === false ? process.argv.slice(2) : ['speed', ...process.argv.slice(2)];
const { module } = await runnerImport(path.join(import.meta.dirname, `${name}.ts`), {
  configFile: false,
  root: path.join(import.meta.dirname, '..'),
  logLevel: 'error',
});
await module.main(options);
process.exit();
