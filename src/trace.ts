/**
 * The trace of a request (W3C Trace Context, https://www.w3.org/TR/trace-context/) and its spans.
 * Spans are recorded where `recordSpans` was given a recorder, which `tracing.ts` makes of
 * OpenTelemetry. Without a recorder the trace of a request is passed on, if it has one.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A timed part of a request. Times are of `performance.now`; absent, they are now. */
export interface TraceSpan {
  readonly traceId: string | undefined;
  /** The header that makes this span the parent of a span in another process. */
  readonly traceparent: string | undefined;
  child(name: string, attributes?: SpanAttributes, startMs?: number): TraceSpan;
  set(attributes: SpanAttributes): void;
  event(name: string, attributes?: SpanAttributes): void;
  /** Only the first call counts. `error` is an error code. */
  end(error?: string): void;
}

/** The caller's span from its header. */
interface RemoteParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

export interface RecordedSpan {
  readonly name: string;
  readonly attributes?: SpanAttributes | undefined;
  readonly startMs?: number | undefined;
}

/** Begins a span of another process's trace, or of a new one. */
export type SpanRecorder = (span: RecordedSpan, parent: RemoteParent | undefined) => TraceSpan;

const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const ZEROS = /^0+$/;
/** Longer headers are of a later version, whose beginning is the same. */
const TRACEPARENT_CHARS = 55;

/** Belongs to no trace. */
export const NO_SPAN: TraceSpan = {
  traceId: undefined,
  traceparent: undefined,
  child: () => NO_SPAN,
  set: () => undefined,
  event: () => undefined,
  end: () => undefined,
};

let recorder: SpanRecorder | undefined;

/** Sets the recorder; `undefined` records nothing. */
export function recordSpans(next: SpanRecorder | undefined): void {
  recorder = next;
}

/** Undefined where the header is absent or invalid: a new trace begins here. */
function parentOf(traceparent: string | readonly string[] | undefined): RemoteParent | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags!, 16) };
}

/** A trace that is only passed on: its spans here are the caller's. */
function carried(traceId: string, traceparent: string): TraceSpan {
  const span: TraceSpan = { ...NO_SPAN, traceId, traceparent, child: () => span };
  return span;
}

/** The span with which a request enters this process. `traceparent` is the header as it came. */
export function beginSpan(traceparent: string | readonly string[] | undefined, span: RecordedSpan): TraceSpan {
  if (recorder === undefined && traceparent === undefined) return NO_SPAN;
  const parent = parentOf(traceparent);
  if (recorder !== undefined) return recorder(span, parent);
  return parent === undefined ? NO_SPAN : carried(parent.traceId, (traceparent as string).slice(0, TRACEPARENT_CHARS));
}

/** The endpoint of OpenTelemetry's variables; undefined where there is none or it is disabled. */
export function traceEndpoint(env: NodeJS.ProcessEnv): string | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined;
}
