/** Traces of a server, where OpenTelemetry's environment variables say where they go. */
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { traceEndpoint } from '../../trace.js';
import { packageVersion } from '../version.js';

/** The exporter would say the same of every batch. */
const TROUBLE_EVERY_MS = 60_000;

/** Undefined, with nothing loaded, where no endpoint is named. The result exports what is left. */
export async function exportTraces(log: Logger): Promise<(() => Promise<void>) | undefined> {
  const endpoint = traceEndpoint(process.env);
  if (endpoint === undefined) return undefined;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
    throw new TtsError(
      'config_invalid',
      'OTEL_EXPORTER_OTLP_ENDPOINT must be the http:// or https:// address of an OTLP receiver, such as http://127.0.0.1:4318.',
    );
  }
  const protocol = process.env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || process.env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol && protocol !== 'http/protobuf') {
    const advice = 'set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf, and the endpoint to the port for it (4318)';
    log.warn({ protocol, advice }, 'traces are exported over http/protobuf alone');
  }
  const { startTracing } = await import('../../tracing.js');
  let toldAtMs = Number.NEGATIVE_INFINITY;
  const stop = startTracing({
    service: 'tts',
    version: packageVersion(),
    env: process.env,
    onTrouble(why) {
      if (performance.now() < toldAtMs + TROUBLE_EVERY_MS) return;
      toldAtMs = performance.now();
      log.warn({ why }, 'traces could not be exported');
    },
  });
  log.info({ endpoint: new URL(endpoint).host }, 'traces are exported');
  return stop;
}
