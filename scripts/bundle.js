/**
 * Puts the compiled modules of `dist` into few files, `dist/bundle`, from which `tts`, its engine
 * processes and its text threads run: Node takes half a millisecond for every file that it imports,
 * and a command without a server would import four hundred. Packages stay outside, but for a few.
 *
 *   node scripts/bundle.js [FOLDER]     the folder of the compiled modules, else dist
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = path.join(import.meta.dirname, '..');
const DIST = realpathSync(process.argv[2] ?? path.join(ROOT, 'dist'));
const BUNDLE = path.join(DIST, 'bundle');

const ENTRIES = {
  'early-engine': 'cli/early-engine.js',
  tts: 'cli/main.js',
  engine: 'worker/main.js',
  'text-thread': 'text/thread/text-thread.js',
  'graph-thread': 'engine/graphs/graph-thread.js',
  'prepare-process': 'engine/graphs/prepare-process.js',
  'job-thread': 'cli/jobs/job-thread.js',
};

/**
 * What a command that speaks without a server imports by and by, in each of its two processes. It
 * becomes one file for each, and one that they share; every other module that is imported late has
 * a file of its own. A module that is missing here costs time, nothing else.
 */
const TOGETHER = {
  command: [
    'cli/commands/speak.js',
    'text/detect-language.js',
    'models/packs.js',
    'accounts/api-key.js',
    'gateway/workers/pool.js',
    'text/chapters.js',
    'client/progress.js',
    'client/left-out.js',
    'client/sinks/volume.js',
    'client/sinks/file.js',
    'audio/raw.js',
    'cli/service/embedded.js',
    'gateway/workers/autoscaler.js',
    'gateway/workers/process-worker.js',
    'engine/measure/machine.js',
    'text/thread/texts.js',
    'client/http.js',
    'client/speak-requests.js',
    'client/ui/format.js',
  ],
  // Commands about keys and accounts need no server.
  store: ['accounts/sqlite/store.js', 'accounts/admin-secret.js', 'accounts/keyring.js', 'accounts/accounts.js'],
  server: [
    'models/live-catalogue.js',
    'server/server.js',
    'server/doors/index.js',
    'server/metrics/no-metrics.js',
    'gateway/gateway.js',
  ],
  engine: ['engine/kokoro.js'],
};

/**
 * Packages that go into the bundle, with what they import: of mediabunny two formats of many are
 * used, and installed it is 17 MB; MCP's SDK brings two web servers along, 29 MB; Fastify, metrics
 * and what else a server is made of are two hundred files, which take twice as long to load one by
 * one. Their licences are told in NOTICE.
 */
const INSIDE = new Set([
  'commander',
  'fastify',
  '@fastify/cors',
  '@fastify/error',
  '@fastify/forwarded',
  '@fastify/helmet',
  '@fastify/proxy-addr',
  '@fastify/accept-negotiator',
  '@fastify/send',
  '@fastify/static',
  '@fastify/swagger',
  '@lukeed/ms',
  '@opentelemetry/api',
  'abstract-logging',
  'avvio',
  'bintrees',
  'content-disposition',
  'debug',
  'depd',
  'escape-html',
  'fast-decode-uri-component',
  'fast-json-stringify',
  'fast-querystring',
  'fastify-plugin',
  'fastq',
  'find-my-way',
  'helmet',
  'http-errors',
  'inherits',
  'ipaddr.js',
  'json-schema-resolver',
  'mime',
  'ms',
  'process-warning',
  'prom-client',
  'ret',
  'reusify',
  'rfdc',
  'safe-regex2',
  'secure-json-parse',
  'semver',
  'setprototypeof',
  'statuses',
  'tdigest',
  'toad-cache',
  'toidentifier',
  'ws',
  'mediabunny',
  '@mediabunny/aac-encoder',
  '@modelcontextprotocol/sdk',
  'ajv',
  'ajv-formats',
  'content-type',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
  'zod',
  'zod-to-json-schema',
]);

/** `@scope/name` of `@scope/name/file.js`. */
const packageOf = (id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/');

const STATIC_IMPORT = /^(?:import|export)\s[^;]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm;

const PACKAGE_IMPORT = /^(?:import|export)\s[^;]*?from '(?!\.|node:)|^import '(?!\.|node:)/m;

/** The modules `names`, and all that they import at once. */
function closure(names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const imports = readFileSync(path.join(DIST, name), 'utf8').matchAll(STATIC_IMPORT);
    closure(
      [...imports].map(([, from, bare]) => path.posix.join(path.posix.dirname(name), from ?? bare)),
      found,
    );
  }
  return found;
}

