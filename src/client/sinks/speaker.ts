/** The sound device as a sink: one stream for the whole run, prebuffered so that it has no gaps. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesToSamples, pcmBytes, samplesToMs, wavHeader } from '../../protocol/audio.js';
import { TtsError } from '../../protocol/errors.js';
import { PlaybackClock } from './playback-clock.js';
import { findPlayer, type Player, type SearchOptions } from './players.js';
import type { AudioSink } from './sink.js';
import { whyNoSound } from './sound-advice.js';

/** Sound held before the device begins, and again after it ran dry (ms). */
const PREBUFFER_MS = 120;
/** The longest that the first sound is held back for it (ms). */
const PREBUFFER_WAIT_MS = 60;
/**
 * Where speech comes slower than real time, the prebuffer grows fourfold with each gap up to this
 * (ms): few long rests are better than many short ones.
 */
const MAX_PREBUFFER_MS = 4_000;
/** Most sound that was written and not yet heard (ms): bridges a slow sentence, bounds memory. */
const AHEAD_MS = 60_000;
/** How much longer than the sound itself a player may take to end (ms). */
const DRAIN_GRACE_MS = 10_000;

export interface SpeakerOptions extends SearchOptions {
  /** All of the text is there, so that a gap means a slow server and not a slow writer. */
  readonly steady?: boolean;
}

export interface SpeakerSink extends AudioSink {
  /** What plays: `speaker`, `@audio/speaker`, `aplay`, … */
  readonly player: string;
  /** Milliseconds between the first samples written here and the device beginning to take them. */
  readonly startDelayMs: number | undefined;
}

/** Finds a player before anything is synthesised; throws with advice where there is none. */
export async function openSpeaker(options: SpeakerOptions, signal: AbortSignal): Promise<SpeakerSink> {
  const search = await findPlayer(options, signal);
  if (search.player) return new PlayerSink(search.player, options.steady ?? false);
  throw new TtsError(
    'no_sound_device',
    'Write a file with -o out.wav, or pipe the sound to another machine: tts speak … -o - | ssh host aplay. ' +
      `Nothing here can play it. ${whyNoSound(search)} "tts doctor" says what could be installed.`,
  );
}

class PlayerSink implements SpeakerSink {
  readonly player: string;
  readonly #clock = new PlaybackClock();
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #steady: boolean;
  readonly #exited: Promise<unknown[]>;
  /** Why the player has ended. */
  #gone: string | undefined;
  #held: Int16Array[] = [];
  #heldMs = 0;
  #holdTimer: NodeJS.Timeout | undefined;
  /** Whether sound was written to the device. */
  #released = false;
  /** How often the device ran out of sound. */
  #gaps = 0;
  #firstWriteMs: number | undefined;
  #startDelayMs: number | undefined;
  #needsHeader: boolean;
  #discarded = false;

  constructor({ name, child, wantsWavHeader, started }: Player, steady: boolean) {
    this.player = name;
    this.#child = child;
    this.#stdin = child.stdin!;
    this.#steady = steady;
    this.#needsHeader = wantsWavHeader;
    this.#exited = child.exitCode === null ? once(child, 'exit') : Promise.resolve([child.exitCode, child.signalCode]);
    this.#exited
      .then(([code, killedBy]) => {
        this.#gone = String(killedBy ?? `exit ${code}`);
      })
      .catch((error: Error) => {
        this.#gone = error.message;
      });
    started
      .then(() => {
        this.#clock.startedAt(performance.now());
        this.#startDelayMs = performance.now() - this.#firstWriteMs!;
      })
      .catch(() => undefined);
  }

  get startDelayMs(): number | undefined {
    return this.#startDelayMs;
  }

  get heardSamples(): number {
    return this.#clock.heard(performance.now());
  }

  get #aheadMs(): number {
    return this.#clock.aheadMs(performance.now());
  }

  async write(pcm: Int16Array, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#gone !== undefined) throw this.#failed();
    this.#firstWriteMs ??= performance.now();
    if (this.#held.length === 0 && this.#released && this.#aheadMs === 0) this.#gaps++;
    this.#held.push(pcm);
    this.#heldMs += samplesToMs(pcm.length);
    const wantedMs = this.#steady ? Math.min(PREBUFFER_MS * 4 ** this.#gaps, MAX_PREBUFFER_MS) : PREBUFFER_MS;
    if (this.#aheadMs > 0 || this.#heldMs >= wantedMs) this.#release();
    else {
      const waitMs = wantedMs === PREBUFFER_MS ? PREBUFFER_WAIT_MS : wantedMs * 2;
      this.#holdTimer ??= setTimeout(() => this.#release(), waitMs);
    }
    while (this.#aheadMs > AHEAD_MS) await this.#wait(this.#aheadMs - AHEAD_MS + 5, signal);
  }

  async finish(signal: AbortSignal): Promise<void> {
    this.#release();
    this.#stdin.end();
    const settled = new AbortController();
    const abort = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: settled.signal });
    });
    const limitMs = this.#aheadMs + DRAIN_GRACE_MS;
    const limit = delay(limitMs, 'late' as const, { signal: settled.signal }).catch(() => 'late' as const);
    const end = await Promise.race([this.#exited, limit, abort]).finally(() => settled.abort());
    if (end === 'late') {
      this.#child.kill('SIGKILL');
      throw new TtsError('playback_failed', `The sound device did not finish: ${this.player} was stopped.`);
    }
    const [code] = end;
    if (code !== 0 && !this.#discarded) {
      this.#gone ??= String(code);
      throw this.#failed();
    }
  }

  async discard(): Promise<void> {
    this.#discarded = true;
    clearTimeout(this.#holdTimer);
    this.#held = [];
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await this.#exited.catch(() => undefined);
    }
  }

  /** Waits while the device has enough; throws when the player ends or `signal` aborts. */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await Promise.race([delay(ms, undefined, { signal }), this.#exited]).catch((cause: unknown) => {
      throw signal.aborted ? signal.reason : cause;
    });
    if (this.#gone !== undefined) throw this.#failed();
  }

  /** Writes what is held to the device. */
  #release(): void {
    clearTimeout(this.#holdTimer);
    this.#holdTimer = undefined;
    if (this.#held.length > 0) {
      if (this.#needsHeader) this.#stdin.write(wavHeader());
      this.#needsHeader = false;
      // In one write: a player that wakes after the first of many would begin with that alone.
      const bytes = Buffer.concat(this.#held.map(pcmBytes));
      this.#stdin.write(bytes);
      this.#clock.wrote(bytesToSamples(bytes.length), performance.now());
    }
    this.#held = [];
    this.#heldMs = 0;
    this.#released = true;
  }

  #failed(): TtsError {
    const message = `The sound stopped: ${this.player} ended early (${this.#gone}). -o out.wav writes a file.`;
    return new TtsError('playback_failed', message);
  }
}
