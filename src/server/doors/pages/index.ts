/** The documentation: the guides of `docs/`, reference pages made from the schemas that validate, /openapi.json. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../error-handler.js';
import type { ForeignDoor } from '../../foreign-door.js';
import { prose } from '../../html-page.js';
import { PAGE_ROUTE } from '../../web-assets.js';
import { type OpenApi, referencePage } from './reference-page.js';
import { buildSite } from './site.js';
import { STREAM_INPUT_PAGE } from './stream-input-page.js';

/** Who speaks without a key, in the words that every page of /docs uses. */
const LOCAL_USER =
  "**The machine's own user.** Requests to `/v1` need a key, always. On a loopback address the playground, with its " +
  'tickets, and the commands beside a running server (`tts speak`) need none: they speak as the key `local`, which ' +
  'pays nothing, shows in the usage ledger (`tts usage --key local`) and in the dashboard as "this machine". ' +
  'Any other address, `--allowed-hosts` and `--web key` end that for the playground.';

const DESCRIPTION =
  'Text to speech: complete text over HTTP, text as it is written over a WebSocket, whose messages are described ' +
  'on [a page of their own](/docs/stream-input). Clients made for [OpenAI](/docs/openai) or ' +
  '[ElevenLabs](/docs/elevenlabs) have doors that speak as they do.\n\n' +
  LOCAL_USER;

/** Styles, fonts and pictures of this server; no scripts. */
const CSP = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ERRORS = '<a href="/docs/api#errors">Every error, and what to do about it.</a>';
const HTTP_INTRO =
  `<p>${prose('Also as `/openapi.json`. A request carries its key in `Authorization: Bearer KEY`.')} ${ERRORS}</p>`.replace(
    '<code>/openapi.json</code>',
    '<a href="/openapi.json"><code>/openapi.json</code></a>',
  );
const ADMIN_INTRO =
  '<p>What the dashboard and the playground use, for scripts as well: ' +
  `${prose('`Authorization: Bearer` and the admin secret for `/admin/v1`')} ` +
  `(<a href="/docs/operating#the-dashboard-and-its-secret">where it is</a>). ${ERRORS}</p><p>${prose(LOCAL_USER)}</p>`;

export interface PagesOptions {
  readonly doors: readonly ForeignDoor[];
  /** The playground and the dashboard are served beside the documentation. */
  readonly web: boolean;
}

/** Called on the application itself, not registered: Swagger has to see the routes of the other doors. */
export async function addPages(app: FastifyInstance, { doors, web }: PagesOptions): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'tts', version: 'v1', description: DESCRIPTION },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      tags: [
        { name: 'speech' },
        { name: 'admin' },
        { name: 'playground', description: LOCAL_USER },
        { name: 'operations' },
      ],
    },
  });
  app.get('/openapi.json', PAGE_ROUTE, async () => app.swagger());

  // Built at the first request: only then are all routes known.
  let site: ReadonlyMap<string, string> | undefined;
  const build = () => {
    const document = app.swagger() as OpenApi;
    return buildSite({
      reference: [
        ...referencePage(document, {
          name: 'reference',
          title: 'HTTP reference',
          intro: HTTP_INTRO,
          tags: ['speech', 'operations'],
        }),
        STREAM_INPUT_PAGE,
        ...doors.map(({ page }) => page),
        ...referencePage(document, {
          name: 'reference-admin',
          title: 'Admin reference',
          intro: ADMIN_INTRO,
          tags: ['admin', 'playground'],
        }),
      ],
      links: web
        ? [
            ['/', 'Playground'],
            ['/dashboard', 'Dashboard'],
          ]
        : [],
    });
  };
  const send = (name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    site ??= build();
    const html = site.get(name);
    if (html === undefined) throw notFound(request);
    return reply
      .headers({ 'content-security-policy': CSP, 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(html);
  };
  for (const address of ['/docs', '/docs/'])
    app.get(address, PAGE_ROUTE, async (request, reply) => send('', request, reply));
  app.get<{ Params: { name: string } }>('/docs/:name', PAGE_ROUTE, async (request, reply) =>
    send(request.params.name, request, reply),
  );
}
