import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { object, string } from '../../platform/http/schema.js';
import { licenseBody, licenseData, licenseQuery } from './schemas.js';
import type { LicenseService } from './service.js';

export interface RouteDeps {
  readonly license: LicenseService;
}
const defineRoute = routesFor<RouteDeps>('license');

const paths = ['/license/license', '/settings/license'] as const;
const response = object({ license_data: licenseData, message: string });
const OFF: readonly unknown[] = [undefined, '', '0', 'false', 'no'];

export const licenseRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'license.get',
    method: 'get',
    paths,
    access: policies.settings,
    summary: 'Get the license',
    query: licenseQuery,
    response: licenseData,
    handler: async ({ app, query }) => app.license.status(!OFF.includes(query.verify)),
  }),
  defineRoute({
    id: 'license.activate',
    method: 'post',
    paths,
    access: policies.settings,
    summary: 'Activate a license key',
    body: licenseBody,
    response,
    handler: async ({ app, body }) => ({
      license_data: await app.license.activate(body.license_key),
      message: 'License activated.',
    }),
  }),
  defineRoute({
    id: 'license.deactivate',
    method: 'delete',
    paths,
    access: policies.settings,
    summary: 'Remove the license',
    response,
    handler: async ({ app }) => {
      const { license, isNotified } = await app.license.deactivate();
      return {
        license_data: license,
        message: isNotified
          ? 'License removed.'
          : 'License removed here. The license server could not be notified.',
      };
    },
  }),
];
