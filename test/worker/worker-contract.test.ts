/** The workers there are, by one contract. */
import { createSineEngine } from '../../src/engine/sine.js';
import { createProcessWorker } from '../../src/gateway/workers/process-worker.js';
import { createEngineWorker } from '../../testkit/engine-worker.js';
import { workerContract } from '../contract/worker.js';
import { pidLog } from '../support/processes/pid-log.js';

workerContract('a child process', async (sine, silenceMs) => {
  const { log, pid } = pidLog();
  const worker = createProcessWorker({
    id: 'w1',
    options: { engine: 'sine', sine },
    log,
    backoffMs: 20,
    ...(silenceMs !== undefined && { silenceMs }),
  });
  return {
    worker,
    kill: () => process.kill(pid(), 'SIGKILL'),
    freeze: () => process.kill(pid(), 'SIGSTOP'),
  };
});

workerContract('an engine in memory', async (sine, silenceMs) => {
  const worker = createEngineWorker(await createSineEngine(sine), {
    capacity: 6,
    ...(silenceMs !== undefined && { silenceMs }),
  });
  // What a supervisor does.
  worker.onChange(() => {
    if (worker.state === 'dead') setImmediate(() => worker.state === 'dead' && worker.setState('ready'));
  });
  return { worker, kill: () => worker.setState('dead'), freeze: () => worker.freeze() };
});
