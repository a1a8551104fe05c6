/** A parent to be killed: its engine process hangs in a call that hears no messages. */
import { createProcessWorker } from '../../../dist/gateway/workers/process-worker.js';
import { silentLogger } from '../../../dist/log.js';

const text = 'This is poison.';
const log = silentLogger();
let pid;
log.child = () => ({
  info: (fields) => {
    pid = fields.pid ?? pid;
  },
  warn() {},
  error() {},
  debug() {},
});
const options = { engine: 'sine', sine: { hangOn: 'poison', hangMs: 60_000 } };
const worker = createProcessWorker({ id: 'orphan', options, log });
const spans = [{ kind: 'text', text, start: 0, end: text.length }];
const job = {
  id: '1',
  model: 'base-tts',
  language: 'en-US',
  mix: [],
  seed: 0,
  speed: 1,
  gainDb: 0,
  segment: { text, offset: 0, spans, pause: 'sentence' },
};
let heard = 0;
await new Promise((resolve) => worker.onChange(() => worker.state === 'ready' && resolve()));
for await (const event of worker.run(job, new AbortController().signal)) {
  heard += event.type === 'audio' ? 1 : 0;
  // Half of it was sent; by the time this message is read the engine hangs.
  if (heard === 4) process.send(pid);
}
