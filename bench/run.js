// Runs one benchmark written in TypeScript: npm run bench -- stream --sessions 1,4,16
import path from 'node:path';
import { runnerImport } from 'vite';

const [name, ...options] = process.argv.slice(2);
if (name === undefined) {
  process.stderr.write('usage: npm run bench -- NAME [options], NAME being a file in bench/ without its .ts\n');
  process.exit(2);
}
const { module } = await runnerImport(path.join(import.meta.dirname, `${name}.ts`), {
  configFile: false,
  root: path.join(import.meta.dirname, '..'),
  logLevel: 'error',
});
await module.main(options);
process.exit();
