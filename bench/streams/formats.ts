/**
 * What a format costs: processor time of the server and its engines for many streams at once
 * through OpenAI's door, next to the same as PCM in the same run.
 *
 *   npm run bench -- formats [--formats mp3,opus,flac] [--streams 50] [--rounds 2]
 *                            [--model base-tts-fast]
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchServer, startServer } from '../support/serve.js';

const TEXT = 'It was late in the evening when the last train came in, and nobody was waiting for it.';
/** Of a clock tick, which is what the kernel counts processor time in. */
const TICKS_PER_S = 100;

async function processorS(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / TICKS_PER_S;
}

const allProcessorS = async (server: BenchServer): Promise<{ server: number; all: number }> => {
  const own = await processorS(server.pid);
  const engines = await Promise.all((await server.engines()).map(processorS));
  return { server: own, all: engines.reduce((sum, seconds) => sum + seconds, own) };
};

/** Asks again where the server has no room for one more live stream just now. */
async function speak({ baseUrl, key }: BenchServer, model: string, format: string): Promise<number> {
  for (;;) {
    const response = await fetch(`${baseUrl}/openai/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: TEXT, voice: 'marin', response_format: format }),
    });
    if (response.status === 503) {
      await response.arrayBuffer();
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
      continue;
    }
    if (response.status !== 200) throw new Error(`a speech was answered with ${response.status}`);
    let bytes = 0;
    for await (const chunk of response.body!) bytes += chunk.length;
    return bytes;
  }
}

export async function main(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      formats: { type: 'string', default: 'mp3' },
      streams: { type: 'string', default: '50' },
      rounds: { type: 'string', default: '2' },
      model: { type: 'string', default: 'base-tts-fast' },
    },
  });
  const formats = ['pcm', ...values.formats.split(',')];
  // One engine throughout: others that start and end in between would be paid for by whichever
  // format came first.
  const server = await startServer({}, ['--workers', '1']);
  const spent = new Map(formats.map((format) => [format, { server: 0, all: 0 }]));
  // Models loaded, code compiled, codecs made.
  for (const format of formats) await speak(server, values.model, format);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const format of formats) {
      const before = await allProcessorS(server);
      await Promise.all(Array.from({ length: Number(values.streams) }, () => speak(server, values.model, format)));
      const after = await allProcessorS(server);
      const sum = spent.get(format)!;
      sum.server += after.server - before.server;
      sum.all += after.all - before.all;
    }
  }
  const pcm = spent.get('pcm')!;
  console.log(`${values.model}, ${values.streams} streams at once, ${values.rounds} rounds, processor seconds:`);
  for (const [format, { server: own, all }] of spent) {
    const more = `${((all / pcm.all - 1) * 100).toFixed(1)}% more than PCM`;
    console.log(
      `  ${format.padEnd(5)} ${all.toFixed(2)} (server ${own.toFixed(2)})${format === 'pcm' ? '' : `, ${more}`}`,
    );
  }
  await server.stop();
}
