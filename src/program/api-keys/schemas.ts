import type { Static } from 'typebox';
import { KEY_RIGHTS } from '../../platform/access/key-rights.js';
import {
  array,
  dateTime,
  day,
  Id,
  integer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';

const lastDay = optional(Type.Unsafe<string | null>({ anyOf: [day, { type: 'null' }] }));
const rights = array(Type.String({ maxLength: 50 }), { maxItems: 50 });

export const newApiKey = Type.Object({
  name: text(100, 1),
  rights,
  user_id: optional(Id),
  expires_at: lastDay,
});
export const apiKeyPatch = Type.Object({
  name: optional(text(100, 1)),
  rights: optional(rights),
  expires_at: lastDay,
});

const right = oneOf(...KEY_RIGHTS);
const record = named(
  'ApiKey',
  object({
    id: integer,
    key_id: string,
    name: string,
    rights: array(right),
    user_id: integer,
    user_name: nullable(string),
    created_by: nullable(integer),
    created_by_name: nullable(string),
    expires_at: dateTime,
    last_used_at: dateTime,
    created_at: dateTime,
    updated_at: dateTime,
  }),
);
export type WireApiKey = Static<typeof record>;
export const apiKeyList = object({ api_keys: array(record), rights: array(right) });
export const apiKeySaved = object({ message: string, api_key: record });
export const apiKeyIssued = object({ message: string, api_key: record, key: string });
