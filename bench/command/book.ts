/**
 * An audiobook by `tts book`, next to the same text by `tts speak`: wall time, processor time and
 * the most memory of the command with all of its processes, pages that they share counted once. The
 * text repeats, with a number in every paragraph, so that no sentence is kept from another.
 *
 *   npm run bench -- book [--minutes 600] [--format m4b] [--engine kokoro] [--model base-tts-fast]
 *     [--alone]  without tts speak
 *
 * `--format epub` makes a book to read along; `--engine sine` shows what everything but the voice
 * takes (3,000,000 characters are --minutes 3334).
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TEXTS } from '../support/texts.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
/** Characters that are read in a minute. */
const CHARS_PER_MINUTE = 900;
const CHAPTER_CHARS = 20_000;
const LOOK_MS = 500;

interface Cost {
  readonly wallS: number;
  /** Of the command and its engines, as long as they were seen. */
  readonly cpuS: number;
  readonly mostMb: number;
}

function textOf(minutes: number): string {
  const chapters: string[] = [];
  let chars = 0;
  for (let sentence = 0, inChapter = CHAPTER_CHARS; chars < minutes * CHARS_PER_MINUTE; sentence += 1) {
    if (inChapter >= CHAPTER_CHARS) {
      chapters.push(`# Chapter ${chapters.length + 1}\n\n`);
      inChapter = 0;
    }
    const paragraph = `Paragraph ${sentence}. ${TEXTS[sentence % TEXTS.length]}\n\n`;
    chapters[chapters.length - 1] += paragraph;
    chars += paragraph.length;
    inChapter += paragraph.length;
  }
  return chapters.join('');
}

/** Processor time in ticks of 10 ms and memory (kB) of a process and those it started. */
async function processes(pid: number): Promise<{ ticks: number; kilobytes: number }> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const fields = (await read('stat')).replace(/^.*\) /, '').split(' ');
  // Each page divided by the processes that have it: engines share the weights.
  const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(await read('smaps_rollup'))?.[1] ?? 0);
  const children = (await read(`task/${pid}/children`)).split(' ').filter(Boolean).map(Number);
  const below = await Promise.all(children.map(processes));
  return {
    ticks: below.reduce((sum, each) => sum + each.ticks, Number(fields[11] ?? 0) + Number(fields[12] ?? 0)),
    kilobytes: below.reduce((sum, each) => sum + each.kilobytes, kilobytes),
  };
}

async function costOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Cost> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  let most = { ticks: 0, kilobytes: 0 };
  const timer = setInterval(async () => {
    const { ticks, kilobytes } = await processes(child.pid!);
    most = { ticks: Math.max(most.ticks, ticks), kilobytes: Math.max(most.kilobytes, kilobytes) };
  }, LOOK_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`tts ${args.join(' ')} ended with ${code}`);
  return { wallS: (performance.now() - startMs) / 1000, cpuS: most.ticks / 100, mostMb: (most.kilobytes * 1024) / 1e6 };
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '600' },
      format: { type: 'string', default: 'm4b' },
      engine: { type: 'string', default: 'kokoro' },
      model: { type: 'string', default: 'base-tts-fast' },
      alone: { type: 'boolean', default: false },
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
    const text = textOf(Number(values.minutes));
    const file = path.join(folder, 'book.md');
    await writeFile(file, text);
    const report = async (name: string, command: readonly string[], out: string) => {
      const { wallS, cpuS, mostMb } = await costOf([...command, '-o', out, '-m', values.model, '-q'], env);
      const { size } = await stat(out);
      process.stdout.write(
        `${name.padEnd(22)} ${wallS.toFixed(1).padStart(7)} s, processor ${cpuS.toFixed(1).padStart(7)} s, ` +
          `memory ${mostMb.toFixed(0).padStart(5)} MB, file ${(size / 1e6).toFixed(1)} MB\n`,
      );
    };
    process.stdout.write(`${text.length} characters, about ${values.minutes} minutes\n`);
    const out = path.join(folder, `book.${values.format}`);
    await report('tts book', ['book', file], out);
    await report('tts book, all kept', ['book', file], out);
    if (values.alone) return;
    // tts speak makes an EPUB as tts book does, so that there would be nothing to compare.
    const ending = values.format === 'epub' ? 'm4b' : values.format;
    await report('tts speak', ['speak', '-f', file, '--chapters'], path.join(folder, `spoken.${ending}`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
