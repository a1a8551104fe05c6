/**
 * Renders `docs/*.md` at build time into `docs.json`: title and HTML of each page, in the order in
 * which `docs/README.md` links to them. The server puts them into `docs.html`.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';
import type { Plugin } from 'vite';

const ROOT = path.resolve(import.meta.dirname, '..');
const DOCS = path.join(ROOT, 'docs');
const INDEX = 'README.md';

interface RenderedPage {
  /** Last part of the address; empty for the first page. */
  readonly name: string;
  readonly title: string;
  readonly html: string;
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => SIGNS[sign]!);

/** The anchor of a heading, as GitHub makes it. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');

/** The Markdown files behind the pages: the index, then those it links to, in its order. */
export function pageFiles(): string[] {
  const index = readFileSync(path.join(DOCS, INDEX), 'utf8');
  const linked = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map((match) => match[1]!);
  return [INDEX, ...new Set(linked)];
}

const nameOf = (file: string): string => (file === INDEX ? '' : file.replace(/\.md$/, ''));

function repositoryUrl(): string {
  const { homepage } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { homepage: string };
  return homepage.replace(/#.*/, '');
}

/**
 * Where a link of a Markdown file leads on the site: another page, or the file in the repository.
 */
function address(href: string, files: readonly string[], repository: string): string {
  if (/^(?:\w+:|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (files.includes(target)) return `/docs${target === INDEX ? '' : `/${nameOf(target)}`}${hash}`;
  const file = path.relative(ROOT, path.resolve(DOCS, target)).split(path.sep).join('/');
  return `${repository}/blob/main/${file}${hash}`;
}

/** `image` gives the address of a picture that lies in `docs/`. */
function renderPage(file: string, image: (name: string) => string): RenderedPage {
  const files = pageFiles();
  const repository = repositoryUrl();
  const slugs = new Map<string, number>();
  let title = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        if (depth === 1) title = text;
        const slug = slugOf(text);
        const seen = slugs.get(slug) ?? 0;
        slugs.set(slug, seen + 1);
        const id = seen === 0 ? slug : `${slug}-${seen}`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${address(href, files, repository)}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text }) => `<img src="${image(href)}" alt="${escaped(text)}">`,
      // Pages that exist only on a server are named in code; there they are links.
      codespan: ({ text }) => {
        const html = `<code>${escaped(text)}</code>`;
        return /^\/(?:docs(?:\/[\w-]+)?|openapi\.json)$/.test(text) ? `<a href="${text}">${html}</a>` : html;
      },
      table({ header, rows }) {
        const cell = (tag: string, { tokens }: (typeof header)[number]) =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        const head = header.map((column) => cell(column.text === '' ? 'td' : 'th', column)).join('');
        const body = rows.map((row) => `<tr>${row.map((column) => cell('td', column)).join('')}</tr>`).join('');
        const table = `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
        return `<div class="scroll" role="group" aria-label="Table" tabindex="0">${table}</div>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    },
  });
  const html = marked.parse(readFileSync(path.join(DOCS, file), 'utf8'), { async: false });
  return { name: nameOf(file), title, html };
}

export function docsPages(): Plugin {
  return {
    name: 'docs-pages',
    buildStart() {
      for (const file of pageFiles()) this.addWatchFile(path.join(DOCS, file));
    },
    generateBundle() {
      const image = (name: string): string => {
        const source = path.join(DOCS, name);
        if (!existsSync(source)) this.error(`docs/${name} is not there.`);
        const id = this.emitFile({ type: 'asset', name: path.basename(name), source: readFileSync(source) });
        return `/${this.getFileName(id)}`;
      };
      const pages = pageFiles().map((file) => renderPage(file, image));
      this.emitFile({ type: 'asset', fileName: 'docs.json', source: JSON.stringify(pages) });
    },
  };
}
