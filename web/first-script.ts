/**
 * Puts `theme-first.js` into the head of each page as a script that blocks: modules run after the
 * first paint, and the content security policy forbids scripts in the page itself.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

export function firstScript(): Plugin {
  let id = '';
  return {
    name: 'first-script',
    apply: 'build',
    buildStart() {
      const source = readFileSync(path.join(import.meta.dirname, 'src/shared/theme-first.js'), 'utf8');
      id = this.emitFile({ type: 'asset', name: 'theme-first.js', source });
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const tag = `<script src="/${this.getFileName(id)}"></script>`;
        for (const file of Object.values(bundle)) {
          if (file.type !== 'asset' || !file.fileName.endsWith('.html')) continue;
          file.source = String(file.source).replace('<link rel="icon"', `${tag}\n    <link rel="icon"`);
        }
      },
    },
  };
}
