import { policies } from '../../access/policies.js';
import { toIso } from '../../core/dates.js';
import { pageEnvelope } from '../../core/page.js';
import { fail } from '../../errors.js';
import { defineRoute, type Route } from '../../http/define-route.js';
import {
  array,
  boolean,
  dateTime,
  filterWord,
  idParams,
  integer,
  listQuery,
  nullable,
  object,
  pageOf,
  string,
} from '../../http/schema.js';

const violation = object({
  invariant: string,
  name: string,
  rule: string,
  table: string,
  id: nullable(integer),
  detail: string,
});
const entry = object({
  id: integer,
  channel: string,
  kind: string,
  recipient: string,
  status: string,
  attempts: integer,
  last_error: nullable(string),
  next_attempt_at: dateTime,
  created_at: dateTime,
});

/** How the service itself is doing; for administrators. */
export const systemRoutes: readonly Route[] = [
  defineRoute({
    id: 'system.state',
    method: 'get',
    paths: ['/system/state'],
    access: policies.admin,
    summary: 'Schema, size and risks, recurring work and what waits in the outbox',
    response: object({
      schema: object({ step: string, steps: integer }),
      database: string,
      size_bytes: integer,
      risks: array(object({ code: string, severity: string, text: string })),
      jobs: object({
        enabled: boolean,
        list: array(object({ name: string, last_run_at: dateTime, next_run_at: dateTime })),
      }),
      outbox: array(object({ channel: string, status: string, count: integer })),
    }),
    handler: ({ app }) => app.system.state(),
  }),
  defineRoute({
    id: 'system.verify',
    method: 'post',
    paths: ['/system/verify'],
    access: policies.admin,
    summary: 'Look for rows that break a rule of the books; there are none',
    response: object({ violations: array(violation), checked_at: dateTime }),
    handler: async ({ app }) => ({
      violations: await app.ledger.verify(),
      checked_at: toIso(app.clock.now()),
    }),
  }),
  defineRoute({
    id: 'system.reconcile',
    method: 'post',
    paths: ['/system/reconcile'],
    access: policies.admin,
    summary: 'Recount every affiliate whose figures disagree',
    response: object({ repaired: integer, message: string }),
    handler: async ({ app }) => ({
      repaired: (await app.ledger.reconcile()).length,
      message: 'Figures recounted.',
    }),
  }),
  defineRoute({
    id: 'system.outbox',
    method: 'get',
    paths: ['/system/outbox'],
    access: policies.admin,
    summary: 'List mails and deliveries with what became of them',
    query: listQuery(20, { status: filterWord }),
    response: object({ entries: pageOf(entry) }),
    handler: async ({ app, query, request }) => {
      const page = await app.system.outbox(query);
      const rows = page.rows.map((row) => ({
        ...row,
        next_attempt_at: toIso(row.next_attempt_at),
        created_at: toIso(row.created_at),
      }));
      return { entries: pageEnvelope(request.url, { ...page, rows }) };
    },
  }),
  defineRoute({
    id: 'system.retry',
    method: 'post',
    paths: ['/system/outbox/:id/retry'],
    access: policies.admin,
    summary: 'Send a mail or delivery again that was given up',
    params: idParams,
    response: object({ message: string }),
    handler: async ({ app, params }) => {
      if (!(await app.system.retry(params.id))) fail('outbox_entry_not_found');
      return { message: 'It is sent again.' };
    },
  }),
];
