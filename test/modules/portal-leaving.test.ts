import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';

const setUp = async () => {
  const t = await startApp({ rate: 10 });
  const affiliate = await t.records.affiliate({
    user_id: 2,
    status: 'active',
    payment_email: 'alice@pay.test',
    note: 'likes hiking',
  });
  return { t, id: affiliate.id, alice: t.as(2) };
};

describe('an affiliate’s own data', () => {
  it('is handed out whole, to its owner alone', async () => {
    const { t, id, alice } = await setUp();
    await t.records.visit({ affiliate_id: id });
    await t.records.referral({ affiliate_id: id, amount: 12.5, status: 'unpaid', description: 'Order 7' });

    const { body } = await alice.get('/portal/data').expect(200);

    expect(body.data).toMatchObject({
      affiliate_id: id,
      status: 'active',
      payment_details: { details: { payment_email: 'alice@pay.test' } },
      commissions: [{ description: 'Order 7', amount: 12.5 }],
      totals: { commissions: 1, payments: 0, clicks: 1 },
      deletion_asked_at: null,
    });
    expect(JSON.stringify(body)).not.toContain('hiking'); // the managers' note
    await t.as(3).get('/portal/data').expect(422);
  });
});

describe('leaving', () => {
  it('stops the links and keeps what was earned', async () => {
    const { t, id, alice } = await setUp();
    await t.records.referral({ affiliate_id: id, amount: 12.5, status: 'unpaid' });

    await alice.post('/portal/leave').expect(200);
    await alice.post('/portal/leave').expect(200); // again changes nothing

    const { affiliate } = (await t.admin.get(`/affiliates/${id}`).expect(200)).body;
    expect(affiliate).toMatchObject({ status: 'inactive', unpaid_earnings: 12.5 });
    const { body } = await t.admin.get('/audit?object_type=affiliate').expect(200);
    expect(JSON.stringify(body).match(/affiliate\.left/g)).toHaveLength(1);
  });
});

describe('a request for deletion', () => {
  it('is listed for the managers, can be taken back, and is carried out by them', async () => {
    const { t, id, alice } = await setUp();
    const other = await t.records.affiliate({ user_id: 3, status: 'active' });
    const asking = async (): Promise<number[]> =>
      (await t.admin.get('/affiliates?asks_deletion=yes').expect(200)).body.affiliates.data.map(
        (row: { id: number }) => row.id,
      );
    await alice.post('/portal/deletion').expect(200);
    const { body: first } = await alice.get('/portal/profile').expect(200);
    expect(first.deletion_asked_at).not.toBeNull();
    expect(await asking()).toEqual([id]);
    const { body } = await t.admin.get('/affiliates?asks_deletion=no').expect(200);
    expect(body.affiliates.data.map((row: { id: number }) => row.id)).toEqual([other.id]);
    await alice.delete('/portal/deletion').expect(200);
    expect(await asking()).toEqual([]);

    await alice.post('/portal/deletion').expect(200);
    await alice.post(`/affiliates/${id}/erase`).expect(403);
    await t.admin.post(`/affiliates/${id}/erase`).expect(200);
    const { affiliate } = (await t.admin.get(`/affiliates/${id}`).expect(200)).body;
    expect(affiliate).toMatchObject({ status: 'inactive', payment_email: null, note: null, user: null });
    expect(await asking()).toEqual([]); // it is done
    await t.admin.post(`/affiliates/${id}/erase`).expect(200); // nothing is left to erase
    await t.admin.post('/affiliates/999/erase').expect(404);
  });
});
