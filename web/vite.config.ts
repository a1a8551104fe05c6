/** The site's pages, built into the package. Nothing is fetched from elsewhere or inlined. */
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
  // The build without an inlined encoder: it is a file that is fetched when it is used.
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
    rollupOptions: {
      input: ['index.html', 'compare.html', 'dashboard.html', 'docs.html'].map((page) => path.join(root, page)),
    },
  },
  logLevel: 'warn',
});
