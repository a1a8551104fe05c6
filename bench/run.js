// Runs one benchmark written in TypeScript: npm run bench -- stream --sessions 1,4,16
import path from 'node:path';
import { benchOf, listOfBenches } from './benches.js';

const [name] = process.argv.slice(2);
if (name === undefined || name === '--help' || name === '-h') {
  process.stdout.write(listOfBenches());
  process.exit(0);
}
const found = benchOf(process.argv.slice(2));
if (found === undefined) {
  process.stderr.write(`There is no bench "${name}". npm run bench lists them.\n`);
  process.exit(2);
}
const { bench, options } = found;
// Some benches load onnxruntime here and not in an engine process; it reports nothing from here
// either.
process.env.ORT_DISABLE_TELEMETRY ??= '1';
const { createServer } = await import('vite');
// It stays open until the end: modules that are imported late come through it as well.
const vite = await createServer({
  configFile: false,
  root: path.join(import.meta.dirname, '..'),
  logLevel: 'error',
  appType: 'custom',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, ws: false },
});
const module = await vite.ssrLoadModule(path.join(import.meta.dirname, bench.folder, `${bench.name}.ts`));
// Code that is measured to the millisecond is taken as built: vite reaches every import through a
// getter, which halves its speed.
const built = (file) => import(path.join(import.meta.dirname, '../dist', file));
await module.main(options, built);
process.exit();
