// A process of listeners for a benchmark: what they cost is not the server's, and none waits for
// the event loop of hundreds of others.
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient } from '../../dist/client/http.js';
import { httpListener, socketListener } from '../../dist/client/load/listener.js';

const [, , encoded] = process.argv;
const { baseUrl, key, model, voice, tokensPerSecond } = JSON.parse(encoded);
const client = createHttpClient({ baseUrl, apiKey: key });

/** A listener that is refused comes again. */
const AGAIN_MS = 500;

/** Nobody hears it before it is whole. */
const whole = async (text, signal) => {
  const response = await fetch(`${baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, voice, input: text }),
    signal,
  });
  const bytes = (await response.arrayBuffer()).byteLength;
  if (!response.ok) await sleep(AGAIN_MS, undefined, { signal });
  return { audioMs: bytes / 48, firstAudioMs: 0, silenceMs: 0, stalled: false, playedOutAtMs: performance.now() };
};
const routes = {
  http: httpListener(client, { model, voice }),
  socket: socketListener({ baseUrl, apiKey: key, voice, params: { model_id: model } }, tokensPerSecond),
  whole,
};
const listening = new Map();

process.on('message', async ({ id, route, text }) => {
  if (text === undefined) {
    listening.get(id)?.abort();
    return;
  }
  const abort = new AbortController();
  listening.set(id, abort);
  const startMs = performance.now();
  let answer;
  try {
    const listened = await routes[route](text, abort.signal);
    // Processes have clocks of their own.
    answer = { listened: { ...listened, playedOutAtMs: listened.playedOutAtMs + performance.timeOrigin } };
  } catch (error) {
    const { code = 'internal_error', message, retryAfterS } = error;
    answer = { error: { code: String(code), message, retryAfterS }, tookMs: performance.now() - startMs };
  }
  listening.delete(id);
  process.send({ id, ...answer });
});
process.on('disconnect', () => process.exit());
