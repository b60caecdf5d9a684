import { beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { connectChild, signed, type Child } from '../support/sites.js';
import { referralsOf } from '../support/lists.js';
import { rowsIn } from '../support/rows.js';

const DAY = 86_400_000;
const FORM = '/settings/connected-sites-config';
const REFERRALS = '/connected-sites/referrals';

let t: TestApp;
let alice: { id: number };
let store: Child;

beforeEach(async () => {
  t = await startApp({ rate: 10 });
  alice = await t.records.affiliate();
  store = await connectChild(t);
});

const order = (reference = 'A-1') => ({
  reference,
  status: 'unpaid',
  affiliate_param: String(alice.id),
  order: { subtotal: '50.00' },
});
const report = (child: Child, body: object = order()) => signed(t, child, 'post', REFERRALS, body);
const change = (child: Child, body: object, reference = 'A-1') =>
  signed(t, child, 'patch', `${REFERRALS}/${reference}`, body);
const disconnect = ({ site_id }: Child) => t.admin.post(`${FORM}/disconnect`).send({ site_id }).expect(200);

describe('a site that is disconnected and connected again', () => {
  it('keeps its id and its orders, and needs its new token', async () => {
    await report(store).expect(200);
    await disconnect(store);
    await report(store).expect(401);
    const again = await connectChild(t, 'https://STORE.test/');
    expect(again.site_id).toBe(store.site_id);
    expect(again.server_token).not.toBe(store.server_token);
    await report(store).expect(401);

    // the report whose answer was lost
    expect((await report(again).expect(200)).body).toMatchObject({ created: false, referral: { amount: 5 } });
    await change(again, { refunded_total: '50.00' }).expect(200);
    expect(await referralsOf(t)).toMatchObject([{ status: 'rejected' }]);
  });

  it('does not give its id to another URL', async () => {
    await disconnect(store);
    const others = await Promise.all(
      ['https://a.test', 'https://b.test', 'https://store.test/shop'].map((url) => connectChild(t, url)),
    );
    expect(others.map(({ site_id }) => site_id)).not.toContain(store.site_id);
    expect((await connectChild(t)).site_id).toBe(store.site_id);
  });

  it('is one site when it is connected twice at the same moment', async () => {
    await disconnect(store);
    const answers = await Promise.all(
      [1, 2, 3].map(() => t.admin.post(`${FORM}/issue`).send({ site_url: store.site_url })),
    );
    expect(answers.map(({ status, body }) => [status, body.site_id as string])).toEqual(
      answers.map(() => [200, store.site_id]),
    );
  });

  it('can go and come back any number of times', async () => {
    for (const _ of [1, 2, 3]) {
      await disconnect(store);
      expect((await connectChild(t)).site_id).toBe(store.site_id);
    }
  });
});

describe('a report about an order that comes before the order', () => {
  it('waits for it: the order is not payable when it was refunded in full', async () => {
    const { body } = await change(store, { refunded_total: '50.00' }).expect(404);
    expect(body.code).toBe('referral_not_found');
    expect((await report(store).expect(200)).body).toMatchObject({
      created: true,
      referral: { status: 'rejected' },
    });
    expect(await referralsOf(t)).toMatchObject([{ status: 'rejected' }]);
  });

  it('counts in the order of arrival, once', async () => {
    await change(store, { status: 'unpaid' }).expect(404);
    await change(store, { refunded_total: '10.00' }).expect(404);
    await change(store, { refunded_total: '20.00' }).expect(404);
    await report(store, { ...order(), status: 'pending' }).expect(200);
    await report(store, { ...order(), status: 'pending' }).expect(200);
    expect(await referralsOf(t)).toMatchObject([{ status: 'unpaid', amount: 3 }]);
    expect(await rowsIn(t, 'early_reports')).toEqual([0]);
  });

  it('counts for the order of its own site only', async () => {
    const other = await connectChild(t, 'https://other.test');
    await change(other, { refunded_total: '50.00' }).expect(404);
    await report(store).expect(200);
    expect(await referralsOf(t)).toMatchObject([{ status: 'unpaid', amount: 5 }]);
  });

  it('waits seven days', async () => {
    await change(store, { refunded_total: '50.00' }, 'A-1').expect(404);
    t.clock.advance(7 * DAY - 60_000);
    await change(store, { refunded_total: '50.00' }, 'A-2').expect(404);
    await report(store, order('A-1')).expect(200);
    t.clock.advance(7 * DAY + 60_000);
    await report(store, order('A-2')).expect(200);
    expect(await referralsOf(t)).toMatchObject([{ status: 'rejected' }, { status: 'unpaid' }]);
    await t.service.jobs.runDue();
    expect(await rowsIn(t, 'early_reports')).toEqual([0]);
  });

  it('is refused immediately when it is invalid for any order', async () => {
    await change(store, {}).expect(422);
    await change(store, { refunded_total: 'much' }).expect(422);
    await change(store, { refunded_total: '5.00' }, 'x'.repeat(151)).expect(404);
    expect(await rowsIn(t, 'early_reports')).toEqual([0]);
  });

  it('that does not fit the order is logged', async () => {
    await change(store, { status: 'rejected' }).expect(404);
    await change(store, { status: 'unpaid' }).expect(404);
    await report(store).expect(200);
    expect(await referralsOf(t)).toMatchObject([{ status: 'rejected' }]);
    expect(t.log.filter(({ message }) => message.includes('arrived before its order'))).toHaveLength(1);
  });
});
