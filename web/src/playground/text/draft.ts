/** Keeps the text of the editor over a reload, in this browser. */
import { effect, type Signal } from '@preact/signals';

const NAME = 'tts-draft';
/** A pause in typing (ms) after which the draft is kept. */
const REST_MS = 300;

export function savedDraft(): string | undefined {
  try {
    return localStorage.getItem(NAME) ?? undefined;
  } catch {
    // A browser may forbid it.
    return undefined;
  }
}

/** `example`: the text of a first visit, which is no draft. */
export function keepDraft(text: Signal<string>, example: string): void {
  let rest: ReturnType<typeof setTimeout> | undefined;
  const keep = () => {
    clearTimeout(rest);
    try {
      if (text.peek() === example) localStorage.removeItem(NAME);
      else localStorage.setItem(NAME, text.peek());
    } catch {
      // Forbidden, or larger than the browser takes.
    }
  };
  effect(() => {
    text.value;
    clearTimeout(rest);
    rest = setTimeout(keep, REST_MS);
  });
  addEventListener('pagehide', keep);
}
