/** Characters of a text that are not spoken, and how people are told of them. */

/**
 * Characters that are not spoken, by kind: "emoji", "symbol", "control", or "script:" and the name
 * of one.
 */
export type Unspoken = Readonly<Record<string, number>>;

/** "2 characters of Han, 1 emoji and 3 signs"; empty where nothing was left out. */
export function unspokenInWords(unspoken: Unspoken): string {
  const counts = new Map<string, number>();
  for (const [kind, chars] of Object.entries(unspoken)) {
    const name = nameOf(kind);
    counts.set(name, (counts.get(name) ?? 0) + chars);
  }
  const parts = [...counts].map(
    ([name, chars]) => `${chars} ${chars === 1 ? name.replace(/^(character|sign)s/, '$1') : name}`,
  );
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function nameOf(kind: string): string {
  if (kind === 'emoji') return 'emoji';
  if (kind.startsWith('script:'))
    return kind === 'script:other' ? 'characters of other scripts' : `characters of ${kind.slice(7)}`;
  return kind === 'symbol' ? 'signs' : 'characters that cannot be shown';
}
