/** The rooms of the house and the doors between them: who may import whom. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDoors } from '../src/server/doors/index.js';
import { DEFAULT_SETTINGS } from '../src/server/settings.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const SRC = path.join(ROOT, 'src');

const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: [],
  audio: ['protocol'],
  text: ['protocol'],
  accounts: ['protocol'],
  models: ['protocol'],
  engine: ['text', 'models', 'protocol'],
  worker: ['engine', 'protocol'],
  gateway: ['worker', 'models', 'text', 'protocol'],
  jobs: ['gateway', 'accounts', 'audio', 'models', 'text', 'protocol'],
  server: ['gateway', 'audio', 'accounts', 'jobs', 'models', 'protocol', 'text', 'book', 'mcp'],
  client: ['protocol', 'text', 'audio'],
  book: ['protocol', 'text'],
  mcp: ['protocol'],
  wyoming: ['client', 'protocol'],
  speechd: ['client', 'engine', 'protocol'],
};
/** Leaves that import nothing of ours and may be imported by anyone. */
const LEAVES = ['alive', 'clock', 'log', 'condition', 'atomic-file', 'folder', 'loop-turn', 'trace', 'tracing'];
/**
 * Entry files of child processes: the only places outside `cli/` and `config.ts` where the process
 * itself is touched.
 */
const PROCESS_ENTRIES = ['worker/main.ts', 'client/sinks/player-process.ts', 'engine/graphs/prepare-process.ts'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(path.sep).join('/'));
const source = (file: string) => readFileSync(path.join(SRC, file), 'utf8');

interface Import {
  readonly target: string;
  readonly dynamic: boolean;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = source(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  for (const match of text.matchAll(/(?:^|\n)\s*(import|export)\s+(type\s+)?[^;'"]*?from\s+['"]([^'"]+)['"]/g)) {
    found.push({ target: match[3]!, dynamic: false, typeOnly: match[2] !== undefined });
  }
  for (const match of text.matchAll(/(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g)) {
    found.push({ target: match[1]!, dynamic: false, typeOnly: false });
  }
  for (const match of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)) {
    found.push({ target: match[1]!, dynamic: true, typeOnly: false });
  }
  return found;
}

const roomOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, ''));
const resolve = (file: string, target: string) =>
  path.posix.normalize(path.posix.join(path.posix.dirname(file), target)).replace(/\.js$/, '');

describe('the table of rooms in ARCHITECTURE.md', () => {
  const document = readFileSync(path.resolve(SRC, '../ARCHITECTURE.md'), 'utf8');
  const rows = [...document.matchAll(/^\| `src\/(\w+)` \| .* \| ([^|]+) \|$/gm)].map(
    ([, room, allowed]) => [room!, allowed!] as const,
  );

  it('says of each room what this test lets it import', () => {
    const told = rows
      .filter(([room]) => room !== 'cli')
      .map(([room, allowed]) => [room, allowed === 'nothing' ? [] : allowed.split(', ').sort()]);
    const held = Object.entries(MAY_IMPORT).map(([room, allowed]) => [room, [...allowed].sort()]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(held));
  });

  it('knows every folder of src', () => {
    const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rows.map(([room]) => room).sort()).toEqual(folders.map(({ name }) => name).sort());
  });
});

describe('the folders', () => {
  it('show a reader no more than about twenty files each', () => {
    const crowded: string[] = [];
    const look = (folder: string) => {
      const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
      const inside = entries.filter((entry) => entry.isDirectory());
      if (entries.length - inside.length > 21) crowded.push(path.relative(ROOT, folder));
      for (const { name } of inside) look(path.join(folder, name));
    };
    for (const name of ['src', 'test', 'testkit', 'bench']) look(path.join(ROOT, name));
    expect(crowded).toEqual([]);
  });
});

