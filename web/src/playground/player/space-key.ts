/** The space bar plays and pauses, where no other element has a use for it. */
import { useEffect } from 'preact/hooks';
import { toggle } from '../state.js';

const TAKES_SPACE = 'input, textarea, select, button, summary, a, dialog, [role=button], [contenteditable]';

export function useSpaceKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== ' ' || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      if ((event.target as Element | null)?.closest?.(TAKES_SPACE)) return;
      event.preventDefault();
      if (!event.repeat) toggle();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
