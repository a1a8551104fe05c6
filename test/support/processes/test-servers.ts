/**
 * Test servers of one file, closed after its last test; then `afterwards` looks at what is left.
 */
import { afterAll } from 'vitest';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../testkit/server.js';

export function testServers(afterwards?: () => unknown): (options?: TestServerOptions) => Promise<TestServer> {
  const servers: TestServer[] = [];
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await afterwards?.();
  });
  return async (options) => {
    const server = await startTestServer(options);
    servers.push(server);
    return server;
  };
}
