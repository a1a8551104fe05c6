/**
 * Who speaks on a socket. A key is in the handshake: in a header, or in the query, where a browser
 * can put it, as a key or as a token for one use. Or it comes with the first message: until then
 * the socket is one of its address, and has a few seconds.
 */
import type { IncomingMessage } from 'node:http';
import type { Accounts, KeyRecord } from '../../../accounts/types.js';
import type { Clock, Timer } from '../../../clock.js';
import { publicError, TtsError } from '../../../protocol/errors.js';
import { presentedKey } from '../../access/authenticate.js';
import { addressGroup } from '../../access/failure-brake.js';
import type { KeyWatch } from '../../access/key-watch.js';
import type { Handshake } from '../../door.js';
import { type ClientMessage, keyAmong } from './messages.js';
import type { SingleUseTokens } from './single-use-tokens.js';

/** How long a socket may be open before its key has come (ms). */
const KEY_WAIT_MS = 5_000;
/** Sockets of one address, and of all, whose key has not come yet. */
const MAX_WAITING_OF_ADDRESS = 16;
const MAX_WAITING = 1_000;

export interface SocketCaller {
  /** Whose contexts wait: the key's, or the address's while there is no key. */
  readonly holder: string;
  /** The key, asked for anew each time: a socket may outlive it by hours. */
  key(): Promise<KeyRecord>;
  /** Looks at a message. Throws `missing_api_key` where a key should have come with it. */
  see(message: ClientMessage): void;
  /** Tells when the caller is refused. The result ends that. */
  watch(onRefused: (reason: TtsError) => void): () => void;
  /** Gives back what the caller holds. Called once. */
  release(): void;
}

export interface CallerParts {
  readonly accounts: Pick<Accounts, 'authenticate' | 'renew'>;
  readonly keyWatch: KeyWatch;
  readonly tokens: SingleUseTokens;
  readonly clock: Clock;
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  /** Checks that a key may open a socket, and takes its place; the result gives that back. */
  readonly admit: (key: KeyRecord) => () => void;
}

type Asking = Pick<Handshake, 'request' | 'query' | 'authenticate'>;

export class SocketCallers {
  readonly #parts: CallerParts;
  readonly #waiting = new Map<string, number>();
  #allWaiting = 0;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /** Rejects where a key was shown that is refused, or an address has too many without one. */
  async open({ request, query, authenticate }: Asking): Promise<SocketCaller> {
    const { accounts, tokens } = this.#parts;
    if (presentedKey(request) !== undefined) return this.#known(await authenticate(), () => authenticate());
    const token = query.get('single_use_token');
    if (token !== null) {
      const key = await authenticate(() => tokens.redeem(token));
      return this.#known(key, () => authenticate(() => accounts.renew(key)));
    }
    const key = keyAmong((name) => query.get(name));
    if (key !== undefined) {
      const prove = () => authenticate(() => accounts.authenticate(key));
      return this.#known(await prove(), prove);
    }
    const { addressOf, clock } = this.#parts;
    const address = addressGroup(addressOf(request));
    const leave = this.#enter(address);
    return new LateCaller(`address ${address}`, { ...this.#parts, clock, authenticate, leave });
  }

  #known(caller: KeyRecord, key: () => Promise<KeyRecord>): SocketCaller {
    const { keyWatch, admit } = this.#parts;
    return {
      holder: caller.id,
      key,
      see() {},
      watch: (onRefused) => keyWatch.watch(caller, onRefused),
      release: admit(caller),
    };
  }

  /** A place among the sockets without a key. The result gives it back, once. */
  #enter(address: string): () => void {
    const ofAddress = this.#waiting.get(address) ?? 0;
    if (ofAddress >= MAX_WAITING_OF_ADDRESS || this.#allWaiting >= MAX_WAITING) {
      const message = 'Too many sockets are open without a key. Send it with the handshake, or try again in a moment.';
      throw new TtsError('concurrency_limit_exceeded', message, { retryAfterS: KEY_WAIT_MS / 1000 });
    }
    this.#waiting.set(address, ofAddress + 1);
    this.#allWaiting += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const rest = this.#waiting.get(address)! - 1;
      if (rest === 0) this.#waiting.delete(address);
      else this.#waiting.set(address, rest);
      this.#allWaiting -= 1;
    };
  }
}

interface LateParts extends CallerParts, Pick<Handshake, 'authenticate'> {
  /** Gives back its place among the sockets without a key. */
  readonly leave: () => void;
}

interface Settle {
  readonly done: (key: KeyRecord) => void;
  readonly failed: (error: unknown) => void;
}

/** Waits for the key in the first message. */
class LateCaller implements SocketCaller {
  #holder: string;
  readonly #parts: LateParts;
  readonly #timer: Timer;
  readonly #settle: Settle;
  readonly #first: Promise<KeyRecord>;
  #apiKey: string | undefined;
  #onRefused: ((reason: TtsError) => void) | undefined;
  #unwatch: (() => void) | undefined;
  #giveBack: (() => void) | undefined;
  #released = false;

  constructor(holder: string, parts: LateParts) {
    this.#holder = holder;
    this.#parts = parts;
    let settle!: Settle;
    this.#first = new Promise((done, failed) => {
      settle = { done, failed };
    });
    this.#settle = settle;
    // A caller of `key()` gets the error; where there is none, the session gets it.
    this.#first.catch(() => undefined);
    this.#timer = parts.clock.setTimeout(() => this.#onRefused?.(missingKey()), KEY_WAIT_MS);
  }

  get holder(): string {
    return this.#holder;
  }

  async key(): Promise<KeyRecord> {
    await this.#first;
    return this.#prove();
  }

  see({ apiKey }: ClientMessage): void {
    if (this.#apiKey !== undefined) return;
    if (apiKey === undefined) throw missingKey();
    this.#apiKey = apiKey;
    this.#timer.cancel();
    void this.#admit();
  }

  watch(onRefused: (reason: TtsError) => void): () => void {
    this.#onRefused = onRefused;
    return () => {
      this.#onRefused = undefined;
      this.#unwatch?.();
    };
  }

  release(): void {
    this.#released = true;
    this.#timer.cancel();
    this.#parts.leave();
    this.#giveBack?.();
  }

  #prove(): Promise<KeyRecord> {
    const { accounts, authenticate } = this.#parts;
    return authenticate(() => accounts.authenticate(this.#apiKey));
  }

  async #admit(): Promise<void> {
    try {
      const caller = await this.#prove();
      this.#parts.leave();
      if (this.#released) throw new DOMException('The client left', 'AbortError');
      this.#giveBack = this.#parts.admit(caller);
      this.#holder = caller.id;
      if (this.#onRefused) this.#unwatch = this.#parts.keyWatch.watch(caller, this.#onRefused);
      this.#settle.done(caller);
    } catch (error) {
      // The session first: it ends, and with it the contexts that wait for the key.
      this.#onRefused?.(publicError(error));
      this.#settle.failed(error);
    }
  }
}

const missingKey = (): TtsError =>
  new TtsError(
    'missing_api_key',
    `No API key came. Send it in the header "xi-api-key", or as "xi_api_key" in the first message, within ${KEY_WAIT_MS / 1000} seconds.`,
  );
