/**
 * An audiobook by `tts book`, next to the same text by `tts speak`: wall time, processor time and
 * the most memory of the command with all of its processes, pages that they share counted once. The
 * text repeats, with a number in every sentence: a book's sentence that comes twice is spoken once.
 *
 *   npm run bench -- book [--minutes 600] [--format m4b] [--engine kokoro] [--model base-tts-fast]
 *     [--runs book,kept,speak]
 *
 * `kept` is `tts book` again, with all sentences kept. Memory is told over time too, at every tenth
 * of the run, as that of the command (client and server are one process) and of its engines, with
 * the machine's load beside it. `--format epub` makes a book to read along; `--engine sine` shows
 * what everything but the voice takes (3,000,000 characters are --minutes 3334).
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bookText } from '../support/texts.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const LOOK_MS = 500;

/** A look at the command and the processes it started. */
interface Look {
  readonly atS: number;
  /** Processor time (s). */
  readonly cpuS: number;
  readonly commandMb: number;
  readonly enginesMb: number;
  /** The machine's load of the last minute. */
  readonly load: number;
}

interface Cost {
  readonly wallS: number;
  readonly looks: readonly Look[];
}

/** Processor time (ticks of 10 ms) and memory (kB) of a process and its child processes. */
async function processes(pid: number): Promise<{ ticks: number; ownKb: number; belowKb: number }> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const fields = (await read('stat')).replace(/^.*\) /, '').split(' ');
  // Each page divided by the processes that have it: engines share the weights.
  const ownKb = Number(/^Pss:\s+(\d+)/m.exec(await read('smaps_rollup'))?.[1] ?? 0);
  const children = (await read(`task/${pid}/children`)).split(' ').filter(Boolean).map(Number);
  const below = await Promise.all(children.map(processes));
  // Fields 13 to 16: own time, and that of children that have ended.
  const ownTicks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return {
    ticks: below.reduce((sum, each) => sum + each.ticks, ownTicks),
    ownKb,
    belowKb: below.reduce((sum, each) => sum + each.ownKb + each.belowKb, 0),
  };
}

async function costOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Cost> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const looks: Look[] = [];
  const timer = setInterval(async () => {
    const { ticks, ownKb, belowKb } = await processes(child.pid!);
    if (ownKb === 0) return;
    looks.push({
      atS: (performance.now() - startMs) / 1000,
      cpuS: ticks / 100,
      commandMb: (ownKb * 1024) / 1e6,
      enginesMb: (belowKb * 1024) / 1e6,
      load: loadavg()[0]!,
    });
  }, LOOK_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`tts ${args.join(' ')} ended with ${code}`);
  return { wallS: (performance.now() - startMs) / 1000, looks };
}

function told(name: string, { wallS, looks }: Cost, fileBytes: number): string {
  const most = (value: (look: Look) => number) => Math.max(...looks.map(value));
  const lines = [
    `${name.padEnd(22)} ${wallS.toFixed(1).padStart(7)} s, processor ${most((look) => look.cpuS)
      .toFixed(1)
      .padStart(7)} s, ` +
      `memory ${most((look) => look.commandMb + look.enginesMb)
        .toFixed(0)
        .padStart(5)} MB, file ${(fileBytes / 1e6).toFixed(1)} MB`,
  ];
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    const look = looks[Math.ceil((looks.length * tenth) / 10) - 1];
    if (look === undefined) continue;
    lines.push(
      `  ${look.atS.toFixed(0).padStart(6)} s: processor ${look.cpuS.toFixed(0).padStart(6)} s, ` +
        `command ${look.commandMb.toFixed(0).padStart(4)} MB, engines ${look.enginesMb.toFixed(0).padStart(4)} MB, load ${look.load.toFixed(1)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '600' },
      format: { type: 'string', default: 'm4b' },
      engine: { type: 'string', default: 'kokoro' },
      model: { type: 'string', default: 'base-tts-fast' },
      runs: { type: 'string', default: 'book,kept,speak' },
    },
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-bench-book-'));
  const env = {
    ...process.env,
    TTS_ENGINE: values.engine,
    TTS_RUNTIME_DIR: path.join(folder, 'run'),
    TTS_BOOK_DIR: path.join(folder, 'books'),
  };
  try {
    const text = bookText(Number(values.minutes));
    const file = path.join(folder, 'book.md');
    await writeFile(file, text);
    process.stdout.write(`${text.length} characters, about ${values.minutes} minutes\n`);
    const out = path.join(folder, `book.${values.format}`);
    // tts speak makes an EPUB as tts book does, so that there would be nothing to compare.
    const spoken = path.join(folder, `spoken.${values.format === 'epub' ? 'm4b' : values.format}`);
    const runs = {
      book: { name: 'tts book', command: ['book', file], out },
      kept: { name: 'tts book, all kept', command: ['book', file], out },
      speak: { name: 'tts speak', command: ['speak', '-f', file, '--chapters'], out: spoken },
    };
    for (const [key, run] of Object.entries(runs)) {
      if (!values.runs.split(',').includes(key)) continue;
      const cost = await costOf([...run.command, '-o', run.out, '-m', values.model, '-q'], env);
      process.stdout.write(told(run.name, cost, (await stat(run.out)).size));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
