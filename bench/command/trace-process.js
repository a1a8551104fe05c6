// Loaded into every process of a command by `bench -- start --trace`: tells on descriptor 2 what
// happened when, and what was loaded.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const engine = process.argv[1]?.endsWith('bundle/engine.js') ?? false;
const who = engine ? 'engine' : 'command';
const seen = new Set();

/** Microseconds since the epoch, which both processes count alike. */
const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

function tell(what, once = true) {
  if (!isMainThread || (once && seen.has(what))) return;
  seen.add(what);
  const { user, system } = process.cpuUsage();
  const told = JSON.stringify({ trace: who, what, atUs: now(), cpuUs: user + system });
  // The engine's descriptor 2 is read by its command and lost; both write into one file.
  appendFileSync(process.env.TTS_TRACE_FILE, `${told}\n`);
}

if (isMainThread) {
  tell('node is up');
  if (engine) {
    // Beside the engine's own listener, not before it: the channel is read from the first one on.
    process.on('newListener', function attach(event) {
      if (event !== 'message') return;
      process.off('newListener', attach);
      process.on('message', ({ type }) => tell(`is told: ${type}`));
    });
    const { send } = process;
    process.send = (message, ...rest) => {
      tell(`tells: ${message.type}`);
      return send.call(process, message, ...rest);
    };
  } else {
    subscribe('child_process', () => tell('a process is started'));
    subscribe('net.server.socket', () => tell('the server is connected to'));
    subscribe('http.client.request.start', () => tell('a request is sent'));
    subscribe('http.client.response.finish', () => tell('the response begins'));
    process.on('exit', () => tell('ends'));
  }
}
