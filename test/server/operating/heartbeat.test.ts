/** Which peers a heartbeat gives up, on a clock that the test moves. */
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Heartbeat } from '../../../src/server/sockets/heartbeat.js';
import { VirtualClock } from '../../../testkit/virtual-clock.js';

/** The other end of a socket, which answers pings or does not. */
class Peer extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  pings = 0;
  terminated = false;
  constructor(readonly answers: boolean) {
    super();
  }
  ping(): void {
    this.pings += 1;
    if (this.answers) this.emit('pong');
  }
  terminate(): void {
    this.terminated = true;
    this.emit('close');
  }
}

function start() {
  const clock = new VirtualClock();
  const heartbeat = new Heartbeat({ intervalMs: 20_000, timeoutMs: 45_000 }, clock);
  const watch = (peer: Peer, behindMs = 0): Peer => {
    heartbeat.watch(peer, () => behindMs);
    return peer;
  };
  return { clock, heartbeat, watch };
}

describe('a heartbeat', () => {
  it('keeps a quiet peer that answers pings, and gives one up that does not', async () => {
    const { clock, watch } = start();
    const [quiet, gone] = [watch(new Peer(true)), watch(new Peer(false))];
    await clock.advance(40_000);
    expect([quiet.pings, gone.pings, gone.terminated]).toEqual([2, 2, false]);
    await clock.advance(20_000);
    expect(gone.terminated).toBe(true);
    await clock.advance(3_600_000);
    expect(quiet.terminated).toBe(false);
    expect(gone.pings).toBe(2);
  });

  it('takes a message for a sign of life', async () => {
    const { clock, watch } = start();
    const peer = watch(new Peer(false));
    for (let i = 0; i < 10; i++) {
      await clock.advance(30_000);
      peer.emit('message');
    }
    expect(peer.terminated).toBe(false);
    await clock.advance(70_000);
    expect(peer.terminated).toBe(true);
  });

  it('waits longer for a peer that has yet to read what was sent', async () => {
    const { clock, watch } = start();
    const peer = watch(new Peer(false), 60_000);
    await clock.advance(100_000);
    expect(peer.terminated).toBe(false);
    await clock.advance(20_000);
    expect(peer.terminated).toBe(true);
  });

  it('does not blame a peer for a time in which the server itself stood still', async () => {
    const { clock, watch } = start();
    const peer = watch(new Peer(true));
    clock.skip(600_000);
    await clock.advance(20_000);
    expect([peer.terminated, peer.pings]).toEqual([false, 2]);
  });

  it('asks nobody once it is stopped', async () => {
    const { clock, heartbeat, watch } = start();
    const peer = watch(new Peer(false));
    heartbeat.stop();
    await clock.advance(600_000);
    expect([peer.pings, clock.timers]).toEqual([0, 0]);
  });
});
