/** What clients heard against what they were billed, key by key and in both directions. */

import type { LedgerRow } from '../../src/accounts/store.js';
import { msToSamples } from '../../src/protocol/audio.js';
import type { Fate } from './ledger.js';
import { MS_PER_CHAR } from './service.js';
import type { Talk } from './talkers.js';

const SAMPLES_PER_CHAR = msToSamples(MS_PER_CHAR);
/** The ledger's milliseconds are rounded. */
const ROUNDING_SAMPLES = msToSamples(0.5);

export interface KeyComparison {
  /** Characters of sentences that were heard whole. */
  heard: number;
  billed: number;
  /** Heard, and free by the contract: of sessions that did not complete. */
  free: number;
  /** Billed without having been heard, and heard without having been billed: both must be 0. */
  over: number;
  under: number;
}

interface Heard {
  /** Characters of the text, as it would be billed, whose audio came whole. */
  readonly chars: number;
  /** Of them, those up to the end of the last sentence. */
  readonly whole: number;
  /** The end of the sentence before. */
  readonly before: number;
  /** The last sentence ended with the last sample. */
  readonly atEnd: boolean;
}

/** White space is silent; every other character has the same length. */
export function heardOf(said: string, samples: number): Heard {
  let audible = Math.floor(samples / SAMPLES_PER_CHAR);
  let [chars, whole, before] = [0, 0, 0];
  for (let at = 0; at < said.length && audible > 0; at++) {
    if (said[at] === ' ') continue;
    audible--;
    chars = at + 1;
    if (said[at] === '.') [before, whole] = [whole, chars];
  }
  const atEnd = whole === chars && samples % SAMPLES_PER_CHAR === 0;
  return { chars, whole, before, atEnd };
}

/** Server errors: sessions that these end are free even where what was delivered is billed. */
const OURS = new Set(['store_unavailable', 'synthesis_failed', 'internal_error', 'overloaded', 'no_worker_ready']);

export interface ComparisonOptions {
  readonly billDelivered: boolean;
  readonly fateOf: (talk: Talk) => Fate | undefined;
  /**
   * Keys whose reservations were deleted: of a session whose gateway was killed as well nothing is
   * known.
   */
  readonly deleted: ReadonlySet<string>;
}

export interface Comparison {
  readonly wrong: string[];
  readonly keys: ReadonlyMap<string, KeyComparison>;
  /**
   * Characters of last sentences that left as their sessions ended, and were not counted as
   * delivered.
   */
  readonly inFlight: number;
}

/** A difference is found by its place and time (seconds since the bench began). */
export const whereOf = ({ gateway, endMs }: Pick<Talk, 'gateway' | 'endMs'>) =>
  `${gateway.name} until ${(endMs / 1000).toFixed(1)} s`;

export function compareHeard(
  talks: readonly Talk[],
  rows: ReadonlyMap<string, readonly LedgerRow[]>,
  { billDelivered, fateOf, deleted }: ComparisonOptions,
): Comparison {
  const wrong: string[] = [];
  const keys = new Map<string, KeyComparison>();
  let inFlight = 0;
  for (const talk of talks) {
    const { keyId, requestId, manner, ending, told, said } = talk;
    const key = keys.get(keyId) ?? { heard: 0, billed: 0, free: 0, over: 0, under: 0 };
    keys.set(keyId, key);
    const killed = fateOf(talk) === 'killed';
    const found = rows.get(requestId) ?? [];
    const [row] = found;
    const say = (what: string) =>
      wrong.push(
        `${requestId} (${keyId}, ${manner}, ${ending} ${told}${killed ? ', killed' : ''}, ${whereOf(talk)}): ${what}`,
      );
    const heard = heardOf(said, talk.heardSamples);
    key.heard += heard.whole;
    key.billed += row?.credits ?? 0;
    if (found.length > 1) say(`${found.length} rows`);
    if (ending === 'hung') say('had no end');
    if (ending === 'broken' && !killed) say('was broken off without a word');
    if (row === undefined) {
      if (killed && deleted.has(keyId)) key.free += heard.whole;
      else if (ending !== 'refused') {
        say('no row');
        key.under += heard.whole;
      }
      continue;
    }
    const { outcome, credits, characters, deliveredCharacters: delivered } = row;
    const text = said.trimEnd();
    /** What the contract has this session pay. */
    let due = 0;
    if (ending === 'completed') {
      due = text.length;
      if (heard.chars !== text.length) say(`Final after ${heard.chars} of ${text.length} characters`);
      if (outcome === 'interrupted' && killed) due = 0;
      else if (outcome !== 'completed' || characters !== text.length) say(`${outcome}, ${characters} characters`);
    } else if (outcome === 'completed') {
      // Final and its debit were the last things a gateway did before it was killed.
      if (killed) due = Math.min(credits, text.length);
      else say('completed, by the ledger');
    } else if (outcome === 'interrupted') {
      if (!killed) say('interrupted, by the ledger');
    } else if (ending !== 'refused') {
      // A client that is gone at once did not hear what was still on its way; the ledger knows what
      // was written.
      const most =
        ending === 'vanished' || ending === 'broken' || ending === 'hung'
          ? heardOf(said, msToSamples(row.audioMs) + ROUNDING_SAMPLES).whole
          : heard.whole;
      const fewest = heard.atEnd ? heard.before : heard.whole;
      if (delivered > most) say(`${delivered} characters delivered by the ledger, ${most} heard`);
      if (delivered < fewest) say(`${delivered} characters delivered by the ledger, ${heard.whole} heard`);
      if (delivered < heard.whole) inFlight += heard.whole - delivered;
      const ours = ending === 'ended' && OURS.has(told);
      if (billDelivered && !(ours && credits === 0)) due = Math.max(fewest, Math.min(most, delivered));
    }
    if (credits !== due) say(`${outcome}, ${credits} credits where ${due} are due`);
    key.over += Math.max(0, credits - due);
    key.under += Math.max(0, due - credits);
    if (outcome !== 'completed') key.free += Math.max(0, heard.whole - credits);
  }
  return { wrong, keys, inFlight };
}
