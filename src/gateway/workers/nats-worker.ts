/** A worker on another machine: jobs for its engine go over NATS, on a link whose messages are numbered. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../../log.js';
import type { BaseModel, SegmentJob } from '../../protocol/job.js';
import type { Bus } from '../../worker/nats-bus.js';
import {
  type Announcement,
  BEAT_MS,
  encode,
  GONE_MS,
  type LinkJobRequest,
  type LinkReply,
  type LinkRequest,
  linkOf,
  Numbers,
  SUBJECT,
  WIRE_VERSION,
} from '../../worker/nats-wire.js';
import { InFlight } from './in-flight.js';
import { JobClient } from './job-client.js';
import { type Unusable, type Worker, WorkerLost, type WorkerState } from './worker.js';

export interface NatsWorkerOptions {
  readonly bus: Bus;
  readonly id: string;
  /** Whose inbox the replies go to. */
  readonly gateway: string;
  /** Of this gateway: a worker that reads text another way, or has other styles under the same names, is given nothing. */
  readonly textVersion: string;
  readonly styles: Readonly<Record<string, string>> | undefined;
  readonly log: Logger;
  readonly silenceMs?: number;
  /** Several workers were there, and none of them is heard: then it is the broker, or this machine. */
  readonly allSilent: () => boolean;
}

export interface NatsWorker extends Worker {
  /** The worker said how it is. */
  announced(news: Announcement): void;
  /** Something came on the named link. */
  receive(link: string, reply: LinkReply): void;
  /** Called every beat: says what was sent, and notices that nothing was heard. `lateMs`: how long this process did not listen. */
  beat(nowMs: number, lateMs: number): void;
  /** How long nothing was heard of it. */
  silentForMs(nowMs: number): number;
}

interface Link {
  readonly id: string;
  readonly numbers: Numbers;
  sent: number;
  /** Something was to be said while there was no connection. */
  missed: boolean;
  /** Beats without a job. */
  idleBeats: number;
}

/** A link that has no job for this long is given up; the next job makes another. */
const IDLE_BEATS = 10;
/** A life that was given up is believed again after this long: it was not the engine, then. */
const DOUBT_MS = 30_000;
/** Until the worker has said what it takes. */
const CAPACITY = 2;

export function createNatsWorker(options: NatsWorkerOptions): NatsWorker {
  return new EngineElsewhere(options);
}

class EngineElsewhere implements NatsWorker {
  readonly id: string;
  readonly lastError = undefined;
  readonly #options: NatsWorkerOptions;
  readonly #log: Logger;
  readonly #jobs: JobClient;
  readonly #inFlight = new InFlight();
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #state: WorkerState = 'starting';
  #restarts = 0;
  #wasReady = false;
  #news: Announcement | undefined;
  #facts: Announcement['facts'];
  #link: Link | undefined;
  #others = 0;
  #heardMs = performance.now();
  #givenUp: { readonly life: string; readonly atMs: number } | undefined;

