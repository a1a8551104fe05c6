/** The text of a command: its words, its files, or what is piped into it. */
import { readFile } from 'node:fs/promises';
import { isBlank } from '../protocol/characters.js';
import { TtsError } from '../protocol/errors.js';

export interface TextSource {
  readonly words: readonly string[];
  readonly files: readonly string[];
}

/** Everything there is to say. Files are set apart like paragraphs. */
export async function readText({ words, files }: TextSource, signal: AbortSignal): Promise<string> {
  const onlyDash = words.length === 1 && words[0] === '-' && files.length === 0;
  const said = onlyDash ? '' : words.join(' ');
  const names = onlyDash || (words.length === 0 && files.length === 0) ? ['-'] : files;
  if (names[0] === '-' && names !== files && process.stdin.isTTY) {
    throw new TtsError(
      'usage',
      'Nothing to say. Give the text (tts speak "Hello there."), a file (-f story.txt) or a pipe (… | tts speak); to type it, use tts stream.',
    );
  }
  if (names.filter((name) => name === '-').length > 1) {
    throw new TtsError('usage', 'stdin (-) can be read once only.');
  }
  const parts = said === '' ? [] : [said];
  for (const name of names) parts.push(decode(await bytesOf(name, signal), name));
  const text = parts.join('\n\n');
  if (isBlank(text)) throw new TtsError('empty_input', 'There is no text to speak: it is empty or white space.');
  return text;
}

async function bytesOf(name: string, signal: AbortSignal): Promise<Buffer> {
  if (name !== '-') {
    return readFile(name, { signal }).catch((cause: NodeJS.ErrnoException) => {
      if (signal.aborted) throw signal.reason;
      const why = { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'reading it is not allowed' }[
        cause.code ?? ''
      ];
      // Whatever follows -f is a file, so that -f *.txt takes them all.
      const hint = cause.code === 'ENOENT' && /\s/.test(name) ? ' Words to say stand before -f.' : '';
      throw new TtsError('usage', `${name} cannot be read: ${why ?? cause.message}.${hint}`, { cause });
    });
  }
  const parts: Buffer[] = [];
  const stop = () => process.stdin.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const part of process.stdin as AsyncIterable<Buffer>) parts.push(part);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(parts);
}

function decode(bytes: Buffer, name: string): string {
  const shown = name === '-' ? 'stdin' : name;
  if (bytes.includes(0)) {
    throw new TtsError('usage', `${shown} is not text: it holds zero bytes. Convert it to UTF-8 text first.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new TtsError('usage', `${shown} is not UTF-8 text. Convert it first, such as with iconv -t UTF-8.`, {
      cause,
    });
  }
}
