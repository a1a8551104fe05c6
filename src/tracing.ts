/**
 * Records spans with OpenTelemetry and exports them over OTLP. Loaded only where an endpoint is
 * configured.
 */
import {
  type Attributes,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { recordSpans, type SpanAttributes, type TraceSpan } from './trace.js';

export interface TracingOptions {
  /** The service's name where `OTEL_SERVICE_NAME` is not set. */
  readonly service: string;
  readonly version?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Longest delay until spans are exported, in batches. */
  readonly exportEveryMs?: number;
  /** Called when an export fails. */
  readonly onTrouble: (message: string) => void;
}

const EXPORT_EVERY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;

/** The specification's samplers. Absent: every request is sampled. */
function samplerOf(name = 'parentbased_always_on', arg = '1'): Sampler {
  const ratio = Number(arg);
  const root = (plain: string): Sampler => {
    if (plain === 'always_off') return new AlwaysOffSampler();
    if (plain === 'traceidratio') return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
    return new AlwaysOnSampler();
  };
  const [, parentBased, plain = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  return parentBased === undefined ? root(plain) : new ParentBasedSampler({ root: root(plain) });
}

/** Wall-clock time, so that spans and logs agree. */
const wallClock = (ms = performance.now()): number => performance.timeOrigin + ms;

const defined = (attributes: SpanAttributes = {}): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes;

/** Starts recording and export. The returned function exports what is left and stops. */
export function startTracing({
  service,
  version = '',
  env,
  exportEveryMs = EXPORT_EVERY_MS,
  onTrouble,
}: TracingOptions): () => Promise<void> {
  const told = (message: string) => onTrouble(message);
  diag.setLogger({ error: told, warn: told, info: told, debug: told, verbose: told }, DiagLogLevel.WARN);
  const named = detectResources({ detectors: [envDetector] });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
      .merge(named),
    sampler: samplerOf(env.OTEL_TRACES_SAMPLER || undefined, env.OTEL_TRACES_SAMPLER_ARG || undefined),
    spanProcessors: [
      // At most 2,048 spans wait; further ones are dropped.
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: exportEveryMs,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('selfhosted-tts', version);

  const begin = (
    name: string,
    kind: SpanKind,
    attributes: SpanAttributes | undefined,
    startMs: number | undefined,
    parent = ROOT_CONTEXT,
  ) => tracer.startSpan(name, { kind, attributes: defined(attributes), startTime: wallClock(startMs) }, parent);

  const recorded = (span: Span): TraceSpan => {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      child: (name, attributes, startMs) =>
        recorded(begin(name, SpanKind.INTERNAL, attributes, startMs, trace.setSpan(ROOT_CONTEXT, span))),
      set: (attributes) => void span.setAttributes(defined(attributes)),
      event: (name, attributes) => void span.addEvent(name, defined(attributes), wallClock()),
      end(error) {
        if (!span.isRecording()) return;
        if (error !== undefined) {
          span.setAttribute('error.type', error);
          span.setStatus({ code: SpanStatusCode.ERROR, message: error });
        }
        span.end(wallClock());
      },
    };
  };

  recordSpans(({ name, attributes, startMs }, parent) => {
    const remote = parent && {
      traceId: parent.traceId,
      spanId: parent.spanId,
      traceFlags: parent.flags & 1,
      isRemote: true,
    };
    const context = remote && trace.setSpanContext(ROOT_CONTEXT, remote);
    return recorded(begin(name, SpanKind.SERVER, attributes, startMs, context));
  });

  return async () => {
    recordSpans(undefined);
    await provider.shutdown();
    diag.disable();
  };
}
