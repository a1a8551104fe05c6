/**
 * The pages in Chromium: bytes over the wire, first paint, and how long the main thread is held
 * while a text of 200,000 characters is spoken. Wall time counts what other programs take; thread
 * time does not.
 *
 *   npm run bench -- pages [--chars 200000] [--seconds 20] [--engine sine]
 */
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { startServer } from '../support/serve.js';

const CHROMIUM = '/usr/bin/chromium';
const PAGES = { playground: '/', dashboard: '/dashboard', documentation: '/docs' };
const SENTENCE = 'The morning train to the coast leaves at nine, and nobody on the platform minds the rain. ';

interface Loaded {
  /** First contentful paint, from the navigation. */
  readonly paintMs: number;
  readonly bytes: number;
  /** The part of it that is code and styles. */
  readonly codeBytes: number;
}

async function load(browser: Browser, url: string): Promise<Loaded> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  const loaded = await page.evaluate<Loaded>(`(() => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const sum = (list) => list.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0);
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const code = entries.filter(({ name }) => /\\.(?:js|css)$/.test(name));
    return { paintMs: paint.startTime, bytes: sum(entries), codeBytes: sum(code) };
  })()`);
  await page.context().close();
  return loaded;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest tasks of the page's main thread (ms): by the clock, and by the thread's own time. */
function longestTasks(trace: Buffer): { readonly wallMs: number; readonly threadMs: number } {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => /RunTask$/.test(name) && mains.has(`${pid} ${tid}`));
  const longest = (of: (event: TraceEvent) => number | undefined) =>
    tasks.reduce((most, event) => Math.max(most, of(event) ?? 0), 0) / 1000;
  return { wallMs: longest(({ dur }) => dur), threadMs: longest(({ tdur }) => tdur) };
}

async function speakLong(browser: Browser, url: string, chars: number, seconds: number): Promise<string[]> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(url);
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const buffer = Buffer.from(`${SENTENCE.repeat(4)}\n\n`.repeat(Math.ceil(chars / 362)));
  await (await chosen).setFiles({ name: 'long.txt', mimeType: 'text/plain', buffer });
  const categories = ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'];
  const traced = async (work: () => Promise<unknown>) => {
    await browser.startTracing(page, { categories });
    await work();
    return longestTasks(await browser.stopTracing());
  };
  const begin = await traced(async () => {
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.locator('.word.now').first().waitFor();
  });
  await page.evaluate(`(() => {
    globalThis.frames = [];
    let last = performance.now();
    requestAnimationFrame(function next() {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    });
  })()`);
  const speaking = await traced(() => page.waitForTimeout(seconds * 1000));
  const frames = await page.evaluate<number[]>('frames');
  const late = frames.filter((ms) => ms > 50).length;
  const came = await page.locator('[data-fact=length]').textContent();
  return [
    `Play to the first word, longest task       ${begin.wallMs.toFixed(0)} ms, of the thread's own ${begin.threadMs.toFixed(0)} ms`,
    `while it speaks, longest task              ${speaking.wallMs.toFixed(0)} ms, of the thread's own ${speaking.threadMs.toFixed(0)} ms`,
    `while it speaks, longest frame             ${Math.max(...frames).toFixed(0)} ms, ${late} of ${frames.length} over 50 ms`,
    `audio that came meanwhile                  ${came}`,
  ];
}

export async function main(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      chars: { type: 'string', default: '200000' },
      seconds: { type: 'string', default: '20' },
      engine: { type: 'string', default: 'sine' },
    },
  });
  const server = await startServer({ TTS_ENGINE: values.engine, TTS_SINE_OPTIONS: '{"msPerChar":60,"pace":20}' });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  });
  for (const [name, path] of Object.entries(PAGES)) {
    const { paintMs, bytes, codeBytes } = await load(browser, server.baseUrl + path);
    const sizes = `${(bytes / 1000).toFixed(0)} kB compressed, ${(codeBytes / 1000).toFixed(0)} kB of it code`;
    process.stdout.write(`${name.padEnd(14)} first paint ${paintMs.toFixed(0)} ms, ${sizes}\n`);
  }
  const lines = await speakLong(browser, server.baseUrl, Number(values.chars), Number(values.seconds));
  process.stdout.write(`${values.chars} characters\n${lines.map((line) => `  ${line}\n`).join('')}`);
  await browser.close();
  await server.stop();
}
