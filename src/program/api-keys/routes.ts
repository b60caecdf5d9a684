import { KEY_RIGHTS } from '../../platform/access/key-rights.js';
import { toIso } from '../../core/dates.js';
import { policies } from '../../platform/access/policies.js';
import { fail } from '../../errors.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { presentApiKeys } from './presenter.js';
import { apiKeyIssued, apiKeyList, apiKeyPatch, apiKeyRevoked, apiKeySaved, newApiKey } from './schemas.js';
import type { Deps } from './deps.js';
import type { ApiKeysService } from './service.js';

export interface RouteDeps extends Deps {
  readonly apiKeys: ApiKeysService;
}
const defineRoute = routesFor<RouteDeps>('api_keys');

// Administrators only, and never with a key: no key can make keys. People make and change their own keys, and
// revoke any; what a service account uses is made by the host's code.
export const apiKeyRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'api_keys.list',
    method: 'get',
    paths: ['/settings/api-keys'],
    access: policies.admin,
    summary: 'List API keys and the available permissions',
    response: apiKeyList,
    handler: async ({ app }) => ({
      api_keys: await presentApiKeys(app, await app.apiKeys.list()),
      rights: KEY_RIGHTS,
    }),
  }),
  defineRoute({
    id: 'api_keys.create',
    method: 'post',
    paths: ['/settings/api-keys'],
    access: policies.admin,
    summary: 'Create an API key. Only this response contains the key',
    body: newApiKey,
    response: apiKeyIssued,
    secret: true,
    handler: async ({ app, user, body }) => {
      if (body.user_id !== undefined && body.user_id !== user.id) fail('api_key_of_other_user');
      const { apiKey, key } = await app.apiKeys.create({ ...body, user_id: user.id });
      return { message: 'API key created.', api_key: (await presentApiKeys(app, [apiKey]))[0]!, key };
    },
  }),
  defineRoute({
    id: 'api_keys.update',
    method: 'patch',
    paths: ['/settings/api-keys/:id'],
    access: policies.admin,
    summary: "Update an API key's name, permissions or expiry",
    params: idParams,
    body: apiKeyPatch,
    response: apiKeySaved,
    handler: async ({ app, user, params, body }) => {
      if ((await app.apiKeys.get(params.id)).user_id !== user.id) fail('api_key_of_other_user');
      const [apiKey] = await presentApiKeys(app, [await app.apiKeys.update(params.id, body)]);
      return { message: 'API key saved.', api_key: apiKey! };
    },
  }),
  defineRoute({
    id: 'api_keys.delete',
    method: 'delete',
    paths: ['/settings/api-keys/:id'],
    access: policies.admin,
    summary: 'Revoke an API key. The response lists what was created with it',
    params: idParams,
    response: apiKeyRevoked,
    handler: async ({ app, params }) => ({
      message: 'API key revoked.',
      made: (await app.apiKeys.remove(params.id)).map(({ created_at, ...made }) => ({
        ...made,
        created_at: toIso(created_at),
      })),
    }),
  }),
];
