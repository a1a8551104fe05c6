/** Pages for people out of the schemas that validate: fields as tables, in one plain style. */
import type { TSchema } from 'typebox';

/** The part of a schema that a reader is told. */
interface Told {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly items?: Told;
  readonly anyOf?: readonly Told[];
  readonly properties?: Readonly<Record<string, Told>>;
  readonly required?: readonly string[];
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd}
pre{background:#f4f4f4;padding:1rem;overflow-x:auto;line-height:1.3}code{font-size:.95em}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}td,th{border-color:#333}pre{background:#1b1b1b}a{color:#8bf}}`;

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[sign]};`);
export const code = (value: unknown): string =>
  `<code>${escaped(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;

function kind(schema: Told): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(kind).join(' or ');
  if (schema.type === 'array') return `list of ${kind(schema.items!)}`;
  const range = schema.maximum === undefined ? '' : `, ${schema.minimum} to ${schema.maximum}`;
  return `${schema.type ?? 'anything'}${range}`;
}

/** The fields of a schema, one a row. */
export function fieldTable(schema: TSchema, optional = 'optional'): string {
  const { properties = {}, required = [] } = schema as Told;
  const rows = Object.entries(properties).map(([name, field]) => {
    const told = field.description ?? field.anyOf?.[0]?.description ?? '';
    const fallback = field.default === undefined ? optional : `default ${code(JSON.stringify(field.default))}`;
    const need = required.includes(name) && field.default === undefined ? 'required' : fallback;
    return [code(name), kind(field), need, escaped(told)];
  });
  return rowTable(['Field', 'Value', '', ''], rows);
}

/** Cells are HTML already. */
export const rowTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = (tag: string, row: readonly string[]) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  return `<table><tr>${cells('th', heads)}</tr>${rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('')}</table>`;
};

export const htmlPage = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${STYLE}</style>
<h1>${escaped(title)}</h1>
${body}
</html>`;
