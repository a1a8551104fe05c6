/** The theme of the pages: the system's, or the one that was chosen in this browser. */

/** Also in theme-first.js, which sets the theme before the page is painted. */
const NAME = 'tts-theme';
const CHANGED = 'tts-theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, theme);
  } catch {
    // A browser may forbid storage; the choice lasts as long as the page.
  }
  dispatchEvent(new Event(CHANGED));
}

/** Calls `listener` when colours change, for what is painted by a script; returns how to end it. */
export function onTheme(listener: () => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', listener);
  addEventListener(CHANGED, listener);
  return () => {
    scheme.removeEventListener('change', listener);
    removeEventListener(CHANGED, listener);
  };
}
