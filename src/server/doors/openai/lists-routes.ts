/** Models and voices as OpenAI lists them, without a key, as programs with a menu ask for them. */
import type { FastifyInstance } from 'fastify';
import type { CatalogueVoice } from '../../../models/voice-file.js';
import { TtsError } from '../../../protocol/errors.js';
import type { ServerParts } from '../../door.js';
import { MODEL_NAMES, VOICE_ALIASES } from './names.js';

/** The day of this dialect's first release, in seconds since 1970. */
const CREATED_S = 1_794_700_800;

const model = (id: string) => ({ id, object: 'model', created: CREATED_S, owned_by: 'tts' });
/** Described on this door's page, not in the OpenAPI document of the contract. */
const HIDDEN = { schema: { hide: true } };

/** Ids of Kokoro's own voices. */
const kokoroIds = (all: readonly CatalogueVoice[]): string[] => [
  ...new Set(all.flatMap(({ mix }) => (mix.length === 1 ? mix.map(({ style }) => style) : []))),
];

export function addLists(app: FastifyInstance, { catalogue }: ServerParts): void {
  const voices = () => [
    ...catalogue.all.map(({ voice }) => ({ id: voice.id, name: voice.display_name })),
    ...[...VOICE_ALIASES].map(([id, { name }]) => ({ id, name })),
    ...kokoroIds(catalogue.all).map((id) => ({ id, name: id })),
  ];
  app.get('/v1/models', HIDDEN, async () => ({ object: 'list', data: MODEL_NAMES.map(model) }));
  app.get<{ Params: { id: string } }>('/v1/models/:id', HIDDEN, async ({ params }) => {
    const id = MODEL_NAMES.find((name) => name === params.id);
    if (id === undefined) {
      throw new TtsError('model_not_found', `There is no such model. There are: ${MODEL_NAMES.join(', ')}.`, {
        param: 'model',
      });
    }
    return model(id);
  });
  app.get('/v1/audio/models', HIDDEN, async () => ({
    models: MODEL_NAMES.map((id) => ({ id, name: id })),
  }));
  app.get<{ Querystring: { legacy?: string } }>('/v1/audio/voices', HIDDEN, async ({ query }) => ({
    voices: query.legacy === 'true' ? voices().map(({ id }) => id) : voices(),
  }));
}
