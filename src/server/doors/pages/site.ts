/** The documentation as a site: the built template, its navigation, and the pages in order. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type DocPage, escaped } from '../../html-page.js';
import { WEB_DIR } from '../../web-assets.js';

/** A page as `npm run build` renders it from `docs/*.md` (web/docs-pages.ts). */
interface Guide {
  readonly name: string;
  readonly title: string;
  readonly html: string;
}

interface Entry {
  readonly name: string;
  readonly title: string;
  /** With its first heading. */
  readonly html: string;
  readonly group: 'Guide' | 'Reference';
}

export interface SiteOptions {
  /** Pages made from the schemas. */
  readonly reference: readonly DocPage[];
  /** Links of the header beside the documentation: address and label. */
  readonly links: readonly (readonly [string, string])[];
}

const addressOf = (name: string): string => (name === '' ? '/docs' : `/docs/${name}`);

const link = (href: string, label: string, isHere: boolean): string =>
  `<a href="${href}"${isHere ? ' aria-current="page"' : ''}>${label}</a>`;

/** Links to the second-level headings of a page. */
function headings(html: string): string {
  const items = [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)].map(
    ([, id, label]) => `<li><a href="#${id}">${label!.replace(/<\/?(?:a|code)[^>]*>/g, '')}</a></li>`,
  );
  return items.length < 2 ? '' : `<ul>${items.join('')}</ul>`;
}

function contents(entries: readonly Entry[], here: Entry): string {
  const group = (name: Entry['group']) => {
    const items = entries
      .filter((entry) => entry.group === name)
      .map((entry) => {
        const isHere = entry === here;
        const label = escaped(entry.name === '' ? 'Overview' : entry.title);
        return `<li>${link(addressOf(entry.name), label, isHere)}${isHere ? headings(entry.html) : ''}</li>`;
      });
    return `<p class="group">${name}</p><ul>${items.join('')}</ul>`;
  };
  return `${group('Guide')}${group('Reference')}`;
}

/** Every page by its name, whole documents; none where the site was not built. */
export function buildSite({ reference, links }: SiteOptions): ReadonlyMap<string, string> {
  const template = path.join(WEB_DIR, 'docs.html');
  if (!existsSync(template)) return new Map();
  const frame = readFileSync(template, 'utf8');
  const guides = JSON.parse(readFileSync(path.join(WEB_DIR, 'docs.json'), 'utf8')) as Guide[];
  const entries: Entry[] = [
    ...guides.map(({ name, title, html }) => ({ name, title, html, group: 'Guide' as const })),
    ...reference.map((page) => {
      const html = `<h1>${escaped(page.title)}</h1>\n${page.body()}`;
      return { name: page.name, title: page.title, html, group: 'Reference' as const };
    }),
  ];
  const site = [...links.map(([href, label]) => link(href, label, false)), link('/docs', 'Docs', true)].join('\n');
  const document = (entry: Entry): string => {
    const parts: Record<string, string> = {
      site,
      body: `<p class="to-contents"><a href="#contents">All pages</a></p>\n${entry.html}`,
      contents: contents(entries, entry),
    };
    return frame
      .replace(/<title>.*?<\/title>/, () => `<title>${escaped(entry.title)} · tts</title>`)
      .replace(/<!--(site|body|contents)-->/g, (_, part: string) => parts[part]!);
  };
  return new Map(entries.map((entry) => [entry.name, document(entry)]));
}
