import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { Id, listQuery, object, oneOf, optional, pageOf, recordFilters } from '../../platform/http/schema.js';
import { fraudEvents } from './record.js';
import { FRAUD_RULES } from './types.js';
import type { FraudService } from './service.js';

export interface RouteDeps {
  readonly fraud: FraudService;
}
const defineRoute = routesFor<RouteDeps>('settings');

const action = oneOf('off', 'flag', 'hold', 'reject');
const event = object(fraudEvents.wire);

export const fraudRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'settings.fraud_events',
    method: 'get',
    paths: ['/settings/tracking/fraud'],
    access: policies.settings,
    summary: "List suspicious orders, one per rule, affiliate and customer, and each rule's action",
    query: listQuery(20, { ...recordFilters, rule: optional(oneOf(...FRAUD_RULES)) }),
    response: object({
      events: pageOf(event),
      rules: object(Object.fromEntries(FRAUD_RULES.map((rule) => [rule, action]))),
    }),
    handler: async ({ app, query, request }) => {
      const page = await app.fraud.list(query);
      return {
        events: pageEnvelope(request.url, {
          ...page,
          rows: page.rows.map((row) => fraudEvents.present(row)),
        }),
        rules: await app.fraud.actions(),
      };
    },
  }),
  defineRoute({
    id: 'settings.fraud_event',
    method: 'get',
    paths: ['/settings/tracking/fraud/:id'],
    access: policies.settings,
    summary: 'Get a suspicious order with its evidence',
    params: object({ id: Id }),
    response: object({ event }),
    handler: async ({ app, params }) => ({ event: fraudEvents.present(await app.fraud.get(params.id)) }),
  }),
];
