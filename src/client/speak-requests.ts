/** Speaks a text of any length over HTTP: one request after the other into one sink, the next fetched while one is heard. */
import { TtsError } from '../protocol/errors.js';
import type { HttpClient, PacedRequest } from './http.js';
import type { LeftOut } from './left-out.js';
import { patiently } from './patience.js';
import type { Progress } from './progress.js';
import { splitIntoRequests } from './requests.js';
import type { AudioSink } from './sinks/sink.js';

interface Section {
  readonly text: string;
  /** Called before the first sample of it. */
  readonly onBegin?: () => void;
}

export interface SpeakRequestsOptions {
  readonly client: HttpClient;
  /** All of it together is what is said; a section begins a request of its own. */
  readonly sections: readonly Section[];
  readonly fields: Omit<PacedRequest, 'input'>;
  readonly sink: AudioSink;
  readonly progress: Progress;
  readonly leftOut?: LeftOut;
}

/**
 * The sink takes sound far ahead of the ear, so the end of one response is read, and the next request made, while the
 * sound of the first still plays: there is no seam to hear.
 */
export async function speakRequests(options: SpeakRequestsOptions, signal: AbortSignal): Promise<void> {
  const { client, sections, fields, sink, progress, leftOut } = options;
  progress.timeline.expect(sections.map(({ text }) => text).join(''));
  for (const { text, onBegin } of sections) {
    onBegin?.();
    for (const input of splitIntoRequests(text)) {
      progress.requested();
      const audio = await patiently(() => client.speech({ ...fields, input }, signal), signal).then(
        (response) => response.audio,
        nothingOf,
      );
      progress.timeline.begin(input);
      await leftOut?.add(input);
      for await (const pcm of audio) {
        progress.received(pcm);
        await sink.write(pcm, signal);
        progress.taken();
      }
      progress.timeline.end();
    }
  }
  progress.finished();
}

/** A stretch of a text in which nothing can be spoken is silence between others; a whole text of it is the caller's to refuse. */
function nothingOf(error: unknown): readonly Int16Array[] {
  if (error instanceof TtsError && error.code === 'empty_input') return [];
  throw error;
}
