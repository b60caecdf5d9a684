import { policies } from '../../platform/access/policies.js';
import { toIso } from '../../core/dates.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import {
  dateTime,
  day,
  dayFilters,
  filterWord,
  integer,
  listQuery,
  nullable,
  object,
  optional,
  pageOf,
  string,
  Type,
} from '../../platform/http/schema.js';
import type { Platform } from '../../platform/platform.js';
import type { AuditService } from './service.js';

export interface RouteDeps extends Platform {
  readonly audit: AuditService;
}
const defineRoute = routesFor<RouteDeps>('audit');

/** The values an object had; null before it was made and after it was deleted. */
const stored = Type.Unsafe<unknown>({
  anyOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: { type: ['object', 'string', 'number', 'boolean', 'null'] } },
  ],
});
const entry = object({
  id: integer,
  action: string,
  object_type: string,
  object_id: nullable(string),
  before: stored,
  after: stored,
  actor_id: nullable(integer),
  api_key_id: nullable(integer),
  actor: nullable(object({ ID: integer, display_name: string, user_email: string })),
  request_id: nullable(string),
  created_at: dateTime,
});

export const auditRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'audit.list',
    method: 'get',
    paths: ['/audit'],
    access: policies.admin,
    summary: 'List audit log entries: who changed what and when. Amounts are in minor units',
    query: listQuery(20, {
      object_type: filterWord,
      object_id: filterWord,
      action: filterWord,
      actor_id: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      api_key_id: optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only changes made with this API key',
        }),
      ),
      day: optional(day),
      ...dayFilters,
      affiliate_id: optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "Only changes to this affiliate's record",
        }),
      ),
    }),
    response: object({ entries: pageOf(entry) }),
    handler: async ({ app, query, request }) => {
      const page = await app.audit.list(query);
      const users = await app.users(page.rows.map((row) => row.actor_id));
      const rows = page.rows.map((row) => {
        const user = users.get(row.actor_id ?? 0);
        return {
          ...row,
          actor: user ? { ID: user.id, display_name: user.display_name, user_email: user.email } : null,
          created_at: toIso(row.created_at),
        };
      });
      return { entries: pageEnvelope(request.url, { ...page, rows }) };
    },
  }),
];
