/** Pages of the OpenAPI document: every operation with its fields, answers and an example. */
import {
  code,
  type DocPage,
  escaped,
  example,
  type FieldSchema,
  fieldTable,
  heading,
  OF_AN_ANSWER,
  prose,
  rowTable,
} from '../../html-page.js';

interface Content {
  readonly [mediaType: string]: { readonly schema?: FieldSchema };
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: FieldSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<
    Record<
      string,
      {
        readonly description?: string;
        readonly content?: Content;
        readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
      }
    >
  >;
}

/** The part of an OpenAPI document that is shown. */
export interface OpenApi {
  readonly info: { readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, FieldSchema>> };
}

interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}

/** What @fastify/swagger writes where a route describes no answer. */
const NO_WORDS = 'Default Response';
const ERROR_STATUS = /^[45]/;

/** `#/components/schemas/…` replaced by what it names, at every depth. */
function resolved(value: unknown, schemas: Readonly<Record<string, FieldSchema>>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === 'string') return resolved(schemas[$ref.split('/').at(-1)!] ?? {}, schemas);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner, schemas)]));
}

/** A value that a schema accepts: its own example, its default, or something of its type. */
function sampleOf(schema: FieldSchema, name = ''): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0]!, name);
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
    return Object.fromEntries(names.map((field) => [field, sampleOf(properties[field] ?? {}, field)]));
  }
  if (schema.type === 'array') return [];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  return name === 'text' ? 'Hello there.' : name.toUpperCase();
}

function curl({ method, path, operationId, parameters = [], requestBody, responses = {} }: Route): string {
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(({ name, schema }) => `${name}=${String(sampleOf(schema ?? {}, name))}`);
  const url = `http://127.0.0.1:8787${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const secret = path.startsWith('/admin/') ? '$ADMIN_SECRET' : '$KEY';
  // Signing in sends the secret in the body.
  const isOpen = !/^\/(?:v1|admin|playground)\//.test(path) || operationId === 'signIn';
  const body = requestBody?.content['application/json']?.schema;
  const words = [
    `curl ${method === (body === undefined ? 'get' : 'post') ? '' : `-X ${method.toUpperCase()} `}'${url}'`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer ${secret}"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(sampleOf(body))}'`]),
    ...(responses['200']?.content?.['audio/wav'] === undefined ? [] : ['-o speech.wav']),
  ];
  return words.join(' \\\n  ');
}

function answer([status, { description, content = {}, headers = {} }]: [
  string,
  NonNullable<Operation['responses']>[string],
]): string {
  const words = description === undefined || description === NO_WORDS ? '' : prose(description);
  const types = Object.keys(content).filter((type) => type !== 'application/json');
  const schema = content['application/json']?.schema;
  const inner = schema?.type === 'array' ? schema.items : schema;
  const fields = inner?.properties === undefined ? '' : fieldTable(inner, OF_AN_ANSWER);
  const headerRows = Object.entries(headers).map(([name, header]) => [code(name), prose(header.description ?? '')]);
  return `<p><strong>${status}</strong> ${[words, types.map(code).join(' or ')].filter(Boolean).join(', ')}</p>${fields}${
    headerRows.length > 0 ? rowTable(['Header', ''], headerRows) : ''
  }`;
}

function operation(route: Route): string {
  const { method, path, summary = '', description, parameters = [], requestBody, responses = {} } = route;
  const id = `${method}-${path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '')}`;
  const asFields: FieldSchema = {
    properties: Object.fromEntries(
      parameters.map(({ name, schema = {}, description: words }) => [
        name,
        { ...schema, ...(words !== undefined && { description: words }) },
      ]),
    ),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
  };
  const body = requestBody?.content['application/json']?.schema;
  const good = Object.entries(responses).filter(([status]) => !ERROR_STATUS.test(status));
  return [
    heading(2, id, prose(summary)),
    `<p class="operation"><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code></p>`,
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    good.length > 0 ? example(curl(route)) : '',
    parameters.length > 0 ? `<h3>Parameters</h3>${fieldTable(asFields)}` : '',
    body === undefined ? '' : `<h3>Body</h3>${fieldTable(body)}`,
    good.length > 0 ? `<h3>Answer</h3>${good.map(answer).join('')}` : '',
  ].join('\n');
}

/** A page of the operations that carry one of these tags; none where there are none. */
export function referencePage(
  document: OpenApi,
  {
    tags,
    ...page
  }: { readonly name: string; readonly title: string; readonly intro: string; readonly tags: readonly string[] },
): DocPage[] {
  const paths = resolved(document.paths ?? {}, document.components?.schemas ?? {}) as NonNullable<OpenApi['paths']>;
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]): Route => ({ ...route, method, path })),
  );
  const shown = tags.flatMap((tag) => routes.filter((route) => route.tags?.includes(tag)));
  if (shown.length === 0) return [];
  const { name, title, intro } = page;
  return [{ name, title, body: () => `${intro}\n${shown.map(operation).join('\n')}` }];
}
