/**
 * Speed through the whole product (one client, HTTP streaming, warm) next to kokoro-js on the same
 * weights, in one run.
 *
 *   npm run bench -- speed [--rounds 2] [--texts short,clause,sentence,long]
 *                          [--models base-tts,base-tts-fast]
 */
import { parseArgs } from 'node:util';
import { type BenchServer, engineRss, startServer } from '../support/serve.js';
import { type Peer, type Spoken, startPeer } from './peer.js';

const TEXTS: Readonly<Record<string, string>> = {
  short: 'Hello there.',
  clause:
    'When the rain had stopped, the four of them walked back along the river to the house where they had left their coats.',
  sentence:
    'The four of them walked back along the river to the old house where they had left their coats that morning.',
  long:
    'The two of them walked along the river until the lights of the town were far behind, and neither said a word. It ' +
    'was cold for the time of year. At the old bridge they stopped, because somebody had left a lantern on the wall, ' +
    'still burning, with a folded letter under it. He shook his head, put it into his coat, and they went on. Later, ' +
    'when the rain began, he wished that he had listened to her.',
};

async function speak(server: BenchServer, model: string, text: string): Promise<Spoken> {
  const start = performance.now();
  const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: text, stream: true, response_format: 'pcm' }),
  });
  if (!response.ok) throw new Error(await response.text());
  let firstMs: number | undefined;
  let bytes = 0;
  for await (const chunk of response.body!) {
    firstMs ??= performance.now() - start;
    bytes += chunk.length;
  }
  const wallMs = performance.now() - start;
  return { firstMs: firstMs!, wallMs, seconds: bytes / 48_000, rssBytes: engineRss(server.pid) };
}

const best = (runs: readonly Spoken[]): Spoken => ({
  firstMs: Math.min(...runs.map((run) => run.firstMs)),
  wallMs: Math.min(...runs.map((run) => run.wallMs)),
  seconds: runs[0]!.seconds,
  rssBytes: Math.max(...runs.map((run) => run.rssBytes)),
});

const cell = (value: string | number, width: number): string => String(value).padStart(width);

function print(name: string, who: string, { firstMs, wallMs, seconds, rssBytes }: Spoken, peer: Spoken): void {
  const ratio = peer.wallMs / wallMs;
  console.log(
    [
      name.padEnd(9),
      who.padEnd(14),
      cell(seconds.toFixed(2), 7),
      cell(Math.round(wallMs), 7),
      cell((wallMs / 1000 / seconds).toFixed(3), 6),
      cell(Math.round(firstMs), 7),
      cell(`${ratio.toFixed(2)}×`, 8),
      cell((firstMs / peer.firstMs).toFixed(3), 8),
      cell((firstMs / 1000 / seconds).toFixed(3), 8),
      cell(Math.round(rssBytes / 1e6), 6),
    ].join(' '),
  );
}

export async function main(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      rounds: { type: 'string', default: '2' },
      texts: { type: 'string', default: Object.keys(TEXTS).join(',') },
      models: { type: 'string', default: 'base-tts,base-tts-fast' },
    },
  });
  const models = values.models.split(',');
  const peer: Peer = await startPeer();
  const servers = new Map<string, BenchServer>();
  // A server a model: each engine process holds what that model needs and no more.
  for (const model of models) servers.set(model, await startServer({ TTS_MODEL: model }));
  await peer.speak(TEXTS.short!);
  for (const model of models) await speak(servers.get(model)!, model, TEXTS.short!);

  console.log('text      who             speech    wall    RTF   first    speed first/kj first/sp   RSS');
  console.log('                               s      ms             ms  against kokoro-js  (of speech)  MB');
  for (const name of values.texts.split(',')) {
    const text = TEXTS[name];
    if (text === undefined) throw new Error(`There is no text "${name}"; there are ${Object.keys(TEXTS).join(', ')}.`);
    const theirs: Spoken[] = [];
    const ours = new Map<string, Spoken[]>(models.map((model) => [model, []]));
    // In turn, so that whatever else the machine does falls on all of them.
    for (let round = 0; round < Number(values.rounds); round += 1) {
      theirs.push(await peer.speak(text));
      for (const model of models) ours.get(model)!.push(await speak(servers.get(model)!, model, text));
    }
    print(name, 'kokoro-js', best(theirs), best(theirs));
    for (const model of models) print(name, model, best(ours.get(model)!), best(theirs));
  }
  peer.stop();
  for (const server of servers.values()) await server.stop();
}
