/**
 * The gateway's tuned numbers. Units stand in the names: Ms, S, Chars, Samples; `weight` is the
 * share of one sample in an exponential moving average, other plain numbers are ratios or counts.
 *
 * "Simulated" values were chosen with, and are held by, test/gateway/many-listeners.test.ts, which
 * counts stalls and refusals of hundreds of listeners. Values without a source are choices.
 */
import { msToSamples } from '../protocol/audio.js';
import { FIRST_SOUND_MS } from '../protocol/job.js';

/** How long a character lasts in speech. The four uses differ in which error they can afford. */
export const MS_PER_CHAR = {
  /** About the mean of English prose; assumed until segments were spoken. */
  initial: 65,
  /** Of the first piece of a text: the same mean, never adapted, so that a text is cut one way. */
  firstPiece: 65,
  /** For how long an engine may be silent: above the mean, so that slow is not taken for frozen. */
  silence: 70,
  /** For deadlines: about the least. Too low only makes the next segment come early. */
  least: 40,
  /** For deadlines, once measured: this share of the measured mean. */
  leastShare: 0.8,
} as const;

/** Where the first piece of a text ends that is all there (`bench first-sound`). */
export const FIRST_PIECE = {
  /** What a longer piece may add to the first audio: a listener does not notice it. */
  unheardMs: 50,
  /** Lengths are multiples of this, so that machines of a kind cut alike. */
  stepChars: 40,
} as const;

/** What runs next (simulated). */
export const SCHEDULING = {
  /** A late buffered response goes before live listeners that have at least this much in hand. */
  liveSpareMs: 1_000,
  /**
   * A listener with less than this in hand, beyond the step a worker may be busy with, goes before
   * listeners that hear nothing yet: a stall is worse than a later first audio.
   */
  pressingMs: 600,
  /** One step in so many is for late buffered responses, and one for late first audio. */
  agedEvery: 10,
  /** When a buffered response is due, after it was ordered. */
  bufferedDueMs: 10_000,
  /** At other gateways' engines, a buffered response is never due sooner than this. */
  bufferedLeastDueMs: 1_000,
  /** The longest expected wait for first audio of a stream that is admitted. */
  firstAudioWithinMs: 3_000,
  /** How late first audio may be in favour of listeners that hear something already. */
  firstAudioPatienceMs: 3_000 - FIRST_SOUND_MS,
  /** With every segment, the longest step of another model counts for this much of before. */
  stepFade: 0.999,
} as const;

/** Audio held back at the start of a stream under load (simulated). */
export const PREBUFFER = {
  /** Steps until a worker comes back to a stream: one runs, one lies ready, and a part. */
  steps: 2.5,
  /** The same for the only live stream: its steps go before those of buffered responses. */
  stepsAlone: 1,
  /** Less than a stream holds at most (`BUFFERS.streamSamples`). */
  mostMs: 1_500,
} as const;

/** Audio and text held for a stream. */
export const BUFFERS = {
  /** High-water mark of a stream: a reader that leaves more than this stops the synthesis. */
  streamSamples: msToSamples(2_000),
  /** How far an engine may run ahead of a job's consumer: more than one step of base-tts-fast. */
  creditSamples: msToSamples(6_000),
  /** Credit is returned in portions of this size, so that it is not a message for every chunk. */
  creditStepSamples: msToSamples(2_000),
  /** Segments that keep one worker from waiting; more only begin while a stream holds little. */
  leastLookahead: 2,
  /** Text is cut in portions of this size: counting tokens is slow, and texts take turns. */
  cutUnits: 256,
  /** Shorter texts are joined up to this length, so that single letters are not one object each. */
  blockUnits: 1_024,
  /** Flushes taken from a queue before their memory is freed. */
  takenFlushes: 4_096,
} as const;

/** Whether one more live stream can be carried: the demand side (simulated). */
export const DEMAND = {
  /** Expected speech of a session before the running mean has samples. */
  sessionMs: 10_000,
  sessionWeight: 1 / 20,
  /** Assumed characters per segment before the running mean has samples. */
  segmentChars: 80,
  segmentWeight: 0.02,
  /** A stream is admitted that waits for its first audio this many times what that takes. */
  withinLeads: 2.5,
  /** Segments of a text that are looked at one by one before they are cut. */
  uncutSegments: 4,
  /** A writer that was idle for this long is not expected to write on. */
  writerIdleMs: 5_000,
  /** A stream's wants are computed again after this long even if nothing changed. */
  wantsMs: 1_000,
  /** Speech is made in steps of about this length, none of which is heard before it is done. */
  stepAudioMs: 1_600,
  /** Nothing is made further ahead than this, so idle workers cannot save up more. */
  aheadMs: 10_000,
  /** A playback gap longer than this counts as a stall. */
  stallMs: 50,
  /** The load shown to operators is what is wanted over this time. */
  loadMs: 10_000,
  /** After a refusal, requests that want as much are refused this long without a new look. */
  refusalMs: 100,
} as const;

