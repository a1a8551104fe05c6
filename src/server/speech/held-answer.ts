/** One buffered response: in memory as far as its key's share goes, then in a temporary file. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../clock.js';
import { SpillFile } from './spill-file.js';

/** Where bytes of a response lie: in memory, or behind one another in its file. */
type Part = Uint8Array | { readonly from: number; bytes: number };

/** The room of a response, in bytes. The budget sets it. */
export interface Room {
  /** Bytes that no other response can take: as many as were expected, then as many as were made. */
  readonly promised: number;
  readonly memory: number;
  readonly disk: number;
  /** The synthesis of the response waits for room. */
  readonly waiting: boolean;
}

/** What a response is given of the budget that all of them share; see `HeldAudio`. */
export interface AnswerBudget {
  readonly clock: Clock;
  readonly dir: string;
  /** Resolves when so many more bytes than were promised are promised. */
  grow(answer: HeldAnswer, bytes: number, signal: AbortSignal): Promise<void>;
  /** Resolves with where the next bytes go, once there is room. */
  place(answer: HeldAnswer, bytes: number, signal: AbortSignal): Promise<'memory' | 'disk'>;
  /** The file could not be written. */
  diskFailed(error: unknown): void;
  /** The numbers of an answer became smaller. */
  freed(answer: HeldAnswer, less: Partial<Omit<Room, 'waiting'>>): void;
  /** It is over; resolves `gone` when its file is. */
  closed(answer: HeldAnswer, gone: Promise<void>): void;
}

/** Pieces that are read from the file, and after which a reader's progress is counted. */
const PIECE_BYTES = 65_536;

interface Reader {
  readonly sinceMs: number;
  /** When bytes were taken last. */
  lastMs: number;
  /** Length of the audio. */
  readonly audioMs: number;
  readonly onCut: (() => void) | undefined;
}

export class HeldAnswer {
  readonly keyId: string;
  /** One part in so many of everything is what its key may take. */
  readonly share: number;
  readonly room: Room;
  readonly sinceMs: number;
  readonly #budget: AnswerBudget;
  readonly #parts: Part[] = [];
  #file: Promise<SpillFile> | undefined;
  #madeBytes = 0;
  #sentBytes = 0;
  #reader: Reader | undefined;
  #released = false;

  constructor(holder: Pick<HeldAnswer, 'keyId' | 'share'>, room: Room, budget: AnswerBudget) {
    this.keyId = holder.keyId;
    this.share = holder.share;
    this.room = room;
    this.#budget = budget;
    this.sinceMs = budget.clock.now();
  }

  get madeBytes(): number {
    return this.#madeBytes;
  }

  /** Bytes that were handed to the socket. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Keeps `bytes`; the synthesis waits here while there is no room. */
  async append(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const more = this.#madeBytes + bytes.length - this.room.promised;
    if (more > 0) await this.#budget.grow(this, more, signal);
    while (!(await this.#keep(bytes, signal)));
    this.#madeBytes += bytes.length;
  }

  /** All of it is made: what was promised beyond that is free again. */
  finish(): void {
    if (!this.#released) this.#budget.freed(this, { promised: this.room.promised - this.#madeBytes });
  }

  /**
   * Hands the bytes out in order, once: pulling a piece says that all before it were written.
   * `onCut` ends a reader that keeps others waiting.
   */
  async *read(audioMs: number, onCut?: () => void): AsyncGenerator<Uint8Array, void, undefined> {
    const nowMs = this.#budget.clock.now();
    this.#reader = { sinceMs: nowMs, lastMs: nowMs, audioMs, onCut };
    for (const part of this.#parts.splice(0)) {
      if (part instanceof Uint8Array) {
        for (let at = 0; at < part.length; at += PIECE_BYTES) {
          yield* this.#hand(part.subarray(at, at + PIECE_BYTES));
        }
        if (!this.#released) this.#budget.freed(this, { promised: part.length, memory: part.length });
        continue;
      }
      for (let at = 0; at < part.bytes; at += PIECE_BYTES) {
        if (this.#released) await this.#leave();
        yield* this.#hand(await (await this.#file!).read(part.from + at, Math.min(PIECE_BYTES, part.bytes - at)));
      }
    }
  }

  *#hand(piece: Uint8Array): Generator<Uint8Array, void, undefined> {
    yield piece;
    this.#sentBytes += piece.length;
    this.#reader!.lastMs = this.#budget.clock.now();
  }

  /** Its connection was destroyed, which is announced in the next turn of the event loop. */
  async #leave(): Promise<never> {
    await turn();
    throw new DOMException('The reader was cut off', 'AbortError');
  }

  /** Whether its reader took nothing for `stallMs`, or has been slower than the audio is heard. */
  isOverdue(stallMs: number, nowMs: number): boolean {
    const reader = this.#reader;
    if (reader === undefined) return false;
    if (nowMs - reader.lastMs >= stallMs) return true;
    const elapsedMs = nowMs - reader.sinceMs;
    const heardMs = (this.#sentBytes / Math.max(1, this.#madeBytes)) * reader.audioMs;
    return elapsedMs >= stallMs && heardMs < elapsedMs;
  }

  /** Ends its reader, and gives everything back at once. */
  cut(): void {
    this.#reader?.onCut?.();
    this.release();
  }

  /** Gives everything back. Idempotent. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#parts.length = 0;
    this.#budget.closed(this, this.#removeFile());
  }

  /** False where the file cannot be written: another place is looked for. */
  async #keep(bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
    if ((await this.#budget.place(this, bytes.length, signal)) === 'memory') {
      // A copy: the view may be of a message many times its size, which it would keep.
      this.#parts.push(Uint8Array.prototype.slice.call(bytes));
      return true;
    }
    let from: number;
    try {
      this.#file ??= SpillFile.create(this.#budget.dir);
      from = await (await this.#file).append(bytes);
    } catch (error) {
      if (this.#released) await this.#leave();
      if ((await this.#file?.catch(() => undefined)) === undefined) this.#file = undefined;
      this.#budget.freed(this, { disk: bytes.length });
      this.#budget.diskFailed(error);
      return false;
    }
    const last = this.#parts.at(-1);
    if (last !== undefined && 'from' in last) last.bytes += bytes.length;
    else this.#parts.push({ from, bytes: bytes.length });
    return true;
  }

  async #removeFile(): Promise<void> {
    // One that could not be made needs no removal.
    const file = await this.#file?.catch(() => undefined);
    await file?.remove();
  }
}
