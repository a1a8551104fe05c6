/** The client for Node, where version 20 has no WebSocket of its own. Nothing is played there. */
import { WebSocket as NodeSocket } from 'ws';
import { HttpSpeechClient } from './client.js';
import type { ClientOptions, SpeechClient } from './types.js';

const HOME = 'http://127.0.0.1:8787';

export const createClient = (options: ClientOptions = {}): SpeechClient =>
  new HttpSpeechClient({ ...options, home: HOME, WebSocket: NodeSocket as unknown as typeof WebSocket });

export function createSpeechSynthesis(): never {
  throw new Error('speechSynthesis is a thing of browsers; in Node use createClient().speak().');
}
