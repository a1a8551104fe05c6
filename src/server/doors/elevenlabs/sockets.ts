/** The two sockets of ElevenLabs' dialect: their handshakes, and a session for each that is accepted. */
import type { AudioFormat } from '../../../audio/format.js';
import type { BaseModel } from '../../../protocol/job.js';
import { MAX_INACTIVITY_S, STREAM_DEFAULTS } from '../../../protocol/stream.js';
import { checkPartner, partnerModel } from '../../access/live-access.js';
import type { ServerDeps, UpgradeHandler } from '../../deps.js';
import { createSocketEndpoint } from '../../sockets/socket-endpoint.js';
import type { Grant, Grants } from '../../speech/grants.js';
import { elevenlabsError } from './errors.js';
import { outputFormat } from './names.js';
import type { OpenSockets } from './open-sockets.js';
import { ElevenLabsSession, type SessionOptions } from './session.js';
import { namedVoice, seedOf } from './speech-request.js';
import type { WaitingContexts } from './waiting-contexts.js';

export const SOCKET_PATHS = {
  single: '/elevenlabs/v1/text-to-speech/:voice_id/stream-input',
  multi: '/elevenlabs/v1/text-to-speech/:voice_id/multi-stream-input',
} as const;

/** What a Free key or model is spoken over. */
const FREE_WAY = 'POST /elevenlabs/v1/text-to-speech/{voice_id}';

/** What the keys have open and waiting, on both kinds of sockets together. */
export interface SocketShares {
  readonly waiting: WaitingContexts;
  readonly sockets: OpenSockets;
}

interface Accepted {
  readonly model: BaseModel;
  readonly format: AudioFormat;
  readonly inactivityS: number;
  readonly open: SessionOptions['open'];
  readonly watchKey: SessionOptions['watchKey'];
  readonly enter: SessionOptions['enter'];
  readonly release: () => void;
}

/** Anything but a number within the bounds is the default: their own service is as lenient. */
function inactivityOf(query: URLSearchParams): number {
  const seconds = Number.parseInt(query.get('inactivity_timeout') ?? '', 10);
  return seconds >= 1 ? Math.min(seconds, MAX_INACTIVITY_S) : STREAM_DEFAULTS.inactivity_timeout;
}

export function createElevenLabsSocket(
  deps: ServerDeps,
  grants: Grants,
  { waiting, sockets }: SocketShares,
  kind: 'single' | 'multi',
): UpgradeHandler {
  const route = kind === 'multi' ? 'elevenlabs_multi_stream_input' : 'elevenlabs_stream_input';
  return createSocketEndpoint<Accepted>(deps, {
    path: SOCKET_PATHS[kind],
    name: kind === 'multi' ? 'multi-stream-input' : 'stream-input',
    told: elevenlabsError,
    async accept(request, { voiceId, query, authenticator, trace }) {
      const caller = await authenticator.authenticate(request);
      const model_id = query.get('model_id') ?? undefined;
      const names = { voice: voiceId, model: model_id, language: query.get('language_code') ?? undefined };
      const named = namedVoice(deps.catalogue, caller, names);
      const format = outputFormat(query.get('output_format'));
      checkPartner(caller, FREE_WAY);
      const model = partnerModel(named.model, FREE_WAY);
      const { voice, language } = named;
      const seed = seedOf(query.get('seed'));
      const ssml = query.get('enable_ssml_parsing') === 'true';
      return {
        model,
        format,
        inactivityS: inactivityOf(query),
        watchKey: (onRefused) => grants.keyWatch.watch(caller.id, onRefused),
        enter: () => waiting.enter(caller.id),
        release: sockets.take(caller),
        // A socket may outlive its key by hours: each stretch of speech asks anew.
        async open({ requestId, speed }): Promise<Grant> {
          const key = await authenticator.authenticate(request);
          return grants.open({ route, key, requestId, model, voice, language, seed, speed, ssml, trace });
        },
      };
    },
    onRefused(error, { keyId, ...asked }) {
      if (keyId !== undefined) grants.logged.refused(error, { ...asked, keyId, route });
    },
    modelOf: ({ model }) => model,
    start: ({ release, ...accepted }, place) =>
      new ElevenLabsSession({
        ...accepted,
        ...place,
        multi: kind === 'multi',
        onEnd() {
          release();
          place.onEnd();
        },
      }),
    abandon: async ({ release }) => release(),
  });
}
