/** What agents say on this machine is heard, one speech after the other, and falls silent at once. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPulse, type SoundCard, startSoundCard } from '../../testkit/sound/pulse.js';
import { makeHome } from '../support/processes/tts.js';

const TTS = path.resolve(import.meta.dirname, '../../bin/tts.js');

describe.skipIf(!hasPulse())('tts mcp', { retry: 2 }, () => {
  const home = makeHome();
  const client = new Client({ name: 'test', version: '1' });
  let card: SoundCard;
  beforeAll(async () => {
    card = await startSoundCard();
    const env = { ...home.env, ...card.env, TTS_SINE_OPTIONS: '{"msPerChar":30}' };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [TTS, 'mcp'], env, stderr: 'ignore' }) as never,
    );
  });
  afterAll(async () => {
    await client.close();
    await card.close();
    home.remove();
  });

  const speak = (text: string, options = {}) =>
    client.callTool({ name: 'speak', arguments: { text } }, undefined, options);
  const soundMs = (samples: Int16Array) => samples.filter((sample) => sample !== 0).length / 24;

  it('plays two speeches of an agent one after the other', async () => {
    const recorder = await card.record();
    const both = await Promise.all([speak('Hello there.'), speak('Hello again.')]);
    for (const { content } of both) {
      expect(content).toMatchObject([{ text: expect.stringMatching(/^Played 0\.\d s/) }, { type: 'resource_link' }]);
    }
    const madeMs = both.reduce(
      (sum, { content }) => sum + 1000 * Number(/([\d.]+) s/.exec((content as { text: string }[])[0]!.text)![1]),
      0,
    );
    // Over each other they would be as long as one.
    expect(soundMs(await recorder.stop())).toBeGreaterThan(madeMs * 0.6);
  });

  it('falls silent when the agent cancels, and speaks again', async () => {
    const recorder = await card.record();
    const stop = new AbortController();
    const text = 'This sentence is long enough to be cancelled while it is heard. '.repeat(8);
    const options = { signal: stop.signal, onprogress: () => stop.abort() };
    await expect(speak(text, options)).rejects.toThrow();
    expect(await speak('Here again.')).toMatchObject({ content: [{ text: expect.stringMatching(/^Played/) }, {}] });
    expect(soundMs(await recorder.stop())).toBeLessThan(text.length * 30 * 0.7);
  });
});