/**
 * The file of the bundle in which a module lies with others; undefined for one with a file of its
 * own. What an entry imports at once is shared: nothing heavy stands there, and the engine's entry
 * sets its environment before the runtime is loaded.
 */
function fileOf() {
  const entries = new Set(Object.values(ENTRIES));
  const early = closure([ENTRIES['early-engine'], 'gateway/workers/fork-engine.js']);
  const atOnce = closure([ENTRIES.tts, ENTRIES.engine]);
  const cutting = closure([ENTRIES['text-thread']]);
  const reading = closure(['text/reader.js', 'text/lexicon.js']);
  const preparing = closure(['engine/graphs/prepare.js']);
  const [command, store, server, engine] = Object.values(TOGETHER).map((roots) => closure(roots));
  const known = [early, atOnce, cutting, reading, command, store, server, engine];
  const others = closure(modules().filter((name) => !entries.has(name) && !known.some((set) => set.has(name))));
  return (name) => {
    if (entries.has(name)) return undefined;
    if (early.has(name)) return 'early';
    // Other commands use it too, and must not load the server's packages with it.
    if (
      (store.has(name) || server.has(name)) &&
      !command.has(name) &&
      !atOnce.has(name) &&
      others.has(name) &&
      isPlain(name)
    )
      return 'common';
    const inCommand = command.has(name) || store.has(name) || server.has(name);
    if (atOnce.has(name) || (inCommand && engine.has(name))) return 'shared';
    if (cutting.has(name)) return 'cutting';
    // Words of the wire that other rooms use too, and need no reader for.
    if (reading.has(name) && name.startsWith('protocol/')) return 'shared';
    if (reading.has(name)) return 'reading';
    if (command.has(name)) return 'command';
    if (store.has(name)) return 'store';
    if (server.has(name)) return 'server';
    // The process that prepares graphs loads no engine.
    if (engine.has(name) && preparing.has(name)) return 'graphs';
    return engine.has(name) ? 'engine' : undefined;
  };
}

/** All compiled modules. */
const modules = () =>
  readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.js') && !/^(?:bundle|web)\//.test(name));

/** Whether neither it nor what it imports takes a package. */
const isPlain = (name) =>
  [...closure([name])].every((each) => !PACKAGE_IMPORT.test(readFileSync(path.join(DIST, each), 'utf8')));

/** A group takes what its modules import along, but for what a group before it has. */
function groups() {
  const file = fileOf();
  const moduleOf = (id) => path.relative(DIST, id).split(path.sep).join('/');
  const names = ['early', 'shared', 'cutting', 'common', 'command', 'store', 'server', 'reading', 'graphs', 'engine'];
  return [
    { name: 'commander', test: /node_modules[\\/]commander[\\/]/ },
    ...names.map((name) => ({ name, test: (id) => file(moduleOf(id)) === name })),
  ];
}

/** Modules keep the place that they were compiled to: what they find beside them stays there. */
const ownPlace = {
  name: 'own-place',
  transform(code, id) {
    if (!id.startsWith(DIST) || !code.includes('import.meta.')) return null;
    const place = path.relative(BUNDLE, id).split(path.sep).join('/');
    return code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${path.posix.dirname(place)}`)})`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
  },
};

/**
 * The document of the API is only ever asked for as JSON: a server that starts need not load a
 * writer of YAML, which is seventy files.
 */
const isYamlOfSwagger = (id, importer) => id === 'yaml' && /[\\/]@fastify[\\/]swagger[\\/]/.test(importer ?? '');
const withoutYaml = {
  name: 'without-yaml',
  resolveId: (id, importer) => (isYamlOfSwagger(id, importer) ? '\0no-yaml' : null),
  load: (id) => (id === '\0no-yaml' ? 'export default {};' : null),
};

const bundle = await rolldown({
  // The name of every module above its code is relative to this.
  cwd: DIST,
  platform: 'node',
  logLevel: 'warn',
  // A module that one importer wants late and another at once.
  checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, path.join(DIST, file)])),
  // Asked before the plugins are: what is external never comes to them.
  external: (id, importer) =>
    !id.startsWith('.') && !path.isAbsolute(id) && !INSIDE.has(packageOf(id)) && !isYamlOfSwagger(id, importer),
  plugins: [ownPlace, withoutYaml],
});
await bundle.write({
  dir: BUNDLE,
  cleanDir: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  minify: false,
  codeSplitting: { groups: groups() },
});
await bundle.close();
