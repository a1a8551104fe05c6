/** Whose turn it is. */
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/gateway/queue.js';

const drain = (queue: FairQueue<string>) => {
  const order = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) order.push(item);
  return order;
};

describe('the queue', () => {
  it('gives owners turns, however much one of them has', () => {
    const queue = new FairQueue<string>();
    for (let i = 0; i < 4; i++) queue.push('greedy', { i }, `g${i}`);
    queue.push('modest', {}, 'm');
    expect(drain(queue)).toEqual(['g0', 'm', 'g1', 'g2', 'g3']);
  });

  it('gives the streams of one owner turns and keeps the order within a stream', () => {
    const queue = new FairQueue<string>();
    const [long, short] = [{}, {}];
    for (const item of ['l0', 'l1', 'l2']) queue.push('owner', long, item);
    queue.push('owner', short, 's0');
    expect(drain(queue)).toEqual(['l0', 's0', 'l1', 'l2']);
  });

  it('puts an item back at the very front, before its own later ones', () => {
    const queue = new FairQueue<string>();
    const stream = {};
    queue.push('other', {}, 'o');
    queue.push('owner', stream, 'second');
    queue.unshift('owner', stream, 'first');
    expect(queue.size).toBe(3);
    expect(drain(queue)).toEqual(['first', 'o', 'second']);
  });

  it('takes out what is not wanted any more', () => {
    const queue = new FairQueue<string>();
    const stream = {};
    queue.push('owner', stream, 'a');
    queue.push('owner', stream, 'b');
    expect(queue.remove('owner', stream, 'a')).toBe(true);
    expect(queue.remove('owner', stream, 'a')).toBe(false);
    expect([...queue]).toEqual(['b']);
    expect(queue.remove('owner', stream, 'b')).toBe(true);
    expect(queue.size).toBe(0);
    expect(queue.shift()).toBeUndefined();
  });
});
