/**
 * Runs when this package is installed by itself (`npm install --global`), before any postinstall
 * script of its dependencies. It touches only what lies in the package's own node_modules, which
 * nobody else uses:
 *
 * - libraries for other systems, some 260 MB that cannot be loaded here, are removed, and doubles
 *   become one;
 * - type declarations and source maps, 30 MB in thousands of files that no program reads, are
 *   removed;
 * - tests, examples and manuals of other packages, 16 MB, are removed;
 * - espeak's Russian dictionary, 9 MB, which no language of ours reads, is removed;
 * - onnxruntime-node's own postinstall, which on Linux x64 fetches CUDA libraries from outside and
 *   fails the whole installation where it cannot, does nothing unless ONNXRUNTIME_NODE_INSTALL asks
 *   for it.
 *
 * TTS_INSTALL_TRIM=0 keeps every file: some 500 MB instead of 199 on Linux x64. In a clone
 * package-lock.json and `allowScripts` keep the postinstall from running, and no file is removed.
 */
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const GUARD = `// Added by selfhosted-tts: an installation fetches nothing from elsewhere unless it is asked to.
if (process.env.npm_lifecycle_event === 'postinstall' && !process.env.ONNXRUNTIME_NODE_INSTALL) process.exit(0);
`;

const foldersIn = (dir) =>
  readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(dir, entry.name));

/**
 * onnxruntime-node: bin/napi-vN/PLATFORM/ARCH. Without a folder for this system nothing is
 * understood, and nothing removed.
 */
function trimRuntime(dir) {
  for (const api of foldersIn(path.join(dir, 'bin'))) {
    const systems = foldersIn(api).flatMap(foldersIn);
    const own = path.join(api, process.platform, process.arch);
    if (!systems.includes(own)) continue;
    for (const system of systems) if (system !== own) rmSync(system, { recursive: true });
    joinDoubles(own);
  }
}

/** On macOS the library lies there twice, under its short and its full version. */
function joinDoubles(dir) {
  const files = readdirSync(dir).map((name) => path.join(dir, name));
  for (const [index, file] of files.entries()) {
    const twin = files
      .slice(0, index)
      .find((other) => statSync(other).size === statSync(file).size && readFileSync(other).equals(readFileSync(file)));
    if (twin === undefined) continue;
    linkSync(twin, `${file}.link`);
    renameSync(`${file}.link`, file);
  }
}

/** libsql comes for both C libraries of Linux. */
function trimDatabase(dir) {
  if (process.platform !== 'linux') return;
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  const [own, other] = isGlibc ? ['gnu', 'musl'] : ['musl', 'gnu'];
  const here = foldersIn(dir);
  if (!here.some((folder) => folder.endsWith(own))) return;
  for (const folder of here) if (folder.endsWith(other)) rmSync(folder, { recursive: true });
}

/** Nobody compiles against what lies in here. */
function trimDeclarations(dir) {
  for (const name of readdirSync(dir, { recursive: true })) {
    if (/\.(?:d\.[cm]?ts|map)$/.test(name)) rmSync(path.join(dir, name));
  }
}

/** Folders and files of a package's tests, examples and manuals. Licences stay. */
const UNREAD = /^(?:tests?|__tests__|docs?|examples?|bench(?:marks?)?|\.github)$/;
const UNREAD_FILES = /^(?:readme|changelog|history|contributing|security)(?:\.[\w-]+)?\.(?:md|markdown)$/i;

function trimManuals(dir) {
  for (const folder of foldersIn(dir)) {
    if (path.basename(folder).startsWith('@')) {
      trimManuals(folder);
      continue;
    }
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const isUnread = entry.isDirectory() ? UNREAD.test(entry.name) : UNREAD_FILES.test(entry.name);
      if (isUnread) rmSync(path.join(folder, entry.name), { recursive: true });
      else if (entry.name === 'node_modules') trimManuals(path.join(folder, entry.name));
    }
  }
}

/** It is larger than the dictionaries of all other languages together. */
function trimDictionaries(dir) {
  rmSync(path.join(dir, 'dist', 'data', 'ru.data'));
}

function guardInstall(dir) {
  const file = path.join(dir, 'script', 'install.js');
  const text = readFileSync(file, 'utf8');
  if (text.startsWith(GUARD)) return;
  // A new file in its place: the old one may be a link into a package manager's store.
  writeFileSync(`${file}.new`, GUARD + text);
  renameSync(`${file}.new`, file);
}

const packageDir = path.join(import.meta.dirname, '..');
if (path.basename(path.dirname(packageDir)) === 'node_modules') {
  const own = path.join(packageDir, 'node_modules');
  const runtime = path.join(own, 'onnxruntime-node');
  const trims = [
    () => trimRuntime(runtime),
    () => trimDatabase(path.join(own, '@libsql')),
    () => trimDeclarations(own),
    () => trimManuals(own),
    () => trimDictionaries(path.join(own, 'espeak-phonemizer')),
  ];
  for (const step of [() => guardInstall(runtime), ...(process.env.TTS_INSTALL_TRIM === '0' ? [] : trims)]) {
    try {
      step();
    } catch {
      // Not there, or laid out otherwise (another package manager, a later version): the
      // installation is whole without it.
    }
  }
}