describe('the comments', () => {
  it('have at most 100 columns', () => {
    const long = files.flatMap((file) =>
      source(file)
        .split('\n')
        .filter((line) => /^\s*(?:\/\/|\/?\*[*\s])/.test(line) && [...line].length > 100)
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(long).toEqual([]);
  });
});

describe('the import table', () => {
  it('finds the sources', () => {
    expect(files.length).toBeGreaterThan(10);
  });

  for (const file of files) {
    const room = roomOf(file);
    if (!(room in MAY_IMPORT)) continue;
    it(`${file} imports only what ${room} may`, () => {
      const strays = importsOf(file)
        .filter(({ target }) => target.startsWith('.'))
        .map(({ target }) => resolve(file, target))
        .filter((target) => {
          const other = roomOf(target);
          if (other === room || LEAVES.includes(target)) return false;
          return !MAY_IMPORT[room]!.some((allowed) => target === allowed || target.startsWith(`${allowed}/`));
        });
      expect(strays).toEqual([]);
    });
  }

  for (const file of files.filter((candidate) => candidate.startsWith('cli/'))) {
    it(`${file} loads other rooms dynamically`, () => {
      const eager = importsOf(file)
        .filter(({ target, dynamic, typeOnly }) => target.startsWith('.') && !dynamic && !typeOnly)
        .map(({ target }) => resolve(file, target))
        .filter((target) => !['cli', 'protocol', 'config', ...LEAVES].includes(roomOf(target)));
      expect(eager).toEqual([]);
    });
  }

  it('knows no circle, not even of types', () => {
    const below = new Map(
      files.map((file) => [
        file.replace(/\.tsx?$/, ''),
        importsOf(file)
          .filter(({ target }) => target.startsWith('.'))
          .map(({ target }) => resolve(file, target)),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, above: readonly string[]) => {
      if (above.includes(file)) circles.push([...above.slice(above.indexOf(file)), file].join(' → '));
      if (done.has(file) || above.includes(file)) return;
      for (const next of below.get(file) ?? []) visit(next, [...above, file]);
      done.add(file);
    };
    for (const file of below.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('lists no import that nothing uses', () => {
    const used = new Map(Object.keys(MAY_IMPORT).map((room) => [room, new Set<string>()]));
    const leaves = new Set<string>();
    for (const file of files) {
      for (const { target } of importsOf(file).filter((each) => each.target.startsWith('.'))) {
        const resolved = resolve(file, target);
        if (LEAVES.includes(resolved)) leaves.add(resolved);
        else if (roomOf(resolved) !== roomOf(file)) used.get(roomOf(file))?.add(roomOf(resolved));
      }
    }
    expect(Object.fromEntries([...used].map(([room, others]) => [room, [...others].sort()]))).toEqual(
      Object.fromEntries(Object.entries(MAY_IMPORT).map(([room, others]) => [room, [...others].sort()])),
    );
    expect([...leaves].sort()).toEqual([...LEAVES].sort());
  });

  it('keeps process.env and process.exit in config.ts, cli/ and the entries of child processes', () => {
    const strays = files
      .filter((file) => file !== 'config.ts' && !file.startsWith('cli/') && !PROCESS_ENTRIES.includes(file))
      .filter((file) => /\bprocess\.(env|exit)\b/.test(source(file)));
    expect(strays).toEqual([]);
  });

  it('loads OpenTelemetry by tracing.ts alone, and that only where traces are exported', () => {
    const importing = files.filter((file) =>
      importsOf(file).some(({ target }) => target.startsWith('@opentelemetry/')),
    );
    expect(importing).toEqual(['tracing.ts']);
    const loaders = files.filter((file) => importsOf(file).some(({ target }) => target.endsWith('/tracing.js')));
    expect(loaders.sort()).toEqual(['cli/service/trace-export.ts', 'worker/main.ts']);
    const eager = loaders.flatMap((file) => importsOf(file).filter(({ target }) => target.endsWith('/tracing.js')));
    expect(eager.filter(({ dynamic }) => !dynamic)).toEqual([]);
  });

  it('keeps onnxruntime in the engine', () => {
    const strays = files
      .filter((file) => !file.startsWith('engine/'))
      .filter((file) => importsOf(file).some(({ target }) => target.startsWith('onnxruntime')));
    expect(strays).toEqual([]);
  });

  it('lets bin/tts.js do nothing but import the start of an engine and the command line', () => {
    const lines = readFileSync(path.resolve(SRC, '../bin/tts.js'), 'utf8').trim().split('\n');
    expect(lines.filter((line) => line !== '' && !line.startsWith('//'))).toEqual([
      '#!/usr/bin/env node',
      "import '../dist/bundle/early-engine.js';",
      "await import('../dist/bundle/tts.js');",
    ]);
  });

  it('lets benches use testkit/, not the tests', () => {
    const bench = path.resolve(SRC, '../bench');
    const strays = readdirSync(bench, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /from '(\.\.\/)+test\//.test(readFileSync(path.join(bench, file), 'utf8')));
    expect(strays).toEqual([]);
  });
});

describe('the doors of the server', () => {
  const LIST = 'server/doors/index.ts';
  const folders = readdirSync(path.join(SRC, 'server/doors'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const doorOf = (file: string) => /^server\/doors\/([\w-]+)\//.exec(file)?.[1];
  const doorsIn = (file: string) =>
    importsOf(file)
      .filter(({ target }) => target.startsWith('.'))
      .map(({ target }) => doorOf(resolve(file, target)))
      .filter((door) => door !== undefined);

  it('are a folder each, listed in one place', () => {
    expect(folders).toEqual(
      expect.arrayContaining(['admin', 'elevenlabs', 'openai', 'operations', 'pages', 'v1', 'web']),
    );
    expect(doorsIn(LIST).sort()).toEqual(folders);
  });

  it('have the one shape', async () => {
    const doors = await loadDoors({ ...DEFAULT_SETTINGS, docs: true, jobs: true, web: 'auto' });
    expect(doors).toHaveLength(folders.length);
    for (const door of doors) expect(door).toMatchObject({ prefix: expect.any(String), routes: expect.any(Function) });
  });

  it('are known to nobody but the list: neither to each other nor to what they share', () => {
    const strays = files.filter((file) => {
      const own = doorOf(file);
      return file !== LIST && doorsIn(file).some((door) => door !== own);
    });
    expect(strays).toEqual([]);
  });

  it('are given to the server from outside', () => {
    const importing = files.filter((file) =>
      importsOf(file).some(({ target }) => target.startsWith('.') && `${resolve(file, target)}.ts` === LIST),
    );
    expect(importing.map(roomOf)).toEqual(['cli']);
  });
});
