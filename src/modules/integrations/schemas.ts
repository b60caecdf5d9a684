import {
  anyObject,
  anything,
  array,
  flag,
  object,
  oneOf,
  optional,
  string,
  text,
} from '../../http/schema.js';

const key = text(100, 1);

export const integrationQuery = object({ integration: key });
export const configBody = object({ integration: key, config: anyObject });
export const statusBody = object({ integration: key, is_enabled: flag });
export const optionsQuery = object({
  integration: text(100),
  object_type: optional(text(20)),
  search: optional(text(255)),
  include_ids: optional(anything),
});

export const integrationsAnswer = object({ integrations: anyObject });
export const configAnswer = object({
  config: anyObject,
  fields: anyObject,
  info: anyObject,
  integration_key: string,
});
export const messageAnswer = object({ message: string });
export const statusAnswer = object({ message: string, status: oneOf('yes', 'no'), config: anyObject });
export const optionsAnswer = object({ options: array(anyObject) });
