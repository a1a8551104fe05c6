/** ElevenLabs' two sockets: who may open one, and how its contexts get their permits. */
import { preferredDelivery, prefersWholeSentences } from '../../../protocol/delivery/preference.js';
import { MAX_INACTIVITY_S, STREAM_DEFAULTS } from '../../../protocol/stream.js';
import { checkPartner, partnerModel } from '../../access/live-access.js';
import type { Handshake, ServerParts, SpeechSocket } from '../../door.js';
import { WaitingContexts } from '../../sockets/waiting-contexts.js';
import { MultiDialect, SingleDialect } from './dialect.js';
import { Dictionaries } from './dictionaries.js';
import { outputFormat } from './names.js';
import { OpenSockets } from './open-sockets.js';
import { SingleUseTokens } from './single-use-tokens.js';
import { SocketCallers } from './socket-callers.js';
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

/** Sockets are for Partner keys: before one is known, names mean the models of that tier. */
const PARTNER = { tier: 'partner' } as const;

function orderOf({ request, voiceId, query, trace }: Handshake, { catalogue }: ServerParts) {
  const language = query.get('language_code') ?? undefined;
  const names = { voice: voiceId, model: query.get('model_id') ?? undefined, language };
  const named = namedVoice(catalogue, PARTNER, names);
  return {
    format: outputFormat(query.get('output_format')),
    order: {
      model: partnerModel(named.model, FREE_WAY),
      voice: named.voice,
      language: named.language,
      seed: seedOf(query.get('seed')),
      ssml: query.get('enable_ssml_parsing') === 'true',
      unheard: prefersWholeSentences(request.headers.prefer),
      ...preferredDelivery(request.headers.prefer),
      trace,
    },
  };
}

export function elevenlabsSockets(parts: ServerParts): SpeechSocket[] {
  const { accounts, permits, clock, proxies } = parts;
  // What a key has open and waiting is counted on both kinds of sockets together.
  const waiting = new WaitingContexts();
  const sockets = new OpenSockets(accounts);
  const dictionaries = new Dictionaries(parts);
  const callers = new SocketCallers({
    accounts,
    clock,
    keyWatch: permits.keyWatch,
    tokens: new SingleUseTokens(accounts),
    addressOf: (request) => proxies.addressOf(request),
    admit(key) {
      checkPartner(key, FREE_WAY);
      return sockets.take(key);
    },
  });
  return KINDS.map(({ path, route, Dialect }) => ({
    path,
    route,
    async accept(handshake) {
      const caller = await callers.open(handshake);
      try {
        const { format, order } = orderOf(handshake, parts);
        let locators: unknown;
        return {
          model: order.model,
          dialect: new Dialect(format, (message) => {
            caller.see(message);
            locators = message.locators ?? locators;
          }),
          inactivityS: inactivityOf(handshake.query),
          speech: {
            async permit(context) {
              // As they were when the context was opened.
              const named = locators;
              const key = await caller.key();
              const words = named === undefined ? undefined : await dictionaries.words(key, named);
              return permits.open({ ...order, ...context, route, key, words });
            },
            wait: () => waiting.enter(caller.holder),
            watchKey: (onRefused) => caller.watch(onRefused),
          },
          release: () => caller.release(),
        };
      } catch (error) {
        caller.release();
        throw error;
      }
    },
  }));
}
