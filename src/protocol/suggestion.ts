/** What somebody probably meant by a name that does not exist. */

/** Where more names are equally near, none is suggested. */
const MOST = 3;
/** Edits for each character of a name that still make it the same name mistyped. */
const EDITS_PER_CHAR = 0.34;

/**
 * Edits from one word to the other: letters added, left out, replaced, or swapped with the next.
 */
function edits(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

/** The nearest names, best first: one that `wanted` is a word of, or a few edits away from. */
export function nearest(wanted: string, names: readonly string[]): string[] {
  const plain = (name: string) => name.toLowerCase().replaceAll('-', '_');
  const word = plain(wanted);
  if (word === '') return [];
  const scored = names.map((name) => {
    const [whole, parts] = [plain(name), plain(name).split(/[_:]/)];
    const part = Math.min(...parts.map((each) => edits(word, each)));
    // A word of a name comes behind a whole name with as many mistakes.
    const score = Math.min(
      edits(word, whole),
      part <= word.length * EDITS_PER_CHAR ? part + 0.5 : Number.POSITIVE_INFINITY,
    );
    return { name, score };
  });
  const near = scored.filter(({ score }) => score <= Math.max(1.5, word.length * EDITS_PER_CHAR));
  const best = Math.min(...near.map(({ score }) => score));
  const found = near.filter(({ score }) => score === best).map(({ name }) => name);
  return found.length > MOST ? [] : found;
}

/** A sentence to append to an error, with the space before it; empty where nothing is near. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const near = nearest(wanted, names);
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}
