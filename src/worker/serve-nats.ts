/** Serves an engine to gateways over NATS: announces it, keeps their jobs apart, and drops those of a gateway that is gone. */
import { Condition } from '../condition.js';
import type { Logger } from '../log.js';
import type { Bus } from './nats-bus.js';
import {
  type Announcement,
  AUDIO_SAMPLES,
  BEAT_MS,
  decode,
  encode,
  encodeAudio,
  type LinkJobRequest,
  type LinkReply,
  type LinkRequest,
  Numbers,
  type Offer,
  SUBJECT,
  WIRE_VERSION,
} from './nats-wire.js';
import type { EngineFacts, JobReply, JobRequest } from './protocol.js';

/** The engine's process, as whoever supervises it shows it. */
interface ServedEngine {
  readonly facts: EngineFacts | undefined;
  /** Throws where there is nobody to receive it. */
  send(message: JobRequest): void;
  kill(why: string): void;
}

interface ServedEngineListener {
  onReady(facts: EngineFacts): void;
  onReply(reply: JobReply): void;
  onLost(how: string): void;
  onChange(): void;
  isIdle(): boolean;
}

export interface NatsServerOptions {
  readonly bus: Bus;
  readonly id: string;
  readonly offer: Offer;
  readonly log: Logger;
  /** Starts the engine. */
  readonly open: (listener: ServedEngineListener) => ServedEngine;
  readonly onReady?: (facts: EngineFacts) => void;
}

export interface NatsServer {
  /** Takes nothing new; resolves when what runs is done or `graceMs` are over. */
  drain(graceMs: number): Promise<void>;
  /** Says that it is gone, and stops listening. */
  close(): void;
}

interface Link {
  readonly id: string;
  readonly gateway: string;
  readonly numbers: Numbers;
  sent: number;
  heardMs: number;
}

interface Job {
  readonly id: string;
  /** Undefined once nobody wants it: the engine has been told, and has not answered. */
  link: Link | undefined;
  turns: number;
  cancelled: boolean;
}

/** A gateway that was not heard for this long is gone, or has forgotten the link. */
const LINK_GONE_MS = 5_000;
/** What does not change is told again with every so many announcements. */
const FACTS_EVERY = 10;

export function serveNats(options: NatsServerOptions): NatsServer {
  return new EngineOnNats(options);
}

class EngineOnNats implements NatsServer, ServedEngineListener {
  readonly #options: NatsServerOptions;
  readonly #engine: ServedEngine;
  readonly #links = new Map<string, Link>();
  /** By the engine's id of them. */
  readonly #jobs = new Map<string, Job>();
  readonly #ended = new Condition();
  readonly #stop: (() => void)[] = [];
  readonly #beats: NodeJS.Timeout;
  #lives = 1;
  #announced = 0;
  #beatMs = performance.now();
  #leaving: 'draining' | 'gone' | undefined;
  /** When the engine last answered, or was given work while it had none. */
  #engineHeardMs = 0;

