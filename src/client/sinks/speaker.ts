/** The sound device as a sink: one stream for the whole run, begun with something in hand so that no chunk leaves a gap. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesToSamples, msToSamples, pcmBytes, wavHeader } from '../../protocol/audio.js';
import { TtsError } from '../../protocol/errors.js';
import { PlaybackClock } from './playback-clock.js';
import { findPlayer, type Player, type SearchOptions } from './players.js';
import type { AudioSink } from './sink.js';
import { whyNoSound } from './sound-advice.js';

/** Sound in hand before the device begins, and again after it ran dry. */
const PREBUFFER_MS = 120;
/** The longest the first sound is held back for that. */
const PREBUFFER_WAIT_MS = 60;
/** Where speech comes slower than it is heard, fewer and longer rests are better than many short ones. */
const MAX_PREBUFFER_MS = 4_000;
/** Sound kept ahead of the ear: rides out a slow sentence, and bounds the memory. */
const AHEAD_MS = 60_000;
/** How much longer than the sound itself a player may take to end. */
const DRAIN_GRACE_MS = 10_000;

export interface SpeakerOptions extends SearchOptions {
  /** The text is all there, so that running dry means a slow server; not so where somebody is still writing it. */
  readonly steady?: boolean;
}

export interface SpeakerSink extends AudioSink {
  /** What plays: `speaker`, `@audio/speaker`, `aplay`, … */
  readonly player: string;
  /** Milliseconds between the first samples written here and the device beginning to take them. */
  readonly startDelayMs: number | undefined;
}

/** Finds a way to play before anything is synthesised, or says that there is none and what to do instead. */
export async function openSpeaker(options: SpeakerOptions, signal: AbortSignal): Promise<SpeakerSink> {
  const search = await findPlayer(options, signal);
  if (search.player) return createSpeakerSink(search.player, options.steady ?? false);
  throw new TtsError(
    'no_sound_device',
    'Write a file with -o out.wav, or pipe the sound to another machine: tts speak … -o - | ssh host aplay. ' +
      `Nothing here can play it. ${whyNoSound(search)} "tts doctor" says what could be installed.`,
  );
}

function createSpeakerSink(player: Player, steady: boolean): SpeakerSink {
  const clock = new PlaybackClock();
  const { child } = player;
  const stdin = child.stdin!;
  const now = () => performance.now();
  let held: Int16Array[] = [];
  let heldMs = 0;
  let holdTimer: NodeJS.Timeout | undefined;
  let released = false;
  let ranDry = 0;
  let firstWriteMs: number | undefined;
  let startDelayMs: number | undefined;
  let headed = !player.wantsWavHeader;
  let discarded = false;
  const exited = child.exitCode === null ? once(child, 'exit') : Promise.resolve([child.exitCode, child.signalCode]);
  let gone: string | undefined;
  exited
    .then(([code, killedBy]) => {
      gone = String(killedBy ?? `exit ${code}`);
    })
    .catch((error: Error) => {
      gone = error.message;
    });
  player.started
    .then(() => {
      clock.startedAt(now());
      startDelayMs = now() - firstWriteMs!;
    })
    .catch(() => undefined);

  const failed = () =>
    new TtsError(
      'playback_failed',
      `The sound stopped: ${player.name} ended early (${gone}). -o out.wav writes a file.`,
    );

  function release(): void {
    clearTimeout(holdTimer);
    holdTimer = undefined;
    if (held.length > 0) {
      if (!headed) stdin.write(wavHeader());
      headed = true;
      // In one write: a player that wakes after the first of many would begin with that alone, and break off after it.
      const bytes = Buffer.concat(held.map(pcmBytes));
      stdin.write(bytes);
      clock.wrote(bytesToSamples(bytes.length), now());
    }
    held = [];
    heldMs = 0;
    released = true;
  }

  return {
    player: player.name,
    get startDelayMs() {
      return startDelayMs;
    },
    get heardSamples() {
      return clock.heard(now());
    },

    async write(pcm, signal) {
      signal.throwIfAborted();
      if (gone !== undefined) throw failed();
      firstWriteMs ??= now();
      if (held.length === 0 && released && clock.aheadMs(now()) === 0) ranDry++;
      held.push(pcm);
      heldMs += (pcm.length * 1000) / msToSamples(1000);
      const wanted = steady ? Math.min(PREBUFFER_MS * 4 ** ranDry, MAX_PREBUFFER_MS) : PREBUFFER_MS;
      if (clock.aheadMs(now()) > 0 || heldMs >= wanted) release();
      else holdTimer ??= setTimeout(release, wanted === PREBUFFER_MS ? PREBUFFER_WAIT_MS : wanted * 2);
      while (clock.aheadMs(now()) > AHEAD_MS) {
        await Promise.race([delay(clock.aheadMs(now()) - AHEAD_MS + 5, undefined, { signal }), exited]).catch(
          (cause) => {
            if (signal.aborted) throw signal.reason;
            throw cause;
          },
        );
        if (gone !== undefined) throw failed();
      }
    },

    async finish(signal) {
      release();
      stdin.end();
      const settled = new AbortController();
      const abort = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: settled.signal });
      });
      const limitMs = clock.aheadMs(now()) + DRAIN_GRACE_MS;
      const limit = delay(limitMs, 'late' as const, { signal: settled.signal }).catch(() => 'late' as const);
      const end = await Promise.race([exited, limit, abort]).finally(() => settled.abort());
      if (end === 'late') {
        child.kill('SIGKILL');
        throw new TtsError('playback_failed', `The sound device did not finish: ${player.name} was stopped.`);
      }
      const [code] = end;
      if (code !== 0 && !discarded) {
        gone ??= String(code);
        throw failed();
      }
    },

    async discard() {
      discarded = true;
      clearTimeout(holdTimer);
      held = [];
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await exited.catch(() => undefined);
      }
    },
  };
}
