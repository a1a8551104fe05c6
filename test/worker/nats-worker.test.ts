/** Workers over a real NATS server, by the contract of all workers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasNats, type NatsServer, startNats } from '../../testkit/nats.js';
import { workerContract } from '../contract/worker.js';
import { serveSine, watch, workerNamed } from '../support/processes/nats-workers.js';

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  let nats: NatsServer;
  let count = 0;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  workerContract('a worker on NATS', async (sine, silenceMs) => {
    count += 1;
    const prefix = `contract-${count}`;
    const [ours, theirs] = await Promise.all([nats.bus({ prefix }), nats.bus({ prefix })]);
    const engine = serveSine(theirs, 'w1', sine);
    const { pool, workers } = watch(ours, { ...(silenceMs !== undefined && { silenceMs }) });
    const worker = await workerNamed(pool, 'w1');
    const close = worker.close.bind(worker);
    worker.close = async () => {
      await close();
      workers.close();
      await engine.close();
    };
    return {
      worker,
      kill: () => process.kill(engine.pid(), 'SIGKILL'),
      freeze: () => process.kill(engine.pid(), 'SIGSTOP'),
    };
  });
}
