/** The header of both pages: brand, links, and the page's own status. */
import type { ComponentChildren } from 'preact';
import mark from './mark.svg';
import './theme-switch.js';

export interface HeaderProps {
  readonly here: 'playground' | 'dashboard' | 'compare';
  readonly children?: ComponentChildren;
}

export function Header({ here, children }: HeaderProps) {
  const link = (page: HeaderProps['here'], href: string, label: string) => (
    <a href={href} aria-current={here === page ? 'page' : undefined}>
      {label}
    </a>
  );
  return (
    <header class="head">
      <a class="brand" href="/" aria-label="tts, the playground">
        <img src={mark} width="28" height="28" alt="" />
        <span>tts</span>
      </a>
      <nav aria-label="Pages">
        {link('playground', '/', 'Playground')}
        {link('dashboard', '/dashboard', 'Dashboard')}
        <a href="/docs">Docs</a>
      </nav>
      <div class="head-end">
        {children}
        <theme-switch />
      </div>
    </header>
  );
}
