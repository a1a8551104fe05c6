/** Writes a brotli and a gzip copy beside built files, so that the server compresses nothing. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** The highest quality, 11, would make the build seconds longer. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const TEXT = /\.(?:html|js|css|svg|wasm)$/;

export const packedFiles = (): Plugin => ({
  name: 'packed-files',
  apply: 'build',
  writeBundle({ dir }) {
    for (const entry of readdirSync(dir!, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !TEXT.test(entry.name)) continue;
      const file = path.join(entry.parentPath, entry.name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes, BROTLI));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
});
