/** A string `enum` as one schema: errors tell a wrong type from a wrong value. */
import { Type } from './schema.js';

export const oneOf = <T extends string>(values: readonly T[], options: { default?: T; description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
