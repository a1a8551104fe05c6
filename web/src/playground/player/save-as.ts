/** Files of what was heard, made by this page and named after the first words of the text. */
import { CueBuilder, toSrt, toVtt } from '../../../../src/client/subtitles.js';
import { encodedFile, save, wavFile } from '../../audio/files.js';
import type { Said } from '../speech/said.js';
import { fileName } from './file-name.js';

interface Format {
  readonly name: 'WAV' | 'MP3' | 'Opus' | 'FLAC' | 'SRT' | 'VTT';
  readonly hint: string;
  readonly make: (said: Said) => Blob | Promise<Blob>;
}

const encoded = (format: 'mp3' | 'opus' | 'flac') => (said: Said) =>
  encodedFile(said.recording, format, { title: fileName(said.text.peek()).replaceAll('-', ' '), artist: said.voice });

export const FORMATS: readonly Format[] = [
  { name: 'WAV', hint: 'lossless, 24 kHz', make: ({ recording }) => wavFile(recording) },
  { name: 'MP3', hint: 'small, plays anywhere', make: encoded('mp3') },
  { name: 'Opus', hint: 'smallest', make: encoded('opus') },
  { name: 'FLAC', hint: 'lossless, half the size', make: encoded('flac') },
  { name: 'SRT', hint: 'subtitles', make: (said) => subtitles(said, toSrt) },
  { name: 'VTT', hint: 'subtitles for the web', make: (said) => subtitles(said, toVtt) },
];

export async function saveAs(name: Format['name'], said: Said): Promise<void> {
  const format = FORMATS.find((each) => each.name === name)!;
  try {
    const before = [...said.text.peek()].slice(said.clock.from).join('');
    save(await format.make(said), `${fileName(before)}.${name.toLowerCase()}`);
  } catch (error) {
    throw new Error(`The ${name} file could not be made: ${(error as Error).message}`);
  }
}

function subtitles({ alignments }: Said, write: typeof toSrt): Blob {
  const builder = new CueBuilder();
  for (const { alignment, offset } of alignments) {
    const { chars, charStartTimesMs, charDurationsMs } = alignment;
    builder.add(
      { chars: [...chars], charStartTimesMs: [...charStartTimesMs], charDurationsMs: [...charDurationsMs] },
      offset,
    );
  }
  return new Blob([write(builder.cues())], { type: 'text/plain' });
}
