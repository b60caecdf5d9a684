import { expect, it } from '@jest/globals';
import { defineHost } from '../../adapters/define-host.js';
import { createAffiliateService } from '../../src/index.js';
import { testLog } from '../database/support.js';
import { startApp } from '../support/app.js';
import { preparedDatabase } from '../support/databases.js';

it('takes the text id of a user whom the program has never met', async () => {
  const rows = [
    { id: 'u-1', email: 'ann@shop.test' },
    { id: 'u-2', email: 'ben@shop.test' },
  ];
  const host = defineHost({
    site: { url: 'https://shop.test', name: 'Shop', timeZone: 'UTC' },
    ids: 'text',
    secret: 'a secret of the host, for tests',
    session: async () => null,
    user: ({ id, email }: (typeof rows)[number]) => ({ id, email }),
    rights: () => [],
    users: {
      byIds: async (ids: readonly string[]) => rows.filter(({ id }) => ids.includes(id)),
      search: async () => [],
    },
  });
  await startApp(); // empties the database that a server keeps for this worker
  const service = createAffiliateService(host, {
    database: await preparedDatabase(),
    secret: 'a secret that is long enough for the tests',
    jobs: false,
    logger: testLog(),
  });

  const made = await service.affiliates.create({ user: 'u-2', status: 'active' });

  expect(await service.affiliates.findByUser('u-2')).toMatchObject({ id: made.id });
  expect(await service.affiliates.findByUser('u-1')).toBeNull();
  expect(await service.users.meet('u-1')).toBeGreaterThan(0);
  expect(await service.users.meet('u-9')).toBeNull();
  await expect(service.affiliates.create({ user: 'u-9', status: 'active' })).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { user_id: expect.anything() },
  });
  expect(await service.users.deleted('u-2')).toBe(true);
  await service.close();
});

it('sums what an affiliate earned in some days, by status', async () => {
  const t = await startApp();
  const alice = await t.records.affiliate({ user_id: 2 });
  await t.records.referral({ affiliate_id: alice.id, amount: 5 });
  t.clock.advance(2 * 86_400_000);
  await t.records.referral({ affiliate_id: alice.id, amount: 7 });
  const bob = await t.records.affiliate({ user_id: 3 });
  await t.records.referral({ affiliate_id: bob.id, amount: 100 });

  const { totals } = t.service.affiliates;
  expect(await totals(alice.id)).toMatchObject([{ currency: 'USD', count: 2, amount: 12 }]);
  expect(await totals(alice.id, { from: '2026-01-16' })).toMatchObject([{ count: 1, amount: 7 }]);
  expect(await totals(alice.id, { to: '2026-01-15', status: 'unpaid' })).toMatchObject([{ amount: 5 }]);
  expect((await totals(alice.id, { status: ['paid', 'rejected'] }))[0]?.count ?? 0).toBe(0);
});
