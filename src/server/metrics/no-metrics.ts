/** For a server that nobody watches: inside a command, the numbers would cost more to prepare than they tell. */

import { RecentSpeed } from '../speech/recent-speed.js';
import type { Metrics } from './metrics.js';

export function noMetrics(): Metrics {
  const nothing = () => undefined;
  return {
    recent: new RecentSpeed(),
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
