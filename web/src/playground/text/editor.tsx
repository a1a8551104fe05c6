/** The box that text is written into. */
import { useEffect, useRef } from 'preact/hooks';
import { live, speak, text } from '../state.js';
import { LiveTyping } from './live-typing.js';
import { MAX_TEXT_CHARS } from './open-file.js';

/** Longer texts fill the box anyway; to measure them would delay each key. */
const MEASURED_CHARS = 3_000;

export const typing = new LiveTyping();

export function Editor() {
  const box = useRef<HTMLTextAreaElement>(null);
  // The box is as tall as its text, up to a height that the style sheet gives.
  const fit = () => {
    const element = box.current;
    if (element === null) return;
    const isLong = element.value.length > MEASURED_CHARS;
    element.classList.toggle('long', isLong);
    element.style.height = 'auto';
    if (!isLong) element.style.height = `${element.scrollHeight}px`;
  };
  useEffect(fit, [text.value]);
  return (
    <textarea
      ref={box}
      class="text"
      aria-label="Text to speak"
      aria-keyshortcuts="Control+Enter"
      placeholder={live.value ? 'Start typing. Each word is spoken as you go.' : 'Write or paste something to hear.'}
      rows={5}
      maxLength={MAX_TEXT_CHARS}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
        if (live.value) typing.typed(text.value);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || live.value) return;
        event.preventDefault();
        speak();
        // The box gives way to the words; the keyboard goes on at the player.
        document.querySelector<HTMLElement>('.play')?.focus();
      }}
    />
  );
}
