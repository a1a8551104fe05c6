/** POST /v1/audio/speech: complete text in, audio out, whole or while it is made. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission, KeyRecord, Outcome, RateLimit } from '../../accounts/types.js';
import type { GatewayEvent, Speech } from '../../gateway/types.js';
import { pcmBytes, samplesToMs, WAV_HEADER_BYTES, wavHeader } from '../../protocol/audio.js';
import { type ErrorCode, isAbort, TtsError } from '../../protocol/errors.js';
import { ErrorResponse, MAX_BODY_BYTES, SPEECH_PATH, SpeechRequest } from '../../protocol/http.js';
import type { Segment } from '../../protocol/job.js';
import { Segmenter } from '../../text/segment.js';
import { breakOff, writeBody } from '../audio-response.js';
import type { Exchange } from '../connections.js';
import type { Authenticator, ServerDeps, ServerSettings } from '../deps.js';
import { bodyTooLarge, unsupportedMediaType } from '../error-handler.js';
import { ignoredFields, parseSpeechRequest, type SpeechTask } from '../speech-request.js';

interface Call {
  readonly arrivedMs: number;
  readonly exchange: Exchange;
  key: KeyRecord;
}

export interface SpeechParts {
  readonly auth: Authenticator;
  readonly settings: ServerSettings;
  /** Told of every settlement, so that a stopping server can wait for it. */
  readonly track: (settlement: Promise<void>) => void;
}

const PIECE_UNITS = 256;
/** What turns a request away that had a place already; a stop breaks off what was begun. */
const REFUSALS: ReadonlySet<string> = new Set(['no_worker_ready', 'overloaded'] satisfies ErrorCode[]);

const DESCRIPTION =
  'The audio is 24 kHz, 16-bit, mono. Check the status before treating the body as audio: a failure before the first ' +
  'sample is a JSON error; a failure after it breaks the connection, and what came is not the whole.';

/** Headers are checked one by one in the decided order: key, media type, size. The body is read after all of them. */
export function speechRoute(app: FastifyInstance, deps: ServerDeps, parts: SpeechParts): void {
  const { auth } = parts;
  const calls = new WeakMap<FastifyRequest, Call>();

  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) => {
    try {
      done(null, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer)));
    } catch (cause) {
      done(new TtsError('invalid_json', 'The body is not valid JSON in UTF-8.', { cause }));
    }
  });

  app.post<{ Body: SpeechRequest }>(
    SPEECH_PATH,
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        operationId: 'createSpeech',
        summary: 'Generate speech',
        description: DESCRIPTION,
        tags: ['speech'],
        security: [{ bearer: [] }],
        body: SpeechRequest,
        response: {
          200: {
            description: 'The audio',
            headers: {
              'x-usage-input-characters': { type: 'integer', description: 'Characters of the trimmed text' },
              'x-request-id': { type: 'string' },
            },
            content: {
              'audio/wav': { schema: { type: 'string', format: 'binary' } },
              'audio/pcm': { schema: { type: 'string', format: 'binary' } },
            },
          },
          '4xx': ErrorResponse,
          '5xx': ErrorResponse,
        },
      },
      onRequest: async (request, reply) => {
        const arrivedMs = performance.now();
        reply.header('server-timing', 'queue;dur=0, text;dur=0, synth;dur=0');
        const key = await auth.authenticate(request.raw);
        calls.set(request, { arrivedMs, exchange: request.exchange, key });
        checkHeaders(request);
      },
    },
    async (request, reply) => {
      const call = calls.get(request)!;
      const task = parseSpeechRequest(request.body, deps.catalogue);
      request.log.debug({ model: task.model, chars: task.chars, stream: task.stream }, 'speech request');
      const ignored = ignoredFields(request.body);
      if (ignored !== undefined) reply.header('x-ignored-fields', ignored);
      const { admission, speech } = await admit(deps, request, reply, call.key, task);
      return new SpeechReply(deps, parts, request, reply, call, task, admission, speech).run();
    },
  );
}

