import type { Static } from 'typebox';
import {
  array,
  boolean,
  Id,
  integer,
  deferred,
  mapOf,
  named,
  object,
  optional,
  string,
  Type,
} from '../../platform/http/schema.js';

// The service checks the keys: unknown ones are dropped, and only an empty list that remains is an error.
export const managerForm = Type.Object({ user_id: Id, permissions: optional(deferred(array(string))) });

export const managerRecord = named(
  'Manager',
  object({
    user_id: integer,
    id: integer,
    display_name: string,
    name: string,
    email: string,
    avatar: string,
    permissions: array(string),
    is_admin: boolean,
  }),
);
/** A key's labels; the label alone for clients that print the value itself. */
const permission = Type.Unsafe<string | { readonly label: string }>({
  anyOf: [
    { type: 'string' },
    { type: 'object', required: ['label'], properties: { label: { type: 'string' } } },
  ],
});
export type ManagerDto = Static<typeof managerRecord>;
export const managerList = object({ managers: array(managerRecord), permissions: mapOf(permission) });
export const managerSaved = object({ message: string, manager: managerRecord });
export type PermissionsDto = Static<typeof managerList>['permissions'];
