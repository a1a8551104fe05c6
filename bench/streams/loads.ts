/** The kinds of load that `streams` measures, and what its listeners hear. */
import type { Arrivals } from '../../src/client/load/capacity.js';
import type { Route } from './listeners.js';

/** About 6 seconds each, so that three of them are soon heard. */
export const SHORT_TEXTS = [
  'The two of them walked along the river until the lights were far behind. Neither of them said a word.',
  'Somebody had left a lantern on the wall, still burning. Under it there was a letter, folded in half.',
  'It was late when the last train came in, and nobody was waiting for it. The lamps went out one by one.',
  'Nobody in the office could say who had ordered the clocks. They came on a Tuesday, forty of them.',
  'Later, when the rain began, he wished that he had listened to her. The old bridge lay in the dark.',
];

export const PARTS = ['spread', 'burst', 'beside', 'socket', 'socket-burst', 'double', 'fifo'] as const;
export type Part = (typeof PARTS)[number];

export interface Load {
  readonly name: string;
  readonly route: Route;
  readonly arrivals: Arrivals;
  /** Clients of whole answers keep the machine busy meanwhile. */
  readonly beside?: boolean;
  /** Shares of the saturated speed: where the search begins, and what is wanted. */
  readonly from: number;
  readonly wanted?: number;
}

export const LOADS: Readonly<Partial<Record<Part, Load>>> = {
  spread: { name: 'arrivals spread', route: 'http', arrivals: 'spread', from: 0.9, wanted: 0.8 },
  burst: { name: 'in one burst', route: 'http', arrivals: 'burst', from: 0.6, wanted: 0.6 },
  beside: { name: 'spread, beside whole answers', route: 'http', arrivals: 'spread', beside: true, from: 0.85 },
  socket: { name: 'WebSocket, 20 tokens a second, spread', route: 'socket', arrivals: 'spread', from: 0.9 },
  'socket-burst': { name: 'WebSocket, 20 tokens a second, burst', route: 'socket', arrivals: 'burst', from: 0.6 },
};
