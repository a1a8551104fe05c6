/** The two sockets of ElevenLabs' dialect: their handshakes, and a session for each that is accepted. */
import type { AudioFormat } from '../../audio/format.js';
import type { SpeechModel } from '../../protocol/contract.js';
import { MAX_INACTIVITY_S, STREAM_DEFAULTS } from '../../protocol/stream.js';
import type { ServerDeps, UpgradeHandler } from '../deps.js';
import type { Grant, Grants } from '../grants.js';
import { createSocketEndpoint } from '../socket-endpoint.js';
import { elevenlabsError } from './errors.js';
import { outputFormat } from './names.js';
import { ElevenLabsSession, type SessionOptions } from './session.js';
import { namedVoice, seedOf } from './speech-request.js';

export const SOCKET_PATHS = {
  single: '/elevenlabs/v1/text-to-speech/:voice_id/stream-input',
  multi: '/elevenlabs/v1/text-to-speech/:voice_id/multi-stream-input',
} as const;

interface Accepted {
  readonly model: SpeechModel;
  readonly format: AudioFormat;
  readonly inactivityS: number;
  readonly open: SessionOptions['open'];
}

/** Anything but a number within the bounds is the default: their own service is as lenient. */
function inactivityOf(query: URLSearchParams): number {
  const seconds = Number.parseInt(query.get('inactivity_timeout') ?? '', 10);
  return seconds >= 1 ? Math.min(seconds, MAX_INACTIVITY_S) : STREAM_DEFAULTS.inactivity_timeout;
}

export function createElevenLabsSocket(deps: ServerDeps, grants: Grants, kind: 'single' | 'multi'): UpgradeHandler {
  const route = kind === 'multi' ? 'elevenlabs_multi_stream_input' : 'elevenlabs_stream_input';
  return createSocketEndpoint<Accepted>(deps, {
    path: SOCKET_PATHS[kind],
    name: kind === 'multi' ? 'multi-stream-input' : 'stream-input',
    told: elevenlabsError,
    async accept(request, { voiceId, query, authenticator }) {
      const key = await authenticator.authenticate(request);
      const names = { voice: voiceId, model: query.get('model_id') ?? undefined };
      const { model } = namedVoice(deps.catalogue, key, names);
      const seed = seedOf(query.get('seed'));
      const ssml = query.get('enable_ssml_parsing') === 'true';
      return {
        model,
        format: outputFormat(query.get('output_format')),
        inactivityS: inactivityOf(query),
        // A socket may outlive its key by hours: each stretch of speech asks anew.
        async open({ requestId, speed }): Promise<Grant> {
          const caller = await authenticator.authenticate(request);
          const named = namedVoice(deps.catalogue, caller, names);
          return grants.open({ route, key: caller, requestId, ...named, chars: 0, seed, speed, ssml });
        },
      };
    },
    modelOf: ({ model }) => model,
    start: ({ format, inactivityS, open }, place) =>
      new ElevenLabsSession({ ...place, multi: kind === 'multi', format, inactivityS, open, log: deps.log }),
    abandon: async () => undefined,
  });
}