function checkHeaders({ headers }: FastifyRequest): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (type !== 'application/json' || encoding !== 'identity') throw unsupportedMediaType();
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
}

async function admit(
  { accounts, gateway }: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  key: KeyRecord,
  { model, base, voice, chars, stream }: SpeechTask,
): Promise<{ admission: Admission; speech: Speech }> {
  let admission: Admission;
  try {
    admission = await accounts.admit({ key, requestId: request.id, model, voice, chars });
  } catch (error) {
    if (error instanceof TtsError && error.code === 'daily_limit_exceeded') {
      const { retryAfterS: resetS = 0 } = error;
      reply.headers(rateLimitHeaders({ limit: accounts.limits.freeDaily, remaining: 0, resetS }));
    }
    throw error;
  }
  if (admission.rateLimit !== undefined) reply.headers(rateLimitHeaders(admission.rateLimit));
  try {
    const order = { model: base, voice, seed: 0, owner: key.id, requestId: request.id, whole: !stream };
    return { admission, speech: gateway.open(order) };
  } catch (error) {
    await admission.reject();
    throw error;
  }
}

/** One admitted request until its last byte: speaks, sends, and settles exactly once when the response has ended. */
class SpeechReply {
  #failure: unknown;
  /** Turned away before a header was sent: as if it had never been accepted. */
  #refused = false;
  #samples = 0;
  /** Of segments whose audio was written whole: what is pulled next was preceded by a write of all before it. */
  #deliveredChars = 0;
  #textMs = 0;
  #firstTextMs = 0;
  readonly #openedMs = performance.now();
  #firstMs = 0;

