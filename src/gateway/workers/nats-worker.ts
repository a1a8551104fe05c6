/** A worker on another machine: jobs for its engine go over NATS, on a link. */
import { type Clock, systemClock } from '../../clock.js';
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
  SUBJECT,
  WIRE_VERSION,
} from '../../worker/nats-wire.js';
import { NATS } from '../tuning.js';
import { type GatewayReading, hasStyles, incompatibility } from './compatibility.js';
import { InFlight } from './in-flight.js';
import { JobClient } from './job-client.js';
import { WorkerLink } from './nats-link.js';
import { type Unusable, type Worker, WorkerLost, type WorkerState } from './worker.js';

export interface NatsWorkerOptions extends GatewayReading {
  readonly bus: Bus;
  readonly id: string;
  /** Id of this gateway, whose inbox the replies go to. */
  readonly gateway: string;
  readonly log: Logger;
  readonly silenceMs?: number;
  readonly clock?: Clock;
  /** Of several workers none is heard: then the broker or this machine is at fault. */
  readonly allSilent: () => boolean;
}

export class NatsWorker implements Worker {
  readonly id: string;
  readonly lastError = undefined;
  readonly #options: NatsWorkerOptions;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #jobs: JobClient;
  readonly #inFlight = new InFlight();
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #state: WorkerState = 'starting';
  #restarts = 0;
  #wasReady = false;
  #news: Announcement | undefined;
  #facts: Announcement['facts'];
  #link: WorkerLink | undefined;
  #others = 0;
  #heardMs: number;
  /** The epoch whose engine was given up last. */
  #givenUp: { readonly epoch: string; readonly atMs: number } | undefined;

