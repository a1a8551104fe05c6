/** Listeners in processes of their own, as if they were in this one. */
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Listen, Listened } from '../../src/client/load/listener.js';
import { type ErrorCode, TtsError } from '../../src/protocol/errors.js';
import { type BenchServer, cpuSeconds } from '../support/serve.js';

export type Route = 'http' | 'socket' | 'whole';

export interface Listeners {
  /**
   * Over HTTP, over the WebSocket with somebody who writes, or a whole answer that nobody waits
   * for.
   */
  readonly listen: Readonly<Record<Route, Listen>>;
  /** Seconds of processor time they have had. */
  cpuSeconds(): Promise<number>;
  close(): void;
}

export interface ListenersOptions {
  readonly server: Pick<BenchServer, 'baseUrl' | 'key'>;
  readonly model: string;
  readonly voice: string;
  readonly tokensPerSecond: number;
  readonly processes: number;
  /** A request was refused, this many milliseconds after it was sent. */
  readonly onRefused?: (ms: number) => void;
}

interface Answer {
  readonly id: number;
  readonly listened?: Listened;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly retryAfterS?: number };
  readonly tookMs?: number;
}

export function startListeners(options: ListenersOptions): Listeners {
  const { server, model, voice, tokensPerSecond, onRefused } = options;
  const about = JSON.stringify({ baseUrl: server.baseUrl, key: server.key, model, voice, tokensPerSecond });
  const waiting = new Map<number, (answer: Answer) => void>();
  const children = Array.from({ length: options.processes }, (): ChildProcess => {
    const child = fork(path.join(import.meta.dirname, 'listener-process.js'), [about]);
    child.on('message', (answer: Answer) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    });
    return child;
  });
  let asked = 0;
  const over =
    (route: Route): Listen =>
    (text, signal) => {
      signal.throwIfAborted();
      const id = ++asked;
      const child = children[id % children.length]!;
      const leave = () => child.send({ id });
      signal.addEventListener('abort', leave, { once: true });
      child.send({ id, route, text });
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ listened, error, tookMs = 0 }) => {
          signal.removeEventListener('abort', leave);
          if (listened !== undefined) {
            resolve({ ...listened, playedOutAtMs: listened.playedOutAtMs - performance.timeOrigin });
            return;
          }
          if (error!.code === 'overloaded') onRefused?.(tookMs);
          const { code, message, retryAfterS } = error!;
          reject(new TtsError(code, message, retryAfterS === undefined ? {} : { retryAfterS }));
        });
      });
    };
  return {
    listen: { http: over('http'), socket: over('socket'), whole: over('whole') },
    async cpuSeconds() {
      const each = await Promise.all(children.map(({ pid }) => cpuSeconds(pid!)));
      return each.reduce((sum, seconds) => sum + seconds, 0);
    },
    close() {
      for (const child of children) child.disconnect();
    },
  };
}
