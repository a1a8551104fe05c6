/** The validator says of every value what Ajv says of it, which stood in its place. */
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { validatorOf } from '../../../src/server/validation.js';

interface Told {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message?: string;
}
interface AjvValidator {
  (value: unknown): boolean;
  readonly errors?: readonly Told[] | null;
}
type AjvFactory = () => (
  schemas: object,
  options: object,
) => (route: { schema: object; method: string; url: string; httpPart: string }) => AjvValidator;

/** Fastify's own compiler, which is not loaded by the server. */
const loadAjv = createRequire(createRequire(import.meta.url).resolve('fastify'));
const customOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  allowUnionTypes: true,
};
const compile = (loadAjv('@fastify/ajv-compiler') as AjvFactory)()({}, { customOptions });
const ajv = (schema: object) => compile({ schema, method: 'POST', url: '/', httpPart: 'body' });

const name = { type: 'string', minLength: 1, maxLength: 3, pattern: '^[a-z😀]*$', description: 'a name' };
const SCHEMAS = [
  { type: 'object', required: ['a', 'b'], properties: { b: name, a: { type: 'string', enum: ['a', 'b'] } } },
  { type: 'object', properties: { a: { type: ['string', 'null'], maxLength: 2 }, b: { type: 'boolean' } } },
  {
    type: 'object',
    properties: {
      a: { type: 'integer', minimum: 0, maximum: 9 },
      b: { type: 'number', minimum: -1, maximum: 2.5, default: 1 },
    },
    additionalProperties: true,
  },
  {
    type: 'object',
    properties: {
      a: {
        type: 'array',
        items: { type: 'object', required: ['b'], properties: { b: name } },
        minItems: 1,
        maxItems: 2,
      },
      b: { anyOf: [{ type: 'string', maxLength: 1 }, { type: 'array', items: name }, { type: 'null' }] },
    },
  },
  { type: 'object', patternProperties: { '^.*$': { anyOf: [{ type: 'number' }, { type: 'null' }] } } },
  {
    type: 'object',
    required: ['a'],
    properties: {
      a: {
        type: ['integer', 'object', 'null'],
        minimum: 1,
        maximum: 5,
        properties: { a: { type: 'integer', minimum: 2 }, b: { type: 'null' } },
      },
    },
  },
];

const leaf = fc.oneof(
  fc.constantFrom('a', 'b', 'abc', 'abcd', '😀😀😀', '😀b~', '', 0, -1, 1, 2.5, 3, 9, 10, 1e300),
  fc.boolean(),
  fc.constant(null),
);
const key = fc.constantFrom('a', 'b', 'c/d~');
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;

it.each(SCHEMAS.map((schema, i) => [i, schema] as const))('schema %i', (_, schema) => {
  const [ours, theirs] = [validatorOf(schema), ajv(schema)];
  const told = (errors: readonly Told[] | null | undefined) =>
    errors?.map(({ keyword, instancePath, params, message }) => ({ keyword, instancePath, params, message }));
  const property = fc.property(fc.oneof(values, fc.dictionary(key, values, { maxKeys: 3 })), (value) => {
    expect(ours(value)).toBe(theirs(value));
    expect(told(ours.errors) ?? []).toEqual(told(theirs.errors) ?? []);
  });
  fc.assert(property, { numRuns: 500 });
});

it('refuses a schema with a keyword that it does not check', () => {
  expect(() => validatorOf({ type: 'string', format: 'email' })).toThrow('format');
});
