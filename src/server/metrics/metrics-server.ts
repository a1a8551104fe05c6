/** /metrics on an address of its own, which only the operator can reach. */
import { createServer, type Server } from 'node:http';
import { TtsError } from '../../protocol/errors.js';
import { errorBody } from '../../protocol/http.js';
import { createHostCheck, originForm } from '../access/hosts.js';
import { requestIdFor } from '../request-id.js';
import type { Metrics } from './metrics.js';

export function buildMetricsServer(
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  allowedHosts: readonly string[] = [],
): Server {
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const refusal = checkHost(request);
    const isScrape = request.method === 'GET' && originForm(request.url).split('?', 1)[0] === '/metrics';
    if (isScrape && refusal === undefined) {
      const text = await metrics.text();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
      return;
    }
    const requestId = requestIdFor(request.headers);
    const error = refusal ?? new TtsError('not_found', 'This address answers GET /metrics and nothing else.');
    response.writeHead(error.row.status, {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId,
    });
    response.end(JSON.stringify(errorBody(error, requestId)));
  });
  const checkHost = createHostCheck(server, allowedHosts);
  return server;
}
