/** Speaks one sentence whole: over the WebSocket, which knows markup; Free models over HTTP. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseModel, type SpeechModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import type { ServerAddress } from './address.js';
import type { HttpClient } from './http.js';
import { patiently } from './patience.js';
import { openSpeechSocket } from './speech-socket.js';

export interface SentenceSpeaker {
  readonly address: ServerAddress;
  readonly client: HttpClient;
  readonly model: SpeechModel;
  readonly voice: string;
  readonly speed: number;
}

interface Sentence {
  readonly text: string;
  readonly ssml: boolean;
  /** The same without markup. */
  readonly shown: string;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;

/** Tries again after failures that pass: a job of hours outlives a restart of its server. */
export async function speakSentence(
  speaker: SentenceSpeaker,
  sentence: Sentence,
  signal: AbortSignal,
): Promise<Int16Array> {
  for (let attempt = 1; ; attempt++) {
    try {
      return joined(await patiently(() => once(speaker, sentence, signal), signal));
    } catch (error) {
      const passes = error instanceof TtsError && error.row.retryable;
      if (signal.aborted || !passes || attempt >= ATTEMPTS) throw error;
      await delay(FIRST_WAIT_MS * 2 ** attempt, undefined, { signal });
    }
  }
}

async function once(speaker: SentenceSpeaker, sentence: Sentence, signal: AbortSignal): Promise<Int16Array[]> {
  const { address, client, model, voice, speed } = speaker;
  const { base, free } = parseModel(model);
  const parts: Int16Array[] = [];
  if (free) {
    try {
      const { audio } = await client.speech({ model, voice, speed, input: sentence.shown }, signal);
      for await (const pcm of audio) parts.push(pcm);
    } catch (error) {
      if (!(error instanceof TtsError) || error.code !== 'empty_input') throw error;
    }
    return parts;
  }
  const params = { model_id: base, ...(sentence.ssml && { enable_ssml_parsing: true }) };
  const socket = await openSpeechSocket({ ...address, voice, params, speed }, signal);
  try {
    socket.send(sentence.text);
    socket.end();
    for await (const { pcm } of socket.audio) parts.push(pcm);
    return parts;
  } finally {
    socket.close();
  }
}

function joined(parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
