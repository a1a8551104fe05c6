/**
 * /docs as a browser sees it: every page in the site's design, every link and anchor of it good.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings: { docs: true, web: 'auto' } });
});
afterAll(() => server.close());

const get = (path: string): Promise<Response> => fetch(`${server.baseUrl}${path}`);
const hrefs = (html: string): string[] => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!);

/** Every page that can be reached from /docs without leaving it, by its address. */
async function crawl(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const open = ['/docs'];
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    if (pages.has(address)) continue;
    const response = await get(address);
    expect(response.status, address).toBe(200);
    const html = await response.text();
    pages.set(address, html);
    for (const href of hrefs(html)) if (/^\/docs/.test(href)) open.push(href.replace(/#.*/, ''));
  }
  return pages;
}

describe('the documentation', () => {
  it('has guides and reference pages, with navigation on each and a way back to the playground', async () => {
    const pages = await crawl();
    for (const name of ['api', 'clients', 'commands', 'operating', 'glossary', 'reference', 'reference-admin'])
      expect([...pages.keys()]).toContain(`/docs/${name}`);
    for (const name of ['stream-input', 'openai', 'elevenlabs']) expect([...pages.keys()]).toContain(`/docs/${name}`);
    for (const [address, html] of pages) {
      expect(html, address).toContain('<a href="/">Playground</a>');
      expect(html.match(/aria-current="page"/g), address).toHaveLength(2);
      expect(html.match(/<h1/g), address).toHaveLength(1);
      expect(html, address).not.toMatch(/undefined|\[object|<script>|<!--(?:site|body|contents)-->/);
    }
  });

  it('has no link, asset or anchor that leads nowhere', async () => {
    const pages = await crawl();
    for (const [address, html] of pages) {
      for (const href of new Set(hrefs(html))) {
        if (/^https?:/.test(href)) continue;
        const [target, anchor] = href.split('#') as [string, string | undefined];
        const page = target === '' ? address : target;
        if (anchor !== undefined) expect(pages.get(page), `${address}: ${href}`).toContain(`id="${anchor}"`);
        else if (!pages.has(page)) expect((await get(page)).status, `${address}: ${href}`).toBe(200);
      }
    }
  });

  it('loads styles, fonts, pictures and scripts of this server alone, and none in the page', async () => {
    const page = await get('/docs/');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'/,
    );
    const html = await page.text();
    for (const asset of hrefs(html).filter((href) => href.startsWith('/assets/')))
      expect((await get(asset)).headers.get('cache-control')).toContain('immutable');
    expect(html).toContain('rel="stylesheet"');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc="\/assets\/)/);
  });

  it('shows every operation of the OpenAPI document, with its fields and an example', async () => {
    const document = (await (await get('/openapi.json')).json()) as { paths: Record<string, object> };
    const html = (await (await get('/docs/reference')).text()) + (await (await get('/docs/reference-admin')).text());
    for (const path of Object.keys(document.paths)) expect(html).toContain(`<code>${path}</code>`);
    expect(html).toContain('<code>response_format</code>');
    expect(html).toContain('<code>data[].display_name</code>');
    expect(html).toContain('{&quot;model&quot;:&quot;base-tts&quot;,&quot;input&quot;:&quot;Hello there.&quot;}');
    // Code of descriptions is code, not backticks.
    expect(html).toContain('<code>:free</code> selects Free access');
    expect(html.replace(/<pre[\s\S]*?<\/pre>/g, '').match(/.{0,40}`/g)).toBeNull();
  });

  it('loads its files compressed and once', async () => {
    const address = hrefs(await (await get('/docs')).text()).find((href) => href.endsWith('.css'))!;
    const plain = await fetch(server.baseUrl + address, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const style = await plain.text();
    for (const coding of ['br', 'gzip']) {
      const packed = await fetch(server.baseUrl + address, { headers: { 'accept-encoding': coding } });
      expect(packed.headers.get('content-encoding')).toBe(coding);
      expect(packed.headers.get('vary')).toMatch(/accept-encoding/i);
      expect(packed.headers.get('cache-control')).toContain('immutable');
      expect(await packed.text()).toBe(style);
    }
    // Without a cache-control of ours, fetch adds no-cache, which asks for the file itself.
    const again = {
      headers: {
        'accept-encoding': 'identity',
        'cache-control': 'max-age=0',
        'if-none-match': plain.headers.get('etag')!,
      },
    };
    expect((await fetch(server.baseUrl + address, again)).status).toBe(304);
    for (const path of ['/assets/', '/assets/..%2findex.html', '/assets/%2e%2e/docs.json', `${address}.br`])
      expect((await get(path)).status, path).toBe(404);
  });

  it('answers an unknown page with 404', async () => {
    expect((await get('/docs/nothing')).status).toBe(404);
  });

  it('stays without playground and dashboard, and leads to neither', async () => {
    const alone = await startTestServer({ settings: { docs: true, web: 'off' } });
    const page = await fetch(`${alone.baseUrl}/docs`);
    const html = await page.text();
    expect(hrefs(html).filter((href) => /^\/(?:dashboard|compare)?$/.test(href))).toEqual([]);
    const style = /rel="stylesheet"[^>]* href="([^"]+)"/.exec(html)![1]!;
    expect((await fetch(alone.baseUrl + style)).status).toBe(200);
    await alone.close();
  });
});
