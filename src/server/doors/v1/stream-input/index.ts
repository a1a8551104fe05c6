/** The stream-input socket of the contract: who may open a session, and with which parameters. */

import { prefersWholeSentences } from '../../../../protocol/delivery/preference.js';
import { ErrorResponse } from '../../../../protocol/http.js';
import { STREAM_PATH, STREAM_PROTOCOL, TICKET_PROTOCOL_PREFIX } from '../../../../protocol/stream.js';
import { presentedKey } from '../../../access/authenticate.js';
import { behind, type ServerParts, type SpeechSocket } from '../../../door.js';
import { parseParams } from '../../../sockets/stream-params.js';
import { presentedTicket } from '../../../sockets/stream-tickets.js';
import { StreamInputDialect } from './dialect.js';

const SCHEMA = {
  operationId: 'streamInput',
  summary: 'Stream text to speech (WebSocket)',
  description:
    'Upgrade to a WebSocket: text goes in as JSON messages while audio comes back ([every message](/docs/stream-input)). ' +
    'A plain GET is 426.',
  tags: ['speech'],
  response: { 426: ErrorResponse },
};

/** The contract's own where it is offered, else the first; never a ticket, which is a secret. */
function chooseProtocol(offered: Set<string>): string | false {
  if (offered.has(STREAM_PROTOCOL)) return STREAM_PROTOCOL;
  return [...offered].find((name) => !name.startsWith(TICKET_PROTOCOL_PREFIX)) ?? false;
}

export function streamInput({ catalogue, permits, tickets }: ServerParts): SpeechSocket {
  const route = 'stream_input';
  return {
    path: behind('/v1', STREAM_PATH),
    route,
    schema: SCHEMA,
    chooseProtocol,
    async accept({ request, requestId, voiceId: voice, query, trace, authenticate }) {
      const ticket = presentedKey(request) === undefined ? presentedTicket(request) : undefined;
      const key = await authenticate(ticket === undefined ? undefined : () => tickets.redeem(ticket, { voice, query }));
      const params = parseParams(query);
      const { model_id: model, seed, enable_ssml_parsing: ssml, language_code: language } = params;
      catalogue.get(model, voice, 'voice_id');
      const unheard = prefersWholeSentences(request.headers.prefer);
      const speech = await permits.open({ route, key, requestId, model, voice, language, seed, ssml, unheard, trace });
      return { model, speech, inactivityS: params.inactivity_timeout, dialect: new StreamInputDialect(params) };
    },
  };
}
