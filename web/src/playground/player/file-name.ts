/** Names of files after the first words of a text, good on every system. */

const MAX_CHARS = 48;

/** "Good-morning-Dr-Rivera", without an ending. */
export function fileName(text: string): string {
  let name = '';
  for (const [word] of text.slice(0, 1_000).matchAll(/[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu)) {
    const longer = name === '' ? word : `${name}-${word}`;
    if (name !== '' && longer.length > MAX_CHARS) break;
    name = longer;
  }
  return [...name].slice(0, MAX_CHARS).join('') || 'speech';
}
