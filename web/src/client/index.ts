/** The client for browsers: `/client.js` of a server, and the package's export `./client`. */
import { HttpSpeechClient } from './client.js';
import { Playback } from './playback.js';
import { createShim } from './shim.js';
import type { ClientOptions, SpeechClient, SpeechSynthesisShim } from './types.js';

export type {
  Alignment,
  ClientOptions,
  SessionRequest,
  SpeakOptions,
  Speech,
  SpeechChunk,
  SpeechClient,
  SpeechError,
  SpeechEvents,
  SpeechSynthesisShim,
  SpokenWord,
  Voice,
  WritableSpeech,
} from './types.js';

/** The server that this script came from, where it came from one; else the page's own. */
const home = (): string => {
  const { origin, pathname } = new URL(import.meta.url);
  return pathname === '/client.js' ? origin : location.origin;
};

export const createClient = (options: ClientOptions = {}): SpeechClient =>
  new HttpSpeechClient({ ...options, home: home(), openPlayback: (playing) => new Playback(playing) });

/** The page's `speechSynthesis`, spoken by a server: `createSpeechSynthesis(client).install()`. */
export const createSpeechSynthesis = (
  client: SpeechClient,
  options: { readonly model?: string } = {},
): SpeechSynthesisShim => createShim(client, options);
