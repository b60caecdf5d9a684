import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { testDatabase } from '../support/databases.js';

// What one process saves counts in the others within a second, also where money moves first.

it('a refund in one process counts in the currency that another one saved', async () => {
  const database = await testDatabase({ shared: true });
  const office = await startApp({ database, rate: 20 });
  const shop = await startApp({ database, keep: true });
  const affiliate = await office.records.affiliate({ user_id: 2, status: 'active' });
  for (const [provider, subtotal] of [
    ['shop', '100.00'],
    ['mart', '50.00'],
  ] as const)
    await shop.service.conversions.record(null, {
      provider,
      reference: 'A-1',
      status: 'unpaid',
      order: { subtotal },
      customer: { email: 'jo@buyer.test' },
      affiliate: affiliate.id,
    });

  await office.service.settings.saveReferralConfig({ currency: 'EUR' }, { confirm: true });
  for (const { clock } of [office, shop]) clock.advance(2000);
  await shop.service.conversions.refund('shop', { reference: 'A-1' }, { refunded_total: '50.00' });

  const { body } = await office.admin.get(`/affiliates/${affiliate.id}`).expect(200);
  expect([body.affiliate.total_earnings, body.affiliate.unpaid_earnings]).toEqual([0, 0]);
  expect(body.affiliate.by_currency).toEqual({ USD: { total_earnings: 20, unpaid_earnings: 20 } });
  expect(await office.service.verify()).toEqual([]);
});
