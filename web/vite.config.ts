/** The site's pages, built into the package. Nothing is fetched from elsewhere or inlined. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { docsPages } from './docs-pages.js';
import { firstScript } from './first-script.js';
import { packedFiles } from './packed-files.js';

const root = import.meta.dirname;
const encoders = path.dirname(createRequire(import.meta.url).resolve('wasm-media-encoders'));

/** Libopus asks for this module of Node's, and uses it under Node alone. */
const withoutNode = (): Plugin => ({
  name: 'without-node',
  enforce: 'pre',
  resolveId: (id) => (id === 'node:module' ? '\0node-module' : undefined),
  load: (id) => (id === '\0node-module' ? 'export {};' : undefined),
});

export default defineConfig({
  root,
  plugins: [docsPages(), firstScript(), packedFiles()],
  // The build without an inlined encoder: it is a file that is fetched when it is used.
  resolve: {
    alias: {
      'wasm-media-encoders/small': path.join(encoders, 'umd/WasmMediaEncoder.min.js'),
    },
  },
  // Workers load a codec when it is asked for.
  worker: { format: 'es', plugins: () => [withoutNode()] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path.join(root, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // On a slow machine it would tell a newcomer which of our plugins is slow.
      checks: { bundlerTimings: false },
      input: ['index.html', 'compare.html', 'dashboard.html', 'docs.html'].map((page) => path.join(root, page)),
    },
  },
  logLevel: 'warn',
});
