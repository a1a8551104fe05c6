/** Metrics of a server inside a command, which nobody reads: they count nothing. */
import { RecentSpeed } from '../speech/recent-speed.js';
import type { Metrics } from './metrics.js';

export function noMetrics(): Metrics {
  const nothing = () => undefined;
  return {
    recent: new RecentSpeed(),
    jobs: { ended: nothing, watch: nothing },
    text: async () => '',
    contentType: 'text/plain',
    observer: {
      segmentStarted: nothing,
      segmentSpoken: nothing,
      segmentRetried: nothing,
      segmentFailed: nothing,
      stalled: nothing,
    },
    watch: nothing,
    announce: nothing,
    request: nothing,
    session: () => nothing,
    firstAudio: nothing,
    failedKey: nothing,
    limited: nothing,
    refused: nothing,
    freeLimits: nothing,
  };
}
