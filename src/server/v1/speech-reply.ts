/** One accepted request until its last byte: speaks, sends, and gives back what it held when the response has ended. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pcmBytes, samplesToMs, WAV_HEADER_BYTES, wavHeader } from '../../protocol/audio.js';
import { type ErrorCode, isAbort, TtsError } from '../../protocol/errors.js';
import type { ServerSettings } from '../deps.js';
import type { Grant } from '../grants.js';
import { breakOff, writeBody } from './audio-response.js';
import type { SpokenRequest } from './speech-request.js';

export interface SpeechReplyOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly spoken: SpokenRequest;
  readonly grant: Grant;
  readonly settings: Pick<ServerSettings, 'stallTimeoutMs'>;
  /** Aborts when the server stops. */
  readonly stop: AbortSignal;
}

/** What turns a request away that had a place already; a stop breaks off what was begun. */
const REFUSALS: ReadonlySet<string> = new Set(['no_worker_ready', 'overloaded'] satisfies ErrorCode[]);

export class SpeechReply {
  readonly #options: SpeechReplyOptions;
  /** Aborts when nobody may or will hear the rest. */
  readonly #signal: AbortSignal;
  readonly #openedMs = performance.now();
  #failure: unknown;
  /** Turned away before a header was sent: as if it had never been accepted. */
  #refused = false;
  #samples = 0;
  /** Of segments whose audio was written whole: what is pulled next was preceded by a write of all before it. */
  #deliveredChars = 0;
  #firstMs = 0;

  constructor(options: SpeechReplyOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.request.exchange.signal, options.grant.revoked]);
  }

  async run(): Promise<FastifyReply> {
    const { reply, request, spoken, grant } = this.#options;
    const { exchange } = request;
    void exchange.ended.then((whole) => this.#end(whole));
    grant.text.text(spoken.text);
    grant.text.end();
    try {
      if (spoken.stream) await this.#stream();
      else await this.#whole();
    } catch (error) {
      // The client left: nobody to answer, and not a failure of ours.
      if (!exchange.signal.aborted || !isAbort(error)) this.#failure = error;
      this.#refused = !reply.raw.headersSent && error instanceof TtsError && REFUSALS.has(error.code);
      if (!reply.raw.headersSent && !exchange.signal.aborted) throw error;
      if (this.#failure !== undefined) request.log.error({ err: error }, 'speech broke off after it had begun');
      if (!reply.sent) reply.hijack();
      breakOff(reply.raw);
    }
    return reply;
  }

  /** The header of unknown length and the first samples leave as one piece, the rest as it comes. */
  async #stream(): Promise<void> {
    const { spoken, grant } = this.#options;
    const chunks = this.#pcm();
    const first = await chunks.next();
    this.#begin(`queue;dur=${ms(grant.text.queueMs)}, first;dur=${ms(this.#firstMs)}`);
    const begin = first.done ? Buffer.alloc(0) : first.value;
    const head = spoken.format === 'wav' ? Buffer.concat([wavHeader(), begin]) : begin;
    await this.#send(
      (async function* () {
        if (head.length > 0) yield head;
        yield* chunks;
      })(),
    );
  }

  async #whole(): Promise<void> {
    const { reply, spoken, grant, settings } = this.#options;
    const chunks: Buffer[] = [];
    let dataBytes = 0;
    for await (const chunk of this.#pcm()) {
      chunks.push(chunk);
      dataBytes += chunk.length;
      grant.held?.grow(dataBytes);
    }
    const { queueMs, cutMs } = grant.text;
    const synthMs = performance.now() - this.#openedMs - cutMs - queueMs;
    if (spoken.format === 'wav') chunks.unshift(wavHeader(dataBytes));
    reply.header('content-length', dataBytes + (spoken.format === 'wav' ? WAV_HEADER_BYTES : 0));
    this.#begin(`queue;dur=${ms(queueMs)}, text;dur=${ms(cutMs)}, synth;dur=${ms(synthMs)}`);
    // Whoever reads it as slowly as it is heard has time enough; what is held longer is missing to others.
    await this.#send(chunks, samplesToMs(this.#samples) + settings.stallTimeoutMs);
  }

  async *#pcm(): AsyncGenerator<Buffer, void, undefined> {
    const { grant, request, spoken } = this.#options;
    for await (const event of grant.text.speak(this.#signal)) {
      if (event.type === 'segment-end' && spoken.stream) this.#deliveredChars += [...event.segment.text].length;
      if (event.type !== 'audio') continue;
      if (this.#samples === 0) {
        this.#firstMs = performance.now() - request.exchange.arrivedMs;
        grant.heardFirst(this.#firstMs);
      }
      this.#samples += event.pcm.length;
      yield pcmBytes(event.pcm);
    }
  }

  #begin(timing: string): void {
    const { reply, spoken } = this.#options;
    reply.header('content-type', spoken.format === 'wav' ? 'audio/wav' : 'audio/pcm');
    reply.header('x-usage-input-characters', spoken.chars);
    reply.header('server-timing', timing);
  }

  async #send(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, timeoutMs?: number): Promise<void> {
    const { reply, settings, stop } = this.#options;
    const headers = reply.getHeaders();
    reply.hijack();
    reply.raw.writeHead(200, headers as Record<string, string>);
    const { stallTimeoutMs } = settings;
    await writeBody(reply.raw, chunks, { stallTimeoutMs, timeoutMs, stop, signal: this.#signal });
  }

  #end(whole: boolean): void {
    const outcome = this.#failure !== undefined ? 'failed' : whole ? 'completed' : 'cancelled';
    void this.#options.grant.end({
      outcome: this.#refused ? 'refused' : outcome,
      audioMs: Math.round(samplesToMs(this.#samples)),
      deliveredChars: this.#deliveredChars,
      byClient: outcome === 'cancelled',
    });
  }
}

const ms = (value: number): string => Math.max(0, value).toFixed(1);
