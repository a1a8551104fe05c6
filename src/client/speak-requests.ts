/** Speaks a text of any length over HTTP: one request after the other into one sink, the next fetched while one is heard. */
import type { SpeechRequest } from '../protocol/http.js';
import type { HttpClient } from './http.js';
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
  readonly fields: Omit<SpeechRequest, 'input' | 'stream' | 'response_format'>;
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
      const response = await patiently(() => client.speech({ ...fields, input }, signal), signal);
      progress.timeline.begin(input);
      await leftOut?.add(input);
      for await (const pcm of response.audio) {
        progress.received(pcm);
        await sink.write(pcm, signal);
        progress.taken();
      }
      progress.timeline.end();
    }
  }
  progress.finished();
}
