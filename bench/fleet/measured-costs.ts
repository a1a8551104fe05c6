/** The costs of an engine, a gateway and a broker on this machine, for the simulation. */
import { readFile } from 'node:fs/promises';
import { createHttpClient } from '../../src/client/http.js';
import { saturate } from '../../src/client/load/capacity.js';
import { httpListener } from '../../src/client/load/listener.js';
import { startNats } from '../../testkit/nats.js';
import { startMachine } from '../support/machines.js';
import { cpuSeconds, startServer } from '../support/serve.js';

/** The model itself: what its process takes, however much else the machine has to do. */
export async function measureEngine(model: string, seconds: number): Promise<void> {
  const { signal } = new AbortController();
  const server = await startServer({ TTS_ENGINE: 'kokoro' }, ['--workers', '1', '--threads', '1']);
  const client = createHttpClient({ baseUrl: server.baseUrl, apiKey: server.key });
  const listen = httpListener(client, { model, voice: 'english_female_professional' });
  const texts = [
    'The four of them walked back along the river to the old house. It was cold, and the bridge lay in the dark.',
  ];
  await saturate({ listen, texts }, { clients: 1, seconds: 3 }, signal);
  const engines = await server.engines();
  const used = async () => (await Promise.all(engines.map(cpuSeconds))).reduce((sum, each) => sum + each, 0);
  const [beforeS, startMs] = [await used(), performance.now()];
  const speed = await saturate({ listen, texts }, { clients: 1, seconds }, signal);
  const audioS = (speed * (performance.now() - startMs)) / 1000;
  process.stdout.write(
    `${model}: an engine takes ${(((await used()) - beforeS) / audioS).toFixed(3)} core s for a second of audio\n`,
  );
  await server.stop();
}

/** A gateway without engines, whose workers cost nothing: what is left is the way between them. */
export async function measureGateway(seconds: number): Promise<void> {
  const { signal } = new AbortController();
  const env = { TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 60 }) };
  const nats = await startNats();
  const worker = startMachine('worker', ['worker', '--log-level', 'error', '--workers', '1'], {
    ...env,
    TTS_NATS: nats.url,
  });
  const gateway = await startServer({ ...env, TTS_NATS: nats.url }, ['--workers', '0']);
  const client = createHttpClient({ baseUrl: gateway.baseUrl, apiKey: gateway.key });
  const listen = httpListener(client, { model: 'base-tts-fast', voice: 'english_female_professional' });
  const broker = Number(
    (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ')[0],
  );
  const long = 'The four of them walked back along the river to the old house, and nobody said a word. '.repeat(20);
  const perAudioSecond = async (texts: readonly string[]) => {
    await saturate({ listen, texts }, { clients: 4, seconds: 2 }, signal);
    const [gatewayS, brokerS] = [await cpuSeconds(gateway.pid), await cpuSeconds(broker)];
    const startMs = performance.now();
    const speed = await saturate({ listen, texts }, { clients: 4, seconds }, signal);
    const audioS = (speed * (performance.now() - startMs)) / 1000;
    return {
      gatewayMs: (1000 * ((await cpuSeconds(gateway.pid)) - gatewayS)) / audioS,
      brokerMs: (1000 * ((await cpuSeconds(broker)) - brokerS)) / audioS,
    };
  };
  const whole = await perAudioSecond([long]);
  const short = 'Well, then.';
  const brief = await perAudioSecond([short]);
  const briefS = (short.length * 60) / 1000;
  process.stdout.write(
    `a gateway takes ${whole.gatewayMs.toFixed(2)} core ms for a second of audio, and ${((brief.gatewayMs - whole.gatewayMs) * briefS).toFixed(2)} more for a request; ` +
      `the broker ${whole.brokerMs.toFixed(2)} core ms for a second of audio, ${(48 / whole.brokerMs).toFixed(0)} MB/s a core\n`,
  );
  await Promise.all([gateway.stop(), worker.stop()]);
  await nats.close();
}
