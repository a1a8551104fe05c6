/** Counts the characters of a text that comes in pieces as if it were joined and trimmed. */
import { isHighSurrogate, isLowSurrogate, isWhiteSpace } from '../../protocol/characters.js';

export class TrimmedCount {
  #chars = 0;
  /** White space behind the last of `#chars`: it counts once something follows it. */
  #white = 0;
  #lastUnit = 0;

  /** Characters from the first to the last that is no white space. */
  get chars(): number {
    return this.#chars;
  }

  /** Takes the next piece and returns by how much the count grew; a split surrogate pair is one. */
  add(piece: string): number {
    const before = this.#chars;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      const continues = isLowSurrogate(unit) && isHighSurrogate(this.#lastUnit);
      this.#lastUnit = unit;
      if (continues) continue;
      if (!isWhiteSpace(unit)) {
        this.#chars += this.#white + 1;
        this.#white = 0;
      } else if (this.#chars > 0) this.#white++;
    }
    return this.#chars - before;
  }
}
