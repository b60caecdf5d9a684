import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startShop } from '../support/shop.js';

const PATH = '/settings/tracking/skipped';

describe('what was not credited (docs/tracking.md §6)', () => {
  it('lists counts and orders with their reasons, newest first and by page', async () => {
    const t = await startShop();
    await request(t.server)
      .get(`/?ref=${t.affiliate.id}`)
      .set('Accept', 'text/html')
      .set('User-Agent', 'Googlebot/2.1')
      .expect(200);
    await t.service.conversions.record(null, t.order({ reference: 'nobody', affiliate: null }));
    await t.service.conversions.record(
      null,
      t.order({ reference: 'own', customer: { email: 'alice@shop.test' } }),
    );
    t.clock.advance(60_000);
    await t.service.conversions.record(null, t.order({ reference: 'up', upgrade_of: '1' }));

    const { body } = await t.admin.get(`${PATH}?per_page=1`).expect(200);
    expect(body).toMatchObject({
      clicks: [{ day: '2026-01-15', reason: 'bot', hits: 1 }],
      orders: [{ day: '2026-01-15', reason: 'no_affiliate', hits: 1 }],
      orders_by_reason: [
        { reason: 'self_referral', hits: 1 },
        { reason: 'upgrade_order', hits: 1 },
      ],
      skipped: {
        total: 2,
        data: [
          {
            provider: 'shop',
            provider_id: 'up',
            reason: 'upgrade_order',
            affiliate_id: t.affiliate.id,
            created_at: '2026-01-15T15:01:00+00:00',
          },
        ],
      },
    });
    expect(body.reasons.clicks).toContain('first_click_wins');
    expect(body.reasons.orders).toContain('commission_cap');
    const own = (await t.admin.get(`${PATH}?reason=self_referral&provider=shop`).expect(200)).body;
    expect(own).toMatchObject({
      clicks: [],
      orders: [],
      skipped: { total: 1, data: [{ provider_id: 'own' }] },
    });
    expect((await t.admin.get(`${PATH}?end_date=2026-01-14`).expect(200)).body).toMatchObject({
      clicks: [],
      skipped: { total: 0 },
    });
  });

  it('is for those who may see settings, and refuses what it does not know', async () => {
    const t = await startShop();
    await t.as(2).get(PATH).expect(403);
    await t.anonymous.get(PATH).expect(401);
    await t.admin.get(`${PATH}?reason=because`).expect(422);
    await t.admin.get(`${PATH}?start_date=2026-02-01&end_date=2026-01-01`).expect(422);
  });

  it('keeps refused orders as long as visits', async () => {
    const t = await startShop();
    await t.service.conversions.record(null, t.order({ upgrade_of: '1' }));
    t.clock.advance(396 * 86_400_000);
    expect(await t.app.conversions.purge()).toBe(1);
  });
});
