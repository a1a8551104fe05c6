/** Models and voices as OpenAI lists them, and as the programs ask that have a list to fill: without a key. */
import type { FastifyPluginAsync } from 'fastify';
import { TtsError } from '../../../protocol/errors.js';
import type { DoorOptions } from '../../deps.js';
import { MODEL_NAMES, VOICE_ALIASES } from './names.js';

/** When this door opened, in seconds: models have no other birthday here. */
const CREATED_S = 1_794_700_800;

const model = (id: string) => ({ id, object: 'model', created: CREATED_S, owned_by: 'tts' });
/** The page of this door tells of it; the document of the contract does not. */
const HIDDEN = { schema: { hide: true } };

export const listsRoutes: FastifyPluginAsync<DoorOptions> = async (app, { deps: { catalogue } }) => {
  const voices = () => [
    ...catalogue.all.map(({ voice }) => ({ id: voice.id, name: voice.display_name })),
    ...[...VOICE_ALIASES].map(([id, { name }]) => ({ id, name })),
  ];
  app.get('/models', HIDDEN, async () => ({ object: 'list', data: MODEL_NAMES.map(model) }));
  app.get<{ Params: { id: string } }>('/models/:id', HIDDEN, async ({ params }) => {
    const id = MODEL_NAMES.find((name) => name === params.id);
    if (id === undefined) {
      throw new TtsError('model_not_found', `There is no such model. There are: ${MODEL_NAMES.join(', ')}.`, {
        param: 'model',
      });
    }
    return model(id);
  });
  app.get('/audio/models', HIDDEN, async () => ({
    models: MODEL_NAMES.map((id) => ({ id, name: id })),
  }));
  app.get('/audio/voices', HIDDEN, async () => ({ voices: voices() }));
};
