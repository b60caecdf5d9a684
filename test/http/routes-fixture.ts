import { Type } from 'typebox';
import { policies } from '../../src/platform/access/policies.js';
import { routesFor, type Route } from '../../src/platform/http/define-route.js';
import { exportRows } from '../../src/platform/http/export.js';
import { reply } from '../../src/platform/http/reply.js';
import {
  deferred,
  day,
  email,
  flag,
  httpUrl,
  idList,
  idParams,
  listQuery,
  money,
  string,
  nullable,
  object,
  oneOf,
  optional,
  rate,
  text,
  textarea,
} from '../../src/platform/http/schema.js';

const defineRoute = routesFor<unknown>('things');

const answer = Type.Object({}, { additionalProperties: true });

/** A handful of routes that show every step of the pipeline. */
export const fixtureRoutes: readonly Route<unknown>[] = [
  defineRoute({
    id: 'things.get',
    method: 'get',
    paths: ['/things/:id', '/settings/things/:id'],
    access: policies.section('affiliates'),
    summary: 'One',
    params: idParams,
    response: answer,
    handler: async ({ params, request }) => ({ id: params.id, url: request.url }),
  }),
  defineRoute({
    id: 'things.list',
    method: 'get',
    paths: ['/things'],
    access: policies.section('affiliates'),
    summary: 'List',
    query: listQuery(10, { status: optional(deferred(string)), ids: optional(idList) }),
    response: answer,
    handler: async ({ query, request }) => ({ query, url: request.url }),
  }),
  defineRoute({
    id: 'things.export',
    method: 'get',
    paths: ['/things/export'],
    access: policies.section('affiliates'),
    summary: 'Export',
    response: answer,
    handler: async () =>
      exportRows({
        name: 'things',
        columns: ['id', 'title', 'amount'],
        total: 3,
        rows: pages(),
        escaped: ['title'],
      }),
  }),
  defineRoute({
    id: 'things.create',
    method: 'post',
    paths: ['/things'],
    access: policies.admin,
    summary: 'Create',
    body: object({
      title: text(20, 3),
      note: optional(textarea(100)),
      amount: optional(money),
      rate: optional(rate),
      email: optional(email),
      url: optional(httpUrl()),
      day: optional(day),
      active: optional(flag),
      status: optional(oneOf('on', 'off')),
      ids: optional(idList),
      count: optional(Type.Integer({ minimum: 1 })),
      parent: optional(nullable(Type.Integer())),
      extra: optional(deferred(string)),
      config: optional(object({ label: text(10, 1), flags: optional(Type.Array(Type.String())) })),
    }),
    response: answer,
    handler: async ({ body, request }) => ({ body, submitted: request.submitted, form: request.formEncoded }),
  }),
  defineRoute({
    id: 'things.update',
    method: 'patch',
    paths: ['/things/:id'],
    access: policies.section('affiliates'),
    summary: 'Update',
    params: idParams,
    body: object({ title: optional(text(20, 3)) }),
    response: answer,
    handler: async ({ params, body }) => ({ id: params.id, body }),
  }),
  defineRoute({
    id: 'things.remove',
    method: 'delete',
    paths: ['/things/:id'],
    access: policies.section('affiliates'),
    summary: 'Delete',
    params: idParams,
    response: answer,
    handler: async ({ params }) => ({ deleted: params.id }),
  }),
  defineRoute({
    id: 'things.mine',
    method: 'get',
    paths: ['/thingsmine'],
    access: policies.signedIn,
    summary: 'Own',
    response: answer,
    handler: async ({ user, allows }) => ({ user: user.id, visits: await allows('visits') }),
  }),
  defineRoute({
    id: 'things.open',
    method: 'post',
    paths: ['/open'],
    access: policies.public,
    summary: 'Open',
    accepts: { bytes: 100, plainText: true },
    body: object({ n: optional(Type.Number()) }),
    response: answer,
    handler: async ({ user, body, request }) =>
      reply({ user: user.id, body, raw: request.rawBody?.toString() }, { headers: { 'X-Made': 'yes' } }),
  }),
  defineRoute({
    id: 'things.site',
    method: 'post',
    paths: ['/site'],
    access: policies.site,
    summary: 'Site',
    response: answer,
    handler: async ({ site }) => ({ site: site?.site_id }),
  }),
];

async function* pages(): AsyncGenerator<Record<string, string | number | null>[]> {
  yield [
    { id: 1, title: '=1+1', amount: -2.5 },
    { id: 2, title: 'Smith, "J"\r', amount: null },
  ];
  yield [{ id: 3, title: 'plain', amount: 0 }];
}
