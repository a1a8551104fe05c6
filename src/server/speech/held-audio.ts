/**
 * Room for buffered responses: memory and temporary files, shared between keys.
 *
 * A response is promised room for its expected size before any work, so that no admitted request is
 * refused halfway. Its bytes go into memory as far as the share of its key goes, then into a file.
 * The synthesis of a response waits only where the response outgrows its promise or the disk lost
 * room to others; a finished response waits for nobody, and its reader is cut where others wait for
 * room. So either a reader frees room, or all syntheses wait for each other, and the newest is
 * refused.
 */
import { statfs } from 'node:fs/promises';
import type { KeyRecord } from '../../accounts/types.js';
import { type Clock, systemClock, type Timer } from '../../clock.js';
import { Condition } from '../../condition.js';
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { type AnswerSize, neverFits } from './answer-size.js';
import { type AnswerBudget, HeldAnswer, type Room } from './held-answer.js';
import { removeSpillFiles } from './spill-file.js';

/** Divisors: a key's share of memory and of disk, and one response's share of both together. */
const FREE_SHARE = 8;
const KEY_SHARE = 4;
const ANSWER_SHARE = 8;
/** Divisor of the free disk: the accounts may live on it as well. */
const DISK_SHARE = 2;
const WATCH_MS = 1_000;
const MAX_RETRY_S = 60;

export interface HeldAudioOptions {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Where temporary files are made. */
  readonly dir: string;
  /** A reader that stalls so long, or is slower than a listener, is cut while others wait. */
  readonly stallMs: number;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
}

type OwnRoom = { -readonly [Field in keyof Room]: Room[Field] };

export type Holder = Pick<KeyRecord, 'id' | 'tier'>;

export class HeldAudio implements AnswerBudget {
  readonly clock: Clock;
  readonly #options: HeldAudioOptions;
  readonly #answers = new Set<HeldAnswer>();
  readonly #rooms = new WeakMap<HeldAnswer, OwnRoom>();
  readonly #removing = new Set<Promise<void>>();
  readonly #changed = new Condition();
  /** Free bytes on the disk when it was looked at last. */
  #diskFree = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #look = Promise.resolve();
  /** Somebody was refused for want of room, and comes back until then. */
  #wantedUntilMs = 0;
  #watch: Timer | undefined;
  /** A running mean of how long an answer is held, for an honest `Retry-After`. */
  #meanHeldMs = 2_000;

  constructor(options: HeldAudioOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
  }

  get dir(): string {
    return this.#options.dir;
  }

  /** Removes what a killed server left. */
  async begin(): Promise<void> {
    await removeSpillFiles(this.dir);
  }

  /** Throws `input_too_long` for an answer that could never be held. */
  check(size: AnswerSize): void {
    const { memoryBytes, diskBytes } = this.#options;
    const limitBytes = (memoryBytes + diskBytes) / ANSWER_SHARE;
    if (size.bytes > limitBytes) throw neverFits(size, limitBytes);
  }

  /** Promises room for an answer, or throws `overloaded`. */
  async take({ bytes }: AnswerSize, { id: keyId, tier }: Holder): Promise<HeldAnswer> {
    await this.#lookAtDisk();
    const holder = { keyId, share: tier === 'free' ? FREE_SHARE : KEY_SHARE };
    let missing = this.#missing(holder, bytes);
    if (missing !== undefined && this.#cutOverdue(missing === 'share' ? keyId : undefined)) {
      missing = this.#missing(holder, bytes);
    }
    if (missing !== undefined) throw this.#refusal(missing);
    const room: OwnRoom = { promised: bytes, memory: 0, disk: 0, waiting: false };
    const answer = new HeldAnswer(holder, room, this);
    this.#rooms.set(answer, room);
    this.#answers.add(answer);
    return answer;
  }

