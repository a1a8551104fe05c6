/** The stream-input endpoint: who may open a session, and the state machine each one gets. */
import { prefersWholeSentences } from '../../../../protocol/preference.js';
import { STREAM_PATH, STREAM_PROTOCOL, TICKET_PROTOCOL_PREFIX } from '../../../../protocol/stream.js';
import type { StreamParams } from '../../../../protocol/stream-messages.js';
import { presentedKey } from '../../../access/authenticate.js';
import type { ServerDeps, UpgradeHandler } from '../../../deps.js';
import type { HeartbeatOptions } from '../../../sockets/heartbeat.js';
import { createSocketEndpoint } from '../../../sockets/socket-endpoint.js';
import type { Grant, Grants } from '../../../speech/grants.js';
import { parseParams } from './params.js';
import { StreamSession } from './session.js';
import { presentedTicket } from './tickets.js';

export interface StreamInputOptions {
  readonly heartbeat?: HeartbeatOptions;
}

/** The one that is spoken, where it is offered; else the first, as ever, but never a ticket: that is nobody's to see again. */
function chooseProtocol(offered: Set<string>): string | false {
  if (offered.has(STREAM_PROTOCOL)) return STREAM_PROTOCOL;
  return [...offered].find((name) => !name.startsWith(TICKET_PROTOCOL_PREFIX)) ?? false;
}

/** What an accepted handshake holds until its session does. */
interface Granted {
  readonly params: StreamParams;
  readonly grant: Grant;
}

export function createStreamInput(
  deps: ServerDeps,
  grants: Grants,
  { heartbeat }: StreamInputOptions = {},
): UpgradeHandler {
  return createSocketEndpoint<Granted>(deps, {
    path: STREAM_PATH,
    name: 'stream-input',
    heartbeat,
    chooseProtocol,
    async accept(request, { requestId, voiceId, query, authenticator, tickets, trace }) {
      const ticket = presentedKey(request) === undefined ? presentedTicket(request) : undefined;
      const prove = ticket === undefined ? undefined : () => tickets.redeem(ticket, { voice: voiceId, query });
      const key = await authenticator.authenticate(request, prove);
      const params = parseParams(query);
      const model = params.model_id;
      deps.catalogue.get(model, voiceId, 'voice_id');
      const order = { route: 'stream_input', key, requestId, model, voice: voiceId } as const;
      const { seed, enable_ssml_parsing: ssml, language_code: language } = params;
      const unheard = prefersWholeSentences(request.headers.prefer);
      return { params, grant: await grants.open({ ...order, seed, ssml, language, unheard, trace }) };
    },
    onRefused(error, { keyId, ...asked }) {
      grants.failures.add(error, { requestId: asked.requestId, route: STREAM_PATH, keyId });
      if (keyId !== undefined) grants.logged.refused(error, { ...asked, keyId, route: 'stream_input' });
    },
    modelOf: ({ params }) => params.model_id,
    start: (granted, place) => new StreamSession({ ...granted, ...place }),
    abandon: ({ grant }) => grant.end({ outcome: 'refused', audioMs: 0, deliveredChars: 0, byClient: true }),
  });
}
