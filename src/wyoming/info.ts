/** What a Wyoming client is told of this service: one program with all voices of a server. */
import type { Voice } from '../protocol/http.js';
import type { EventData } from './events.js';

const PROGRAM = {
  name: 'selfhosted-tts',
  description: 'Speech made on your own machine',
  attribution: { name: 'selfhosted-tts', url: 'https://github.com/selfhosted-tts/selfhosted-tts' },
};
const KOKORO = { name: 'hexgrad', url: 'https://huggingface.co/hexgrad/Kokoro-82M' };

/** The data of an `info` event, with every list that the protocol has. */
export const infoOf = (voices: readonly Voice[], version: string): EventData => ({
  asr: [],
  tts: [
    {
      ...PROGRAM,
      installed: true,
      version,
      voices: voices.map((voice) => ({
        name: voice.id,
        description: voice.display_name,
        attribution: KOKORO,
        installed: true,
        version: null,
        languages: [languageOf(voice)],
        speakers: null,
      })),
      supports_synthesize_streaming: true,
    },
  ],
  handle: [],
  intent: [],
  wake: [],
  mic: [],
  snd: [],
});

/** The locale of a voice, `en-GB`; its language where the server tells no locale. */
export const languageOf = ({ locale, language }: Voice): string => locale ?? language;
