/** Small things kept in this browser. A browser that refuses to keep them forgets them. */
import { effect, type Signal, signal } from '@preact/signals';

/** A signal whose value outlasts the page. `isValid` tells what was written by another version. */
export function keptHere<T>(name: string, empty: T, isValid: (value: unknown) => value is T): Signal<T> {
  const kept = signal(read(name, empty, isValid));
  effect(() => {
    try {
      localStorage.setItem(name, JSON.stringify(kept.value));
    } catch {
      // Full, or forbidden: it lasts as long as the page.
    }
  });
  return kept;
}

function read<T>(name: string, empty: T, isValid: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return isValid(value) ? value : empty;
  } catch {
    return empty;
  }
}

export const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
