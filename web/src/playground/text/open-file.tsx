/** Reads a text or Markdown file that was chosen or dropped; EPUBs are books. */
import { useRef } from 'preact/hooks';
import { count } from '../../shared/format.js';
import { Icon } from '../../shared/icons.js';

/** Most UTF-16 units of the editor: about five hours of speech. */
export const MAX_TEXT_CHARS = 300_000;
const NUL = '\0';

export async function readText(file: File): Promise<string> {
  // A character has up to four bytes: larger files need not be read to be refused.
  const read = file.size > MAX_TEXT_CHARS * 4 ? '' : decoded(new Uint8Array(await file.arrayBuffer()));
  if (read.includes(NUL)) throw new Error(`“${file.name}” is not a text. Open a .txt or .md file.`);
  const clean = read.replaceAll('\r\n', '\n').trim();
  if (clean.length > MAX_TEXT_CHARS || (read === '' && file.size > 0)) {
    throw new Error(
      `“${file.name}” is longer than the ${count(MAX_TEXT_CHARS)} characters that fit here. tts speak -f reads any length.`,
    );
  }
  if (clean === '') throw new Error(`“${file.name}” is empty.`);
  return clean;
}

/** UTF-8, or with a mark UTF-16; what is neither was written on an old Western machine. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function OpenButton({ onFile }: { readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="quiet" onClick={() => input.current?.click()}>
        <Icon name="open" size={16} />
        Open
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".txt,.text,.md,.markdown,.epub,text/plain,text/markdown,application/epub+zip"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}
