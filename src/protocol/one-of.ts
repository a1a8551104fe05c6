/** One `enum` of strings: a validator's complaint tells a wrong type from a wrong value, and OpenAPI reads better. */
import { Type } from './schema.js';

export const oneOf = <T extends string>(values: readonly T[], options: { default?: T; description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
