// The declarations that replace TypeBox's and knex's in the package say the same. Compiled only.
import type { Knex } from 'knex';
import { Type, type Static } from 'typebox';
import type * as own from '../support/standalone/typebox.js';
import type { Knex as OwnKnex } from '../support/standalone/knex.js';

const schema = Type.Object({
  id: Type.Integer(),
  name: Type.Optional(Type.String()),
  rate: Type.Number(),
  word: Type.Optional(Type.Unsafe<'a' | 'b'>({})),
  isOpen: Type.Boolean(),
  list: Type.Array(Type.Object({ deep: Type.Optional(Type.Boolean()) })),
  map: Type.Record(Type.String(), Type.Number()),
  none: Type.Object({}),
});

type Real = Static<typeof schema>;
type Own = own.Static<typeof schema>;
export const same = (real: Real, ours: Own): [Own, Real] => [real, ours];
export const accepts = (knex: Knex): OwnKnex => knex;
