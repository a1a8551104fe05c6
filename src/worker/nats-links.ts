/** The gateways at a worker on NATS: a link for each, the jobs on it, and limits of both. */
import type { Bus } from './nats-bus.js';
import { MAX_WORDS } from './nats-messages.js';
import {
  AUDIO_SAMPLES,
  encode,
  encodeAudio,
  type LinkJobRequest,
  type LinkReply,
  Numbers,
  SUBJECT,
} from './nats-wire.js';
import type { JobReply } from './protocol.js';

/** The worker's end of a link: numbered messages to one gateway. */
export class GatewayLink {
  readonly id: string;
  readonly gateway: string;
  /** Checks the numbers of what the gateway sends. */
  readonly numbers = new Numbers();
  readonly #bus: Bus;
  #sent = 0;
  #heardMs: number;

  constructor({ id, gateway, bus, nowMs }: { id: string; gateway: string; bus: Bus; nowMs: number }) {
    this.id = id;
    this.gateway = gateway;
    this.#bus = bus;
    this.#heardMs = nowMs;
  }

  /** When the gateway was last heard. */
  get heardMs(): number {
    return this.#heardMs;
  }

  heard(nowMs: number): void {
    this.#heardMs = nowMs;
  }

  /** Throws where the broker refuses the message. `others`: steps that other gateways have. */
  send(jobId: string, reply: JobReply, others: number): void {
    if (reply.type !== 'audio') {
      const said = reply.type === 'error' ? { ...reply, message: reply.message.slice(0, MAX_WORDS) } : reply;
      this.#publish(encode({ ...said, id: jobId, n: this.#sent, others } satisfies LinkReply));
      this.#sent += 1;
      return;
    }
    for (let at = 0; at < reply.pcm.length; at += AUDIO_SAMPLES) {
      this.#publish(encodeAudio(jobId, this.#sent, reply.pcm.subarray(at, at + AUDIO_SAMPLES)));
      this.#sent += 1;
    }
  }

  sendBeat(others: number, silentMs: number): void {
    this.#publish(encode({ type: 'beat', sent: this.#sent, others, silentMs } satisfies LinkReply));
  }

  sendLost(why: string, engine: boolean): void {
    this.#publish(encode({ type: 'lost', engine, why: why.slice(0, MAX_WORDS) } satisfies LinkReply));
  }

  #publish(payload: Uint8Array): void {
    this.#bus.publish(SUBJECT.link(this.gateway, this.id), payload);
  }
}

interface Job {
  /** The gateway's id of it; two gateways may use the same. */
  readonly id: string;
  /** Undefined once the gateway does not want it: the engine was told, and has not answered. */
  link: GatewayLink | undefined;
  steps: number;
  cancelled: boolean;
}

/** Limits for gateways at a worker, far above what ours use. More is refused. */
const MAX_LINKS = 1_000;
const MAX_JOBS = 20_000;
const MAX_STEPS = 16;

/** The engine's id of a job. */
export const engineId = (link: GatewayLink, id: string): string => `${link.id}/${id}`;

export class GatewayLinks {
  readonly #links = new Map<string, GatewayLink>();
  /** By the engine's id of them. */
  readonly #jobs = new Map<string, Job>();

  get(id: string): GatewayLink | undefined {
    return this.#links.get(id);
  }

  has(link: GatewayLink): boolean {
    return this.#links.get(link.id) === link;
  }

  add(link: GatewayLink): void {
    this.#links.set(link.id, link);
  }

  /** Removes a link. Returns the engine's ids of its jobs, which still have to be orphaned. */
  delete(link: GatewayLink): string[] {
    this.#links.delete(link.id);
    return [...this.#jobs].flatMap(([id, job]) => (job.link === link ? [id] : []));
  }

  /** A copy: links may be removed meanwhile. */
  [Symbol.iterator](): IterableIterator<GatewayLink> {
    return [...this.#links.values()].values();
  }

  /** In words: why a request is more than our gateways ever send; undefined where it is not. */
  refusal(link: GatewayLink, request: LinkJobRequest): string | undefined {
    if (!this.has(link)) {
      if (request.type !== 'job') return 'a link that begins without a job';
      if (this.#links.size >= MAX_LINKS) return 'too many gateways';
    }
    if (request.type === 'job') {
      if (this.#jobs.has(engineId(link, request.job.id))) return 'a job twice';
      return this.#jobs.size >= MAX_JOBS ? 'too many jobs' : undefined;
    }
    const steps = this.#jobs.get(engineId(link, request.id))?.steps ?? 0;
    return request.type === 'turn' && steps >= MAX_STEPS ? 'too many steps for a job' : undefined;
  }

  get hasJobs(): boolean {
    return this.#jobs.size > 0;
  }

  hasJob(id: string): boolean {
    return this.#jobs.has(id);
  }

  /** The engine was given a job of `link`. */
  began(link: GatewayLink, jobId: string): void {
    this.#jobs.set(engineId(link, jobId), { id: jobId, link, steps: 1, cancelled: false });
  }

  /** The gateway asks for something of a job that the engine has. */
  requested(id: string, type: LinkJobRequest['type']): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    if (type === 'turn') job.steps += 1;
    if (type === 'cancel') job.cancelled = true;
  }

  /** The engine replied. Returns where the reply goes; undefined where no gateway wants it. */
  replied(id: string, type: JobReply['type']): { readonly link: GatewayLink; readonly jobId: string } | undefined {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    if (type === 'ran') job.steps -= 1;
    if (type === 'end' || type === 'error') this.#jobs.delete(id);
    return job.link === undefined ? undefined : { link: job.link, jobId: job.id };
  }

  /** No gateway wants the job any more; the engine has to be told. */
  orphan(id: string): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    job.link = undefined;
    job.cancelled = true;
  }

  /** The engine has lost a job, or all of them. */
  loseJob(id: string): void {
    this.#jobs.delete(id);
  }

  loseJobs(): void {
    this.#jobs.clear();
  }

  /** Steps that all gateways have in the engine, without those of `except`. */
  steps(except?: GatewayLink): number {
    let steps = 0;
    for (const job of this.#jobs.values()) if (except === undefined || job.link !== except) steps += job.steps;
    return Math.max(0, steps);
  }

  /** Whether a job waits for the engine alone. */
  get isWorking(): boolean {
    for (const job of this.#jobs.values()) if (job.steps > 0 || job.cancelled) return true;
    return false;
  }

  /** Whether a gateway still wants a job. */
  get isWanted(): boolean {
    for (const job of this.#jobs.values()) if (job.link !== undefined) return true;
    return false;
  }
}
