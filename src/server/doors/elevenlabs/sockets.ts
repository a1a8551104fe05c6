/** ElevenLabs' two sockets: who may open one, and how its contexts get their permits. */
import { prefersWholeSentences } from '../../../protocol/preference.js';
import { MAX_INACTIVITY_S, STREAM_DEFAULTS } from '../../../protocol/stream.js';
import { checkPartner, partnerModel } from '../../access/live-access.js';
import type { ServerParts, SpeechSocket } from '../../door.js';
import { WaitingContexts } from '../../sockets/waiting-contexts.js';
import { MultiDialect, SingleDialect } from './dialect.js';
import { outputFormat } from './names.js';
import { OpenSockets } from './open-sockets.js';
import { namedVoice, seedOf } from './speech-request.js';

const PATH = '/v1/text-to-speech/:voice_id';
const KINDS = [
  { path: `${PATH}/stream-input`, route: 'elevenlabs_stream_input', Dialect: SingleDialect },
  { path: `${PATH}/multi-stream-input`, route: 'elevenlabs_multi_stream_input', Dialect: MultiDialect },
];

/** The route for Free keys and models. */
const FREE_WAY = 'POST /elevenlabs/v1/text-to-speech/{voice_id}';

/** Anything but a number within the bounds is the default: their own service is as lenient. */
function inactivityOf(query: URLSearchParams): number {
  const seconds = Number.parseInt(query.get('inactivity_timeout') ?? '', 10);
  return seconds >= 1 ? Math.min(seconds, MAX_INACTIVITY_S) : STREAM_DEFAULTS.inactivity_timeout;
}

export function elevenlabsSockets({ accounts, catalogue, permits }: ServerParts): SpeechSocket[] {
  // What a key has open and waiting is counted on both kinds of sockets together.
  const waiting = new WaitingContexts();
  const sockets = new OpenSockets(accounts);
  return KINDS.map(({ path, route, Dialect }) => ({
    path,
    route,
    async accept({ request, voiceId, query, trace, authenticate }) {
      const caller = await authenticate();
      const language = query.get('language_code') ?? undefined;
      const names = { voice: voiceId, model: query.get('model_id') ?? undefined, language };
      const named = namedVoice(catalogue, caller, names);
      const format = outputFormat(query.get('output_format'));
      checkPartner(caller, FREE_WAY);
      const order = {
        route,
        model: partnerModel(named.model, FREE_WAY),
        voice: named.voice,
        language: named.language,
        seed: seedOf(query.get('seed')),
        ssml: query.get('enable_ssml_parsing') === 'true',
        unheard: prefersWholeSentences(request.headers.prefer),
        trace,
      };
      return {
        model: order.model,
        dialect: new Dialect(format),
        inactivityS: inactivityOf(query),
        speech: {
          // A socket may outlive its key by hours: each context asks anew.
          permit: async (context) => permits.open({ ...order, ...context, key: await authenticate() }),
          wait: () => waiting.enter(caller.id),
          watchKey: (onRefused) => permits.keyWatch.watch(caller, onRefused),
        },
        release: sockets.take(caller),
      };
    },
  }));
}
