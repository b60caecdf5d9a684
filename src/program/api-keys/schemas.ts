import type { Static } from 'typebox';
import {
  array,
  dateTime,
  day,
  Id,
  named,
  nullable,
  object,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { apiKeys } from './record.js';

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

const { id, key_id, name, rights: granted, user_id, created_by, ...times } = apiKeys.wire;
const record = named(
  'ApiKey',
  object({
    id,
    key_id,
    name,
    rights: granted,
    user_id,
    user_name: nullable(string),
    created_by,
    created_by_name: nullable(string),
    ...times,
  }),
);
export type ApiKeyDto = Static<typeof record>;
export const apiKeyList = object({ api_keys: array(record), rights: granted });
export const apiKeySaved = object({ message: string, api_key: record });
export const apiKeyRevoked = object({
  message: string,
  made: array(object({ object_type: string, object_id: nullable(string), created_at: dateTime })),
});
export const apiKeyIssued = object({ message: string, api_key: record, key: string });
