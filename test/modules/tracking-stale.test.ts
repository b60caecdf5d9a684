import { describe, expect, it } from '@jest/globals';
import { startShop, type Shop } from '../support/shop.js';

const DAY = 86_400_000;

describe('commissions pending for too long (docs/tracking.md §11)', () => {
  it('are listed with what they wait for, the oldest first, and mailed once a day', async () => {
    const t = await startShop({ stalePendingDays: 10, fraud: { disposableMail: 'hold' } });
    const calls: unknown[] = [];
    t.service.hooks.addAction('referrals_stale', (stale) => {
      calls.push(stale);
    });
    await t.service.conversions.record(
      null,
      t.order({ reference: 'held', customer: { email: 'x@yopmail.com' } }),
    );
    t.clock.advance(60_000);
    await t.service.conversions.record(null, t.order({ reference: 'unpaid-yet', status: 'pending' }));
    await t.service.conversions.record(null, t.order({ reference: 'fine' }));
    await t.records.referral({ affiliate_id: t.affiliate.id, status: 'pending' });
    expect((await t.admin.get('/referrals/stale').expect(200)).body).toMatchObject({
      older_than_days: 10,
      referrals: { total: 0 },
    });

    t.clock.advance(10 * DAY + 1);
    const { body } = await t.admin.get('/referrals/stale').expect(200);
    expect(body.referrals).toMatchObject({
      total: 3,
      data: [
        { provider_id: 'held', waits_for: 'fraud', days: 10, affiliate: { id: t.affiliate.id } },
        { provider_id: 'unpaid-yet', waits_for: 'payment' },
        { provider: 'manual', waits_for: 'person' },
      ],
    });
    await t.service.jobs.runDue();
    await t.service.jobs.runDue();
    expect(calls).toEqual([{ count: 3, oldest: Date.UTC(2026, 0, 15, 15) }]);
  });

  it('are none where the option says so', async () => {
    const t = await startShop({ stalePendingDays: 0 });
    await t.service.conversions.record(null, t.order({ status: 'pending' }));
    t.clock.advance(900 * DAY);
    expect(await t.service.referrals.staleSummary()).toEqual({ count: 0, oldest: null });
  });
});

describe('the summary for the administrator (docs/tracking.md §11)', () => {
  const mails = async (t: Shop): Promise<{ subject: string; text: string }[]> => {
    t.host.mailbox.length = 0;
    await t.service.jobs.runDue();
    return t.host.mailbox
      .filter(({ subject }) => subject.startsWith('Affiliate program of Shop: '))
      .map(({ subject, text }) => ({ subject, text }));
  };
  const configure = (t: Shop, settings: object) =>
    t.admin
      .post('/settings/email-config')
      .send({ settings: { admin_email: 'boss@shop.test', ...settings } })
      .expect(200);

  it('covers yesterday, once, and is not sent when nothing happened', async () => {
    const t = await startShop({ timeZone: 'Pacific/Auckland', stalePendingDays: 1 });
    await configure(t, {});
    await t.records.visit({ affiliate_id: t.affiliate.id });
    await t.service.conversions.record(null, t.order());
    await t.service.conversions.record(
      null,
      t.order({ reference: '2', order: { subtotal: '10', currency: 'EUR' } }),
    );
    await t.service.conversions.record(
      null,
      t.order({ reference: '3', customer: { email: 'alice@shop.test' } }),
    );
    expect(await mails(t)).toEqual([]);

    t.clock.advance(DAY);
    const [mail, ...more] = await mails(t);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe('Affiliate program of Shop: 16 Jan 2026'); // 4 in the morning there
    for (const line of [
      'Clicks: 1',
      'Commissions: 2',
      'Affiliates: 1',
      'Commissions ready to pay or in the waiting period: $ 18.00',
      'Commissions ready to pay or in the waiting period: € 2.00',
      'Orders not credited: The customer is the affiliate: 1',
    ]) {
      expect(mail?.text).toContain(line);
    }
    t.clock.advance(3_600_000);
    expect(await mails(t)).toEqual([]);
    t.clock.advance(DAY);
    expect(await mails(t)).toEqual([]);
  });

  it('comes on its weekday for the week before, with what waits', async () => {
    const t = await startShop();
    await configure(t, { summary_email_day: 'tuesday' });
    await t.service.conversions.record(null, t.order({ status: 'pending' })); // Thursday, 15 January
    const days: string[] = [];
    for (let day = 0; day < 13; day++) {
      t.clock.advance(DAY);
      days.push(...(await mails(t)).map(({ subject }) => subject));
    }
    expect(days).toEqual(['Affiliate program of Shop: 13 Jan 2026 – 19 Jan 2026']);
    t.clock.advance(20 * DAY);
    expect((await mails(t))[0]?.text).toMatch(/pending for too long: 1, the oldest since 15 Jan 2026/);
  });

  it('never comes when the setting says so', async () => {
    const t = await startShop();
    await configure(t, { summary_email_day: 'never' });
    await t.service.conversions.record(null, t.order());
    t.clock.advance(DAY);
    expect(await mails(t)).toEqual([]);
  });
});
