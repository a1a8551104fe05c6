/** Downloads of what was heard, beside the player. */
import { useSignal } from '@preact/signals';
import { Icon } from '../../shared/icons.js';
import { problem, run } from '../state.js';
import { FORMATS, saveAs } from './save-as.js';

export function Downloads() {
  const busy = useSignal<string | undefined>(undefined);
  const said = run.value;
  const isReady = said?.recording.finished.value === true && said.recording.hasAudio.value;
  const isTimed = said !== undefined && said.alignments.length > 0;
  const download = async (name: (typeof FORMATS)[number]['name']) => {
    busy.value = name;
    try {
      await saveAs(name, said!);
    } catch (error) {
      problem.value = error as Error;
    }
    busy.value = undefined;
  };
  if (!isReady) return null;
  return (
    <fieldset class="files">
      <legend class="visually-hidden">Download</legend>
      <Icon name="down" size={16} />
      {FORMATS.filter(({ name }) => isTimed || (name !== 'SRT' && name !== 'VTT')).map(({ name, hint }) => (
        <button
          key={name}
          type="button"
          class="file"
          aria-label={`${name}, ${hint}`}
          title={hint}
          aria-busy={busy.value === name}
          disabled={busy.value !== undefined}
          onClick={() => void download(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