  constructor(options: NatsServerOptions) {
    this.#options = options;
    const { bus, id } = options;
    this.#stop.push(
      bus.subscribe(SUBJECT.worker(id), (payload) => this.#receive(decode<LinkRequest>(payload))),
      bus.subscribe(SUBJECT.hello, () => this.#announce(true)),
      bus.onChange(() => this.#announce(true)),
    );
    this.#engine = options.open(this);
    this.#beats = setInterval(() => this.#beat(), BEAT_MS);
    this.#announce(true);
  }

  async drain(graceMs: number): Promise<void> {
    this.#leaving = 'draining';
    this.#announce();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), graceMs);
    await this.#ended
      .until(() => ![...this.#jobs.values()].some((job) => job.link), late.signal)
      .catch(() => undefined);
    clearTimeout(timer);
  }

  close(): void {
    if (this.#leaving === 'gone') return;
    this.#leaving = 'gone';
    this.#announce();
    clearInterval(this.#beats);
    for (const stop of this.#stop) stop();
  }

  /** The gateways are told by the change of state that follows. */
  onReady(facts: EngineFacts): void {
    this.#options.onReady?.(facts);
  }

  onChange(): void {
    // The first one comes while the engine is being made.
    if (this.#engine !== undefined) this.#announce(true);
  }

  isIdle(): boolean {
    return this.#jobs.size === 0;
  }

  onReply(reply: JobReply): void {
    this.#engineHeardMs = performance.now();
    const job = this.#jobs.get(reply.id);
    if (job === undefined) return;
    if (reply.type === 'ran') job.turns -= 1;
    if (reply.type === 'end' || reply.type === 'error') this.#jobs.delete(reply.id);
    if (job.link !== undefined) this.#reply(job.link, job, reply);
    if (!this.#jobs.has(reply.id)) this.#ended.notify();
  }

  onLost(how: string): void {
    this.#lives += 1;
    this.#jobs.clear();
    for (const link of [...this.#links.values()]) this.#lose(link, `The engine process ${how}`, true);
    this.#ended.notify();
    if (this.#engine !== undefined) this.#announce();
  }

  #receive(message: LinkRequest | undefined): void {
    if (message === undefined || message.v !== WIRE_VERSION) return;
    if (message.type === 'silent') this.#doubt(message.life, message.silentMs);
    else if (message.type === 'beat') this.#heardOf(message);
    else if (message.type === 'bye') this.#forget(this.#links.get(message.link));
    else this.#request(message);
  }

  #request({ v: _v, link: linkId, gateway, n, ...request }: Extract<LinkRequest, { n: number }>): void {
    let link = this.#links.get(linkId);
    if (link === undefined) {
      link = { id: linkId, gateway, numbers: new Numbers(), sent: 0, heardMs: 0 };
      // A gateway that begins anew has given up what it had here before.
      for (const other of [...this.#links.values()]) if (other.gateway === gateway) this.#forget(other);
      this.#links.set(linkId, link);
    }
    link.heardMs = performance.now();
    if (!link.numbers.take(n)) {
      this.#lose(link, 'A message to the worker was lost.', false);
      return;
    }
    try {
      this.#hand(request, link);
    } catch {
      this.#lose(link, 'The engine is not ready.', false);
    }
  }

  #hand(request: LinkJobRequest, link: Link): void {
    if (!this.#isWorking()) this.#engineHeardMs = performance.now();
    if (request.type === 'job') {
      const id = engineId(link, request.job.id);
      this.#engine.send({ ...request, job: { ...request.job, id } });
      this.#jobs.set(id, { id: request.job.id, link, turns: 1, cancelled: false });
      return;
    }
    const id = engineId(link, request.id);
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    if (request.type === 'turn') job.turns += 1;
    if (request.type === 'cancel') job.cancelled = true;
    this.#engine.send({ ...request, id });
  }

  #reply(link: Link, job: Job, reply: JobReply): void {
    const { bus } = this.#options;
    const subject = SUBJECT.link(link.gateway, link.id);
    try {
      if (reply.type !== 'audio') {
        const message = { ...reply, id: job.id, n: link.sent, others: this.#othersOf(link) } satisfies LinkReply;
        bus.publish(subject, encode(message));
        link.sent += 1;
        return;
      }
      for (let at = 0; at < reply.pcm.length; at += AUDIO_SAMPLES) {
        bus.publish(subject, encodeAudio(job.id, link.sent, reply.pcm.subarray(at, at + AUDIO_SAMPLES)));
        link.sent += 1;
      }
    } catch (error) {
      // More than the broker takes: the gateway learns by the missing number that something is.
      this.#options.log.error({ err: error }, 'a message could not be sent to a gateway');
      this.#lose(link, 'A message could not be sent.', true);
    }
  }

  /** Says what became of the link, and lets its jobs go. */
  #lose(link: Link, why: string, engine: boolean): void {
    const message: LinkReply = { type: 'lost', engine, why };
    this.#options.bus.publish(SUBJECT.link(link.gateway, link.id), encode(message));
    this.#forget(link);
  }

  #forget(link: Link | undefined): void {
    if (link === undefined) return;
    this.#links.delete(link.id);
    for (const [id, job] of this.#jobs) {
      if (job.link !== link) continue;
      job.link = undefined;
      job.cancelled = true;
      try {
        this.#engine.send({ type: 'cancel', id });
      } catch {
        this.#jobs.delete(id);
      }
    }
    this.#ended.notify();
  }

  #heardOf({ link: id, gateway, sent }: Extract<LinkRequest, { type: 'beat' }>): void {
    // One that was never heard of, or was forgotten, has lost all that was sent on it.
    const link = this.#links.get(id) ?? { id, gateway, numbers: new Numbers(), sent: 0, heardMs: 0 };
    link.heardMs = performance.now();
    if (this.#links.has(id) && link.numbers.told(sent, link.heardMs)) return;
    this.#lose(link, 'A message to the worker was lost.', false);
  }

  /** A gateway heard nothing of the engine for longer than it ever needs; it is believed where nobody else heard anything either. */
  #doubt(life: string, silentMs: number): void {
    if (life !== this.#life || this.#silentMs() < silentMs / 2) return;
    this.#engine.kill(`had work and was silent for ${Math.round(silentMs / 1000)} s`);
  }

  #beat(): void {
    const nowMs = performance.now();
    // Whoever was stopped itself has not listened meanwhile.
    const stopped = nowMs - this.#beatMs > 2 * BEAT_MS;
    this.#beatMs = nowMs;
    this.#announce(this.#announced % FACTS_EVERY === 0);
    for (const link of [...this.#links.values()]) {
      if (stopped) link.heardMs = nowMs;
      if (nowMs - link.heardMs > LINK_GONE_MS) {
        this.#forget(link);
        continue;
      }
      const beat: LinkReply = {
        type: 'beat',
        sent: link.sent,
        others: this.#othersOf(link),
        silentMs: this.#silentMs(),
      };
      this.#options.bus.publish(SUBJECT.link(link.gateway, link.id), encode(beat));
    }
  }

  #announce(whole = false): void {
    const { bus, id, offer } = this.#options;
    const { facts } = this.#engine;
    this.#announced += 1;
    const announcement: Announcement = {
      v: WIRE_VERSION,
      id,
      life: this.#life,
      state: this.#leaving ?? (facts === undefined ? 'starting' : 'ready'),
      turns: this.#turns(),
      ...(whole && facts !== undefined && { facts: { ...facts, ...offer } }),
    };
    bus.publish(SUBJECT.workers, encode(announcement));
  }

  get #life(): string {
    return String(this.#lives);
  }

  #turns(): number {
    let turns = 0;
    for (const job of this.#jobs.values()) turns += job.turns;
    return turns;
  }

  #othersOf(link: Link): number {
    let others = 0;
    for (const job of this.#jobs.values()) if (job.link !== link) others += job.turns;
    return others;
  }

  #isWorking(): boolean {
    for (const job of this.#jobs.values()) if (job.turns > 0 || job.cancelled) return true;
    return false;
  }

  #silentMs(): number {
    return this.#isWorking() ? performance.now() - this.#engineHeardMs : 0;
  }
}

/** Ids are the gateway's own: two of them may use the same. */
const engineId = (link: Link, id: string): string => `${link.id}/${id}`;