  constructor(
    private readonly deps: ServerDeps,
    private readonly parts: SpeechParts,
    private readonly request: FastifyRequest<{ Body: SpeechRequest }>,
    private readonly reply: FastifyReply,
    private readonly call: Call,
    private readonly task: SpeechTask,
    private readonly admission: Admission,
    private readonly speech: Speech,
  ) {
    const endSession = deps.metrics.session('speech', task.model);
    void call.exchange.ended.then((whole) => {
      speech.close();
      const outcome = this.#failure !== undefined ? 'failed' : whole ? 'completed' : 'cancelled';
      endSession({ outcome, chars: task.chars, deliveredChars: this.#deliveredChars });
      parts.track(this.#settle(outcome));
    });
  }

  async run(): Promise<FastifyReply> {
    const { reply, request, task } = this;
    try {
      const chunks = this.#pcm();
      if (task.stream) {
        const first = await chunks.next();
        this.#begin(`queue;dur=${ms(this.#queueMs())}, first;dur=${ms(this.#firstMs)}`);
        await this.#send(streamed(first, chunks, task.format));
      } else {
        const whole = [];
        for await (const chunk of chunks) whole.push(chunk);
        const synthMs = performance.now() - this.#openedMs - this.#textMs - this.#queueMs();
        const dataBytes = whole.reduce((sum, chunk) => sum + chunk.length, 0);
        if (task.format === 'wav') whole.unshift(wavHeader(dataBytes));
        reply.header('content-length', dataBytes + (task.format === 'wav' ? WAV_HEADER_BYTES : 0));
        this.#begin(`queue;dur=${ms(this.#queueMs())}, text;dur=${ms(this.#textMs)}, synth;dur=${ms(synthMs)}`);
        await this.#send(whole);
      }
    } catch (error) {
      // The client left: nobody to answer, and not a failure of ours.
      if (!this.call.exchange.signal.aborted || !isAbort(error)) this.#failure = error;
      this.#refused = !reply.raw.headersSent && error instanceof TtsError && REFUSALS.has(error.code);
      if (!reply.raw.headersSent && !this.call.exchange.signal.aborted) throw error;
      if (this.#failure !== undefined) request.log.error({ err: error }, 'speech broke off after it had begun');
      if (!reply.sent) reply.hijack();
      breakOff(reply.raw);
    }
    return reply;
  }

  async *#pcm(): AsyncGenerator<Buffer, void, undefined> {
    const events: AsyncIterable<GatewayEvent> = this.speech.speak(this.#segments(), this.call.exchange.signal);
    for await (const event of events) {
      if (event.type === 'segment-end' && this.task.stream) this.#deliveredChars += [...event.segment.text].length;
      if (event.type !== 'audio') continue;
      if (this.#samples === 0) this.#heardFirst();
      this.#samples += event.pcm.length;
      yield pcmBytes(event.pcm);
    }
  }

  /** Cut as they are wanted, so that the first is spoken while the rest of a long text has not been looked at. */
  async *#segments(): AsyncGenerator<Segment, void, undefined> {
    const { reader } = this.deps;
    const segmenter = new Segmenter({ countTokens: (text) => reader.countTokens(text) });
    const cut = (work: () => Segment[]): Segment[] => {
      const startMs = performance.now();
      const segments = work();
      this.#textMs += performance.now() - startMs;
      if (this.speech.queueMs === undefined) this.#firstTextMs = this.#textMs;
      return segments;
    };
    for (const piece of piecesOf(this.task.text)) yield* cut(() => segmenter.push(piece));
    yield* cut(() => segmenter.end());
  }

  #heardFirst(): void {
    this.#firstMs = performance.now() - this.call.arrivedMs;
    this.deps.metrics.firstAudio('speech', this.task.model, this.#firstMs / 1000);
  }

  #begin(timing: string): void {
    const { reply, task } = this;
    reply.header('content-type', task.format === 'wav' ? 'audio/wav' : 'audio/pcm');
    reply.header('x-usage-input-characters', task.chars);
    reply.header('server-timing', timing);
  }

  async #send(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const { reply, call, deps } = this;
    const { stallTimeoutMs } = this.parts.settings;
    const headers = reply.getHeaders();
    reply.hijack();
    reply.raw.writeHead(200, headers as Record<string, string>);
    await writeBody(reply.raw, chunks, { stallTimeoutMs, stop: deps.shutdown, signal: call.exchange.signal });
  }

  /** What was waited for a worker: from the place in the queue to the engine, less the cutting of the first segment. */
  #queueMs(): number {
    return Math.max(0, (this.speech.queueMs ?? 0) - this.#firstTextMs);
  }

  async #settle(outcome: Outcome): Promise<void> {
    const { admission, request, task } = this;
    const audioMs = Math.round(samplesToMs(this.#samples));
    const deliveredChars = outcome === 'completed' ? task.chars : this.#deliveredChars;
    try {
      if (outcome === 'completed') await admission.settle({ audioMs });
      else if (this.#refused) await admission.reject();
      else await admission.release(outcome, { audioMs, deliveredChars, byClient: outcome === 'cancelled' });
      const { model, voice, chars } = task;
      const firstMs = Math.round(this.#firstMs);
      request.log.info(
        { keyId: this.call.key.id, outcome, model, voice, chars, deliveredChars, audioMs, firstMs },
        'speech ended',
      );
    } catch (error) {
      // The reservation stays, and is returned when the store is opened again.
      request.log.error({ err: error, outcome }, 'a request could not be settled');
    }
  }
}

const rateLimitHeaders = ({ limit, remaining, resetS }: RateLimit) => ({
  'x-ratelimit-limit-requests': limit,
  'x-ratelimit-remaining-requests': remaining,
  'x-ratelimit-reset-requests': resetS,
});

const ms = (value: number): string => Math.max(0, value).toFixed(1);

/** In stretches of about a sentence or two, never between the halves of a character. */
function* piecesOf(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    let end = at + PIECE_UNITS;
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end++;
    yield text.slice(at, end);
    at = end;
  }
}

/** The header of unknown length and the first samples leave as one piece, the rest as it comes. */
async function* streamed(
  first: IteratorResult<Buffer, void>,
  rest: AsyncIterable<Buffer>,
  format: 'wav' | 'pcm',
): AsyncGenerator<Buffer, void, undefined> {
  const begin = first.done ? Buffer.alloc(0) : first.value;
  const head = format === 'wav' ? Buffer.concat([wavHeader(), begin]) : begin;
  if (head.length > 0) yield head;
  yield* rest;
}
