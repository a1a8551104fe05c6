/** Sends a long text in pieces, as the server speaks it: it holds only so much that waits. */

/** Code points in a message. */
const PIECE = 4_000;
/** Most code points that were sent and are not yet spoken; the server takes 100,000. */
const AHEAD = 24_000;

interface Piece {
  readonly text: string;
  readonly points: number;
  readonly flush: boolean;
}

/** A session, as far as text goes into it. */
interface TextSink {
  text(text: string, flush: boolean): void;
  finish(): void;
}

export class TextFeed {
  readonly #session: TextSink;
  readonly #waiting: Piece[] = [];
  #ahead = 0;
  #finished = false;
  #over = false;

  constructor(session: TextSink) {
    this.#session = session;
  }

  say(text: string, flush: boolean): void {
    const points = [...text];
    for (let at = 0; at < points.length || at === 0; at += PIECE) {
      const piece = points.slice(at, at + PIECE);
      const isLast = at + PIECE >= points.length;
      this.#waiting.push({ text: piece.join(''), points: piece.length, flush: flush && isLast });
    }
    this.#send();
  }

  finish(): void {
    this.#finished = true;
    this.#send();
  }

  /** So many more code points were spoken. */
  spoken(points: number): void {
    this.#ahead -= points;
    this.#send();
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#ahead + this.#waiting[0]!.points <= AHEAD) {
      const { text, points, flush } = this.#waiting.shift()!;
      this.#ahead += points;
      this.#session.text(text, flush);
    }
    if (this.#waiting.length > 0 || !this.#finished || this.#over) return;
    this.#over = true;
    this.#session.finish();
  }
}
