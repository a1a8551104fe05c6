/** HTML for the pages of /docs that are made from schemas: text, examples and tables of fields. */

import type { TSchema } from 'typebox';
import { escapeAttribute } from '../protocol/characters.js';

/** A page of the documentation: its address, its title, and the HTML below the title. */
export interface DocPage {
  /** Last part of the address: `openai` is served at `/docs/openai`. */
  readonly name: string;
  readonly title: string;
  body(): string;
}

/** The part of a schema that a reader is told. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

export const escaped = escapeAttribute;
export const code = (value: unknown): string =>
  `<code>${escaped(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;

/** A description with its `code`, **bold** and [links](…) as HTML. */
export const prose = (text: string): string =>
  escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');

function kind(schema: FieldSchema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(kind).join(' or ');
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'values' : kind(schema.items)}`;
  const range = schema.maximum === undefined ? '' : `, ${schema.minimum} to ${schema.maximum}`;
  return `${[schema.type ?? 'any value'].flat().join(' or ')}${range}`;
}

/** The words for a field that must be there, and for one that need not. */
interface Needs {
  readonly required: string;
  readonly optional: string;
}
const OF_A_REQUEST: Needs = { required: 'required', optional: 'optional' };
export const OF_AN_ANSWER: Needs = { required: '', optional: 'may be absent' };

/** Field by field, those of objects inside under their full name: `data[].id`. */
function fieldRows(schema: FieldSchema, needs: Needs, prefix = ''): string[][] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const described = field.description ?? field.anyOf?.[0]?.description ?? '';
    const fallback = field.default === undefined ? needs.optional : `default ${code(JSON.stringify(field.default))}`;
    const need = required.includes(name) && field.default === undefined ? needs.required : fallback;
    const isList = field.type === 'array';
    const inside = isList ? field.items : field;
    const row = [code(prefix + name), kind(field), need, prose(described)];
    const below =
      inside?.properties === undefined ? [] : fieldRows(inside, needs, `${prefix}${name}${isList ? '[]' : ''}.`);
    return [row, ...below];
  });
}

/** The fields of a schema, one a row. */
export const fieldTable = (schema: TSchema | FieldSchema, needs: Needs = OF_A_REQUEST): string =>
  rowTable(['Field', 'Value', '', ''], fieldRows(schema as FieldSchema, needs));

/** Cells are HTML already. A column without a name has no header cell, for screen readers. */
export const rowTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const head = heads.map((cell) => (cell === '' ? '<td></td>' : `<th>${cell}</th>`)).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
  return `<div class="scroll" role="group" aria-label="Table" tabindex="0">${table}</div>`;
};

export const example = (text: string): string => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`;

/** A heading that can be linked to. */
export const heading = (level: 2 | 3, id: string, html: string): string => `<h${level} id="${id}">${html}</h${level}>`;
