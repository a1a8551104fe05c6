/** /client.js in a real browser, on a page of another origin that the operator allows. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testkit/server.js';
import { complaintsOf, hasChromium, launchBrowser } from '../support/browser/browser.js';

const listen = async (handler: RequestListener) => {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** What runs in the page is written as text: there are no types of a browser here. */
const PRELUDE = `
  const { createClient, createSpeechSynthesis } = await import(base + '/client.js');
  const client = createClient({ apiKey: key });
  const shim = createSpeechSynthesis(client);
  const ended = (utterance) => new Promise((resolve) => {
    utterance.addEventListener('end', resolve);
    utterance.addEventListener('error', resolve);
  });
  const EVENTS = ['start', 'pause', 'resume', 'boundary', 'end', 'error'];
  const logged = (utterance, log) => {
    for (const type of EVENTS) utterance.addEventListener(type, (event) => log.push(event));
    return utterance;
  };
`;

describe.skipIf(!hasChromium())('the client in a page of another site', () => {
  let server: TestServer;
  let site: { server: Server; origin: string };
  let stranger: { server: Server; origin: string };
  let browser: Browser;
  let page: Page | undefined;
  let complaints: string[];
  beforeAll(async () => {
    const html: RequestListener = (_request, response) => response.end('<!doctype html><title>A page</title>');
    site = await listen(html);
    stranger = await listen(html);
    server = await startTestServer({
      sine: { msPerChar: 40, pace: 20 },
      settings: { web: 'key', corsOrigins: [site.origin] },
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    site.server.close();
    stranger.server.close();
  });
  afterEach(() => page?.context().close());

  async function inPage(body: string, { key = server.partner.key, at = site.origin } = {}) {
    page = await (await browser.newContext()).newPage();
    complaints = complaintsOf(page);
    await page.goto(at);
    const told = await page.evaluate(
      `(async (base, key) => { const told = {}; ${PRELUDE} ${body} return told; })(${JSON.stringify(server.baseUrl)}, ${JSON.stringify(key)})`,
    );
    expect(complaints).toEqual([]);
    // biome-ignore lint/suspicious/noExplicitAny: whatever the page told.
    return told as any;
  }

  it('is a few kilobytes', async () => {
    const response = await fetch(`${server.baseUrl}/client.js`);
    expect(response.headers.get('content-type')).toMatch(/javascript; charset=utf-8$/);
    const text = await response.text();
    expect(text.length).toBeLessThan(16_000);
    expect(gzipSync(text).length).toBeLessThan(6_500);
  });

  it('says a text, with its words as they are heard', async () => {
    const told = await inPage(`
      told.voices = (await client.voices({ model: 'base-tts' })).length;
      const text = 'Words light up as they are heard.';
      const log = [];
      const speech = client.speak(text, { rate: 2 });
      speech.on('start', () => log.push('start'));
      speech.on('word', (word) => log.push(text.slice(word.charIndex, word.charIndex + word.charLength)));
      speech.on('end', () => log.push('end'));
      await speech.done;
      told.log = log;
    `);
    expect(told.voices).toBeGreaterThan(50);
    expect(told.log).toEqual(['start', 'Words', 'light', 'up', 'as', 'they', 'are', 'heard', 'end']);
  });

  it('stands in for speechSynthesis: voices, boundaries, pause and resume', async () => {
    const told = await inPage(`
      const uninstall = shim.install();
      if (speechSynthesis.getVoices().length === 0)
        await new Promise((resolve) => speechSynthesis.addEventListener('voiceschanged', resolve));
      const voice = speechSynthesis.getVoices().find(({ name }) => name === 'George');
      told.voice = { ...voice };
      const log = [];
      const utterance = logged(new SpeechSynthesisUtterance('One two three four.'), log);
      Object.assign(utterance, { voice, rate: 1.5, volume: 0.5 });
      told.handled = 0;
      utterance.onboundary = () => told.handled++;
      utterance.addEventListener('start', () => {
        speechSynthesis.pause();
        told.paused = speechSynthesis.paused;
        setTimeout(() => speechSynthesis.resume(), 300);
      });
      speechSynthesis.speak(utterance);
      told.speaking = speechSynthesis.speaking;
      await ended(utterance);
      told.after = { speaking: speechSynthesis.speaking, pending: speechSynthesis.pending, paused: speechSynthesis.paused };
      told.types = log.map(({ type }) => type);
      told.words = log.filter(({ type }) => type === 'boundary').map(({ name, charIndex, charLength }) =>
        [name, utterance.text.slice(charIndex, charIndex + charLength)]);
      told.elapsed = log.map(({ elapsedTime }) => elapsedTime);
      uninstall();
      told.native = String(speechSynthesis.constructor.name);
    `);
    expect(told.voice).toEqual({
      voiceURI: 'british_male_george',
      name: 'George',
      lang: 'en-GB',
      localService: false,
      default: false,
    });
    expect(told).toMatchObject({ speaking: true, paused: true, handled: 4 });
    expect(told.after).toEqual({ speaking: false, pending: false, paused: false });
    expect(told.types.filter((type: string) => type !== 'boundary')).toEqual(['start', 'pause', 'resume', 'end']);
    expect(told.words).toEqual([
      ['word', 'One'],
      ['word', 'two'],
      ['word', 'three'],
      ['word', 'four'],
    ]);
    expect(told.elapsed).toEqual([...told.elapsed].sort((a: number, b: number) => a - b));
    expect(told.native).toBe('SpeechSynthesis');
  });

  it('speaks one utterance after the other, and cancels them all', async () => {
    const told = await inPage(`
      const { speechSynthesis, SpeechSynthesisUtterance } = shim;
      const log = [];
      const [first, second, third] = ['The first.', 'The second is longer than that.', 'The third.'].map(
        (text) => logged(new SpeechSynthesisUtterance(text), log));
      for (const each of [first, second, third]) speechSynthesis.speak(each);
      told.pending = speechSynthesis.pending;
      second.onstart = () => speechSynthesis.cancel();
      await Promise.all([first, second, third].map(ended));
      told.log = log.filter(({ type }) => type !== 'boundary').map(({ type, utterance, error }) =>
        [type, utterance.text.split(/[ .]/)[1], ...(error ? [error] : [])]);
      const again = logged(new SpeechSynthesisUtterance('Again.'), []);
      speechSynthesis.speak(again);
      told.again = (await ended(again)).type;
    `);
    expect(told.pending).toBe(true);
    expect(told.log).toEqual([
      ['start', 'first'],
      ['end', 'first'],
      ['start', 'second'],
      ['error', 'second', 'interrupted'],
      ['error', 'third', 'canceled'],
    ]);
    expect(told.again).toBe('end');
  });

  it('tells errors as the Web Speech API does', async () => {
    const told = await inPage(`
      const errorOf = async (by, more = {}) => {
        const { speechSynthesis, SpeechSynthesisUtterance } = createSpeechSynthesis(by);
        const utterance = Object.assign(new SpeechSynthesisUtterance('Hello.'), more);
        speechSynthesis.speak(utterance);
        return (await ended(utterance)).error;
      };
      told.voice = await errorOf(client, { voice: { voiceURI: 'nobody' } });
      told.key = await errorOf(createClient({ apiKey: 'tts_wrong' }));
      told.server = await errorOf(createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: key }));
    `);
    expect(told).toEqual({ voice: 'voice-unavailable', key: 'not-allowed', server: 'network' });
  });

  it('cannot be loaded by a page whose origin nobody allowed', async () => {
    await expect(inPage('', { at: stranger.origin })).rejects.toThrow(/Failed to fetch dynamically imported module/);
  });
});
