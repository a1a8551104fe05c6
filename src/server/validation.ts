/**
 * Checks requests against the schemas of their routes. It knows the keywords that the schemas of
 * this server use, and complains in the words of Ajv, in whose place it stands: Ajv takes longer to
 * load and to compile its validators than all other parts of a command's server together.
 */

/** A complaint in the form of Ajv's, which Fastify hands on. */
interface Complaint {
  readonly keyword: string;
  /** A JSON pointer to the value. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Record<string, unknown>;
  readonly message: string;
}

/** A schema that was made ready: the first complaint about a value, with those of its parts. */
type Check = (value: unknown, path: string) => readonly Complaint[] | undefined;

type Schema = Readonly<Record<string, unknown>>;

/** Keywords without a part in validation. */
const TOLD = ['$id', 'default', 'deprecated', 'description', 'example', 'examples', 'title'];

const complaint = (keyword: string, instancePath: string, params: Complaint['params'], message: string): Complaint => ({
  keyword,
  instancePath,
  schemaPath: `#/${keyword}`,
  params,
  message,
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const IS_OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: isNumber,
  integer: (value) => isNumber(value) && value % 1 === 0,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
};

/** A check of values of one kind; others pass. */
const of =
  <T>(
    is: (value: unknown) => value is T,
    fails: (value: T) => boolean,
    keyword: string,
    params: Complaint['params'],
    message: string,
  ): Check =>
  (value, path) =>
    is(value) && fails(value) ? [complaint(keyword, path, params, message)] : undefined;

const isString = (value: unknown): value is string => typeof value === 'string';
const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const lengthOf = (text: string): number => [...text].length;

const limits = (keyword: string, limit: number, comparison: '<=' | '>='): Check =>
  of(
    isNumber,
    (value) => (comparison === '<=' ? value > limit : value < limit),
    keyword,
    { comparison, limit },
    `must be ${comparison} ${limit}`,
  );

/** By keyword, in the order in which Ajv looks at them. */
const KEYWORDS: Readonly<Record<string, (given: never) => Check>> = {
  type: (type: string | readonly string[]) => {
    const all = [type].flat();
    const known = all.map((name) => IS_OF_TYPE[name]!);
    const message = `must be ${all.join(',')}`;
    return (value, path) => (known.some((is) => is(value)) ? undefined : [complaint('type', path, { type }, message)]);
  },
  maximum: (limit: number) => limits('maximum', limit, '<='),
  minimum: (limit: number) => limits('minimum', limit, '>='),
  maxLength: (limit: number) =>
    of(
      isString,
      (text) => lengthOf(text) > limit,
      'maxLength',
      { limit },
      `must NOT have more than ${limit} characters`,
    ),
  minLength: (limit: number) =>
    of(
      isString,
      (text) => lengthOf(text) < limit,
      'minLength',
      { limit },
      `must NOT have fewer than ${limit} characters`,
    ),
  pattern: (pattern: string) => {
    const wanted = new RegExp(pattern, 'u');
    return of(isString, (text) => !wanted.test(text), 'pattern', { pattern }, `must match pattern "${pattern}"`);
  },
  enum: (allowedValues: readonly unknown[]) => (value, path) =>
    allowedValues.includes(value)
      ? undefined
      : [complaint('enum', path, { allowedValues }, 'must be equal to one of the allowed values')],
  anyOf: (branches: readonly Schema[]) => {
    const checks = branches.map(prepared);
    return (value, path) => {
      const all: Complaint[] = [];
      for (const check of checks) {
        const found = check(value, path);
        if (found === undefined) return undefined;
        all.push(...found);
      }
      return [...all, complaint('anyOf', path, {}, 'must match a schema in anyOf')];
    };
  },
  maxItems: (limit: number) =>
    of(isArray, ({ length }) => length > limit, 'maxItems', { limit }, `must NOT have more than ${limit} items`),
  minItems: (limit: number) =>
    of(isArray, ({ length }) => length < limit, 'minItems', { limit }, `must NOT have fewer than ${limit} items`),
  items: (schema: Schema) => {
    const check = prepared(schema);
    return (value, path) => (isArray(value) ? first(value, (item, i) => check(item, `${path}/${i}`)) : undefined);
  },
  required: (names: readonly string[]) => (value, path) => {
    const missingProperty = isObject(value) ? names.find((name) => value[name] === undefined) : undefined;
    if (missingProperty === undefined) return undefined;
    const message = `must have required property '${missingProperty}'`;
    return [complaint('required', path, { missingProperty }, message)];
  },
  // `true` alone is used, which allows them.
  additionalProperties: () => () => undefined,
  properties: (schemas: Readonly<Record<string, Schema>>) => {
    const checks = Object.entries(schemas).map(([name, schema]) => [name, pointer(name), prepared(schema)] as const);
    return (value, path) =>
      isObject(value)
        ? first(checks, ([name, step, check]) =>
            value[name] === undefined ? undefined : check(value[name], `${path}/${step}`),
          )
        : undefined;
  },
  patternProperties: (schemas: Readonly<Record<string, Schema>>) => {
    const checks = Object.entries(schemas).map(
      ([pattern, schema]) => [new RegExp(pattern, 'u'), prepared(schema)] as const,
    );
    return (value, path) =>
      isObject(value)
        ? first(checks, ([pattern, check]) =>
            first(Object.keys(value), (name) =>
              pattern.test(name) ? check(value[name], `${path}/${pointer(name)}`) : undefined,
            ),
          )
        : undefined;
  },
};

/** A property's name as a step of a JSON pointer. */
const pointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The first result that there is. */
function first<T, R>(all: readonly T[], look: (each: T, index: number) => R | undefined): R | undefined {
  for (const [i, each] of all.entries()) {
    const found = look(each, i);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Throws for a keyword that is not known here: a rule that nobody holds is a mistake. */
function prepared(schema: Schema): Check {
  const unknown = Object.keys(schema).find((name) => !(name in KEYWORDS) && !TOLD.includes(name));
  if (unknown !== undefined) throw new Error(`The schema has a keyword that is not checked: ${unknown}`);
  const checks = Object.entries(KEYWORDS)
    .filter(([keyword]) => Object.hasOwn(schema, keyword))
    .map(([keyword, check]) => check(schema[keyword] as never));
  return (value, path) => first(checks, (check) => check(value, path));
}

/** A validator as Fastify calls it; its complaints are left on it. */
interface Validator {
  (value: unknown): boolean;
  errors: readonly Complaint[] | null;
}

export function validatorOf(schema: object): Validator {
  const check = prepared(schema as Schema);
  const validate: Validator = Object.assign(
    (value: unknown) => {
      validate.errors = check(value, '') ?? null;
      return validate.errors === null;
    },
    { errors: null },
  );
  return validate;
}
