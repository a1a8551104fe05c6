/** Names that were mistyped, and what is suggested for them. */
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { SPEECH_MODELS } from '../../src/protocol/contract.js';
import { nearest } from '../../src/protocol/suggestion.js';
import { SETTINGS } from '../../src/settings.js';

const voices = loadCatalogue().all.map(({ voice }) => voice.id);
const settings = SETTINGS.map(({ key }) => key);

describe('the name that was meant', () => {
  it.each([
    ['english_female_profesional', voices, ['english_female_professional']],
    ['sarah', voices, ['american_female_sarah']],
    ['Sara', voices, ['italian_female_sara']],
    ['british-male-gorge', voices, ['british_male_george']],
    ['base-tts-fst', SPEECH_MODELS, ['base-tts-fast']],
    ['bsae-tts', SPEECH_MODELS, ['base-tts']],
    ['modle', settings, ['model']],
    ['modeldir', settings, ['modelDir']],
  ])('of %s is found', (wanted, names, meant) => {
    expect(nearest(wanted, names)).toEqual(meant);
  });

  it.each(['zebra', 'x', '', 'a completely different thing', 'female'])('of "%s" is not guessed', (wanted) => {
    expect(nearest(wanted, voices)).toEqual([]);
  });
});
