/** Serves an engine to gateways over NATS: keeps jobs apart, drops those of a lost gateway. */
import { type Clock, systemClock, type Timer } from '../clock.js';
import { Condition } from '../condition.js';
import type { Logger } from '../log.js';
import { TtsError } from '../protocol/errors.js';
import { LogBrake } from './log-brake.js';
import { Announcer } from './nats-announcer.js';
import type { Bus } from './nats-bus.js';
import { engineId, GatewayLink, GatewayLinks } from './nats-links.js';
import { parseRequest } from './nats-messages.js';
import {
  BEAT_MS,
  encode,
  type LinkJobRequest,
  type LinkReply,
  type LinkRequest,
  linkOf,
  type Offer,
  PING,
  SUBJECT,
} from './nats-wire.js';
import type { EngineFacts, JobReply, JobRequest } from './protocol.js';
import type { Standstill } from './standstill.js';

/** The engine's process, as its supervisor shows it. */
interface ServedEngine {
  readonly facts: EngineFacts | undefined;
  /** What the process does while it is silent. */
  readonly standstill: Pick<Standstill, 'look' | 'spins' | 'stillMs'>;
  /** Throws where the process is gone. */
  send(message: JobRequest): void;
  /** Ends it for standing still. */
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
  readonly clock?: Clock;
  /** Starts the engine. */
  readonly open: (listener: ServedEngineListener) => ServedEngine;
  readonly onReady?: (facts: EngineFacts) => void;
  /** The broker does not let this worker be sent work. */
  readonly onDenied?: (error: TtsError) => void;
}

/** A gateway that was not heard for this long is gone, or has forgotten the link. */
const LINK_GONE_MS = 5_000;
/** An engine that replied within this time is not looked at. */
const LOOK_AFTER_MS = 1_000;

export class NatsServer implements ServedEngineListener {
  readonly #options: NatsServerOptions;
  readonly #clock: Clock;
  readonly #engine: ServedEngine;
  readonly #announcer: Announcer;
  readonly #links = new GatewayLinks();
  readonly #ended = new Condition();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #beats: Timer;
  readonly #brake: LogBrake;
  #beatMs: number;
  /** When the engine last replied, or was given work while it had none. */
  #engineHeardMs = 0;

