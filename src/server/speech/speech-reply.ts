/** The response of a request with a permit, until its last byte; its end gives the permit back. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayEvent } from '../../gateway/types.js';
import { samplesToMs } from '../../protocol/audio.js';
import { type ErrorCode, isAbort, TtsError } from '../../protocol/errors.js';
import type { ServerParts } from '../door.js';
import { breakOff, writeBody } from './audio-response.js';
import type { HeldAnswer } from './held-answer.js';
import type { Permit } from './permit.js';
import type { SpeechOrder } from './speech-order.js';
import type { SpokenInput } from './spoken-input.js';

/** Writes speech as the body of a response: the bytes of a format, or text that carries them. */
export interface SpeechBody {
  readonly contentType: string;
  /** What stands before everything. `bytes` of the rest are known for a buffered response. */
  head?(bytes?: number): Uint8Array;
  /** The bytes that this event completes; none where it completes none. */
  take(event: GatewayEvent): Uint8Array | Promise<Uint8Array>;
  /** What is left when all was spoken. */
  end(): Uint8Array | Promise<Uint8Array>;
  /**
   * After `end`, of a buffered response: bytes that overwrite its first ones, such as a header that
   * tells the length. Absent or undefined where the first ones stand.
   */
  settledHead?(): Uint8Array | undefined;
  /** Gives back what it holds. Called once, in every case. */
  close(): void;
}

/** An order whose text is all there, and how its audio is written. */
export interface HttpOrder extends SpeechOrder {
  readonly input: SpokenInput;
  /** Called once the request has its permit, so that one that is refused costs no encoder. */
  body(): SpeechBody | Promise<SpeechBody>;
  /** Fields that this request names in vain; the dialect adds those that it never uses. */
  readonly unused?: readonly string[];
  /** Headers of the response, whether it speaks or is refused a permit. */
  readonly headers?: Readonly<Record<string, string | number>>;
}

export interface SpeechReplyOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly order: HttpOrder;
  readonly permit: Permit;
  readonly parts: Pick<ServerParts, 'settings' | 'shutdown'>;
}

/** Codes that refuse a request after it got its permit; other failures end work that has begun. */
const REFUSALS: ReadonlySet<string> = new Set(['no_worker_ready', 'overloaded'] satisfies ErrorCode[]);

const NOTHING = new Uint8Array(0);

export class SpeechReply {
  readonly #options: SpeechReplyOptions;
  /** Aborts when the client has left or the permit was revoked. */
  readonly #signal: AbortSignal;
  readonly #openedMs = performance.now();
  #failure: unknown;
  /** Refused before a header was sent, as if it had never been accepted. */
  #refused = false;
  #samples = 0;
  /** Characters of segments whose audio was handed to the socket whole. */
  #deliveredChars = 0;
  /** The byte of a buffered response at which each segment ends. */
  readonly #marks: { readonly chars: number; endByte: number }[] = [];
  #firstMs = 0;

