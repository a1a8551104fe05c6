/** The gateways at a worker on NATS: the link of each, the jobs on it, and how much of either there may be. */
import { type LinkJobRequest, Numbers } from './nats-wire.js';

export interface Link {
  readonly id: string;
  readonly gateway: string;
  readonly numbers: Numbers;
  sent: number;
  heardMs: number;
}

export interface Job {
  /** The gateway's name for it; two of them may use the same. */
  readonly id: string;
  /** Undefined once nobody wants it: the engine has been told, and has not answered. */
  link: Link | undefined;
  turns: number;
  cancelled: boolean;
}

/** What gateways may have at a worker at most; ours stay far below. What is more is refused. */
const MAX_LINKS = 1_000;
const MAX_JOBS = 20_000;
const MAX_TURNS = 16;

export const newLink = (id: string, gateway: string): Link => ({
  id,
  gateway,
  numbers: new Numbers(),
  sent: 0,
  heardMs: performance.now(),
});

/** The engine's name for a job. */
export const engineId = (link: Link, id: string): string => `${link.id}/${id}`;

export class Links {
  readonly #links = new Map<string, Link>();
  /** By the engine's id of them. */
  readonly jobs = new Map<string, Job>();

  get(id: string): Link | undefined {
    return this.#links.get(id);
  }

  has(link: Link): boolean {
    return this.#links.get(link.id) === link;
  }

  add(link: Link): void {
    this.#links.set(link.id, link);
  }

  /** The jobs that it had are left without a link; they are returned by their engine's ids. */
  delete(link: Link): [string, Job][] {
    this.#links.delete(link.id);
    return [...this.jobs].filter(([, job]) => job.link === link);
  }

  /** As they are now: whoever goes through them may take some out. */
  [Symbol.iterator](): IterableIterator<Link> {
    return [...this.#links.values()].values();
  }

  /** Why a request is more than a gateway ever sends, in words; undefined where it is not. */
  refusal(link: Link, request: LinkJobRequest): string | undefined {
    if (!this.has(link)) {
      if (request.type !== 'job') return 'a link that begins without a job';
      if (this.#links.size >= MAX_LINKS) return 'too many gateways';
    }
    if (request.type === 'job') {
      if (this.jobs.has(engineId(link, request.job.id))) return 'a job twice';
      return this.jobs.size >= MAX_JOBS ? 'too many jobs' : undefined;
    }
    const turns = this.jobs.get(engineId(link, request.id))?.turns ?? 0;
    return request.type === 'turn' && turns >= MAX_TURNS ? 'too many turns for a job' : undefined;
  }

  /** Turns that all gateways have, but for those of `except`. */
  turns(except?: Link): number {
    let turns = 0;
    for (const job of this.jobs.values()) if (except === undefined || job.link !== except) turns += job.turns;
    return Math.max(0, turns);
  }

  /** Some job waits for nothing but the engine. */
  get isWorking(): boolean {
    for (const job of this.jobs.values()) if (job.turns > 0 || job.cancelled) return true;
    return false;
  }

  /** Somebody still wants something. */
  get isWanted(): boolean {
    for (const job of this.jobs.values()) if (job.link !== undefined) return true;
    return false;
  }
}
