/** Arguments of a tool: their JSON Schema, and a check whose errors say what is allowed. */
import { TtsError } from '../protocol/errors.js';
import { didYouMean } from '../protocol/suggestion.js';

export interface Field {
  readonly type: 'string' | 'number' | 'boolean';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** In UTF-16 units. */
  readonly maxLength?: number;
  readonly required?: boolean;
}
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<Each extends Field> = Each extends { readonly type: 'string' }
  ? Each extends { readonly enum: readonly (infer Name)[] }
    ? Name
    : string
  : Each extends { readonly type: 'number' }
    ? number
    : boolean;

/** The arguments that a tool with these fields is given. */
export type Arguments<All extends Fields> = {
  readonly [Name in keyof All as All[Name] extends { readonly required: true } ? Name : never]: ValueOf<All[Name]>;
} & {
  readonly [Name in keyof All as All[Name] extends { readonly required: true } ? never : Name]?:
    | ValueOf<All[Name]>
    | undefined;
};

export function schemaOf(fields: Fields) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, { required: _, ...schema }]) => [name, schema]),
  );
  const required = Object.keys(fields).filter((name) => fields[name]!.required);
  return { type: 'object' as const, properties, required, additionalProperties: false };
}

/** Throws `missing_field`, `invalid_type`, `invalid_value` or `input_too_long`. */
export function checkArguments<All extends Fields>(fields: All, given: Record<string, unknown> = {}): Arguments<All> {
  const names = Object.keys(fields);
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    // Agents write null for what they leave out.
    if (value === null || value === undefined) continue;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      const message = `There is no argument "${name}".${didYouMean(name, names)} There are: ${names.join(', ')}.`;
      throw new TtsError('invalid_value', message, { param: name });
    }
    checkValue(name, value, field);
    checked[name] = value;
  }
  const missing = names.find((name) => fields[name]!.required && !(name in checked));
  if (missing !== undefined) {
    const message = `The argument "${missing}" is required: ${fields[missing]!.description}`;
    throw new TtsError('missing_field', message, { param: missing });
  }
  return checked as Arguments<All>;
}

function checkValue(name: string, value: unknown, field: Field): void {
  const { type, enum: names, minimum = -Infinity, maximum = Infinity, maxLength = Infinity } = field;
  const refuse = (code: 'invalid_type' | 'invalid_value' | 'input_too_long', rule: string): never => {
    throw new TtsError(code, `The argument "${name}" must be ${rule}.`, { param: name });
  };
  if (typeof value !== type) refuse('invalid_type', type === 'boolean' ? 'true or false' : `a ${type}`);
  if (typeof value === 'number' && !(value >= minimum && value <= maximum)) {
    refuse('invalid_value', `from ${minimum} to ${maximum}`);
  }
  if (typeof value !== 'string') return;
  if (names && !names.includes(value)) refuse('invalid_value', `one of: ${names.join(', ')}`);
  if (value.length > maxLength) refuse('input_too_long', `at most ${maxLength} characters long`);
}
