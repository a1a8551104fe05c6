/**
 * The trace a request belongs to (W3C Trace Context, https://www.w3.org/TR/trace-context/), and spans of it. Spans are recorded where
 * `recordSpans` was given a recorder, which `tracing.ts` makes out of OpenTelemetry. Without one a trace is only carried on: a request
 * that names none costs nothing, and one that does its header.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** One timed part of a request's way. Times are on the clock of `performance.now`; now where they are left out. */
export interface TraceSpan {
  readonly traceId: string | undefined;
  /** The header that makes this span the parent of what another process does. */
  readonly traceparent: string | undefined;
  child(name: string, attributes?: SpanAttributes, startMs?: number): TraceSpan;
  set(attributes: SpanAttributes): void;
  event(name: string, attributes?: SpanAttributes): void;
  /** The first end counts. `error` is the code of what went wrong. */
  end(error?: string): void;
}

/** The caller's span, as its header names it. */
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
/** Longer ones are of a later version, of which only the beginning is ours to know. */
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

/** Until it is called again: `undefined` records none. */
export function recordSpans(next: SpanRecorder | undefined): void {
  recorder = next;
}

/** Undefined where the header is not there or not valid: then a trace begins here. */
function parentOf(traceparent: string | readonly string[] | undefined): RemoteParent | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags!, 16) };
}

/** A trace that is only passed on: all of its spans here are the caller's own. */
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

/** Where OpenTelemetry's variables say that traces go; undefined where they name no endpoint, or switch all of it off. */
export function traceEndpoint(env: NodeJS.ProcessEnv): string | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined;
}
