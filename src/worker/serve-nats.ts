/** Serves an engine to gateways over NATS: announces it, keeps their jobs apart, and drops those of a gateway that is gone. */
import { Condition } from '../condition.js';
import type { Logger } from '../log.js';
import { TtsError } from '../protocol/errors.js';
import { LogBrake } from './log-brake.js';
import type { Bus } from './nats-bus.js';
import { engineId, type Job, type Link, Links, newLink } from './nats-links.js';
import { isHello, MAX_WORDS, parseRequest } from './nats-messages.js';
import {
  type Announcement,
  AUDIO_SAMPLES,
  BEAT_MS,
  encode,
  encodeAudio,
  type LinkJobRequest,
  type LinkReply,
  type LinkRequest,
  linkOf,
  type Offer,
  PING,
  SUBJECT,
  WIRE_VERSION,
} from './nats-wire.js';
import type { EngineFacts, JobReply, JobRequest } from './protocol.js';
import type { Standstill } from './standstill.js';

/** The engine's process, as whoever supervises it shows it. */
interface ServedEngine {
  readonly facts: EngineFacts | undefined;
  /** What the process does while it says nothing. */
  readonly standstill: Pick<Standstill, 'look' | 'spins' | 'stillMs'>;
  /** Throws where there is nobody to receive it. */
  send(message: JobRequest): void;
  /** Ends it for having stood still. */
  killSilent(why: string): void;
}

interface ServedEngineListener {
  onReady(facts: EngineFacts): void;
  onReply(reply: JobReply): void;
  onLost(how: string, blameless: boolean): void;
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
  /** The broker does not let this worker be sent work. */
  readonly onDenied?: (error: TtsError) => void;
}

export interface NatsServer {
  /** It takes work: its engine is up, and it is not about to leave. */
  readonly ready: boolean;
  /** Takes nothing new; resolves when what runs is done or `graceMs` are over. */
  drain(graceMs: number): Promise<void>;
  /** Says that it is gone, and stops listening. */
  close(): void;
}

/** A gateway that was not heard for this long is gone, or has forgotten the link. */
const LINK_GONE_MS = 5_000;
/** What does not change is told again with every so many announcements. */
const FACTS_EVERY = 10;
/** Whoever asks who is there is answered no more often than this. */
const HELLO_MS = 100;
/** An engine that spoke this lately is not looked at. */
const LOOK_AFTER_MS = 1_000;

export function serveNats(options: NatsServerOptions): NatsServer {
  return new EngineOnNats(options);
}

class EngineOnNats implements NatsServer, ServedEngineListener {
  readonly #options: NatsServerOptions;
  readonly #engine: ServedEngine;
  readonly #links = new Links();
  readonly #ended = new Condition();
  readonly #stop: (() => void)[] = [];
  readonly #beats: NodeJS.Timeout;
  readonly #brake: LogBrake;
  /** Runs after the answer to a greeting; others that come meanwhile are answered together at its end. */
  #hello: NodeJS.Timeout | undefined;
  #greetedAgain = false;
  #lives = 1;
  #announced = 0;
  #beatMs = performance.now();
  #leaving: 'draining' | 'gone' | undefined;
  /** When the engine last answered, or was given work while it had none. */
  #engineHeardMs = 0;

