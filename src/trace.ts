/** Which trace a request belongs to, as W3C Trace Context says it: https://www.w3.org/TR/trace-context/. */

const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-.*)?$/;
const ZEROS = /^0+$/;

/** The trace's id in the header `traceparent`; undefined where there is none, or one that is not valid. */
export function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId = '', parentId = ''] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === '' || ZEROS.test(traceId) || ZEROS.test(parentId) ? undefined : traceId;
}
