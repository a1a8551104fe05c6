/** The documentation: guides of `docs/`, reference pages made from the schemas, /openapi.json. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Door, ServerParts } from '../../door.js';
import { notFound } from '../../error-handler.js';
import { prose } from '../../html-page.js';
import { LOCAL_USER } from '../../openapi.js';
import { PAGE_ROUTE } from '../../web-assets.js';
import { type OpenApi, referencePage } from './reference-page.js';
import { buildSite } from './site.js';

/** Styles, fonts and pictures of this server, and the script of the theme. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
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

const REFERENCE = {
  name: 'reference',
  title: 'HTTP reference',
  intro: HTTP_INTRO,
  tags: ['speech', 'jobs', 'operations'],
};
const ADMIN_REFERENCE = {
  name: 'reference-admin',
  title: 'Admin reference',
  intro: ADMIN_INTRO,
  tags: ['admin', 'playground'],
};
const WEB_LINKS = [
  ['/', 'Playground'],
  ['/dashboard', 'Dashboard'],
] as const;

export const PAGES: Door = { prefix: '', routes };

function routes(app: FastifyInstance, { doors, settings }: ServerParts): void {
  // Built at the first request: only then are all routes known.
  let site: ReadonlyMap<string, string> | undefined;
  const build = () => {
    const document = app.swagger() as OpenApi;
    const pages = doors.flatMap(({ page = [] }) => page);
    return buildSite({
      reference: [...referencePage(document, REFERENCE), ...pages, ...referencePage(document, ADMIN_REFERENCE)],
      links: settings.web === 'off' ? [] : WEB_LINKS,
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
  app.get('/openapi.json', PAGE_ROUTE, async () => app.swagger());
  for (const address of ['/docs', '/docs/'])
    app.get(address, PAGE_ROUTE, async (request, reply) => send('', request, reply));
  app.get<{ Params: { name: string } }>('/docs/:name', PAGE_ROUTE, async (request, reply) =>
    send(request.params.name, request, reply),
  );
}