  constructor(options: NatsServerOptions) {
    this.#options = options;
    const { bus, id } = options;
    this.#brake = new LogBrake(options.log);
    this.#stop.push(
      bus.subscribe(
        SUBJECT.worker(id),
        (payload) => this.#receive(parseRequest(payload)),
        (error) => this.#denied(error),
      ),
      bus.subscribe(SUBJECT.hello, (payload) => this.#greeted(payload)),
      bus.onChange(() => this.#announce(true)),
    );
    this.#engine = options.open(this);
    this.#beats = setInterval(() => this.#beat(), BEAT_MS);
    this.#announce(true);
  }

  get ready(): boolean {
    return this.#leaving === undefined && this.#engine.facts !== undefined;
  }

  async drain(graceMs: number): Promise<void> {
    this.#leaving = 'draining';
    this.#announce();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), graceMs);
    await this.#ended.until(() => !this.#links.isWanted, late.signal).catch(() => undefined);
    clearTimeout(timer);
  }

  close(): void {
    if (this.#leaving === 'gone') return;
    this.#leaving = 'gone';
    this.#announce();
    clearInterval(this.#beats);
    clearTimeout(this.#hello);
    this.#brake.close();
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
    return this.#links.jobs.size === 0;
  }

  onReply(reply: JobReply): void {
    this.#engineHeardMs = performance.now();
    const { jobs } = this.#links;
    const job = jobs.get(reply.id);
    if (job === undefined) return;
    if (reply.type === 'ran') job.turns -= 1;
    if (reply.type === 'end' || reply.type === 'error') jobs.delete(reply.id);
    if (job.link !== undefined) this.#reply(job.link, job, reply);
    if (!jobs.has(reply.id)) this.#ended.notify();
  }

  onLost(how: string, blameless: boolean): void {
    this.#lives += 1;
    this.#links.jobs.clear();
    for (const link of this.#links) this.#lose(link, `The engine process ${how}`, !blameless);
    this.#ended.notify();
    if (this.#engine !== undefined) this.#announce();
  }

  /** Nobody should send work that does not arrive. */
  #denied(error: TtsError): void {
    this.close();
    this.#options.onDenied?.(error);
  }

  #greeted(payload: Uint8Array): void {
    if (!isHello(payload)) return;
    if (this.#hello !== undefined) {
      this.#greetedAgain = true;
      return;
    }
    this.#announce(true);
    this.#hello = setTimeout(() => {
      this.#hello = undefined;
      if (this.#greetedAgain) this.#announce(true);
      this.#greetedAgain = false;
    }, HELLO_MS);
  }

  #receive(message: LinkRequest | undefined): void {
    if (message === undefined) {
      this.#brake.write('warn', {}, 'a message to this worker is not understood and is left alone');
      return;
    }
    if (message.type === 'silent') this.#doubt(message.life, message.silentMs);
    else if (message.type === 'beat') this.#heardOf(message);
    else if (message.type === 'ping') this.#echo(message);
    else if (message.type === 'bye') this.#forget(this.#links.get(message.link));
    else this.#request(message);
  }

  #echo({ gateway, atMs }: Extract<LinkRequest, { type: 'ping' }>): void {
    const { bus, id } = this.#options;
    bus.publish(SUBJECT.link(gateway, linkOf(id, PING)), encode({ type: 'pong', atMs } satisfies LinkReply));
  }

  #request({ v: _v, link: linkId, gateway, n, ...request }: Extract<LinkRequest, { n: number }>): void {
    const link = this.#links.get(linkId) ?? newLink(linkId, gateway);
    link.heardMs = performance.now();
    if (!link.numbers.take(n)) {
      this.#lose(link, 'A message to the worker was lost.', false);
      return;
    }
    const refusal = this.#links.refusal(link, request);
    if (refusal !== undefined) {
      this.#brake.write('warn', { gateway, why: refusal }, 'a gateway was refused');
      this.#lose(link, `The worker refused it: ${refusal}.`, false);
      return;
    }
    if (!this.#links.has(link)) {
      // A gateway that begins anew has given up what it had here before.
      for (const other of this.#links) if (other.gateway === gateway) this.#forget(other);
      this.#links.add(link);
    }
    try {
      this.#hand(request, link);
    } catch {
      this.#lose(link, 'The engine is not ready.', false);
    }
  }

  #hand(request: LinkJobRequest, link: Link): void {
    const { jobs, isWorking } = this.#links;
    if (!isWorking) this.#engineHeardMs = performance.now();
    if (request.type === 'job') {
      const id = engineId(link, request.job.id);
      this.#engine.send({ ...request, job: { ...request.job, id } });
      jobs.set(id, { id: request.job.id, link, turns: 1, cancelled: false });
      return;
    }
    const id = engineId(link, request.id);
    const job = jobs.get(id);
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
        const said = reply.type === 'error' ? { ...reply, message: reply.message.slice(0, MAX_WORDS) } : reply;
        const message = { ...said, id: job.id, n: link.sent, others: this.#links.turns(link) } satisfies LinkReply;
        bus.publish(subject, encode(message));
        link.sent += 1;
        return;
      }
      for (let at = 0; at < reply.pcm.length; at += AUDIO_SAMPLES) {
        bus.publish(subject, encodeAudio(job.id, link.sent, reply.pcm.subarray(at, at + AUDIO_SAMPLES)));
        link.sent += 1;
      }
    } catch (error) {
      this.#unsent(link, job, error);
    }
  }

  /** More than the broker takes. The segment fails for that reason, and nothing else does. */
  #unsent(link: Link, job: Job, cause: unknown): void {
    const { bus, log } = this.#options;
    log.error({ err: cause }, 'a message could not be sent to a gateway');
    const failed: JobReply = {
      type: 'error',
      id: job.id,
      code: 'synthesis_failed',
      message: cause instanceof TtsError ? cause.message : 'What the engine said could not be sent.',
    };
    const message = { ...failed, n: link.sent, others: this.#links.turns(link) } satisfies LinkReply;
    bus.publish(SUBJECT.link(link.gateway, link.id), encode(message));
    link.sent += 1;
    this.#cancel(engineId(link, job.id), job);
  }

  /** Nobody wants it any more; what the engine still says of it goes nowhere. */
  #cancel(id: string, job: Job): void {
    job.link = undefined;
    job.cancelled = true;
    try {
      this.#engine.send({ type: 'cancel', id });
    } catch {
      this.#links.jobs.delete(id);
    }
  }

  /** Says what became of the link, and lets its jobs go. */
  #lose(link: Link, why: string, engine: boolean): void {
    const message: LinkReply = { type: 'lost', engine, why: why.slice(0, MAX_WORDS) };
    this.#options.bus.publish(SUBJECT.link(link.gateway, link.id), encode(message));
    this.#forget(link);
  }

  #forget(link: Link | undefined): void {
    if (link === undefined) return;
    for (const [id, job] of this.#links.delete(link)) this.#cancel(id, job);
    this.#ended.notify();
  }

  #heardOf({ link: id, gateway, sent }: Extract<LinkRequest, { type: 'beat' }>): void {
    // One that was never heard of, or was forgotten, has lost all that was sent on it.
    const link = this.#links.get(id) ?? newLink(id, gateway);
    link.heardMs = performance.now();
    if (this.#links.has(link) && link.numbers.told(sent, link.heardMs)) return;
    this.#lose(link, 'A message to the worker was lost.', false);
  }

  /** A gateway says that the engine stands still for longer than it ever needs: it is believed where that is seen here as well. */
  #doubt(life: string, silentMs: number): void {
    if (life !== this.#life || this.#silentMs() < silentMs / 2) return;
    const silentS = Math.round((performance.now() - this.#engineHeardMs) / 1000);
    this.#engine.killSilent(`had work and was silent for ${silentS} s`);
  }

  #beat(): void {
    const nowMs = performance.now();
    // Whoever was stopped itself has not listened meanwhile.
    const stopped = nowMs - this.#beatMs > 2 * BEAT_MS;
    this.#beatMs = nowMs;
    if (this.#links.isWorking && nowMs - this.#engineHeardMs > LOOK_AFTER_MS)
      this.#engine.standstill.look(nowMs, 2 * BEAT_MS);
    this.#announce(this.#announced % FACTS_EVERY === 0);
    for (const link of this.#links) {
      if (stopped) link.heardMs = nowMs;
      if (nowMs - link.heardMs > LINK_GONE_MS) {
        this.#forget(link);
        continue;
      }
      const beat: LinkReply = {
        type: 'beat',
        sent: link.sent,
        others: this.#links.turns(link),
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
      turns: this.#links.turns(),
      ...(whole && facts !== undefined && { facts: { ...offer, ...facts, echoes: true } }),
    };
    bus.publish(SUBJECT.workers, encode(announcement));
  }

  get #life(): string {
    return String(this.#lives);
  }

  /** For how long the engine has said nothing and stood still while it had work; all of the silence where it runs without an end. */
  #silentMs(): number {
    if (!this.#links.isWorking) return 0;
    const { standstill } = this.#engine;
    const silentMs = performance.now() - this.#engineHeardMs;
    return standstill.spins() ? silentMs : Math.min(silentMs, standstill.stillMs);
  }
}
