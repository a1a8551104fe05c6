/** Our builders of JSON Schema make what TypeBox makes. */
import TypeBox from 'typebox';
import { describe, expect, it } from 'vitest';
import { Type } from '../../src/protocol/schema.js';

/** The same schemas by either. */
function schemas(T: typeof Type): unknown[] {
  const person = T.Object({ name: T.String({ minLength: 1 }), age: T.Optional(T.Integer({ minimum: 0 })) });
  return [
    person,
    T.Object({ only: T.Optional(person) }, { additionalProperties: false, description: 'all may be left out' }),
    T.Optional(T.Optional(T.Boolean({ default: true }))),
    T.Partial(T.Object({ a: T.String(), b: person }, { description: 'not kept' }), { description: 'kept' }),
    T.Partial(T.Object({ a: T.String() })),
    T.Array(T.Number({ maximum: 3 }), { maxItems: 2 }),
    T.Union([T.Literal('a'), T.Literal(3), T.Literal(true), T.Null()], { description: 'one of them' }),
    T.Record(T.String(), T.Union([T.String(), T.Unknown()]), { maxProperties: 4 }),
    T.Unsafe({ type: 'string', enum: ['a', 'b'] }),
    T.Unknown({ description: 'anything' }),
    T.Null(),
  ];
}

describe('schemas', () => {
  it('are written as TypeBox writes them', () => {
    expect(JSON.stringify(schemas(Type))).toBe(JSON.stringify(schemas(TypeBox as unknown as typeof Type)));
  });

  it('are not changed by what is made of them', () => {
    const name = Type.String();
    Type.Optional(name);
    Type.Partial(Type.Object({ name }));
    expect(Type.Object({ name })).toEqual({
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' } },
    });
  });
});
