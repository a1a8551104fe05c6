/** Downloads of what was heard: audio as WAV or MP3, subtitles as SRT or WebVTT. */
import { useSignal } from '@preact/signals';
import { CueBuilder, toSrt, toVtt } from '../../../src/client/subtitles.js';
import { mp3File, save, wavFile } from '../audio/files.js';
import { Icon } from '../shared/icons.js';
import type { Run } from './run.js';
import { run } from './state.js';

const FILES = [
  { name: 'WAV', hint: 'Lossless, 24 kHz', make: async ({ recording }: Run) => wavFile(recording.samples()) },
  { name: 'MP3', hint: 'Small, plays anywhere', make: ({ recording }: Run) => mp3File(recording.samples()) },
  { name: 'SRT', hint: 'Subtitles', make: async (of: Run) => subtitles(of, toSrt) },
  { name: 'VTT', hint: 'Subtitles for the web', make: async (of: Run) => subtitles(of, toVtt) },
] as const;

function subtitles({ alignments }: Run, write: typeof toSrt): Blob {
  const builder = new CueBuilder();
  for (const { alignment, offset } of alignments) {
    builder.add(
      {
        chars: [...alignment.chars],
        charStartTimesMs: [...alignment.charStartTimesMs],
        charDurationsMs: [...alignment.charDurationsMs],
      },
      offset,
    );
  }
  return new Blob([write(builder.cues())], { type: 'text/plain' });
}

export function Downloads() {
  const busy = useSignal<string | undefined>(undefined);
  const failed = useSignal<string | undefined>(undefined);
  const current = run.value;
  const ready = current?.recording.finished.value === true && current.recording.length.value > 0;
  const download = async ({ name, make }: (typeof FILES)[number]) => {
    busy.value = name;
    failed.value = undefined;
    try {
      save(await make(current!), `speech.${name.toLowerCase()}`);
    } catch (error) {
      failed.value = `The ${name} file could not be made: ${(error as Error).message}`;
    }
    busy.value = undefined;
  };
  return (
    <section class="panel" aria-labelledby="take-title">
      <div class="panel-head">
        <h2 id="take-title">Download</h2>
      </div>
      <p class="hint">
        {ready ? 'The audio you heard, made into a file by this page.' : 'Press play first, then save the audio here.'}
      </p>
      <div class="files">
        {FILES.map((file) => (
          <button
            key={file.name}
            type="button"
            class="file"
            disabled={!ready || busy.value !== undefined}
            onClick={() => void download(file)}
          >
            <Icon name="down" size={18} />
            <span>
              <strong>{file.name}</strong>
              <small>{busy.value === file.name ? 'Working…' : file.hint}</small>
            </span>
          </button>
        ))}
      </div>
      {failed.value && (
        <p class="problem" role="alert">
          {failed.value}
        </p>
      )}
    </section>
  );
}
