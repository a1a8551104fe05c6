/** Listening on a port, and why that failed in words. */
import type { Server } from 'node:http';
import { TtsError } from '../../protocol/errors.js';

export async function listen(server: Server, host: string, port: number, flag: string): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(cause, host, port, flag)));
    server.listen(port, host, resolve);
  });
  return server;
}

export function listenError(cause: NodeJS.ErrnoException, host: string, port: number, flag = '--port'): TtsError {
  const noAddress = `this machine has no address ${host}. Choose another with --host`;
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} is taken by another process. Choose another with ${flag}`,
    EACCES: `port ${port} needs more rights than this user has. Choose one above 1023 with ${flag}`,
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
  };
  const reason = why[cause.code ?? ''] ?? cause.message;
  return new TtsError('listen_failed', `The server cannot listen on ${host}: ${reason}.`, { cause });
}
