/** What `tts serve` and `tts worker` share as processes that stay: their log and their signals. */
import type { Config } from '../../config.js';
import type { Logger } from '../../log.js';
import type { Preparation } from '../../protocol/preparation.js';

/** How long a process that was told to stop lets its work end. */
export const GRACE_MS = 30_000;

/** For people on a terminal, JSON lines anywhere else. */
export async function serverLog({ logLevel: level }: Config): Promise<Logger> {
  const { createLogger } = await import('../../log.js');
  const pretty = process.stderr.isTTY === true;
  return createLogger({ level, pretty, color: pretty && !process.env.NO_COLOR });
}

/** Logs a download, a line a second at most. */
export function downloadLog(log: Logger) {
  let lastMs = 0;
  return (progress: Preparation) => {
    if (Date.now() - lastMs < 1_000) return;
    lastMs = Date.now();
    log.info(progress, 'getting the model ready');
  };
}

/** Resolves with the first signal; the second one ends the process on the spot. */
export function untilSignalled(): Promise<NodeJS.Signals> {
  const codes = { SIGINT: 130, SIGTERM: 143 } as const;
  return new Promise((resolve) => {
    let signalled = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (signalled) process.exit(codes[signal]);
        signalled = true;
        resolve(signal);
      });
    }
  });
}