  async grow(answer: HeldAnswer, bytes: number, signal: AbortSignal): Promise<void> {
    const grow = () => {
      if (this.#sum('promised') + bytes > this.#capacity) return false;
      this.#rooms.get(answer)!.promised += bytes;
      return true;
    };
    await this.#until(answer, grow, signal);
  }

  async place(answer: HeldAnswer, bytes: number, signal: AbortSignal): Promise<'memory' | 'disk'> {
    let place: 'memory' | 'disk' | undefined;
    const take = () => {
      place = this.#placeFor(answer, bytes);
      if (place === undefined) return false;
      this.#rooms.get(answer)![place] += bytes;
      return true;
    };
    await this.#until(answer, take, signal);
    return place!;
  }

  freed(answer: HeldAnswer, { promised = 0, memory = 0, disk = 0 }: Parameters<AnswerBudget['freed']>[1]): void {
    const room = this.#rooms.get(answer)!;
    room.promised -= promised;
    room.memory -= memory;
    room.disk -= disk;
    this.#changed.notify();
  }

  diskFailed(error: unknown): void {
    this.#options.log.error({ err: error, dir: this.dir }, 'a temporary file for a response cannot be written');
    this.#diskFree = 0;
    this.#lookedAtMs = this.clock.now();
  }

  closed(answer: HeldAnswer, gone: Promise<void>): void {
    this.#answers.delete(answer);
    this.#meanHeldMs += (this.clock.now() - answer.sinceMs - this.#meanHeldMs) / 10;
    const removing = gone
      .catch((error) => this.#options.log.warn({ err: error, dir: this.dir }, 'a temporary file cannot be removed'))
      .finally(() => this.#removing.delete(removing));
    this.#removing.add(removing);
    this.#changed.notify();
  }

  /** Gives up what is left; resolves when no file is. */
  async close(): Promise<void> {
    this.#watch?.cancel();
    for (const answer of this.#answers) answer.release();
    await Promise.all(this.#removing);
  }

  /** What memory and disk hold together at this moment. */
  get #capacity(): number {
    return this.#options.memoryBytes + this.#diskBytes;
  }

  get #diskBytes(): number {
    return Math.min(this.#options.diskBytes, this.#sum('disk') + this.#diskFree / DISK_SHARE);
  }

  #sum(of: 'promised' | 'memory' | 'disk', keyId?: string): number {
    let bytes = 0;
    for (const answer of this.#answers) if (keyId === undefined || answer.keyId === keyId) bytes += answer.room[of];
    return bytes;
  }

  /** What an answer has no room in: the share of its key, or all there is. */
  #missing({ keyId, share }: Pick<HeldAnswer, 'keyId' | 'share'>, bytes: number): 'share' | 'all' | undefined {
    if (this.#sum('promised', keyId) + bytes > this.#capacity / share) return 'share';
    return this.#sum('promised') + bytes > this.#capacity ? 'all' : undefined;
  }

  #placeFor({ keyId, share }: HeldAnswer, bytes: number): 'memory' | 'disk' | undefined {
    const { memoryBytes } = this.#options;
    const fits = this.#sum('memory') + bytes <= memoryBytes;
    if (fits && this.#sum('memory', keyId) + bytes <= memoryBytes / share) return 'memory';
    return this.#sum('disk') + bytes <= this.#diskBytes ? 'disk' : undefined;
  }

  /** Waits until `take` took its room. Throws `overloaded` where nobody can free any. */
  async #until(answer: HeldAnswer, take: () => boolean, signal: AbortSignal): Promise<void> {
    if (take()) return;
    const room = this.#rooms.get(answer)!;
    room.waiting = true;
    this.#want();
    this.#changed.notify();
    try {
      await this.#changed.until(() => {
        if (take()) return true;
        if (this.#isStuck(answer)) throw this.#refusal('all');
        return false;
      }, signal);
    } finally {
      room.waiting = false;
    }
  }

  /** All syntheses wait, nobody reads, and this response came last. */
  #isStuck(answer: HeldAnswer): boolean {
    const all = [...this.#answers];
    return all.at(-1) === answer && all.every(({ room }) => room.waiting);
  }

  #refusal(missing: 'share' | 'all'): TtsError {
    const retryAfterS = Math.min(MAX_RETRY_S, Math.max(1, Math.ceil(this.#meanHeldMs / 1000)));
    if (missing === 'all') {
      this.#wantedUntilMs = this.clock.now() + 2_000 * retryAfterS;
      this.#want();
    }
    const why =
      missing === 'share'
        ? 'The responses of this key that are being made or read fill its share of the room'
        : 'Too many responses are being held for their readers';
    const message = `${why}. Try again in ${retryAfterS} seconds, or ask for a stream.`;
    return new TtsError('overloaded', message, { retryAfterS });
  }

  /** Looks after readers while somebody needs room. */
  #want(): void {
    this.#watch ??= this.clock.setInterval(() => {
      const waits = [...this.#answers].some(({ room }) => room.waiting);
      if (waits || this.clock.now() < this.#wantedUntilMs) {
        this.#cutOverdue();
        void this.#lookAtDisk().then(() => this.#changed.notify());
      } else {
        this.#watch?.cancel();
        this.#watch = undefined;
      }
    }, WATCH_MS);
    this.#watch.unref();
  }

  /** Cuts overdue readers, of one key where one is named; true where there were any. */
  #cutOverdue(keyId?: string): boolean {
    const nowMs = this.clock.now();
    const overdue = [...this.#answers].filter(
      (answer) => (keyId === undefined || answer.keyId === keyId) && answer.isOverdue(this.#options.stallMs, nowMs),
    );
    for (const answer of overdue) {
      this.#options.log.info({ keyId: answer.keyId }, 'a reader that kept others waiting was cut off');
      answer.cut();
    }
    return overdue.length > 0;
  }

  /** Once a second at most. */
  #lookAtDisk(): Promise<void> {
    if (this.clock.now() - this.#lookedAtMs >= WATCH_MS) {
      this.#lookedAtMs = this.clock.now();
      this.#look = this.#measureDisk();
    }
    return this.#look;
  }

  async #measureDisk(): Promise<void> {
    try {
      const { bavail, bsize } = await statfs(this.dir);
      this.#diskFree = bavail * bsize;
    } catch (error) {
      this.#diskFree = 0;
      this.#options.log.debug({ err: error, dir: this.dir }, 'the disk for responses cannot be looked at');
    }
  }
}
