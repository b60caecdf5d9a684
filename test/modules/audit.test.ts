import { expect, it } from '@jest/globals';
import { HookVeto } from '../../hooks/index.js';
import type { AuditEntry } from '../../hooks/index.js';
import { startApp } from '../support/app.js';
import { auditOf } from '../support/lists.js';

/** The keyed hash of a personal value. */
const HASHED: unknown = expect.stringMatching(/^hash:[0-9a-f]{16}$/);

it('every change of money, rates, payment addresses and rights is in the audit log and calls its hook after the commit', async () => {
  const t = await startApp();
  const entries: AuditEntry[] = [];
  t.service.hooks.addAction('audit', (entry) => {
    entries.push(entry);
  });
  const alice = await t.records.affiliate({ user_id: 2, payment_email: 'old@pay.test' });
  const sale = await t.records.referral({ affiliate_id: alice.id, amount: 10 });
  const other = await t.records.referral({ affiliate_id: alice.id, amount: 4 });
  entries.length = 0;
  const form = { config: { title: 'January', description: 'Run' } };

  const steps: readonly (readonly [string, () => PromiseLike<unknown>, string, Partial<AuditEntry>])[] = [
    [
      'payment address',
      () => t.admin.patch(`/affiliates/${alice.id}`).send({ payment_email: 'new@pay.test' }).expect(200),
      'affiliate.updated',
      { before: { payment_email: HASHED }, after: { payment_email: HASHED } },
    ],
    [
      'rate',
      () => t.admin.patch(`/affiliates/${alice.id}`).send({ rate_type: 'flat', rate: 2 }).expect(200),
      'affiliate.updated',
      { before: { rate_type: 'default', rate_e4: null }, after: { rate_type: 'flat', rate_e4: 20_000 } },
    ],
    [
      'status',
      () => t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200),
      'affiliate.updated',
      { before: { status: 'active' }, after: { status: 'inactive' } },
    ],
    [
      'amount',
      () => t.admin.patch(`/referrals/${sale.id}`).send({ amount: 12 }).expect(200),
      'referral.updated',
      {
        before: expect.objectContaining({ amount_minor: 1000 }),
        after: expect.objectContaining({ amount_minor: 1200 }),
      },
    ],
    [
      'deletion',
      () => t.admin.delete(`/referrals/${other.id}`).expect(200),
      'referral.deleted',
      { before: expect.objectContaining({ amount_minor: 400 }), after: null },
    ],
    [
      'run',
      () => t.admin.post('/payouts/process-payout').send(form).expect(200),
      'payout.processed',
      { after: { total_amount_minor: 1200, currency: 'USD', transactions: 1, referrals: 1 } },
    ],
    [
      'mark paid',
      () => t.admin.patch('/payouts/1/transactions/1').send({ status: 'paid' }).expect(200),
      'payout_transaction.paid',
      { before: { status: 'processing' } },
    ],
    [
      'back',
      () => t.admin.patch('/payouts/1/transactions/1').send({ status: 'processing' }).expect(200),
      'payout_transaction.processing',
      { before: { status: 'paid' } },
    ],
    [
      'bulk',
      () => t.admin.patch('/payouts/1/transactions/bulk-action').send({}).expect(200),
      'payout.marked_paid',
      { object_id: '1' },
    ],
    [
      'transaction',
      () => t.admin.delete('/payouts/1/transactions/1').expect(200),
      'payout_transaction.deleted',
      { before: expect.objectContaining({ total_amount_minor: 1200, referral_ids: [sale.id] }) },
    ],
    [
      'rights',
      () =>
        t.admin
          .post('/settings/managers')
          .send({ user_id: 5, permissions: ['manage_all_data'] })
          .expect(200),
      'manager.permissions',
      { object_id: '5' },
    ],
    [
      'affiliate',
      () => t.admin.delete(`/affiliates/${alice.id}`).expect(200),
      'affiliate.deleted',
      { before: expect.objectContaining({ payment_email: HASHED, total_earnings_minor: 1200 }) },
    ],
  ];
  for (const [what, change, action, entry] of steps) {
    entries.length = 0;
    await change();
    expect([what, entries.map((each) => each.action)]).toEqual([what, expect.arrayContaining([action])]);
    expect(entries.find((each) => each.action === action)).toMatchObject({
      actor_id: 1,
      created_at: t.clock.now(),
      ...entry,
    });
    const stored = (await auditOf(t)).slice(-entries.length);
    expect(stored.map((row) => [row.action, row.request_id])).toEqual(
      entries.map((each) => [each.action, each.request_id]),
    );
  }
});

it('a change that is refused or stopped is not in the audit log', async () => {
  const t = await startApp();
  const alice = await t.records.affiliate({ user_id: 2 });
  const sale = await t.records.referral({ affiliate_id: alice.id, amount: 10 });
  t.service.hooks.addAction('referral/before_delete', () => {
    throw new HookVeto('No.');
  });
  let calls = 0;
  t.service.hooks.addAction('audit', () => {
    calls += 1;
  });
  const rows = async (): Promise<number> => (await auditOf(t)).length;
  const before = await rows();

  await t.admin.delete(`/referrals/${sale.id}`).expect(422);
  await t.admin.patch(`/referrals/${sale.id}`).send({ amount: -1 }).expect(422);
  await t.admin.patch(`/affiliates/${alice.id}`).send({ group_id: 77 }).expect(422);

  expect([await rows(), calls]).toEqual([before, 0]);
});
