import {
  anyObject,
  anything,
  array,
  boolean,
  Id,
  integer,
  object,
  optional,
  string,
  Type,
} from '../../http/schema.js';

// The keys are judged by the service: unknown ones are dropped, and only an empty rest is an error.
export const managerForm = Type.Object({ user_id: Id, permissions: optional(anything) });

export const managerRecord = object({
  user_id: integer,
  id: integer,
  display_name: string,
  name: string,
  email: string,
  avatar: string,
  permissions: array(string),
  is_admin: boolean,
});
export const managerList = object({ managers: array(managerRecord), permissions: anyObject });
export const managerSaved = object({ message: string, manager: managerRecord });
export const message = object({ message: string });
