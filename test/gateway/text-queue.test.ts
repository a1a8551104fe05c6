/** Text and flushes come out as they went in, and take little more than their characters. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextQueue } from '../../src/gateway/text-queue.js';

type Step = { add: string } | { flush: true } | { take: number };

describe('a queue of text', () => {
  it('gives back the text in order, with flushes where they were asked for', () => {
    const step = fc.oneof(
      fc.record({
        add: fc.oneof(
          fc.string({ maxLength: 9 }),
          fc.nat(3_000).map((units) => 'x'.repeat(units)),
        ),
      }),
      fc.constant<Step>({ flush: true }),
      fc.record({ take: fc.integer({ min: 1, max: 2_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new TextQueue();
        // A flush is written as a sign that no text holds; two in a row say no more than one.
        let expected = '';
        let given = '';
        const take = (units: number) => {
          const piece = queue.take(units);
          if (piece?.kind === 'text') expect(piece.text.length).toBeLessThanOrEqual(units);
          if (piece?.kind === 'flush') given += '\u{10ffff}';
          else if (piece?.kind === 'text') given += piece.text;
          return piece;
        };
        for (const one of steps) {
          if ('add' in one) {
            queue.add(one.add);
            expected += one.add;
          } else if ('flush' in one) {
            if (queue.flush()) expected += '\u{10ffff}';
          } else take(one.take);
        }
        queue.end();
        let last = take(256);
        while (last?.kind !== 'end') last = take(256);
        expect(given).toBe(expected);
        expect([queue.empty, queue.take()]).toEqual([true, undefined]);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps a hundred thousand letters with a flush behind each in a few bytes each', () => {
    const held: TextQueue[] = [];
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let i = 0; i < 10; i++) {
      const queue = new TextQueue();
      for (let n = 0; n < 100_000; n++) {
        queue.add(String.fromCharCode(97 + (n % 26)));
        queue.flush();
        queue.flush();
      }
      held.push(queue);
    }
    // Some ninety where each of them is an object.
    expect((heap() - before) / 1_000_000).toBeLessThan(25);
    expect(held[0]!.take()).toEqual({ kind: 'text', text: 'a' });
  });
});
