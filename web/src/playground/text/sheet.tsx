/** The text: an editor or, while it is heard, words that light up. */
import { useSignal } from '@preact/signals';
import { count } from '../../shared/format.js';
import { Icon } from '../../shared/icons.js';
import { isBook, openBook } from '../book/book.js';
import { edit, listening, live, player, problem, run, shownText, stop, text } from '../state.js';
import { Chapters } from './chapters.js';
import { Editor, typing } from './editor.js';
import { OpenButton, readText } from './open-file.js';
import { Transcript } from './transcript.js';
import { pointsOf } from './words.js';

export function Sheet() {
  const isOver = useSignal(false);
  const showTranscript = listening.value && !live.value && run.value !== undefined;
  const drop = (event: DragEvent) => {
    isOver.value = false;
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    void open(file);
  };
  return (
    <section
      class={isOver.value ? 'sheet over' : 'sheet'}
      aria-label="Text"
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) isOver.value = false;
      }}
      onDrop={drop}
    >
      <div class="sheet-head">
        <label class="switch">
          <input type="checkbox" checked={live.value} onChange={(event) => toggleLive(event.currentTarget.checked)} />
          <span>Type and listen</span>
        </label>
        <span class="count">{count(pointsOf(shownText.value))} characters</span>
        {!live.value && <OpenButton onFile={(file) => void open(file)} />}
        {showTranscript && (
          <button type="button" class="quiet" onClick={edit}>
            <Icon name="edit" size={16} />
            {run.value!.text.value === text.value ? 'Edit' : 'Back to your text'}
          </button>
        )}
      </div>
      {!live.value && <Chapters />}
      {showTranscript ? <Transcript /> : <Editor />}
      {live.value && run.value && (
        <div class="heard-so-far">
          <Transcript />
        </div>
      )}
      {isOver.value && <p class="drop-here">Drop a text, Markdown or EPUB file here.</p>}
    </section>
  );
}

async function open(file: File): Promise<void> {
  if (isBook(file)) {
    openBook(file);
    return;
  }
  try {
    const read = await readText(file);
    if (live.value) toggleLive(false);
    edit();
    text.value = read;
    problem.value = undefined;
  } catch (error) {
    problem.value = error as Error;
  }
}

/** The editor's text while another is typed and heard. */
let putAside = '';

function toggleLive(on: boolean): void {
  stop();
  typing.stop();
  if (on) putAside = text.value;
  live.value = on;
  listening.value = false;
  run.value = undefined;
  text.value = on ? '' : text.value || putAside;
  if (on) void player.open();
}
