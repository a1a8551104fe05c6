/** Every failure of a request becomes one of the table's rows, in the one JSON shape. */
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { excerpt, publicError, TtsError } from '../protocol/errors.js';
import { errorBody } from '../protocol/http.js';
import { errorHeaders } from './speech/raw-response.js';

/** What Fastify itself can find wrong before a handler runs. */
const FRAMEWORK: Readonly<Record<string, (request: FastifyRequest) => TtsError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) => bodyTooLarge(routeOptions.bodyLimit),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedMediaType(),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new TtsError('invalid_value', 'The body is shorter or longer than its Content-Length.'),
  FST_ERR_BAD_URL: () => new TtsError('not_found', 'The path is not a valid URL.'),
};

export const bodyTooLarge = (limitBytes: number): TtsError =>
  new TtsError(
    'body_too_large',
    `The body is larger than ${limitBytes} bytes. Split long text at sentences into several requests.`,
  );
export const unsupportedMediaType = (): TtsError =>
  new TtsError('unsupported_media_type', 'The body must be JSON, with Content-Type: application/json.');

/** A validator's first complaint, as an error of the table. */
function fieldError([first]: readonly FastifySchemaValidationError[], context: string | undefined): TtsError {
  const where = context === 'querystring' ? 'query parameter' : 'field';
  const name = first?.instancePath.split('/')[1];
  if (first?.keyword === 'required') {
    const missing = String(first.params.missingProperty);
    return new TtsError('missing_field', `The ${where} "${missing}" is required.`, { param: missing });
  }
  if (first === undefined || name === undefined || name === '') {
    return new TtsError('invalid_type', 'The body must be a JSON object.');
  }
  if (first.keyword === 'type') {
    const article = first.params.type === 'boolean' ? 'true or false' : `a ${[first.params.type].flat().join(' or ')}`;
    return new TtsError('invalid_type', `The ${where} "${name}" must be ${article}.`, { param: name });
  }
  const { allowedValues } = first.params;
  const rule = Array.isArray(allowedValues) ? `must be one of: ${allowedValues.join(', ')}` : first.message;
  const code = name === 'model' ? 'model_not_found' : 'invalid_value';
  return new TtsError(code, `The ${where} "${name}" ${rule}.`, { param: name });
}

/** What Fastify threw, in the words of the table; anything else as it is. */
function known(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof TtsError) return error;
  const { code, validation, validationContext } = error as Partial<FastifyError>;
  if (validation !== undefined) return fieldError(validation, validationContext);
  return (code !== undefined && Object.hasOwn(FRAMEWORK, code) && FRAMEWORK[code]?.(request)) || error;
}

/** An error as a door answers it. */
interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}
export type ErrorShape = (error: TtsError, requestId: string) => ErrorAnswer;

/** The shape of `/v1`, and of every door without one of its own. */
export const defaultShape: ErrorShape = (error, requestId) => ({
  status: error.row.status,
  body: errorBody(error, requestId),
});

export type ErrorHandler = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;

export const createErrorHandler =
  (shape: ErrorShape): ErrorHandler =>
  (thrown, request, reply) => {
    const error = known(thrown, request);
    const wire = publicError(error);
    request.failure = wire;
    // Nobody is left to answer, and a client may leave when it likes.
    if (request.exchange?.signal.aborted) request.log.debug({ err: error }, 'the client left');
    else if (wire.row.status === 503) request.log.info({ code: wire.code }, 'turned away');
    else if (wire.row.status >= 500) request.log.error({ err: error, code: wire.code }, 'request failed');
    if (wire.row.status === 413) lingerOnClose(request, reply);
    const { status, body, headers = {} } = shape(wire, request.id);
    reply
      .code(status)
      .headers({ ...errorHeaders(wire), ...headers })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body));
  };

export const handleError = createErrorHandler(defaultShape);

/**
 * Reads and discards the body for a moment before the socket is closed: a connection closed while
 * its body still arrives is reset, and the reset overtakes the answer.
 */
function lingerOnClose(request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw;
  reply.header('connection', 'close');
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), 1_000);
    socket.once('close', () => clearTimeout(timer));
    request.raw.once('end', () => socket.destroy());
    request.raw.resume();
  };
}

/** `elsewhere` is a sentence on where such a path is served. */
export function notFound(request: FastifyRequest, elsewhere = ''): TtsError {
  const path = request.raw.url?.split('?', 1)[0] ?? '';
  return new TtsError(
    'not_found',
    `There is nothing at ${request.method} ${excerpt(path)}.${elsewhere} See /docs for what there is.`,
  );
}
