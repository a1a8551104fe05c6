/** The engines there are, by one contract. */
import { createSineEngine } from '../../src/engine/sine.js';
import { realEngine } from '../../testkit/speech.js';
import { engineContract } from '../contract/engine.js';

engineContract('the sine', () => createSineEngine(), 'base-tts');
engineContract('Kokoro with the light vocoder', () => realEngine(['base-tts-fast']), 'base-tts-fast');
engineContract('Kokoro', () => realEngine(['base-tts']), 'base-tts');
