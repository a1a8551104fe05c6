/** The ending -s, of a possessive, a plural or a verb. */

/** How "'s" sounds behind a word. */
export function possessive(phonemes: string): string {
  if (/[szʃʒʧʤ]$/u.test(phonemes)) return 'ᵻz';
  return /[ptkfθ]$/u.test(phonemes) ? 's' : 'z';
}
