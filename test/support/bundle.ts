import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Modules that a file of the bundle was made of: the bundler names each above its code. */
export const modulesIn = (url: string): string[] =>
  url.includes('/dist/bundle/')
    ? [...readFileSync(fileURLToPath(url), 'utf8').matchAll(/^\/\/ (\S+\.js)$/gm)].map(([, name]) => `/dist/${name}`)
    : [];