  constructor(options: SpeechReplyOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.request.exchange.signal, options.permit.revoked]);
  }

  async run(): Promise<FastifyReply> {
    const { reply, request, order, permit } = this.#options;
    const { exchange } = request;
    void exchange.ended.then((whole) => this.#end(whole));
    for (const { text } of order.turns ?? []) {
      permit.text.text(text);
      permit.text.flush();
    }
    if (order.turns === undefined) permit.text.text(order.input.text);
    permit.text.end();
    let body: SpeechBody | undefined;
    try {
      body = await order.body();
      if (permit.held === undefined) await this.#stream(body);
      else await this.#whole(body, permit.held);
    } catch (error) {
      // The client left: nobody to answer, and not a failure of ours.
      if (!exchange.signal.aborted || !isAbort(error)) this.#failure = error;
      this.#refused = !reply.raw.headersSent && error instanceof TtsError && REFUSALS.has(error.code);
      if (!reply.raw.headersSent && !exchange.signal.aborted) throw error;
      if (this.#failure !== undefined) request.log.error({ err: error }, 'speech broke off after it had begun');
      if (!reply.sent) reply.hijack();
      breakOff(reply.raw);
    } finally {
      body?.close();
    }
    return reply;
  }

  /** The head and the first bytes leave as one piece, the rest as it comes. */
  async #stream(body: SpeechBody): Promise<void> {
    const { permit } = this.#options;
    const chunks = this.#chunks(body);
    const first = await chunks.next();
    this.#begin(body, `queue;dur=${ms(permit.text.queueMs)}, first;dur=${ms(this.#firstMs)}`);
    const begin = first.done ? NOTHING : first.value;
    const head = body.head === undefined ? begin : Buffer.concat([body.head(), begin]);
    await this.#send(after(head, chunks));
  }

  async #whole(body: SpeechBody, held: HeldAnswer): Promise<void> {
    const { reply, permit, parts } = this.#options;
    for await (const chunk of this.#chunks(body)) {
      await held.append(chunk, this.#signal);
      this.#mark(held.madeBytes);
    }
    this.#mark(held.madeBytes);
    held.finish();
    const { queueMs, cutMs } = permit.text;
    const synthMs = performance.now() - this.#openedMs - cutMs - queueMs;
    const head = body.head?.(held.madeBytes) ?? NOTHING;
    reply.header('content-length', head.length + held.madeBytes);
    this.#begin(body, `queue;dur=${ms(queueMs)}, text;dur=${ms(cutMs)}, synth;dur=${ms(synthMs)}`);
    const audioMs = samplesToMs(this.#samples);
    // A reader at the speed of a listener has enough time; room held longer is missing to others.
    const made = held.read(audioMs, () => reply.raw.req.socket.destroy());
    await this.#send(
      after(head, overwritten(body.settledHead?.() ?? NOTHING, this.#whilePaid(made))),
      audioMs + parts.settings.stallTimeoutMs,
    );
  }

  /** A reader may take longer than the lease of the reservation lasts. */
  async *#whilePaid(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { admission } = this.#options.permit;
    for await (const chunk of chunks) {
      if (!admission.held) await admission.confirm();
      yield chunk;
    }
  }

  /** Marks the end of segments whose last bytes came: an encoder may have kept a frame of them. */
  #mark(endByte: number): void {
    for (let at = this.#marks.length - 1; this.#marks[at]?.endByte === Number.POSITIVE_INFINITY; at--) {
      this.#marks[at]!.endByte = endByte;
    }
  }

  async *#chunks(body: SpeechBody): AsyncGenerator<Uint8Array, void, undefined> {
    const { permit, request } = this.#options;
    for await (const event of permit.text.speak(this.#signal)) {
      if (event.type === 'segment-end') this.#spoke([...event.segment.text].length);
      if (event.type === 'audio') {
        if (this.#samples === 0) {
          this.#firstMs = performance.now() - request.exchange.arrivedMs;
          permit.firstAudio(this.#firstMs);
        }
        this.#samples += event.pcm.length;
      }
      if (permit.held === undefined && !permit.admission.held) await permit.admission.confirm();
      const bytes = await body.take(event);
      if (bytes.length > 0) yield bytes;
    }
    // A response that ends is debited: what was reserved for it must still be there.
    if (!permit.admission.held) await permit.admission.confirm();
    const rest = await body.end();
    if (rest.length > 0) yield rest;
  }

  #spoke(chars: number): void {
    if (this.#options.permit.held === undefined) this.#deliveredChars += chars;
    else this.#marks.push({ chars, endByte: Number.POSITIVE_INFINITY });
  }

  #begin(body: SpeechBody, timing: string): void {
    const { reply, order } = this.#options;
    reply.header('content-type', body.contentType);
    reply.header('x-usage-input-characters', order.input.chars);
    reply.header('server-timing', timing);
  }

  async #send(chunks: AsyncIterable<Uint8Array>, timeoutMs?: number): Promise<void> {
    const { reply, parts } = this.#options;
    const headers = reply.getHeaders();
    reply.hijack();
    reply.raw.writeHead(200, headers as Record<string, string>);
    const { stallTimeoutMs } = parts.settings;
    await writeBody(reply.raw, chunks, { stallTimeoutMs, timeoutMs, stop: parts.shutdown, signal: this.#signal });
  }

  #end(whole: boolean): void {
    const outcome = this.#failure !== undefined ? 'failed' : whole ? 'completed' : 'cancelled';
    const { permit } = this.#options;
    const sentBytes = permit.held?.sentBytes ?? 0;
    for (const { chars, endByte } of this.#marks) if (endByte <= sentBytes) this.#deliveredChars += chars;
    void permit.end({
      outcome: this.#refused ? 'refused' : outcome,
      audioMs: Math.round(samplesToMs(this.#samples)),
      deliveredChars: this.#deliveredChars,
      byClient: outcome === 'cancelled',
      error: this.#failure,
    });
  }
}

async function* after(head: Uint8Array, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* chunks;
}

/** The chunks with their first bytes replaced. */
async function* overwritten(head: Uint8Array, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of chunks) {
    const replaced = head.subarray(at, at + chunk.length);
    at += replaced.length;
    yield replaced.length === 0 ? chunk : Buffer.concat([replaced, chunk.subarray(replaced.length)]);
  }
}

const ms = (value: number): string => Math.max(0, value).toFixed(1);
