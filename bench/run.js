// Runs one benchmark written in TypeScript: npm run bench -- stream --sessions 1,4,16
import path from 'node:path';
import { createServer } from 'vite';

// The first argument names a file in this folder; without one it is the comparison of speeds.
const [first = '', ...rest] = process.argv.slice(2);
const named = first !== '' && !first.startsWith('-');
const name = named ? first : 'speed';
const options = named ? rest : process.argv.slice(2);
const BENCHES = [
  'speed',
  'stream',
  'streams',
  'proportion',
  'gpu',
  'first-sound',
  'apart',
  'load',
  'soak',
  'attacks',
  'steady',
  'sound',
  'start',
  'overhead',
  'formats',
  'nats',
  'round-trips',
  'chaos',
  'cell',
  'text',
  'picture',
  'accounts',
  'traces',
  'sizing',
];
if (!BENCHES.includes(name)) {
  process.stderr.write(`There is no bench "${name}". There are: ${BENCHES.join(', ')}.\n`);
  process.exit(2);
}
// Some benches load the runtime here and not in an engine's process; it reports nothing from here either (src/worker/main.ts).
process.env.ORT_DISABLE_TELEMETRY ??= '1';
// It stays open until the end: modules that are imported late come through it as well.
const vite = await createServer({
  configFile: false,
  root: path.join(import.meta.dirname, '..'),
  logLevel: 'error',
  appType: 'custom',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, ws: false },
});
const module = await vite.ssrLoadModule(path.join(import.meta.dirname, `${name}.ts`));
// What is measured to the millisecond is the code as built: vite reaches every import through a getter, which halves its speed.
const built = (file) => import(path.join(import.meta.dirname, '../dist', file));
await module.main(options, built);
process.exit();
