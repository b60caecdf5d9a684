import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LeadInput } from '../../src/attribution/conversions/types.js';
import { configure, startShop, type Shop } from '../support/shop.js';
import { connectChild, signed } from '../support/sites.js';

const KEY = { provider: 'app', reference: 7, kind: 'signup' } as const;

let t: Shop;
beforeEach(async () => {
  t = await startShop();
  await configure(t, { lead_amount: '5.50' });
});

const leadOf = (more: Partial<LeadInput> = {}): LeadInput => ({
  ...KEY,
  customer: { email: 'jo@mail.test', user_id: 77 },
  affiliate: t.affiliate.id,
  ...more,
});
const lead = (more?: Partial<LeadInput>) => t.service.conversions.lead(null, leadOf(more));
const find = (id: number) => t.service.referrals.find(id);
const bob = async (): Promise<number> =>
  ((await t.records.affiliate({ user_id: 3, status: 'active' })) as { id: number }).id;
const unpaid = async (): Promise<number> =>
  (await t.service.affiliates.get(t.affiliate.id)).unpaid_earnings_minor;

describe('a lead', () => {
  it('earns the flat amount, once however often it is reported, beside an order of the same number', async () => {
    const first = await lead();
    expect(first).toMatchObject({ created: true, reason: null });
    expect(first.referral).toMatchObject({ type: 'lead', status: 'unpaid', amount: 5.5, order_total: null });

    const again = await lead({ description: 'Another text', customer: { email: 'other@mail.test' } });
    expect(again).toMatchObject({
      created: false,
      reason: 'duplicate',
      referral: { id: first.referral?.id },
    });
    const order = await t.service.conversions.record(null, t.order({ provider: 'app', reference: 7 }));
    expect(order).toMatchObject({ created: true, referral: { type: 'sale', amount: 18 } });
    expect(await unpaid()).toBe(550 + 1800);
    const explanation = await t.service.referrals.explain(first.referral!.id);
    expect(explanation?.due).toMatchObject({ amount: 5.5, status: 'unpaid' });
  });

  it('binds its customer, who is nobody else’s lead afterwards', async () => {
    const other = await bob();
    const { referral } = await lead({ defer: true });
    const customer = await t.service.customers.find(referral?.customer_id ?? 0);
    expect(customer?.by_affiliate_id).toBe(t.affiliate.id);

    for (const more of [{ kind: 'trial' }, { reference: 8 }, { reference: 9, affiliate: other }])
      expect(await lead(more)).toMatchObject({ referral: null, reason: 'lead_known' });
    await t.service.conversions.cancelLead(KEY);
    expect(await lead({ reference: 9, affiliate: other })).toMatchObject({
      created: true,
      referral: { affiliate_id: other },
    });
  });

  it('pays once when several are reported at the same moment', async () => {
    const affiliates = [t.affiliate.id, await bob()];
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        lead({ reference: `r${at}`, affiliate: affiliates[at % 2]! }).catch(() => null),
      ),
    );
    expect(results.filter((result) => result?.created)).toHaveLength(1);
  });

  it('is taken back like a canceled order, also after it was paid out', async () => {
    t = await startShop({ clawback: 'adjust' });
    await configure(t, { lead_amount: 5 });
    const { referral } = await lead();
    await t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'January', description: 'Run' } })
      .expect(200);
    const { body } = await t.admin.get('/payouts').expect(200);
    await t.admin
      .patch(`/payouts/${body.payouts.data[0].id}/transactions/bulk-action`)
      .send({ status: 'paid' })
      .expect(200);
    expect((await find(referral!.id))?.status).toBe('paid');

    expect(await t.service.conversions.cancelLead(KEY)).toMatchObject({ changed: true });
    expect(await unpaid()).toBe(-500);
    expect(await t.service.conversions.cancelLead(KEY)).toMatchObject({ changed: false });
  });

  it.each([
    ['a missing customer', { customer: {} }, 'customer'],
    ['a kind of several words', { kind: 'Sign up' }, 'kind'],
    ['no reference', { reference: '' }, 'reference'],
    ['a reference that is too long', { reference: 'x'.repeat(151) }, 'reference'],
    ['a control character', { reference: 'a\u0000' }, 'reference'],
    ['an unknown key', { defered: true }, 'defered'],
  ])('is refused with %s', async (_what, more, field) => {
    await expect(lead(more as Partial<LeadInput>)).rejects.toMatchObject({
      status: 422,
      fields: { [field]: expect.anything() },
    });
  });

  it('of the affiliate’s own making meets the rules against fraud', async () => {
    expect(await lead({ customer: { email: 'pay@alice.test' } })).toMatchObject({
      referral: null,
      reason: 'self_referral',
    });
    const deferred = await lead({ reference: 8, customer: { user_id: 2 }, defer: true });
    expect(deferred.referral).toBeNull();
    await t.service.conversions.qualify({ ...KEY, reference: 8 });
    expect(await unpaid()).toBe(0);
  });
});

