import { describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import type { ResponseOf } from '../../client/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { auditOf } from '../support/lists.js';
import { startBeside } from '../support/same-database.js';

const PATH = '/settings/program-rules';
const save = (t: TestApp, body: object): Test => t.admin.post(PATH).send(body);
const rules = async (t: TestApp): Promise<ResponseOf<'settings.program_rules'>> =>
  (await t.admin.get(PATH).expect(200)).body;

describe('rules a program manager decides', () => {
  it('are the options of the host until something is saved', async () => {
    const t = await startApp({
      clawback: 'adjust',
      stalePendingDays: 12,
      payouts: { minPayout: 25, approvalAbove: 1000, requirePaymentDetails: true },
      fraud: { sameDomain: 'flag', couponSites: ['deals.test'] },
    });

    const answer = await rules(t);

    expect(answer['rules']).toMatchObject({
      clawback: 'adjust',
      refund_flat: 'prorate',
      stale_pending_days: 12,
      min_payout: 25,
      approval_above: 1000,
      require_payment_details: true,
      fraud: {
        self_referral: 'reject',
        same_domain: 'flag',
        coupon_sites: ['deals.test'],
        fast_order_seconds: 10,
      },
    });
    expect(answer).toMatchObject({ defaults: answer['rules'], locked: [] });
  });

  it('are saved one by one, take effect at once, and go back to the options', async () => {
    const t = await startApp({ payouts: { minPayout: 5 } });
    const { id } = await affiliate(t, 2);
    await earn(t, id, 1000);
    const calls: unknown[] = [];
    t.service.hooks.addAction('settings_updated', (section, next, previous) => {
      calls.push([
        section,
        (next as { minPayout: number }).minPayout,
        (previous as { minPayout: number }).minPayout,
      ]);
    });
    const preview = async (): Promise<number> =>
      (await t.admin.post('/payouts/validate-payout-config').send({ config: FORM }).expect(200)).body
        .payable_total_amount;
    expect(await preview()).toBe(10);

    const saved = (await save(t, { min_payout: '20.005', fraud: { same_domain: 'hold' } }).expect(200)).body;
    expect(saved).toMatchObject({
      rules: { min_payout: 20.01, fraud: { same_domain: 'hold' } },
      defaults: { min_payout: 5 },
    });
    expect(await preview()).toBe(0);
    await save(t, { stale_pending_days: 3, fraud: { fast_order: 'flag' } }).expect(200);
    expect((await rules(t))['rules']).toMatchObject({
      min_payout: 20.01,
      stale_pending_days: 3,
      fraud: { same_domain: 'hold', fast_order: 'flag', self_referral: 'reject' },
    });
    expect((await t.admin.get('/settings/tracking/fraud').expect(200)).body.rules).toMatchObject({
      same_domain: 'hold',
      fast_order: 'flag',
    });
    expect((await t.admin.get('/referrals/stale').expect(200)).body.older_than_days).toBe(3);

    await save(t, { reset: ['min_payout', 'fraud'] }).expect(200);
    expect((await rules(t))['rules']).toMatchObject({
      min_payout: 5,
      stale_pending_days: 3,
      fraud: { same_domain: 'off' },
    });
    expect(await preview()).toBe(10);
    expect(calls).toEqual([
      ['program_rules', 20.01, 5],
      ['program_rules', 20.01, 20.01],
      ['program_rules', 5, 20.01],
    ]);
    expect(await auditOf(t, 'action=settings.program_rules')).toHaveLength(3);
  });

  it('decide a refund after payment', async () => {
    const t = await startApp({ clawback: 'off', rate: 10 });
    await affiliate(t, 2);
    const order = { provider: 'shop', type: 'sale', status: 'unpaid', affiliate: 1 } as const;
    const owed = async (): Promise<number> => (await t.app.affiliates.get(1)).unpaid_earnings_minor;
    await t.service.conversions.record(null, { ...order, reference: '1', order: { subtotal: '100' } });
    await t.records.payout(FORM);
    await save(t, { clawback: 'adjust' }).expect(200);

    await t.service.conversions.refund('shop', '1', { refunded_total: '100' });

    expect(await owed()).toBe(-1000);
  });

  it('that the host has locked stay as the options say', async () => {
    const t = await startApp({ payouts: { approvalAbove: 500 } });
    await save(t, { approval_above: 10_000, clawback: 'off', fraud: { same_address: 'reject' } }).expect(200);
    const locked = await startBeside(t, {
      payouts: { approvalAbove: 500 },
      locked: ['approvalAbove', 'fraud'],
    });

    expect(await rules(locked)).toMatchObject({
      rules: { approval_above: 500, fraud: { same_address: 'off' } },
      locked: ['approval_above', 'fraud'],
    });
    await save(locked, { approval_above: null, fraud: { same_address: 'hold' } })
      .expect(422)
      .expect(({ body }) => {
        expect(body.code).toBe('setting_locked');
        expect(body.data.locked).toEqual(['approval_above', 'fraud']);
      });
    await save(locked, { approval_above: 500, fraud: { same_address: 'off' }, refund_flat: 'keep' }).expect(
      200,
    );
    expect((await rules(locked))['rules']).toMatchObject({ refund_flat: 'keep', approval_above: 500 });
  });

  it('are refused with the name of the field', async () => {
    const t = await startApp();
    const fields = async (body: object): Promise<string[]> =>
      Object.keys((await save(t, body).expect(422)).body.errors as object);
    expect(await fields({ clawback: 'sometimes' })).toEqual(['clawback']);
    expect(await fields({ min_payout: -1 })).toEqual(['min_payout']);
    expect(await fields({ approval_above: 'a lot' })).toEqual(['approval_above']);
    expect(await fields({ stale_pending_days: 1.5 })).toEqual(['stale_pending_days']);
    expect(await fields({ fraud: { self_referral: 'off' } })).toEqual(['fraud.self_referral']);
    expect(await fields({ fraud: { coupon_sites: ['x'.repeat(254)] } })).toEqual(['fraud.coupon_sites.0']);
    expect(await fields({ reset: ['everything'] })).toEqual(['reset.0']);
    expect((await save(t, { approval_above: 100 }).expect(200)).body.rules.approval_above).toBe(100);
    expect((await save(t, { approval_above: null }).expect(200)).body.rules.approval_above).toBe(null);
  });
});
