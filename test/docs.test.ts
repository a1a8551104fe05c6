/** The documents: their links lead somewhere, and their tables agree with the code. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, EXIT, TtsError } from '../src/protocol/errors.js';
import { flagOf, SETTINGS } from '../src/settings.js';
import { pageFiles, slugOf } from '../web/docs-pages.js';
import { fencesOf, ROOT } from './support/readme-examples.js';

const text = (document: string): string => readFileSync(path.join(ROOT, document), 'utf8');
const markdownIn = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name));

const PAGES = markdownIn('docs');
const DOCUMENTS = [
  ...markdownIn('.'),
  ...PAGES,
  ...markdownIn('docs/decisions'),
  'deploy/README.md',
  'examples/README.md',
  'voices/README.md',
  'voices/training/README.md',
];
const withoutFences = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```$/gm, '');

/** The anchors of a document's headings. */
function anchorsOf(document: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...withoutFences(text(document)).matchAll(/^#{1,6} (.+)$/gm)].map((match) => {
    const slug = slugOf(match[1]!);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}

/** Cells of the table rows whose first cell is code. */
const rowsOf = (document: string): string[][] =>
  [...text(document).matchAll(/^\| `.*\|$/gm)].map(([row]) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

describe.each(DOCUMENTS)('%s', (document) => {
  const markdown = withoutFences(text(document));

  it('links to files and headings that exist', () => {
    const links = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^\w+:/.test(link));
    const broken = links.filter((link) => {
      const [target = '', anchor] = link.split('#');
      const file = target === '' ? document : path.posix.join(path.posix.dirname(document), target);
      if (!existsSync(path.join(ROOT, file))) return true;
      return anchor !== undefined && (!file.endsWith('.md') || !anchorsOf(file).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  it('names files of the repository that exist', () => {
    const named = [...markdown.matchAll(/`((?:src|test|bench|bin|scripts|docs|web|\.ci)\/[\w./-]+)`/g)].map(
      (match) => match[1]!,
    );
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

describe('the README', () => {
  it('is read to its end: 130 lines, about 1,200 words', () => {
    const readme = text('README.md');
    expect(readme.split('\n').length).toBeLessThanOrEqual(131);
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_300);
  });

  it('links to every page of docs/', () => {
    const missing = PAGES.filter((page) => page !== 'docs/README.md' && !text('README.md').includes(`(${page})`));
    expect(missing).toEqual([]);
  });
});

describe('docs/', () => {
  it('has an index of all its pages, in the order in which they are served', () => {
    expect(pageFiles().sort()).toEqual(PAGES.map((page) => path.posix.basename(page)).sort());
  });

  it('names every error with status, close code, exit code and whether to retry', () => {
    const told = rowsOf('docs/api.md').filter((cells) => cells.length === 6);
    const expected = ERROR_CODES.map((code) => {
      const { status, close, exit, retryable } = new TtsError(code, '').row;
      return [`\`${code}\``, ...[status, close, exit].map(String), retryable ? 'yes' : 'no'];
    });
    const byCode = (a: string[], b: string[]) => a[0]!.localeCompare(b[0]!);
    expect(told.map((cells) => cells.slice(0, 5)).sort(byCode)).toEqual(expected.sort(byCode));
    expect(told.filter((cells) => cells[5] === '')).toEqual([]);
  });

  it('names every exit code', () => {
    const table = text('docs/commands.md').slice(text('docs/commands.md').indexOf('| exit code |'));
    const told = [...table.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    expect(told).toEqual(Object.values(EXIT));
  });

  it('names every setting of a server, and the rule for its variable holds', () => {
    const page = text('docs/operating.md');
    const ofServer = SETTINGS.filter(({ group, hidden }) => group !== 'client' && hidden !== true);
    expect(ofServer.map(({ key }) => flagOf(key)).filter((flag) => !page.includes(`\`${flag}\``))).toEqual([]);
    const variableOf = (flag: string) => `TTS_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;
    expect(ofServer.filter(({ key, env }) => env !== variableOf(flagOf(key)))).toEqual([]);
  });

  it('names every command', () => {
    const help = execFileSync(process.execPath, [path.join(ROOT, 'bin/tts.js'), '--help'], { encoding: 'utf8' });
    const commands = [...help.slice(help.indexOf('Commands:')).matchAll(/^ {2}(\w+)(?:\|\w+)? {2,}/gm)].map(
      (match) => match[1]!,
    );
    expect(commands.length).toBeGreaterThan(10);
    const page = text('docs/commands.md');
    expect(commands.filter((name) => !page.includes(`tts ${name}`))).toEqual([]);
    expect(help).toContain('/docs');
  });

  it('has a glossary of at most forty terms, in order, one meaning each', () => {
    const terms = [...text('docs/glossary.md').matchAll(/^\| ([^|]+?) \|/gm)].map((match) => match[1]!).slice(1);
    expect(terms.length).toBeLessThanOrEqual(40);
    expect(terms).toEqual([...new Set(terms)].sort((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' })));
  });

  it('is small enough to travel in the package', () => {
    const bytes = PAGES.reduce((sum, page) => sum + statSync(path.join(ROOT, page)).size, 0);
    expect(bytes).toBeLessThan(200_000);
  });
});

describe('commands that need another machine', () => {
  const optionsOf = new Map<string, string>();
  const help = (command: string): string => {
    const known = optionsOf.get(command);
    if (known !== undefined) return known;
    const shown = execFileSync(process.execPath, [path.join(ROOT, 'bin/tts.js'), ...command.split(' '), '--help'], {
      encoding: 'utf8',
    });
    optionsOf.set(command, shown);
    return shown;
  };
  const blocks = ['README.md', ...PAGES, 'deploy/README.md', 'voices/README.md', 'examples/README.md'].flatMap(
    (document) =>
      fencesOf(document)
        .filter(({ info }) => info === 'sh other-machine')
        .map((block) => ({ document, block: block.text })),
  );

  it('are there', () => {
    expect(blocks.length).toBeGreaterThan(3);
  });

  it.each(blocks)('$document: are commands of a shell, with options that exist: $block', ({ block }) => {
    execFileSync('bash', ['-n', '-c', block]);
    for (const [, command, rest] of block.matchAll(
      /(?:^|&& |\$\()tts ((?:keys|db|admin|models|voices) [a-z]+|[a-z]+)(.*)$/gm,
    )) {
      const used = [...rest!.replace(/ #.*/, '').matchAll(/ (--?[a-z][\w-]*)/g)].map((match) => match[1]!);
      const shown = help(command!);
      expect(used.filter((option) => !new RegExp(`(?:^|[ ,])${option}(?![\\w-])`, 'm').test(shown))).toEqual([]);
    }
    for (const [, name] of block.matchAll(/npm run (?:-s )?bench -- ([\w-]+)/g)) {
      expect(benches().map((bench) => bench.name)).toContain(name);
    }
  });
});

describe('npm run bench', () => {
  it('lists benches that are there, each of which benchmarks.md names', () => {
    const missing = benches().filter(({ folder, name }) => !existsSync(path.join(ROOT, folder, `${name}.ts`)));
    expect(missing).toEqual([]);
    const page = readFileSync(path.join(ROOT, 'docs/benchmarks.md'), 'utf8');
    expect(benches().filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

/** The benches as the command lists them: a folder, and a line for each bench in it. */
function benches(): { folder: string; name: string }[] {
  const list = execFileSync(process.execPath, [path.join(ROOT, 'bench/run.js')], { encoding: 'utf8' });
  return list
    .split(/^(?=bench\/)/m)
    .slice(1)
    .flatMap((group) => {
      const [folder = '', ...lines] = group.trim().split('\n');
      return lines.map((line) => ({ folder, name: /\S+/.exec(line)![0] }));
    });
}
