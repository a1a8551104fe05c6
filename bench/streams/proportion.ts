/**
 * What text and sessions cost the server itself, next to how much there is of them: processor time
 * and memory of `tts serve` without its engines, which are tones. Twice as much should cost twice
 * as much.
 *
 *   npm run bench -- proportion [--chars 62500,125000,250000,500000,1000000]
 *                               [--sessions 25,50,100,200] [--svg FOLDER]
 */
import { setMaxListeners } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { socketListener } from '../../src/client/load/listener.js';
import { openSpeechSocket } from '../../src/client/speech-socket.js';
import { type BenchServer, cpuSeconds, startServer } from '../support/serve.js';
import { TEXTS, VOICE } from '../support/texts.js';

interface Point {
  readonly amount: number;
  readonly cpuS: number;
  readonly memoryMb: number;
}

const MS_PER_CHAR = 1;
const WINDOW_CHARS = 40_000;
const STEP_CHARS = 5_000;
const TOKENS_PER_SECOND = 20;
const { signal } = new AbortController();
setMaxListeners(0, signal);

/** The most it ever had in memory. */
async function peakMb(pid: number): Promise<number> {
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;
}

/** One session is written so much text, as fast as it is spoken. */
async function speakText(server: BenchServer, chars: number): Promise<void> {
  const address = { baseUrl: server.baseUrl, apiKey: server.key, voice: VOICE };
  const socket = await openSpeechSocket(
    { ...address, params: { model_id: 'base-tts-fast', inactivity_timeout: 180 } },
    signal,
  );
  const text = `${TEXTS.join(' ')} `.repeat(Math.ceil(chars / 500)).slice(0, chars);
  let sent = 0;
  let heard = 0;
  const write = () => {
    for (; sent < chars && sent - heard < WINDOW_CHARS; sent += STEP_CHARS)
      socket.send(text.slice(sent, sent + STEP_CHARS));
    if (sent >= chars && sent < Number.POSITIVE_INFINITY) {
      sent = Number.POSITIVE_INFINITY;
      socket.end();
    }
  };
  write();
  for await (const { pcm } of socket.audio) {
    // White space is silent: this many characters were heard, or a few more.
    heard += (pcm.length / 24 / MS_PER_CHAR) * 1.28;
    write();
  }
  socket.close();
}

async function measured(server: BenchServer, amount: number, work: () => Promise<unknown>): Promise<Point> {
  const before = await cpuSeconds(server.pid);
  await work();
  const point = { amount, cpuS: (await cpuSeconds(server.pid)) - before, memoryMb: await peakMb(server.pid) };
  process.stdout.write(
    `${String(amount).padStart(9)} ${point.cpuS.toFixed(2).padStart(9)} s ${point.memoryMb.toFixed(0).padStart(7)} MB\n`,
  );
  return point;
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      chars: { type: 'string', default: '62500,125000,250000,500000,1000000' },
      sessions: { type: 'string', default: '25,50,100,200' },
      svg: { type: 'string', default: '' },
    },
  });
  const amounts = (list: string): number[] => list.split(',').filter(Boolean).map(Number);
  const pictures: [string, string, Point[]][] = [];
  const run = async (
    name: string,
    title: string,
    sine: object,
    list: number[],
    work: (s: BenchServer, n: number) => Promise<unknown>,
  ) => {
    process.stdout.write(`${title}\n`);
    const points: Point[] = [];
    for (const amount of list) {
      const server = await startServer({ TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: JSON.stringify(sine) });
      // What is loaded and compiled once is no part of it.
      await speakText(server, 5_000);
      points.push(await measured(server, amount, () => work(server, amount)));
      await server.stop();
    }
    pictures.push([name, title, points]);
  };
  await run('characters', 'characters of one session', { msPerChar: MS_PER_CHAR }, amounts(values.chars), speakText);
  await run('sessions', 'sessions at once, 13 s each', {}, amounts(values.sessions), (server, count) => {
    const options = {
      baseUrl: server.baseUrl,
      apiKey: server.key,
      voice: VOICE,
      params: { model_id: 'base-tts-fast' },
    } as const;
    const listen = socketListener(options, TOKENS_PER_SECOND);
    return Promise.all(Array.from({ length: count }, (_, i) => listen(TEXTS[i % TEXTS.length]!, signal)));
  });
  if (values.svg === '') return;
  for (const [name, title, points] of pictures)
    await writeFile(path.join(values.svg, `${name}.svg`), picture(title, points));
}

/**
 * Processor time over the amount, with the straight line through the last point, and the memory in
 * numbers.
 */
function picture(title: string, points: readonly Point[]): string {
  const [width, height, left, bottom] = [560, 300, 70, 50];
  const most = points.at(-1)!;
  const x = (amount: number) => left + (amount / most.amount) * (width - left - 90);
  const y = (cpuS: number) => height - bottom - (cpuS / (most.cpuS * 1.1)) * (height - bottom - 50);
  const marks = points.map(
    ({ amount, cpuS, memoryMb }) =>
      `<circle cx="${x(amount).toFixed(1)}" cy="${y(cpuS).toFixed(1)}" r="4" class="dot"/>
<text x="${(x(amount) + 8).toFixed(1)}" y="${(y(cpuS) + 16).toFixed(1)}">${cpuS.toFixed(1)} s, ${memoryMb.toFixed(0)} MB</text>
<text x="${x(amount).toFixed(1)}" y="${height - bottom + 20}" text-anchor="middle">${amount.toLocaleString('en')}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">
<title>The server's processor time and peak memory: ${title}</title>
<style>text{fill:#57606a}.dot{fill:#2f81f7}.line{stroke:#8c959f;stroke-dasharray:3 3}.axis{stroke:#8c959f}</style>
<text x="${left}" y="24" font-size="13" font-weight="600">The server's processor time and peak memory: ${title}</text>
<line x1="${left}" y1="${height - bottom}" x2="${width - 20}" y2="${height - bottom}" class="axis"/>
<line x1="${left}" y1="${y(0).toFixed(1)}" x2="${x(most.amount).toFixed(1)}" y2="${y(most.cpuS).toFixed(1)}" class="line"/>
${marks.join('\n')}
</svg>
`;
}
