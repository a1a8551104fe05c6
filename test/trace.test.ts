/** What is made of a caller's `traceparent` where no spans are recorded. */
import { afterEach, describe, expect, it } from 'vitest';
import { beginSpan, NO_SPAN, recordSpans, traceEndpoint } from '../src/trace.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const HEADER = `00-${TRACE}-${PARENT}-01`;
const SPAN = { name: 'door' };

describe('a trace', () => {
  afterEach(() => recordSpans(undefined));

  it('is the one span that does nothing where the caller names none, down to every part of it', () => {
    const span = beginSpan(undefined, SPAN);
    expect(span).toBe(NO_SPAN);
    expect(span.child('queue').child('segment')).toBe(NO_SPAN);
  });

  it('is carried on as it came, its parts as well', () => {
    const span = beginSpan(HEADER, SPAN).child('speech').child('segment');
    expect([span.traceId, span.traceparent]).toEqual([TRACE, HEADER]);
    // Of a later version only the beginning is known.
    expect(beginSpan(`01-${TRACE}-${PARENT}-01-more`, SPAN).traceparent).toBe(`01-${TRACE}-${PARENT}-01`);
  });

  it.each([
    '',
    'nothing',
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01\n`,
  ])('is none where the header is not valid: %j', (header) => {
    expect(beginSpan(header, SPAN)).toBe(NO_SPAN);
  });

  it('begins with the caller as its parent where spans are recorded, and without one where none is named', () => {
    const begun: unknown[] = [];
    recordSpans((span, parent) => {
      begun.push([span.name, parent]);
      return NO_SPAN;
    });
    beginSpan(HEADER, SPAN);
    beginSpan(undefined, SPAN);
    const parent = { traceId: TRACE, spanId: PARENT, flags: 1 };
    expect(begun).toEqual([
      ['door', parent],
      ['door', undefined],
    ]);
  });

  it('goes where the variables of OpenTelemetry say, or nowhere', () => {
    const endpoint = 'http://127.0.0.1:4318';
    expect(traceEndpoint({})).toBeUndefined();
    expect(traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
    expect(traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toBe(endpoint);
    expect(traceEndpoint({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint })).toBe(endpoint);
    expect(traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  });
});
