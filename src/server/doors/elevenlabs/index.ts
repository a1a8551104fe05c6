/** ElevenLabs' dialect under /elevenlabs, with our keys, limits and credits. */
import type { Door } from '../../door.js';
import { takeJson } from '../../json-body.js';
import { addAccount } from './account-routes.js';
import { addDialogue } from './dialogue-routes.js';
import { Dictionaries } from './dictionaries.js';
import { addDictionaries } from './dictionaries-routes.js';
import { elevenlabsError } from './errors.js';
import { addLists } from './lists-routes.js';
import { VOICE_ALIASES } from './names.js';
import { ELEVENLABS_PAGE } from './page.js';
import { elevenlabsSockets } from './sockets.js';
import { MAX_REQUEST_BYTES } from './speech-request.js';
import { addSpeech } from './speech-routes.js';

export const ELEVENLABS: Door = {
  prefix: '/elevenlabs',
  routes(app, parts) {
    takeJson(app, MAX_REQUEST_BYTES);
    const dictionaries = new Dictionaries(parts);
    addSpeech(app, parts, dictionaries);
    addDialogue(app, parts, dictionaries);
    addDictionaries(app, parts, dictionaries);
    addLists(app, parts);
    addAccount(app, parts);
  },
  sockets: elevenlabsSockets,
  errors: elevenlabsError,
  page: ELEVENLABS_PAGE,
  corsHeaders: [
    'user-agent',
    ...['language', 'runtime', 'runtime-version', 'sdk-name', 'sdk-version'].map((name) => `x-fern-${name}`),
  ],
  family: {
    name: 'ElevenLabs',
    basePath: '/elevenlabs',
    knowsModel: (name) => name.startsWith('eleven_'),
    knowsVoice: (name) => VOICE_ALIASES.has(name),
  },
  forgivesSlashes: true,
};
