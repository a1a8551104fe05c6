/** Text in pieces for the WebSocket: never empty, never a single space, never too large. */

export interface FeedPiece {
  readonly text: string;
  readonly flush: boolean;
}

/** UTF-16 units of a piece: far below the 65,536 bytes of a message, also if escaped. */
const MAX_PIECE_UNITS = 4_000;

export class TextFeed {
  private carry = '';

  constructor(private readonly flushOnNewline: boolean) {}

  /** All of `text` that can be sent now. A single space waits for the text behind it. */
  *push(text: string): Generator<FeedPiece> {
    let rest = this.carry + text;
    this.carry = '';
    while (rest !== '') {
      if (rest === ' ') {
        this.carry = rest;
        return;
      }
      const size = this.pieceUnits(rest);
      const piece = rest.slice(0, size);
      rest = rest.slice(size);
      yield { text: piece, flush: this.flushOnNewline && piece.endsWith('\n') };
    }
  }

  private pieceUnits(text: string): number {
    const line = this.flushOnNewline ? text.indexOf('\n') + 1 : 0;
    if (line > 0 && line <= MAX_PIECE_UNITS) return line;
    if (text.length <= MAX_PIECE_UNITS) return text.length;
    const last = text.charCodeAt(MAX_PIECE_UNITS - 1);
    return last >= 0xd800 && last <= 0xdbff ? MAX_PIECE_UNITS - 1 : MAX_PIECE_UNITS;
  }
}

/** Decodes UTF-8 whose characters may be cut anywhere. */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8');
  for await (const part of bytes) {
    const text = decoder.decode(part, { stream: true });
    if (text !== '') yield text;
  }
  const last = decoder.decode();
  if (last !== '') yield last;
}