describe('a deferred lead', () => {
  it('earns when it is qualified', async () => {
    const { referral } = await lead({ defer: true });
    expect(referral).toMatchObject({ status: 'pending', amount: 5.5 });
    expect(await unpaid()).toBe(0);
    expect(await t.service.conversions.qualify(KEY)).toMatchObject({
      changed: true,
      referral: { status: 'unpaid' },
    });
    expect(await t.service.conversions.qualify(KEY)).toMatchObject({ changed: false });
    expect(await unpaid()).toBe(550);
    expect(await t.service.conversions.qualify({ ...KEY, reference: 'none' })).toMatchObject({
      referral: null,
      reason: 'unknown_order',
    });
  });

  it.each([
    ['of its affiliate', (): Promise<number | null> => Promise.resolve(t.affiliate.id)],
    ['of another affiliate', bob],
  ])('earns at the first payment %s', async (_whose, affiliateOf) => {
    const { referral } = await lead({ defer: true });
    const affiliate = await affiliateOf();
    const sale = t.order({ affiliate, status: 'pending', customer: { email: 'jo@mail.test' } });
    await t.service.conversions.record(null, sale);
    expect((await find(referral!.id))?.status).toBe('pending');
    await t.service.conversions.complete('shop', 'A-1');
    expect((await find(referral!.id))?.status).toBe('unpaid');
  });

  it('earns when its customer pays for an order that credits nobody, long after', async () => {
    const { referral } = await lead({ defer: true });
    t.clock.advance(60 * 86_400_000);
    const sale = t.order({ affiliate: null, customer: { user_id: 77 } });
    expect(await t.service.conversions.record(null, sale)).toMatchObject({ reason: 'no_affiliate' });
    expect((await find(referral!.id))?.status).toBe('unpaid');
  });

  it('earns at the next hourly run when the payment came before it', async () => {
    await t.service.conversions.record(null, t.order({ customer: { email: 'jo@mail.test' } }));
    const { referral } = await lead({ defer: true });
    expect(referral?.status).toBe('pending');
    expect(await t.app.conversions.qualifyPaidLeads()).toBe(1);
    expect((await find(referral!.id))?.status).toBe('unpaid');
    expect(await t.app.conversions.qualifyPaidLeads()).toBe(0);
  });
});

describe('the first order of a lead’s customer', () => {
  it('goes to the affiliate of the lead, once and within the days of a cookie', async () => {
    await lead();
    const sale = (reference: string) =>
      t.service.conversions.record(null, t.order({ reference, affiliate: null, customer: { user_id: 77 } }));
    expect((await sale('A-1')).referral).toMatchObject({
      affiliate_id: t.affiliate.id,
      type: 'sale',
      amount: 18,
    });
    expect(await sale('A-2')).toMatchObject({ referral: null, reason: 'no_affiliate' });
  });

  it('goes to the affiliate of another click', async () => {
    await lead();
    const other = await bob();
    const visit = await t.records.visit({ affiliate_id: other });
    const sale = t.order({ affiliate: null, visit_id: Number(visit.id), customer: { user_id: 77 } });
    expect((await t.service.conversions.record(null, sale)).referral?.affiliate_id).toBe(other);
  });

  it('goes to nobody after the lead is old or was canceled', async () => {
    await lead();
    t.clock.advance(31 * 86_400_000);
    const sale = t.order({ affiliate: null, customer: { user_id: 77 } });
    expect((await t.service.conversions.record(null, sale)).reason).toBe('no_affiliate');
    await lead({ reference: 8, customer: { user_id: 78 } });
    await t.service.conversions.cancelLead({ ...KEY, reference: 8 });
    const next = t.order({ reference: 'A-2', affiliate: null, customer: { user_id: 78 } });
    expect((await t.service.conversions.record(null, next)).reason).toBe('no_affiliate');
  });
});

describe('leads over HTTP', () => {
  it('are reported, qualified and canceled', async () => {
    const body = { ...leadOf({ defer: true }), reference: '7' };
    const { body: made } = await t.admin.post('/leads').send(body).expect(200);
    expect(made).toMatchObject({ created: true, referral: { type: 'lead', status: 'pending', amount: 5.5 } });
    expect((await t.admin.post('/leads').send(body).expect(200)).body).toMatchObject({
      created: false,
      reason: 'duplicate',
    });
    const qualified = await t.admin.post('/leads/qualify').send(KEY).expect(200);
    expect(qualified.body).toMatchObject({ changed: true, referral: { status: 'unpaid' } });
    const canceled = await t.admin.post('/leads/cancel').send(KEY).expect(200);
    expect(canceled.body).toMatchObject({ changed: true, referral: { status: 'rejected' } });
    await t.admin
      .post('/leads/cancel')
      .send({ ...KEY, reference: 'none' })
      .expect(404);
    await t.admin
      .post('/leads')
      .send({ ...body, kind: {} })
      .expect(422);
  });

  it('of connected sites belong to the site, and its later reports reach them', async () => {
    const child = await connectChild(t, 'https://store.test');
    const sent = { reference: 'U-1', kind: 'trial', affiliate_param: String(t.affiliate.id), defer: true };
    const post = () =>
      signed(t, child, 'post', '/connected-sites/leads', { ...sent, customer: { email: 'kim@mail.test' } });
    const { body } = await post().expect(200);
    expect(body).toMatchObject({
      created: true,
      referral: { reference: 'lead:trial:U-1', status: 'pending', amount: 5.5 },
    });
    expect((await post().expect(200)).body.created).toBe(false);
    const later = await signed(t, child, 'patch', '/connected-sites/referrals/lead:trial:U-1', {
      status: 'unpaid',
    });
    expect(later.body).toMatchObject({ changed: true, referral: { status: 'unpaid' } });
  });
});
