/**
 * The few builders of JSON Schema that are used here, with TypeBox's types and results. TypeBox
 * itself has 700 modules, which take longer to load than the rest of a server.
 */
import type TypeBox from 'typebox';

type Schema = Record<string, unknown>;
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>;

/** Marks an optional property; not enumerable, so that it is no part of the schema. */
const OPTIONAL = '~optional';

const optional = (schema: Schema): Schema => {
  const copy = Object.create(null, Object.getOwnPropertyDescriptors(schema)) as Schema;
  Object.setPrototypeOf(copy, Object.prototype);
  return Object.defineProperty(copy, OPTIONAL, { value: true });
};

function object(properties: Record<string, Schema>, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function partial({ properties }: { properties: Record<string, Schema> }, options?: Schema): Schema {
  const all = Object.entries(properties).map(([name, schema]) => [name, optional(schema)] as const);
  return object(Object.fromEntries(all), options);
}

const BUILDERS = {
  Array: (items: Schema, options?: Schema): Schema => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema): Schema => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema): Schema => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: Schema): Schema => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Null: (options?: Schema): Schema => ({ type: 'null', ...options }),
  Number: (options?: Schema): Schema => ({ type: 'number', ...options }),
  Object: object,
  Optional: optional,
  Partial: partial,
  /** Keys may be any string. */
  Record: (_name: Schema, value: Schema, options?: Schema): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: Schema): Schema => ({ type: 'string', ...options }),
  Union: (anyOf: Schema[], options?: Schema): Schema => ({ anyOf, ...options }),
  Unknown: (options?: Schema): Schema => ({ ...options }),
  Unsafe: (schema: Schema): Schema => ({ ...schema }),
};

export const Type = BUILDERS as unknown as Builders;
