/** Speech that is heard at another speed than the vocoder's: its samples and its times. */
import type { SpeechEvent } from '../protocol/job.js';
import { createTimeStretch } from './time-stretch.js';

/** The same speech in `1 / stretch` of its time, with its timings. */
export async function* stretched(events: AsyncIterable<SpeechEvent>, stretch: number): AsyncGenerator<SpeechEvent> {
  if (stretch === 1) {
    yield* events;
    return;
  }
  const sound = createTimeStretch(stretch);
  const scaled = (samples: readonly number[]) => samples.map((sample) => Math.round(sample / stretch));
  for await (const event of events) {
    if (event.type === 'begin') {
      const { startSamples, durationSamples } = event.timings;
      const ends = scaled(startSamples.map((start, char) => start + durationSamples[char]!));
      const starts = scaled(startSamples);
      const lengths = ends.map((end, char) => end - starts[char]!);
      yield { type: 'begin', timings: { startSamples: starts, durationSamples: lengths } };
    } else if (event.type === 'audio') {
      const pcm = sound.push(event.pcm);
      if (pcm.length > 0) yield { type: 'audio', pcm };
    } else yield event;
  }
  const pcm = sound.end();
  if (pcm.length > 0) yield { type: 'audio', pcm };
}