  constructor(options: NatsServerOptions) {
    const { bus, id, log, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#beatMs = clock.now();
    this.#brake = new LogBrake(log, clock);
    const facts = () => this.#engine.facts;
    this.#announcer = new Announcer({ ...options, clock, facts, steps: () => this.#links.steps() });
    this.#unsubscribe = [
      bus.subscribe(
        SUBJECT.worker(id),
        (payload) => this.#receive(parseRequest(payload)),
        (error) => this.#denied(error),
      ),
      bus.subscribe(SUBJECT.hello, (payload) => this.#announcer.receiveHello(payload)),
      bus.onChange(() => this.#announcer.announce(true)),
    ];
    this.#engine = options.open(this);
    this.#beats = clock.setInterval(() => this.#beat(), BEAT_MS);
    this.#announcer.announce(true);
  }

  /** Whether it takes work: its engine is up, and it is not about to leave. */
  get ready(): boolean {
    return this.#announcer.leaving === undefined && this.#engine.facts !== undefined;
  }

  /** Takes no new jobs; resolves when all running ones have ended or `graceMs` are over. */
  async drain(graceMs: number): Promise<void> {
    this.#announcer.leave('draining');
    const late = new AbortController();
    const timer = this.#clock.setTimeout(() => late.abort(), graceMs);
    await this.#ended.until(() => !this.#links.isWanted, late.signal).catch(() => undefined);
    timer.cancel();
  }

  /** Announces that it is gone, and stops listening. */
  close(): void {
    if (this.#announcer.leaving === 'gone') return;
    this.#announcer.leave('gone');
    this.#beats.cancel();
    this.#brake.close();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  /** Gateways learn of it by the change of state that follows. */
  onReady(facts: EngineFacts): void {
    this.#options.onReady?.(facts);
  }

  onChange(): void {
    // The first change comes while the engine is being made.
    if (this.#engine !== undefined) this.#announcer.announce(true);
  }

  isIdle(): boolean {
    return !this.#links.hasJobs;
  }

  onReply(reply: JobReply): void {
    this.#engineHeardMs = this.#clock.now();
    if (!this.#links.hasJob(reply.id)) return;
    const target = this.#links.replied(reply.id, reply.type);
    if (target !== undefined) this.#reply(target.link, target.jobId, reply);
    if (!this.#links.hasJob(reply.id)) this.#ended.notify();
  }

  onLost(how: string, blameless: boolean): void {
    this.#announcer.nextEpoch();
    this.#links.loseJobs();
    for (const link of this.#links) this.#lose(link, `The engine process ${how}`, !blameless);
    this.#ended.notify();
    if (this.#engine !== undefined) this.#announcer.announce();
  }

  /** No gateway should send work that does not arrive. */
  #denied(error: TtsError): void {
    this.close();
    this.#options.onDenied?.(error);
  }

  #receive(message: LinkRequest | undefined): void {
    if (message === undefined)
      this.#brake.write('warn', {}, 'a message to this worker is not understood and is left alone');
    else if (message.type === 'silent') this.#doubt(message.life, message.silentMs);
    else if (message.type === 'beat') this.#receiveBeat(message);
    else if (message.type === 'ping') this.#echo(message);
    else if (message.type === 'bye') this.#forget(this.#links.get(message.link));
    else this.#request(message);
  }

  #echo({ gateway, atMs }: Extract<LinkRequest, { type: 'ping' }>): void {
    const { bus, id } = this.#options;
    bus.publish(SUBJECT.link(gateway, linkOf(id, PING)), encode({ type: 'pong', atMs } satisfies LinkReply));
  }

  /** The known link of this id, or a new one that is not added yet. */
  #linkOf(id: string, gateway: string): GatewayLink {
    const nowMs = this.#clock.now();
    const link = this.#links.get(id) ?? new GatewayLink({ id, gateway, bus: this.#options.bus, nowMs });
    link.heard(nowMs);
    return link;
  }

  #request({ v: _v, link: linkId, gateway, n, ...request }: Extract<LinkRequest, { n: number }>): void {
    const link = this.#linkOf(linkId, gateway);
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
      // A gateway that begins a new link has given up its earlier one.
      for (const other of this.#links) if (other.gateway === gateway) this.#forget(other);
      this.#links.add(link);
    }
    try {
      this.#toEngine(request, link);
    } catch {
      this.#lose(link, 'The engine is not ready.', false);
    }
  }

  #toEngine(request: LinkJobRequest, link: GatewayLink): void {
    if (!this.#links.isWorking) this.#engineHeardMs = this.#clock.now();
    if (request.type === 'job') {
      this.#engine.send({ ...request, job: { ...request.job, id: engineId(link, request.job.id) } });
      this.#links.began(link, request.job.id);
      return;
    }
    const id = engineId(link, request.id);
    if (!this.#links.hasJob(id)) return;
    this.#links.requested(id, request.type);
    this.#engine.send({ ...request, id });
  }

  /** Where the broker does not take a reply, its segment fails, and nothing else does. */
  #reply(link: GatewayLink, jobId: string, reply: JobReply): void {
    try {
      link.send(jobId, reply, this.#links.steps(link));
    } catch (cause) {
      this.#options.log.error({ err: cause }, 'a message could not be sent to a gateway');
      const message = cause instanceof TtsError ? cause.message : 'What the engine said could not be sent.';
      const failed: JobReply = { type: 'error', id: jobId, code: 'synthesis_failed', message };
      link.send(jobId, failed, this.#links.steps(link));
      this.#cancel(engineId(link, jobId));
    }
  }

  /** No gateway wants the job any more; what the engine still replies is dropped. */
  #cancel(id: string): void {
    this.#links.orphan(id);
    try {
      this.#engine.send({ type: 'cancel', id });
    } catch {
      this.#links.loseJob(id);
    }
  }

  /** Tells the gateway that the link is lost, and drops its jobs. */
  #lose(link: GatewayLink, why: string, engine: boolean): void {
    link.sendLost(why, engine);
    this.#forget(link);
  }

  #forget(link: GatewayLink | undefined): void {
    if (link === undefined) return;
    for (const id of this.#links.delete(link)) this.#cancel(id);
    this.#ended.notify();
  }

  #receiveBeat({ link: id, gateway, sent }: Extract<LinkRequest, { type: 'beat' }>): void {
    // On an unknown link, all messages before this one were lost.
    const link = this.#linkOf(id, gateway);
    if (this.#links.has(link) && link.numbers.reported(sent, link.heardMs)) return;
    this.#lose(link, 'A message to the worker was lost.', false);
  }

  /** A gateway reports that the engine stands still: it is ended if that is seen here, too. */
  #doubt(epoch: string, silentMs: number): void {
    if (epoch !== this.#announcer.epoch || this.#silentMs() < silentMs / 2) return;
    const silentS = Math.round((this.#clock.now() - this.#engineHeardMs) / 1000);
    this.#engine.killSilent(`had work and was silent for ${silentS} s`);
  }

  #beat(): void {
    const nowMs = this.#clock.now();
    // This process was stopped itself and received nothing.
    const stopped = nowMs - this.#beatMs > 2 * BEAT_MS;
    this.#beatMs = nowMs;
    if (this.#links.isWorking && nowMs - this.#engineHeardMs > LOOK_AFTER_MS)
      this.#engine.standstill.look(nowMs, 2 * BEAT_MS);
    this.#announcer.beat();
    for (const link of this.#links) {
      if (stopped) link.heard(nowMs);
      if (nowMs - link.heardMs > LINK_GONE_MS) this.#forget(link);
      else link.sendBeat(this.#links.steps(link), this.#silentMs());
    }
  }

  /** How long the engine stood still while it had work; all of its silence where it spins. */
  #silentMs(): number {
    if (!this.#links.isWorking) return 0;
    const { standstill } = this.#engine;
    const silentMs = this.#clock.now() - this.#engineHeardMs;
    return standstill.spins() ? silentMs : Math.min(silentMs, standstill.stillMs);
  }
}
