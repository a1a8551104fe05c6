/** Letters said one by one, as espeak has to see them. */

/**
 * Rows of single capitals joined: "H T M L" → "H.T.M.L", "I D's" → "I-D's". espeak then says them
 * as one word with its stress on the last letter, and never takes an A for the article; behind the
 * last dot it would take an "'s" amiss, hence the hyphen. Same length, so the map holds.
 */
export function joinLetters(text: string): string {
  return text.replace(/\b[A-Z](?: [A-Z](?![A-Za-z]))+('s)?/g, (row: string, plural: string | undefined) => {
    const joined = row.replaceAll(' ', '.');
    return plural ? `${joined.slice(0, -4)}-${joined.slice(-3)}` : joined;
  });
}
