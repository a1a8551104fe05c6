/** Clients that flood, stall or vanish, workers that die, and a server that stops. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestServer, until } from '../../testkit/server.js';
import { END, SPACE, StreamClient, speak, startStreamServer } from './client.js';

describe('a session under pressure', () => {
  let server: TestServer;
  afterEach(() => server.close());

  it('ends a flood beyond 100,000 characters not yet spoken with text_too_long', async () => {
    server = await startStreamServer({ sine: { pace: 1 } });
    const client = await StreamClient.open(server);
    const sentence = `${'word '.repeat(200)}end. `;
    for (let chars = 0; chars <= 110_000; chars += sentence.length) client.say(sentence);
    expect(await client.ended()).toMatchObject({ error: 'text_too_long', code: 1008, final: false });
    await until(async () => (await server.ledger()).length === 1 && server.gateway.stats.runningSegments === 0);
    expect(await server.balance(server.partner.id)).toEqual({ credits: 1_000_000, reserved: 0 });
  });

  it('speaks far more than 100,000 characters in one session where they come at the pace of its audio', async () => {
    server = await startStreamServer({ sine: { msPerChar: 1 } });
    const client = await StreamClient.open(server);
    const message = 'This is a sentence that is spoken quickly. '.repeat(620);
    let sent = 0;
    for (let i = 0; i < 4; i++) {
      client.send({ text: message, flush: true });
      sent += message.length;
      // 48 bytes a character that is no space.
      await client.untilAudio(sent * 48 * 0.8);
    }
    expect(await client.finish()).toMatchObject({ code: 1000, final: true });
    expect((await server.ledger())[0]).toMatchObject({ characters: sent - 1, credits: sent - 1 });
  });

  it('pauses the synthesis of a client that does not read, and finishes when it does', async () => {
    server = await startStreamServer({ sine: { msPerChar: 100 } });
    const client = await StreamClient.open(server);
    const text = 'A sentence that makes four seconds of audio. '.repeat(120);
    client.socket.pause();
    client.say(text);
    client.send(END);
    let jobs = -1;
    await until(async () => {
      const before = jobs;
      await sleep(300);
      jobs = server.worker.jobs.length;
      return jobs === before && jobs > 0;
    });
    // The operating system's own buffers take some megabytes before anybody notices.
    expect(jobs).toBeLessThan(100);
    client.socket.resume();
    expect(await client.ended()).toMatchObject({ code: 1000, final: true });
    expect(server.worker.jobs.length).toBeGreaterThan(jobs);
  });

  it('hears nothing of a worker that died before its segment was heard', async () => {
    server = await startStreamServer({ sine: { delayMs: 300 } });
    const client = await StreamClient.open(server);
    client.say('This is a sentence. And this is the next one. ');
    client.send(END);
    await until(() => server.worker.running > 0);
    server.worker.setState('dead');
    server.worker.setState('ready');
    const { audio, code, final } = await client.ended();
    expect({ code, final }).toEqual({ code: 1000, final: true });
    expect(audio.equals(await speak(server, ['This is a sentence. And this is the next one. ']))).toBe(true);
  });

  it('hears on to the byte when a worker died in the middle of what it heard', async () => {
    server = await startStreamServer({ sine: { pace: 4 } });
    const text = 'This is a sentence that takes a while to speak, surely.';
    const client = await StreamClient.open(server);
    client.say(text);
    client.send(END);
    await client.untilAudio();
    server.worker.setState('dead');
    server.worker.setState('ready');
    const { audio, code, final } = await client.ended();
    expect({ code, final }).toEqual({ code: 1000, final: true });
    expect(new Set(server.worker.jobs.map(({ id }) => id)).size).toBeLessThan(server.worker.jobs.length);
    expect(audio.equals(await speak(server, [text]))).toBe(true);
  });

  it('is told when a worker died in the middle of what it heard and none comes', async () => {
    server = await startStreamServer({ sine: { pace: 1 }, gateway: { deadPatienceMs: 200 } });
    const client = await StreamClient.open(server);
    client.send({ text: 'This is a sentence that takes a while to speak, surely.', flush: true });
    await client.untilAudio();
    server.worker.setState('dead');
    expect(await client.ended()).toMatchObject({ error: 'overloaded', code: 1013, final: false });
    await until(async () => (await server.ledger()).length === 1);
    expect((await server.ledger())[0]).toMatchObject({ credits: 0, outcome: 'failed' });
  });

  it('is told to come back where no engine comes up in bounded time', async () => {
    server = await startStreamServer({ gateway: { deadPatienceMs: 200 } });
    const client = await StreamClient.open(server);
    server.worker.setState('dead');
    client.send({ text: 'Hello.', flush: true });
    expect(await client.ended()).toMatchObject({ error: 'overloaded', code: 1013, final: false });
  });

  it('is closed by the protocol itself beyond 1 MiB and at broken UTF-8, and leaves nothing behind', async () => {
    server = await startStreamServer();
    const huge = await StreamClient.open(server);
    huge.socket.send('x'.repeat(1_048_577));
    expect(await huge.closed).toBe(1009);
    const broken = await StreamClient.open(server);
    broken.socket.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary: false });
    expect(await broken.closed).toBe(1007);
    await until(async () => (await server.ledger()).length === 2);
    expect(server.gateway.stats.open).toBe(0);
    expect((await server.ledger()).map((row) => [row.credits, row.outcome])).toEqual([
      [0, 'cancelled'],
      [0, 'cancelled'],
    ]);
  });

  it('does not outlive a peer that vanished without a word', async () => {
    server = await startStreamServer({ settings: { heartbeat: { intervalMs: 50, timeoutMs: 200 } } });
    const client = await StreamClient.open(server, { client: { autoPong: false } });
    await until(() => server.accounts.active === 1);
    expect(await client.closed).toBe(1006);
    await until(() => server.accounts.active === 0 && server.gateway.stats.open === 0);
  });

  describe('when the server stops', () => {
    it('turns away sessions without text, finishes those with, and drains', async () => {
      server = await startStreamServer({ sine: { pace: 4 } });
      const fresh = await StreamClient.connect(server);
      const idle = await StreamClient.open(server);
      const busy = await StreamClient.open(server);
      busy.say('This session has begun. It wants to say more. ');
      await busy.untilAudio();
      server.shutdown.abort();
      let drained = false;
      const draining = server.upgrades!.drained().then(() => {
        drained = true;
      });
      for (const client of [fresh, idle]) {
        expect(await client.ended()).toMatchObject({ error: 'shutting_down', code: 1012, final: false });
      }
      expect(drained).toBe(false);
      busy.say('And it still may.');
      const { audio, code, final } = await busy.finish();
      expect({ code, final }).toEqual({ code: 1000, final: true });
      expect(audio.length).toBeGreaterThan(0);
      await draining;
      expect((await server.ledger()).filter((row) => row.outcome === 'completed')).toHaveLength(1);
    });

    it('ends what is left with shutting_down and 1012, and debits nothing for it', async () => {
      server = await startStreamServer({ sine: { pace: 1 } });
      const client = await StreamClient.open(server);
      client.send({ text: 'This session takes longer than the server waits for it.', flush: true });
      await client.untilAudio();
      server.shutdown.abort();
      server.upgrades!.terminate();
      expect(await client.ended()).toMatchObject({ error: 'shutting_down', code: 1012, final: false });
      await server.upgrades!.drained();
      expect((await server.ledger())[0]).toMatchObject({ credits: 0, outcome: 'failed' });
      client.send(SPACE);
    });
  });
});
