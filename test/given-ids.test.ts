import { beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from './support/app.js';

// Hosts hand on what a request says; no database may be asked for what can be no id.
const NO_IDS: readonly unknown[] = [
  undefined,
  null,
  '',
  'abc',
  '1 or 1=1',
  Number.NaN,
  {},
  [],
  1.5,
  -1,
  1e300,
];

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/** Methods that begin with an id, by what they answer where there is no such record. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  affiliates: ['changeStatus', 'get', 'merge', 'remove', 'saveProfile', 'update'],
  apiKeys: ['get', 'remove', 'update'],
  creatives: ['get', 'remove', 'update'],
  groups: ['get', 'remove', 'update'],
  ledger: ['correct'],
  links: ['get', 'remove', 'update'],
  payouts: [
    'deleteTransaction',
    'get',
    'items',
    'markAllPaid',
    'setTransactionStatus',
    'transactions',
    'update',
    'view',
  ],
  referrals: ['delete', 'explain', 'get', 'update', 'view'],
  webhooks: ['deliveries', 'endpoint', 'ping', 'removeEndpoint', 'rotateSecret', 'secret', 'updateEndpoint'],
};
const NOTHING: Readonly<Record<string, readonly string[]>> = {
  affiliates: ['find', 'findByUser'],
  creatives: ['find'],
  customers: ['find', 'view'],
  groups: ['find'],
  payouts: ['find'],
  referrals: ['find'],
  visits: ['find'],
};
const MANY = ['affiliates', 'groups', 'payouts', 'referrals', 'visits'];

/** What is given after the id. */
const REST: Readonly<Record<string, unknown>> = {
  correct: { amount: '1.00', reason: 'By hand' },
  deleteTransaction: 1,
  merge: 1,
  setTransactionStatus: 1,
};

const cases = (table: Readonly<Record<string, readonly string[]>>): readonly (readonly [string, string])[] =>
  Object.entries(table).flatMap(([name, methods]) => methods.map((method) => [name, method] as const));

describe('a method of a service that is given no id', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await startApp();
  });
  const method = (name: string, of: string): Method =>
    (t.service as unknown as Record<string, Record<string, Method>>)[name]![of]!;

  it.each(cases(ABSENT))('service.%s.%s says that there is no such record', async (name, of) => {
    for (const id of NO_IDS)
      await expect(method(name, of)(id, REST[of] ?? {}, 'paid')).rejects.toMatchObject({ status: 404 });
  });

  it.each(cases(NOTHING))('service.%s.%s finds nothing', async (name, of) => {
    for (const id of NO_IDS) expect(await method(name, of)(id)).toBeNull();
  });

  it.each(MANY)('service.%s.findMany finds nothing', async (name) => {
    expect((await method(name, 'findMany')(NO_IDS)) as ReadonlyMap<number, unknown>).toEqual(new Map());
  });

  it('takes an id as a request sends it', async () => {
    const { id } = await t.records.affiliate({ user_id: 2, status: 'active' });

    expect(await method('affiliates', 'get')(String(id))).toMatchObject({ id });
    expect([
      ...((await method('affiliates', 'findMany')([String(id)])) as ReadonlyMap<number, unknown>).keys(),
    ]).toEqual([id]);
  });

  it('has no rows on a page nobody can reach', async () => {
    await t.records.affiliate({ user_id: 2, status: 'active' });

    for (const page of [2, 2 ** 53, 1e300])
      expect(await t.service.affiliates.list({ page })).toMatchObject({ rows: [], total: 1 });
  });
});