  constructor(options: NatsWorkerOptions) {
    this.#options = options;
    this.id = options.id;
    this.#log = options.log.child({ worker: options.id });
    this.#clock = options.clock ?? systemClock;
    this.#heardMs = this.#clock.now();
    this.#jobs = new JobClient({
      clock: this.#clock,
      ...(options.silenceMs !== undefined && { silenceMs: options.silenceMs }),
      send: (message) => message.type !== 'wide' && this.#send(message),
      onSilent: ({ silentMs }) => this.#doubt(silentMs),
      onChange: () => this.#changed(),
      stepsPerJob: () => this.#inFlight.ofAJob,
    });
    this.#unsubscribe = options.bus.onChange(() => this.#look());
  }

  get state(): WorkerState {
    return this.#state;
  }
  get capacity(): number {
    return (this.#facts?.capacity ?? NATS.capacity) + this.#inFlight.ahead;
  }
  get stepsPerJob(): number {
    return this.#inFlight.ofAJob;
  }
  get roundTripMs(): number {
    return this.#inFlight.roundTripMs;
  }
  get busy(): number {
    return this.#jobs.busy;
  }

  get background(): number {
    return this.#jobs.background;
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

  takes(job: Pick<SegmentJob, 'model' | 'mix'>): boolean {
    if (this.#facts === undefined || this.#news?.state !== 'ready') return false;
    return this.unusable(job.model) === undefined && hasStyles(this.#facts, this.#options, job);
  }

  unusable(model: BaseModel): Unusable | undefined {
    if (this.#facts === undefined) return undefined;
    const incompatible = incompatibility(this.#facts, this.#options, model);
    return incompatible ?? (this.#news?.state === 'draining' ? 'draining' : undefined);
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

  /** The worker announced itself. */
  announced(news: Announcement): void {
    const epoch = this.#news?.life;
    const leaves = news.state === 'draining' && this.#news?.state !== 'draining';
    this.#heardMs = this.#clock.now();
    this.#news = news;
    if (news.facts !== undefined) {
      const isNew = this.#facts === undefined;
      this.#facts = news.facts;
      if (isNew) this.#ping();
      if (news.facts.realTimeFactor !== undefined) this.#jobs.assume(news.facts.realTimeFactor);
    }
    if (epoch !== undefined && epoch !== news.life) {
      this.#restarts += 1;
      this.#lose('was started again', { blameless: false });
    }
    if (this.#link === undefined) this.#others = news.turns;
    if (news.state === 'gone') this.#lose('has left', { blameless: true });
    this.#look();
    // It stays ready, and takes no new jobs.
    if (leaves) this.#changed();
  }

  /** A message came on the named link. */
  receive(linkId: string, reply: LinkReply): void {
    if (reply.type === 'pong') {
      if (this.#inFlight.tripTook(this.#clock.now() - reply.atMs)) this.#jobs.recount();
      return;
    }
    // The jobs of an earlier link run again elsewhere.
    if (this.#link?.id !== linkId) return;
    const { numbers } = this.#link;
    if (reply.type === 'lost') {
      if (reply.engine) this.#become('dead');
      this.#lose(`is lost: ${reply.why}`, { blameless: !reply.engine });
      return;
    }
    if (reply.type === 'beat') {
      this.#others = reply.others;
      this.#jobs.wasAlive(reply.silentMs);
      if (!numbers.reported(reply.sent, this.#clock.now())) this.#gap();
      return;
    }
    if (!numbers.take(reply.n)) {
      this.#gap();
      return;
    }
    if (reply.type !== 'audio') this.#others = reply.others;
    if (reply.type === 'ran' && this.#inFlight.stepTook(reply.runMs)) this.#jobs.recount();
    this.#jobs.receive(reply);
  }

  /** Called every beat: reports what was sent, notices silence. `lateMs`: how late the beat is. */
  beat(nowMs: number, lateMs: number): void {
    // This process was stopped or busy itself and received nothing.
    if (lateMs > BEAT_MS) this.#heardMs = nowMs;
    this.#look();
    const link = this.#link;
    if (link === undefined) return;
    if (!link.countBeat(this.#jobs.idle)) {
      this.#endLink();
      return;
    }
    this.#ping();
    link.sendBeat();
  }

  /** How long the worker has not been heard. */
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

  /** Derives the state from all that is known now. */
  #look(): void {
    if (this.#state === 'closed') return;
    const { bus } = this.#options;
    const nowMs = this.#clock.now();
    if (this.silentForMs(nowMs) > GONE_MS) {
      const blameless = !bus.connected || this.#options.allSilent();
      this.#become('dead');
      this.#lose(`was not heard for ${GONE_MS / 1000} s`, { blameless });
      return;
    }
    if (bus.connected && this.#link?.missed) this.#gap();
    const isGivenUp = this.#givenUp?.epoch === this.#news?.life;
    const doubted = isGivenUp && nowMs - (this.#givenUp?.atMs ?? 0) < NATS.doubtMs;
    // Without a connection no job begins; running ones go on if it is back in time, without a gap.
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
    const epoch = this.#news?.life ?? '';
    this.#givenUp = { epoch, atMs: this.#clock.now() };
    this.#publish({ type: 'silent', v: WIRE_VERSION, life: epoch, silentMs });
    this.#become('dead');
    this.#lose(`had work and was silent for ${Math.round(silentMs / 1000)} s`, { blameless: false });
  }

  /** Jobs of the link fail, and run again on another link or worker. */
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
    link?.end();
  }

  #send(message: LinkJobRequest): void {
    const { bus, gateway } = this.#options;
    if (!bus.connected) {
      this.#link?.miss();
      throw new WorkerLost('There is no connection to NATS.', { blameless: true });
    }
    if (this.#link === undefined) {
      if (message.type !== 'job') throw new WorkerLost('The link is gone.', { blameless: true });
      this.#ping();
      this.#link = new WorkerLink({ worker: this.id, gateway, publish: (request) => this.#publish(request) });
    }
    this.#link.send(message);
  }

  #ping(): void {
    if (!this.#facts?.echoes) return;
    this.#publish({ type: 'ping', v: WIRE_VERSION, gateway: this.#options.gateway, atMs: this.#clock.now() });
  }

  #publish(message: LinkRequest): void {
    this.#options.bus.publish(SUBJECT.worker(this.id), encode(message));
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
