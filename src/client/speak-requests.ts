/** Speaks a text of any length over HTTP: one request after the other into one sink. */
import { TtsError } from '../protocol/errors.js';
import type { HttpClient, PacedRequest } from './http.js';
import type { LeftOut } from './left-out.js';
import { patiently } from './patience.js';
import type { Progress } from './progress.js';
import { splitIntoRequests } from './requests.js';
import type { AudioSink } from './sinks/sink.js';

interface Section {
  readonly text: string;
  /** Called before the section's first sample. */
  readonly onBegin?: () => void;
}

export interface SpeakRequestsOptions {
  readonly client: HttpClient;
  /** The text in order; each section begins a new request. */
  readonly sections: readonly Section[];
  readonly fields: Omit<PacedRequest, 'input'>;
  readonly sink: AudioSink;
  readonly progress: Progress;
  readonly leftOut?: LeftOut;
}

/**
 * The sink takes audio far ahead of what is heard. The next request is made while the audio of the
 * one before it still plays, so that there is no gap between them.
 */
export async function speakRequests(options: SpeakRequestsOptions, signal: AbortSignal): Promise<void> {
  const { client, sections, fields, sink, progress, leftOut } = options;
  progress.timeline.expect(sections.map(({ text }) => text).join(''));
  for (const { text, onBegin } of sections) {
    onBegin?.();
    for (const { input, part } of splitIntoRequests(text)) {
      progress.requested();
      const audio = await patiently(() => client.speech({ ...fields, input, part }, signal), signal).then(
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

/** A piece without anything to speak is silent. A text of such pieces is refused by the caller. */
function nothingOf(error: unknown): readonly Int16Array[] {
  if (error instanceof TtsError && error.code === 'empty_input') return [];
  throw error;
}