  constructor(options: NatsWorkerOptions) {
    this.#options = options;
    this.id = options.id;
    this.#log = options.log.child({ worker: options.id });
    this.#jobs = new JobClient({
      ...(options.silenceMs !== undefined && { silenceMs: options.silenceMs }),
      send: (message) => message.type !== 'wide' && this.#send(message),
      onSilent: ({ silentMs }) => this.#doubt(silentMs),
      onChange: () => this.#changed(),
      turnsOfAJob: () => this.#inFlight.ofAJob,
    });
    this.#unsubscribe = options.bus.onChange(() => this.#look());
  }

  get state(): WorkerState {
    return this.#state;
  }

  get capacity(): number {
    return (this.#facts?.capacity ?? CAPACITY) + this.#inFlight.ahead;
  }

  get turnsOfAJob(): number {
    return this.#inFlight.ofAJob;
  }

  get roundTripMs(): number {
    return this.#inFlight.roundTripMs;
  }

  get busy(): number {
    return this.#jobs.busy;
  }

  get idle(): boolean {
    return this.#jobs.idle;
  }

  get others(): number {
    return this.#others;
  }

  get runnable() {
    return this.#jobs.runnable;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get description(): string | undefined {
    return this.#facts?.description;
  }

  get version(): string | undefined {
    return this.#facts?.version;
  }

  get textVersion(): string | undefined {
    return this.#facts?.textVersion;
  }

  takes({ model, mix }: Pick<SegmentJob, 'model' | 'mix'>): boolean {
    if (this.#facts === undefined || this.#news?.state !== 'ready') return false;
    return this.unusable(model) === undefined && mix.every(({ style }) => this.#hasStyle(style));
  }

  unusable(model: BaseModel): Unusable | undefined {
    if (this.#facts === undefined) return undefined;
    const { models, textVersion } = this.#facts;
    const { styles = {} } = this.#options;
    if (textVersion !== this.#options.textVersion) return 'text_version';
    if (!models.includes(model)) return 'model';
    if (this.#facts.styles !== undefined && !Object.keys(styles).some((style) => this.#hasStyle(style)))
      return 'styles';
    return this.#news?.state === 'draining' ? 'draining' : undefined;
  }

  /** With the content that it has at this gateway; an engine that names none needs none. */
  #hasStyle(style: string): boolean {
    const theirs = this.#facts?.styles;
    return theirs === undefined || (theirs[style] !== undefined && theirs[style] === this.#options.styles?.[style]);
  }

  run(job: SegmentJob, signal: AbortSignal) {
    if (this.#state !== 'ready') throw new WorkerLost(`The worker is ${this.#state}.`, { blameless: true });
    return this.#jobs.run(job, signal);
  }

  grant(jobId: string, dueInMs: number): void {
    this.#jobs.grant(jobId, dueInMs);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announced(news: Announcement): void {
    const life = this.#news?.life;
    const leaves = news.state === 'draining' && this.#news?.state !== 'draining';
    this.#heardMs = performance.now();
    this.#news = news;
    if (news.facts !== undefined) {
      const isNew = this.#facts === undefined;
      this.#facts = news.facts;
      if (isNew) this.#ping();
      if (news.facts.realTimeFactor !== undefined) this.#jobs.assume(news.facts.realTimeFactor);
    }
    if (life !== undefined && life !== news.life) {
      this.#restarts += 1;
      this.#lose('was started again', { blameless: false });
    }
    if (this.#link === undefined) this.#others = news.turns;
    if (news.state === 'gone') this.#lose('has left', { blameless: true });
    this.#look();
    // It is as ready as before, and takes nothing any more.
    if (leaves) this.#changed();
  }

  receive(linkId: string, reply: LinkReply): void {
    if (reply.type === 'pong') {
      if (this.#inFlight.tripTook(performance.now() - reply.atMs)) this.#jobs.recount();
      return;
    }
    // What comes of a link that was given up is of no use any more.
    if (this.#link?.id !== linkId) return;
    const { numbers } = this.#link;
    if (reply.type === 'lost') {
      if (reply.engine) this.#become('dead');
      this.#lose(`is lost: ${reply.why}`, { blameless: !reply.engine });
      return;
    }
    if (reply.type === 'beat') {
      this.#others = reply.others;
      this.#jobs.heard(reply.silentMs);
      if (!numbers.told(reply.sent, performance.now())) this.#gap();
      return;
    }
    if (!numbers.take(reply.n)) {
      this.#gap();
      return;
    }
    if (reply.type !== 'audio') this.#others = reply.others;
    if (reply.type === 'ran' && this.#inFlight.turnTook(reply.runMs)) this.#jobs.recount();
    this.#jobs.receive(reply);
  }

  beat(nowMs: number, lateMs: number): void {
    // Whoever was stopped or busy itself has not listened meanwhile.
    if (lateMs > BEAT_MS) this.#heardMs = nowMs;
    this.#look();
    const link = this.#link;
    if (link === undefined) return;
    link.idleBeats = this.#jobs.idle ? link.idleBeats + 1 : 0;
    if (link.idleBeats > IDLE_BEATS) {
      this.#endLink();
      return;
    }
    this.#ping();
    this.#tell({ type: 'beat', v: WIRE_VERSION, link: link.id, gateway: this.#options.gateway, sent: link.sent });
  }

  silentForMs(nowMs: number): number {
    return nowMs - this.#heardMs;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#unsubscribe();
    this.#become('closed');
    this.#endLink();
    this.#jobs.lose(new WorkerLost('The worker was let go.', { blameless: true }));
  }

  /** What state it is in, by all that is known now. */
  #look(): void {
    if (this.#state === 'closed') return;
    const { bus } = this.#options;
    const nowMs = performance.now();
    if (this.silentForMs(nowMs) > GONE_MS) {
      this.#become('dead');
      this.#lose(`was not heard for ${GONE_MS / 1000} s`, {
        blameless: !bus.connected || this.#options.allSilent(),
      });
      return;
    }
    if (bus.connected && this.#link?.missed) this.#gap();
    const doubted = this.#givenUp?.life === this.#news?.life && nowMs - (this.#givenUp?.atMs ?? 0) < DOUBT_MS;
    // Without a connection nothing is begun; what was begun goes on if that is back soon enough and nothing was missed.
    if (!bus.connected || doubted || this.#news?.state === 'gone') this.#become('dead');
    else if (this.#news === undefined || this.#news.state === 'starting' || this.#facts === undefined)
      this.#become(this.#wasReady ? 'dead' : 'starting');
    else this.#become('ready');
  }

  #become(next: WorkerState): void {
    if (this.#state === next || this.#state === 'closed') return;
    this.#state = next;
    if (next === 'ready') {
      if (!this.#wasReady) this.#log.info({ engine: this.description }, 'worker ready');
      this.#wasReady = true;
    }
    this.#changed();
  }

  #gap(): void {
    this.#lose('was sent or sent something that did not arrive', { blameless: true });
  }

  #doubt(silentMs: number): void {
    const life = this.#news?.life ?? '';
    this.#givenUp = { life, atMs: performance.now() };
    this.#tell({ type: 'silent', v: WIRE_VERSION, life, silentMs });
    this.#become('dead');
    this.#lose(`had work and was silent for ${Math.round(silentMs / 1000)} s`, { blameless: false });
  }

  /** What was on the link runs again, here on another one or elsewhere. */
  #lose(how: string, { blameless }: { blameless: boolean }): void {
    if (this.#link === undefined) return;
    if (!this.#jobs.idle) this.#log.warn({ how }, 'a worker was lost, with what it had');
    this.#endLink();
    this.#jobs.lose(new WorkerLost(`The worker ${how}.`, { blameless }));
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    this.#others = 0;
    if (link !== undefined) this.#tell({ type: 'bye', v: WIRE_VERSION, link: link.id });
  }

  #send(message: LinkJobRequest): void {
    if (!this.#options.bus.connected) {
      if (this.#link !== undefined) this.#link.missed = true;
      throw new WorkerLost('There is no connection to NATS.', { blameless: true });
    }
    if (this.#link === undefined) {
      if (message.type !== 'job') throw new WorkerLost('The link is gone.', { blameless: true });
      this.#ping();
      this.#link = { id: linkOf(this.id, randomUUID()), numbers: new Numbers(), sent: 0, missed: false, idleBeats: 0 };
    }
    const link = this.#link;
    link.idleBeats = 0;
    this.#tell({ ...message, v: WIRE_VERSION, gateway: this.#options.gateway, link: link.id, n: link.sent });
    link.sent += 1;
  }

  #ping(): void {
    if (!this.#facts?.echoes) return;
    this.#tell({ type: 'ping', v: WIRE_VERSION, gateway: this.#options.gateway, atMs: performance.now() });
  }

  #tell(message: LinkRequest): void {
    this.#options.bus.publish(SUBJECT.worker(this.id), encode(message));
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
