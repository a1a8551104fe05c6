/** `<theme-switch>`: the choice of a theme, for pages with a framework and without. */
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.js';

const NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

class ThemeSwitch extends HTMLElement {
  connectedCallback(): void {
    if (this.firstChild !== null) return;
    const select = document.createElement('select');
    select.setAttribute('aria-label', 'Theme');
    for (const theme of THEMES) {
      const option = new Option(NAMES[theme], theme);
      option.defaultSelected = theme === chosenTheme();
      option.selected = option.defaultSelected;
      select.append(option);
    }
    select.addEventListener('change', () => chooseTheme(select.value as Theme));
    this.append(select);
  }
}

customElements.define('theme-switch', ThemeSwitch);

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'theme-switch': object;
    }
  }
}
