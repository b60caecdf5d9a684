import { describe, expect, it } from '@jest/globals';
import { Type as TypeBox } from 'typebox';
import { Type } from '../../src/core/type.js';

const KINDS: readonly (readonly [string, (type: typeof Type) => unknown])[] = [
  ['text', (type) => type.String({ maxLength: 3 })],
  ['a number', (type) => type.Number()],
  ['a whole number', (type) => type.Integer({ minimum: 1 })],
  ['yes and no', (type) => type.Boolean()],
  ['a list', (type) => type.Array(type.String(), { maxItems: 2 })],
  ['a schema of our own', (type) => type.Unsafe<string>({ type: 'string', clean: 'text', default: 'x' })],
  [
    'an object',
    (type) =>
      type.Object(
        { a: type.String(), b: type.Optional(type.Unsafe({ default: 1 })), c: type.Integer() },
        { additionalProperties: false },
      ),
  ],
  ['an object of optional parts', (type) => type.Object({ a: type.Optional(type.String()) })],
  [
    'an object whose part was optional elsewhere',
    (type) => type.Object({ a: type.Unsafe({ ...type.Optional(type.String()) }) }),
  ],
  ['an empty object', (type) => type.Object({})],
  ['a map', (type) => type.Record(type.String(), type.Number(), { description: 'counts' })],
  ['a map of named keys', (type) => type.Record(type.String({ pattern: '^a' }), type.Number())],
];

describe('Type', () => {
  it.each(KINDS)('makes of %s what TypeBox makes', (_kind, make) => {
    expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox)));
  });
});
