/** The pictures of an HTML page: those written into it, and those in files beside it. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { decodedText } from '../markup.js';

export interface Picture {
  /** Within the book. */
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Kinds that every reader of EPUB 3 shows and that hold nothing but a picture, by first bytes. */
const KINDS: readonly (readonly [hex: RegExp, ending: string, mediaType: string])[] = [
  [/^89504e470d0a1a0a/, 'png', 'image/png'],
  [/^ffd8ff/, 'jpg', 'image/jpeg'],
  [/^47494638/, 'gif', 'image/gif'],
  [/^52494646.{8}57454250/, 'webp', 'image/webp'],
];
/** A larger file is no picture of a page. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * By what `src` says. `beside`: whether files in the folder of the page, or below it, are read.
 * What lies elsewhere, in the web too, is left out.
 */
export async function picturesOf(html: Buffer, file: string, beside: boolean): Promise<Map<string, Picture>> {
  const found = new Map<string, Picture>();
  const byContent = new Map<string, Picture>();
  for (const source of sourcesIn(parse(decodedText(html, file)))) {
    if (found.has(source)) continue;
    const bytes = /^data:/i.test(source) ? inside(source) : beside ? await besideOf(source, file) : undefined;
    const kind = bytes && KINDS.find(([hex]) => hex.test(bytes.toString('hex', 0, 16)));
    if (bytes === undefined || kind === undefined) continue;
    const [, ending, mediaType] = kind;
    const content = createHash('sha256').update(bytes).digest('hex');
    const number = String(byContent.size + 1).padStart(3, '0');
    const picture = byContent.get(content) ?? { path: `EPUB/pictures/${number}.${ending}`, mediaType, bytes };
    byContent.set(content, picture);
    found.set(source, picture);
  }
  return found;
}

function* sourcesIn(node: DefaultTreeAdapterTypes.Node): Generator<string> {
  if ('tagName' in node && node.tagName === 'img') {
    const source = node.attrs.find(({ name }) => name === 'src')?.value;
    if (source) yield source;
  }
  if ('childNodes' in node) for (const child of node.childNodes) yield* sourcesIn(child);
}

function inside(url: string): Buffer | undefined {
  const data = /^data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)$/i.exec(url)?.[1];
  return data === undefined ? undefined : Buffer.from(data, 'base64');
}

async function besideOf(source: string, file: string): Promise<Buffer | undefined> {
  const name = nameOf(source);
  if (name === undefined) return undefined;
  const folder = path.dirname(path.resolve(file));
  const whole = path.resolve(folder, name);
  if (!whole.startsWith(path.join(folder, path.sep))) return undefined;
  const there = await stat(whole).catch(() => undefined);
  if (!there?.isFile() || there.size > MAX_BYTES) return undefined;
  return readFile(whole).catch(() => undefined);
}

/** The name of a file; undefined for what has a scheme, a host or a broken escape. */
function nameOf(source: string): string | undefined {
  const plain = source.split(/[?#]/, 1)[0]!;
  if (plain === '' || /^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(plain)) return undefined;
  try {
    return decodeURIComponent(plain);
  } catch {
    return undefined;
  }
}
