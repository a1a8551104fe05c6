/** Waiting for something that others bring about. */
import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Condition } from '../src/condition.js';

it('wakes everybody who waits, and lets those go on whose wait is over', async () => {
  const changed = new Condition();
  let level = 0;
  const over: string[] = [];
  const waits = [
    changed.until(() => level >= 1).then(() => over.push('one')),
    changed.until(() => level >= 2).then(() => over.push('two')),
  ];
  changed.notify();
  await nextTurn();
  expect(over).toEqual([]);
  level = 1;
  changed.notify();
  await nextTurn();
  expect(over).toEqual(['one']);
  level = 2;
  changed.notify();
  await Promise.all(waits);
  expect(over).toEqual(['one', 'two']);
});

it('does not wait for what holds already, nor miss a change that comes while another waiter runs', async () => {
  const changed = new Condition();
  await changed.until(() => true);
  let count = 0;
  const first = changed
    .until(() => count > 0)
    .then(() => {
      count += 1;
      changed.notify();
    });
  const second = changed.until(() => count > 1);
  count = 1;
  changed.notify();
  await Promise.all([first, second]);
  expect(count).toBe(2);
});

it('ends a wait when its signal aborts, and leaves no listener behind', async () => {
  const changed = new Condition();
  const abort = new AbortController();
  const wait = changed.until(() => false, abort.signal);
  const others = changed.until(() => true, abort.signal);
  await others;
  expect(getEventListeners(abort.signal, 'abort').length).toBe(1);
  abort.abort(new Error('enough'));
  await expect(wait).rejects.toThrow('enough');
  expect(getEventListeners(abort.signal, 'abort').length).toBe(0);
  await expect(changed.until(() => true, abort.signal)).rejects.toThrow('enough');
});

it('passes on what the question throws', async () => {
  const changed = new Condition();
  let broken = false;
  const wait = changed.until(() => {
    if (broken) throw new Error('broken');
    return false;
  });
  broken = true;
  changed.notify();
  await expect(wait).rejects.toThrow('broken');
});
