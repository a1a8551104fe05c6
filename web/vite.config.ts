/** The site's pages, built into the package: nothing is fetched from elsewhere, no script or style stands in a page itself. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig } from 'vite';
import { docsPages } from './docs-pages.js';
import { packedFiles } from './packed-files.js';

const root = import.meta.dirname;
const encoders = path.dirname(createRequire(import.meta.url).resolve('wasm-media-encoders'));

export default defineConfig({
  root,
  plugins: [docsPages(), packedFiles()],
  // The build that carries no encoder inside: ours is a file of its own, fetched when it is wanted.
  resolve: {
    alias: {
      'wasm-media-encoders/small': path.join(encoders, 'umd/WasmMediaEncoder.min.js'),
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path.join(root, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['index.html', 'dashboard.html', 'docs.html'].map((page) => path.join(root, page)) },
  },
  logLevel: 'warn',
});
