import { describe, expect, it } from '@jest/globals';
import { order, startCommerce, type CommerceShop } from '../support/commerce.js';

const INBOX = '/settings/integration/deliveries';

async function inbox(t: CommerceShop, query = ''): Promise<Record<string, unknown>[]> {
  return (await t.admin.get(`${INBOX}${query}`).expect(200)).body.deliveries.data;
}

describe('deliveries of shops', () => {
  it('are listed, and replayed when they failed', async () => {
    const t = await startCommerce();
    const mend = t.service.hooks.addFilter('should_process_referral', () => {
      throw new Error('a listener of the host is down');
    });
    await t
      .send({ type: 'order.paid', order: order({ attribution: { token: await t.token() } }) })
      .expect(200);
    await t.send({ type: 'nothing.known' }).expect(200);
    const [other, failed] = await inbox(t);
    expect(other).toMatchObject({ provider: 'demo', can_replay: false });
    expect(failed).toMatchObject({
      provider: 'demo',
      topic: 'order.paid',
      status: 'failed',
      can_replay: true,
    });
    expect(await inbox(t, '?status=failed&provider=demo')).toHaveLength(1);
    expect(await inbox(t, '?provider=woo')).toHaveLength(0);

    mend();
    const { outcome } = (await t.admin.post(`${INBOX}/${String(failed?.['id'])}/replay`).expect(200)).body;
    expect(outcome).toMatchObject({ result: expect.any(String) });
    expect(await inbox(t, '?status=failed')).toHaveLength(0);
    expect(await t.referrals()).toHaveLength(1);
    const again = await t.admin.post(`${INBOX}/${String(failed?.['id'])}/replay`).expect(422);
    expect(again.body.code).toBe('delivery_not_replayable');
    await t.admin.post(`${INBOX}/999/replay`).expect(404);
  });

  it('are requested again, one order at a time', async () => {
    const t = await startCommerce();
    const ask = { integration: 'demo', order: '77' };
    const { outcome } = (await t.admin.post('/settings/integration/ask').send(ask).expect(200)).body;
    expect(outcome).toEqual({ result: 'ignored', reason: 'order_unknown', referral_id: null });
    const unknown = await t.admin
      .post('/settings/integration/ask')
      .send({ ...ask, integration: 'nobody' })
      .expect(404);
    expect(unknown.body.code).toBe('integration_not_found');
  });
});
