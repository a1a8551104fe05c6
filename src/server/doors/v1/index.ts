/** The contract's door: everything under /v1. */
import type { Door } from '../../door.js';
import { takeJson } from '../../json-body.js';
import { STREAM_INPUT_PAGE } from './page.js';
import { addSpeech } from './speech-route.js';
import { streamInput } from './stream-input/index.js';
import { addTickets } from './tickets-route.js';
import { addVoices } from './voices-route.js';

export const V1: Door = {
  prefix: '/v1',
  routes(app, parts) {
    takeJson(app);
    addSpeech(app, parts);
    addVoices(app, parts);
    addTickets(app, parts);
  },
  sockets: (parts) => [streamInput(parts)],
  page: STREAM_INPUT_PAGE,
};
