/**
 * A receiver of OTLP over HTTP that keeps every span it is sent, decoded with OpenTelemetry's
 * published definitions.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import root from 'otlp-definitions/build/src/generated/root.js';
import { until } from '../../../testkit/server.js';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty where it has none. */
  readonly parentId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly events: readonly string[];
  readonly failed: boolean;
}

interface Attribute {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
}

interface DecodedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: Attribute[];
  readonly events?: { readonly name: string }[];
  readonly status?: { readonly code?: string };
}

interface Decoded {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: Attribute[] };
    readonly scopeSpans: { readonly spans: DecodedSpan[] }[];
  }[];
}

const hex = (base64 = ''): string => Buffer.from(base64, 'base64').toString('hex');
const ms = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1000n) / 1000;
const valuesOf = (attributes: readonly Attribute[] = []) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );

/** As far as it is used here: the package's own types leave it open. */
interface MessageType {
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): unknown;
}
const definitions = root as unknown as {
  opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: MessageType } } } } };
};

function spansIn(body: Uint8Array): ReceivedSpan[] {
  const { ExportTraceServiceRequest: type } = definitions.opentelemetry.proto.collector.trace.v1;
  const decoded = type.toObject(type.decode(body), { longs: String, bytes: String, enums: String }) as Decoded;
  return decoded.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(valuesOf(resource.attributes)['service.name']),
        name: span.name,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentId: hex(span.parentSpanId),
        startMs: ms(span.startTimeUnixNano),
        endMs: ms(span.endTimeUnixNano),
        attributes: valuesOf(span.attributes),
        events: (span.events ?? []).map(({ name }) => name),
        failed: span.status?.code === 'STATUS_CODE_ERROR',
      })),
    ),
  );
}

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        if (request.url !== '/v1/traces') faults.push(`asked for ${request.url}`);
        spans.push(...spansIn(Buffer.concat(chunks)));
      } catch (error) {
        faults.push(String(error));
      }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** What came that was no export of spans. */
    faults,
    /** All spans of a trace, once those of these names are among them. */
    async trace(traceId: string, ...names: string[]): Promise<ReceivedSpan[]> {
      const found = () => spans.filter((span) => span.traceId === traceId);
      const missing = () => names.filter((name) => !found().some((span) => span.name === name));
      await until(() => missing().length === 0, `the spans ${names.join(', ')} of ${traceId}`).catch((error) => {
        throw new Error(`${error.message}; missing: ${missing().join(', ')}`);
      });
      return found();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
