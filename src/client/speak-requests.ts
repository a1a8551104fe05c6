/** Speaks a text of any length over HTTP: one request after the other into one sink, the next fetched while one is heard. */
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, TtsError } from '../protocol/errors.js';
import type { SpeechFields } from '../protocol/speech.js';
import type { HttpClient, SpokenResponse } from './http.js';
import type { Progress } from './progress.js';
import { splitIntoRequests } from './requests.js';
import type { AudioSink } from './sinks/sink.js';

export interface SpeakRequestsOptions {
  readonly client: HttpClient;
  readonly text: string;
  readonly fields: Omit<SpeechFields, 'input' | 'stream' | 'response_format'>;
  readonly sink: AudioSink;
  readonly progress: Progress;
}

/** What a server may say before it has said anything else, and that passes. */
const PASSING: readonly ErrorCode[] = ['overloaded', 'no_worker_ready', 'concurrency_limit_exceeded'];
const ATTEMPTS = 6;
const MAX_WAIT_S = 15;

/**
 * The sink takes sound far ahead of the ear, so the end of one response is read, and the next request made, while the
 * sound of the first still plays: there is no seam to hear.
 */
export async function speakRequests(options: SpeakRequestsOptions, signal: AbortSignal): Promise<void> {
  const { client, text, fields, sink, progress } = options;
  progress.timeline.expect(text);
  for (const input of splitIntoRequests(text)) {
    progress.requested();
    const response = await patiently(() => client.speech({ ...fields, input }, signal), signal);
    progress.timeline.begin(input);
    for await (const pcm of response.audio) {
      progress.received(pcm);
      await sink.write(pcm, signal);
      progress.taken();
    }
    progress.timeline.end();
  }
  progress.finished();
}

/** Tries again what was turned away before anything was heard of it. */
async function patiently(attempt: () => Promise<SpokenResponse>, signal: AbortSignal): Promise<SpokenResponse> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = error instanceof TtsError && PASSING.includes(error.code) ? (error.retryAfterS ?? 1) : Infinity;
      if (count >= ATTEMPTS || wait > MAX_WAIT_S) throw error;
      await delay(wait * 1000, undefined, { signal });
    }
  }
}
