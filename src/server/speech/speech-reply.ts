/** One accepted request until its last byte: speaks, sends, and gives back what it held when the response has ended. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayEvent } from '../../gateway/types.js';
import { samplesToMs } from '../../protocol/audio.js';
import { type ErrorCode, isAbort, TtsError } from '../../protocol/errors.js';
import type { ServerSettings } from '../deps.js';
import { breakOff, writeBody } from './audio-response.js';
import type { Grant } from './grants.js';

/** What a response makes of speech: the bytes of a format, or messages that carry them. */
export interface SpeechBody {
  readonly contentType: string;
  /** What stands before everything; `bytes` of the rest are known where it is sent as a whole. */
  head?(bytes?: number): Uint8Array;
  /** The bytes that this event completes; none where it completes none. */
  take(event: GatewayEvent): Uint8Array | Promise<Uint8Array>;
  /** What is left when all was spoken. */
  end(): Uint8Array;
  /** Gives back what it holds. Called once, in every case. */
  close(): void;
}

export interface SpeechReplyOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly text: string;
  readonly chars: number;
  /** Sent as it is made, or when all of it is. */
  readonly stream: boolean;
  /** Made once the request was granted, so that one that is turned away costs no codec. */
  readonly body: () => SpeechBody | Promise<SpeechBody>;
  readonly grant: Grant;
  readonly settings: Pick<ServerSettings, 'stallTimeoutMs'>;
  /** Aborts when the server stops. */
  readonly stop: AbortSignal;
}

/** What turns a request away that had a place already; a stop breaks off what was begun. */
const REFUSALS: ReadonlySet<string> = new Set(['no_worker_ready', 'overloaded'] satisfies ErrorCode[]);

const NOTHING = new Uint8Array(0);

export class SpeechReply {
  readonly #options: SpeechReplyOptions;
  /** Aborts when nobody may or will hear the rest. */
  readonly #signal: AbortSignal;
  readonly #openedMs = performance.now();
  #failure: unknown;
  /** Turned away before a header was sent: as if it had never been accepted. */
  #refused = false;
  #samples = 0;
  /** Characters of segments that were handed over whole: of a stream, what is pulled next was preceded by a write of it. */
  #deliveredChars = 0;
  /** Of a buffered response: after how many bytes a segment has been handed over. */
  readonly #marks: { readonly chars: number; endByte: number }[] = [];
  #firstMs = 0;

  constructor(options: SpeechReplyOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.request.exchange.signal, options.grant.revoked]);
  }

  async run(): Promise<FastifyReply> {
    const { reply, request, text, stream, grant } = this.#options;
    const { exchange } = request;
    void exchange.ended.then((whole) => this.#end(whole));
    grant.text.text(text);
    grant.text.end();
    let body: SpeechBody | undefined;
    try {
      body = await this.#options.body();
      if (stream) await this.#stream(body);
      else await this.#whole(body);
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
    const { grant } = this.#options;
    const chunks = this.#chunks(body);
    const first = await chunks.next();
    this.#begin(body, `queue;dur=${ms(grant.text.queueMs)}, first;dur=${ms(this.#firstMs)}`);
    const begin = first.done ? NOTHING : first.value;
    const head = body.head === undefined ? begin : Buffer.concat([body.head(), begin]);
    await this.#send(after(head, chunks));
  }

  async #whole(body: SpeechBody): Promise<void> {
    const { reply, grant, settings } = this.#options;
    const held = grant.held!;
    for await (const chunk of this.#chunks(body)) {
      await held.append(chunk, this.#signal);
      this.#mark(held.madeBytes);
    }
    this.#mark(held.madeBytes);
    held.finish();
    held.onCut = () => reply.raw.req.socket.destroy();
    const { queueMs, cutMs } = grant.text;
    const synthMs = performance.now() - this.#openedMs - cutMs - queueMs;
    const head = body.head?.(held.madeBytes) ?? NOTHING;
    reply.header('content-length', head.length + held.madeBytes);
    this.#begin(body, `queue;dur=${ms(queueMs)}, text;dur=${ms(cutMs)}, synth;dur=${ms(synthMs)}`);
    const audioMs = samplesToMs(this.#samples);
    // A reader that takes it as slowly as it is heard has time enough; what is held longer is missing to others.
    await this.#send(after(head, this.#whilePaid(held.read(audioMs))), audioMs + settings.stallTimeoutMs);
  }

  /** A reader may take longer than the lease lasts. */
  async *#whilePaid(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { admission } = this.#options.grant;
    for await (const chunk of chunks) {
      if (!admission.held) await admission.confirm();
      yield chunk;
    }
  }

  /** Segments that ended before the last bytes came: an encoder may have kept a frame of them until then. */
  #mark(endByte: number): void {
    for (let at = this.#marks.length - 1; this.#marks[at]?.endByte === Number.POSITIVE_INFINITY; at--) {
      this.#marks[at]!.endByte = endByte;
    }
  }

  async *#chunks(body: SpeechBody): AsyncGenerator<Uint8Array, void, undefined> {
    const { grant, request, stream } = this.#options;
    for await (const event of grant.text.speak(this.#signal)) {
      if (event.type === 'segment-end') this.#spoke([...event.segment.text].length);
      if (event.type === 'audio') {
        if (this.#samples === 0) {
          this.#firstMs = performance.now() - request.exchange.arrivedMs;
          grant.heardFirst(this.#firstMs);
        }
        this.#samples += event.pcm.length;
      }
      if (stream && !grant.admission.held) await grant.admission.confirm();
      const bytes = await body.take(event);
      if (bytes.length > 0) yield bytes;
    }
    // A response that ends is debited: what was reserved for it must still be there.
    if (!grant.admission.held) await grant.admission.confirm();
    const rest = body.end();
    if (rest.length > 0) yield rest;
  }

  #spoke(chars: number): void {
    if (this.#options.stream) this.#deliveredChars += chars;
    else this.#marks.push({ chars, endByte: Number.POSITIVE_INFINITY });
  }

  #begin(body: SpeechBody, timing: string): void {
    const { reply, chars } = this.#options;
    reply.header('content-type', body.contentType);
    reply.header('x-usage-input-characters', chars);
    reply.header('server-timing', timing);
  }

  async #send(chunks: AsyncIterable<Uint8Array>, timeoutMs?: number): Promise<void> {
    const { reply, settings, stop } = this.#options;
    const headers = reply.getHeaders();
    reply.hijack();
    reply.raw.writeHead(200, headers as Record<string, string>);
    const { stallTimeoutMs } = settings;
    await writeBody(reply.raw, chunks, { stallTimeoutMs, timeoutMs, stop, signal: this.#signal });
  }

  #end(whole: boolean): void {
    const outcome = this.#failure !== undefined ? 'failed' : whole ? 'completed' : 'cancelled';
    const { grant } = this.#options;
    const sentBytes = grant.held?.sentBytes ?? 0;
    for (const { chars, endByte } of this.#marks) if (endByte <= sentBytes) this.#deliveredChars += chars;
    void grant.end({
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

const ms = (value: number): string => Math.max(0, value).toFixed(1);
