/** Announces the service as `_wyoming._tcp` over mDNS, by which Home Assistant finds it. */
import { Bonjour } from 'bonjour-service';
import type { Logger } from '../log.js';

/** The result takes the announcement back. */
export function announce(name: string, port: number, log: Logger): () => Promise<void> {
  const bonjour = new Bonjour({}, (error: unknown) => {
    log.warn({ err: error }, 'the service could not be announced over mDNS');
  });
  bonjour.publish({ name, type: 'wyoming', port });
  return () =>
    new Promise((resolve) => {
      bonjour.unpublishAll(() => bonjour.destroy(() => resolve()));
    });
}
