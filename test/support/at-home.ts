/** A server and a home that knows it: what the tests of one file's commands run against. */
import { afterAll } from 'vitest';
import { startStreamServer } from '../stream-input/client.js';
import { makeHome, type RunOptions, tts } from './processes/tts.js';

/** To be awaited at the top of a test file; both are gone after its last test. */
export async function serverAtHome(options?: Parameters<typeof startStreamServer>[0]) {
  const server = await startStreamServer(options);
  const home = makeHome();
  home.publish({ baseUrl: server.baseUrl, apiKey: server.partner.key });
  afterAll(async () => {
    await server.close();
    home.remove();
  });
  const jobs = () => server.worker.jobs;
  const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
    tts(args, { env: home.env, cwd: home.dir, ...options });
  /** The texts spoken by the server since it had `count` jobs. */
  const textsSince = (count: number): string[] =>
    jobs()
      .slice(count)
      .map(({ segment }) => segment.text);
  /** Everything spoken while `action` ran, joined. */
  const spokenBy = async (action: () => Promise<unknown>): Promise<string> => {
    const before = jobs().length;
    await action();
    return textsSince(before).join('');
  };
  return { server, home, jobs, run, textsSince, spokenBy };
}
