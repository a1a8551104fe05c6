/**
 * A server at its limit of open files whose engine dies: it can be started again only when there is
 * room again.
 */
import { closeSync, openSync } from 'node:fs';
import { createProcessWorker } from '../../../dist/gateway/workers/process-worker.js';
import { silentLogger } from '../../../dist/log.js';

const log = silentLogger();
let pid;
log.child = () => ({ info: (fields) => (pid = fields.pid ?? pid), warn() {}, error() {}, debug() {} });
const options = { engine: 'sine', sine: {} };
const worker = createProcessWorker({ id: 'limited', options, log, backoffMs: 20 });
const until = (condition) =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!condition()) return;
      clearInterval(timer);
      resolve();
    }, 10);
  });

await until(() => worker.state === 'ready');
console.log('ready');
const files = [];
try {
  for (;;) files.push(openSync('/dev/null', 'r'));
} catch (error) {
  if (error.code !== 'EMFILE') throw error;
}
process.kill(pid, 'SIGKILL');
await until(() => worker.restarts >= 2);
console.log(`no process: ${worker.state}`);
for (const file of files) closeSync(file);
await until(() => worker.state === 'ready');
console.log('ready again');
const segment = { text: 'x', offset: 0, spans: [{ kind: 'text', text: 'x', start: 0, end: 1 }], pause: 'none' };
const job = { id: '1', model: 'base-tts', language: 'en-US', mix: [], seed: 0, speed: 1, gainDb: 0, segment };
for await (const event of worker.run(job, new AbortController().signal)) {
  if (event.type === 'audio') {
    console.log('spoke');
    break;
  }
}
await worker.close();
