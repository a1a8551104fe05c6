/** Wyoming's events as bytes: cut anywhere, bounded, and as the protocol's own library makes them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser, encodeEvent, type WyomingEvent } from '../../src/wyoming/events.js';
import { pythonEvent } from '../support/wyoming-client.js';

const parse = (...parts: Buffer[]): WyomingEvent[] => {
  const parser = new EventParser();
  return parts.flatMap((part) => [...parser.push(part)]);
};

describe('the parser', () => {
  const bytes = Buffer.concat([
    pythonEvent('describe'),
    pythonEvent('synthesize', { text: 'Ümläute\nund “mehr”', voice: { name: 'x', speaker: null } }),
    pythonEvent('audio-chunk', { rate: 16_000, width: 2, channels: 1 }, Buffer.from('{"type":"describe"}\n')),
    Buffer.from('{"type": "synthesize-chunk", "data": {"text": "in the first line"}}\n'),
    Buffer.from(
      '{"type": "ping", "data": {"text": "below", "more": 1}, "data_length": 15}\n{"text": "on"} \n'.slice(0, -1),
    ),
    pythonEvent('synthesize-stop'),
  ]);
  const expected = [
    { type: 'describe', data: {} },
    { type: 'synthesize', data: { text: 'Ümläute\nund “mehr”', voice: { name: 'x', speaker: null } } },
    { type: 'audio-chunk', data: { rate: 16_000, width: 2, channels: 1 } },
    { type: 'synthesize-chunk', data: { text: 'in the first line' } },
    { type: 'ping', data: { text: 'on', more: 1 } },
    { type: 'synthesize-stop', data: {} },
  ];

  it('reads events however their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts, bytes.length].sort((a, b) => a - b);
        expect(parse(...at.slice(1).map((end, i) => bytes.subarray(at[i], end)))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
    expect(parse(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
  });

  it.each([
    ['no JSON', 'hello\n'],
    ['no object', '[1]\n'],
    ['no type', '{"data":{}}\n'],
    ['a length below zero', '{"type":"x","data_length":-1}\n'],
    ['a length that is no number', '{"type":"x","payload_length":"9"}\n'],
    ['data without end', '{"type":"x","data_length":99999999}\n'],
    ['data that is no object', '{"type":"x","data_length":2}\n[]'],
    ['a line without end', 'x'.repeat(70_000)],
  ])('refuses %s', (_, text) => {
    expect(() => parse(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'invalid_message' }));
  });

  it('reads what the encoder writes', () => {
    const payload = Buffer.from([1, 2, 3, 4]);
    expect(parse(encodeEvent('audio-chunk', { rate: 24_000 }, payload), encodeEvent('synthesize-stopped'))).toEqual([
      { type: 'audio-chunk', data: { rate: 24_000 } },
      { type: 'synthesize-stopped', data: {} },
    ]);
  });
});