/** Whether one more live stream can be carried: the supply side (simulated). */
export const SUPPLY = {
  /** Share of the workers' time that may be filled: bursts and long sentences take the rest. */
  usable: 0.93,
  /** Share of their time workers run steps while work waits, before it was measured. */
  atWork: 0.95,
  leastAtWork: 0.5,
  atWorkWeight: 0.2,
  /** Work has to wait this long without a gap for `atWork` to be measured. */
  atWorkWindowMs: 1_000,
  /** Every stall withholds this share more, up to `mostCaution`; it fades over `cautionFadeMs`. */
  stallCaution: 0.002,
  mostCaution: 0.1,
  cautionFadeMs: 20_000,
  /** Speech over which a measured cost is averaged. */
  learnMs: 80_000,
  /** The same for what was measured under load, while there is none. */
  loadedFadeMs: 800_000,
  /** A remembered cost counts up to this many times today's: two processes share a core. */
  mostLoaded: 2,
  /** From this share of busy workers on, a measured cost is one under load. */
  loadedShare: 0.75,
  /** Expected remaining fraction of a step already running on a worker. */
  begunStep: 0.5,
  /** How often the mean round trip to the workers is computed. */
  roundTripMs: 250,
} as const;

/** Bins of the timeline that demand and supply are compared in. */
export const TIMELINE = {
  binMs: 50,
  /** Two minutes: what is due later does not matter to a request that comes now. */
  bins: 2_400,
  /** Work below this is rounding. */
  nothingMs: 1e-6,
} as const;

/** Which worker is fastest for a segment. */
export const PLACEMENT = {
  /** A measurement older than this is dropped: a slow worker is tried again. */
  forgetMs: 60_000,
  weight: 0.3,
  refreshMs: 250,
} as const;

/** Steps given ahead to a worker on another machine (`bench round-trips`). */
export const IN_FLIGHT = {
  /** The shortest of this many round trips counts: others include waiting on a busy machine. */
  trips: 8,
  /** A shorter round trip is only a hand-over, which the second step hides. */
  leastTripMs: 10,
  /** A longer measured round trip is discarded as implausible. */
  mostTripMs: 10_000,
  /** Low, because short steps at the start of segments say little. */
  stepWeight: 1 / 32,
  /** Assumed duration of a step before the running mean has samples. */
  stepMs: 80,
  leastStepMs: 2,
  /** Steps differ in length, and some are given to jobs that turn out to be done. */
  margin: 1.5,
  /** Share of a step that the second step hides in any case. */
  hidden: 0.25,
  mostAhead: 128,
  /** Steps of one job: one that runs and one that lies ready; and the most a worker accepts. */
  ofAJob: 2,
  mostOfAJob: 16,
} as const;

/** When an engine that has work and says nothing counts as frozen. */
export const SILENCE = {
  leastMs: 20_000,
  /** Allowed silence, in multiples of the longest measured one. */
  margin: 4,
  /** While a model loads, which takes long from a slow disk. */
  loadingMs: 120_000,
  /** Assumed seconds of work for a second of speech before anything was measured. */
  unknownFactor: 3,
  /** What a segment costs however short it is, in characters. */
  fixedChars: 4,
  /** With every segment, an earlier longer silence counts for this much of before. */
  forget: 0.8,
  /** How often silence is looked at, as a share of the least allowed. */
  lookShare: 1 / 10,
} as const;

/** Waiting for workers, and refusals. */
export const PATIENCE = {
  retryAfterS: 5,
  /** How often a segment runs again after its worker was lost. */
  retries: 2,
  /** How long a segment waits while a worker starts, and while all are dead. */
  startMs: 45_000,
  deadMs: 10_000,
  /** How often queued segments are checked for a worker that could run them. */
  watchMs: 250,
  /** Assumed duration of a segment's run before the running mean has samples. */
  segmentRunMs: 500,
  segmentRunWeight: 1 / 20,
  /** Assumed duration of a worker's start before one was seen, and the weight of each. */
  workerStartMs: 2_000,
  workerStartWeight: 1 / 4,
} as const;

/** Supervision of engine processes on this machine. */
export const SUPERVISION = {
  /** A process that was ready this long counts as healthy: its next restart has no back-off. */
  healthyMs: 30_000,
  maxRssBytes: 2 * 1024 ** 3,
  /** A process with a GPU holds what this many others hold. */
  gpuRssTimes: 4,
  backoffMs: 200,
  maxBackoffMs: 30_000,
  startTimeoutMs: 120_000,
  /** How often a starting process is looked at, as a share of its time-out. */
  startLookShare: 1 / 10,
  /** Steps of a process that names no capacity: one that runs, one that lies ready. */
  capacity: 2,
  /** The measurement of a machine is given up after this long. */
  measureLimitMs: 120_000,
} as const;

/** Workers on NATS. */
export const NATS = {
  /** A worker that was silent for this long is forgotten. */
  forgetMs: 30_000,
  /** An epoch that was given up is trusted again after this long: the engine was not at fault. */
  doubtMs: 30_000,
  /** A link without a job is closed after this many beats. */
  idleBeats: 10,
  /** Steps of a worker that has not said how many it takes. */
  capacity: 2,
  mostWorkers: 1_000,
  /** Incompatible workers that are remembered, so that each is logged once. */
  mostIncompatible: 1_000,
} as const;

/** What operators are shown. */
export const REPORTS = {
  /** Changes of usable workers within this time are logged together. */
  usableAfterMs: 200,
  /** Workers named in one line of the log. */
  mostNamed: 20,
  /** Workers named in the record of a stream. */
  recordedWorkers: 8,
} as const;
