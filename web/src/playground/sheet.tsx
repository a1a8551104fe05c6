/** The text: an editor or, while it is heard, words that light up. */
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../shared/icons.js';
import { LiveTyping } from './live-typing.js';
import { edit, listening, live, player, run, stop, text } from './state.js';
import { Transcript } from './transcript.js';

const typing = new LiveTyping();

export function Sheet() {
  const showTranscript = listening.value && !live.value;
  return (
    <section class="sheet" aria-label="Text">
      <div class="sheet-head">
        <label class="switch">
          <input type="checkbox" checked={live.value} onChange={(event) => toggleLive(event.currentTarget.checked)} />
          <span>Type and listen</span>
        </label>
        <span class="count">{[...text.value].length} characters</span>
        {showTranscript && (
          <button type="button" class="quiet" onClick={edit}>
            <Icon name="edit" size={16} />
            Edit
          </button>
        )}
      </div>
      {showTranscript ? <Transcript /> : <Editor />}
      {live.value && run.value && (
        <div class="heard-so-far">
          <Transcript />
        </div>
      )}
    </section>
  );
}

function toggleLive(on: boolean): void {
  stop();
  typing.stop();
  live.value = on;
  listening.value = false;
  run.value = undefined;
  text.value = on ? '' : text.value;
  if (on) void player.open();
}

function Editor() {
  const box = useRef<HTMLTextAreaElement>(null);
  // The box is as tall as its text, so that the page scrolls and not the box.
  const fit = () => {
    const element = box.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  };
  useEffect(fit);
  return (
    <textarea
      ref={box}
      class="text"
      aria-label="Text to speak"
      placeholder={live.value ? 'Start typing. Each word is spoken as you go.' : 'Write or paste something to hear.'}
      rows={5}
      maxLength={50_000}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
        fit();
        if (live.value) typing.typed(text.value);
      }}
    />
  );
}
