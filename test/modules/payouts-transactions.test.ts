import { describe, expect, it } from '@jest/globals';
import type { PaymentLine, Payout, PayoutTransaction } from '../../src/index.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { auditOf } from '../support/lists.js';
import { statementsOf } from '../support/statements.js';

interface Made {
  readonly t: TestApp;
  readonly payoutId: number;
  readonly ids: readonly number[];
  readonly affiliates: readonly number[];
}

/** One payout of two affiliates, 50.00 in two referrals and 7.00. */
async function madePayout(options: TestOptions = {}): Promise<Made> {
  const t = await startApp(options);
  const [alice, bob] = [await affiliate(t, 2), await affiliate(t, 3)];
  await earn(t, alice.id, 3000);
  await earn(t, alice.id, 2000);
  await earn(t, bob.id, 700);
  const payout = await t.records.payout(FORM);
  const { body } = await t.admin.get(`/payouts/${payout.id}/transactions?order_type=ASC`).expect(200);
  return {
    t,
    payoutId: payout.id,
    ids: body.transactions.data.map((row: { id: number }) => row.id),
    affiliates: [alice.id, bob.id],
  };
}

/** Records every hook of the transactions in order. */
function watch(t: TestApp): unknown[] {
  const seen: unknown[] = [];
  for (const status of ['paid', 'processing'] as const) {
    t.service.hooks.addAction(
      `payout/transaction/transaction_updated_to_${status}`,
      (transaction, payout) => {
        seen.push([status, transaction.id, payout.status]);
      },
    );
  }
  t.service.hooks.addAction('payout/transaction/deleting', (transaction) => {
    seen.push(['deleting', transaction.id]);
  });
  t.service.hooks.addAction('payout/transaction/deleted', (id, payout) => {
    seen.push(['deleted', id, payout.total_amount_minor]);
  });
  return seen;
}

const statusOf = async (t: TestApp, payoutId: number): Promise<string> =>
  (await t.app.payouts.get(payoutId)).status;

describe('lists', () => {
  it('shows payouts with their counts, searched, filtered and sorted', async () => {
    const { t, payoutId } = await madePayout();
    const list = async (query: string): Promise<{ total: number; data: Record<string, unknown>[] }> =>
      (await t.admin.get(`/payouts?${query}`).expect(200)).body.payouts;

    expect((await list('')).data).toMatchObject([
      {
        id: payoutId,
        title: 'January',
        total_amount: 57,
        referrals_count: 3,
        transactions_count: 2,
        affiliates_count: 2,
        status: 'processing',
        settings: { start_date: '1970-01-01 00:00:00', affiliate_ids: [] },
        created_at: '2026-01-15T15:00:00+00:00',
      },
    ]);
    for (const hit of [
      'search=janu',
      'search=57',
      'search=title:uary',
      'search=total_amount=57',
      'search=currency:us',
      'search=id:1',
      'status=processing',
      'status=all',
      'order_by=total_amount',
    ]) {
      expect([hit, (await list(hit)).total]).toEqual([hit, 1]);
    }
    for (const miss of [
      'search=5.7',
      'search=%25',
      'search=title=uary',
      'search=total_amount=58',
      'status=draft',
      'status=odd',
    ]) {
      expect([miss, (await list(miss)).total]).toEqual([miss, 0]);
    }
  });

  it('finds amounts as they are written, in any currency', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    for (const [cents, currency] of [
      [5, 'USD'],
      [50, 'JPY'],
      [1234, 'KWD'],
      [11_253, 'USD'],
    ] as const) {
      await earn(t, id, cents, { currency });
      await t.records.payout({ ...FORM, currency });
    }
    for (const [search, ids] of [
      ['0.05', [1]],
      ['.05', [1]],
      ['total_amount=0.05', [1]],
      ['total_amount:0.0', [1]],
      ['total_amount=50', [2]],
      ['total_amount=50.00', [2]],
      ['total_amount=0.5', []],
      ['total_amount:50', [2]],
      ['total_amount=1.234', [3]],
      ['1.23', [3]],
      ['2.53', [4]],
      ['1.53', []],
      ['total_amount=112.530', [4]],
      ['total_amount=11253', []],
      ['total_amount=x', []],
      ['total_amount:', []],
      ['id:3', [3]],
      ['id=3', []],
      ['created_by=1', [4, 3, 2, 1]],
      ['payout_method:MAN', [4, 3, 2, 1]],
    ] as const) {
      const { body } = await t.admin.get(`/payouts?search=${encodeURIComponent(search)}`).expect(200);
      expect([search, body.payouts.data.map((row: { id: number }) => row.id)]).toEqual([search, ids]);
    }
    for (const [search, total] of [
      ['2026', 1],
      ['2026-01', 1],
      ['2026-01-15', 1],
      ['2025', 0],
      ['2026-02', 0],
      ['2026-01-16', 0],
      ['2026-13', 0],
      ['affiliate_id=1', 1],
      ['payout_id:4', 1],
      ['affiliate_id=x', 0],
    ] as const) {
      const { body } = await t.admin.get(`/payouts/4/transactions?search=${search}`).expect(200);
      expect([search, body.transactions.total]).toEqual([search, total]);
    }
  });

  it('shows one payout with its creator', async () => {
    const { t, payoutId } = await madePayout();

    const { body } = await t.admin.get(`/payouts/${payoutId}`).expect(200);

    expect(body.payout).toMatchObject({
      id: payoutId,
      creator: { ID: 1, full_name: 'Admin' },
      referrals_count: 3,
      transactions_count: 2,
    });
  });

  it('shows the referrals of a payout and, when asked, the affiliates in it', async () => {
    const { t, payoutId, affiliates } = await madePayout();

    const all = (
      await t.admin.get(`/payouts/${payoutId}/referrals?with_affiliate_lists=yes&affiliate_id=0`).expect(200)
    ).body;
    const own = (
      await t.admin.get(`/payouts/${payoutId}/referrals?affiliate_id=${affiliates[1]}`).expect(200)
    ).body;

    expect(all.referrals).toMatchObject({
      total: 3,
      data: [
        { id: 3, status: 'paid', payout_id: payoutId, affiliate: { id: affiliates[1] }, provider_url: '' },
        {},
        {},
      ],
    });
    expect(all.affiliate_lists.map((row: { id: number }) => row.id)).toEqual(affiliates);
    expect(own.referrals.total).toBe(1);
    expect(own.affiliate_lists).toBeUndefined();
  });

  it('counts open transactions of the whole payout, not of the page', async () => {
    const { t, payoutId, ids } = await madePayout();
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status: 'paid' }).expect(200);

    const { body } = await t.admin.get(`/payouts/${payoutId}/transactions?status=paid`).expect(200);

    expect(body).toMatchObject({
      processing_count: 1,
      transactions: {
        total: 1,
        data: [
          { id: ids[0], status: 'paid', currency: 'USD', affiliate: { payment_email: 'pay2@shop.test' } },
        ],
      },
    });
    expect(
      (await t.admin.get(`/payouts/${payoutId}/transactions?search=7.0&order_by=total_amount`).expect(200))
        .body.transactions.data,
    ).toMatchObject([{ id: ids[1] }]);
    expect(
      (await t.admin.get(`/payouts/${payoutId}/transactions?search=2026-01-15`).expect(200)).body.transactions
        .total,
    ).toBe(2);
  });

  it.each(['/payouts', '/payouts/1/transactions', '/payouts/1/referrals?with_affiliate_lists=yes'])(
    '%s costs no more statements for more rows',
    async (path) => {
      const { t } = await madePayout();
      const statements = async (perPage: number): Promise<number> => {
        const list = `${path}${path.includes('?') ? '&' : '?'}per_page=${perPage}`;
        return (await statementsOf(t, () => t.admin.get(list).expect(200))).length;
      };
      await earn(t, 1, 100);
      await t.records.payout();
      await statements(1); // fills caches

      expect(await statements(50)).toBeLessThanOrEqual(await statements(1)); // a full page counts the rows
    },
  );

  it('shows an affiliate its transactions with payout and symbol', async () => {
    const { t, payoutId, affiliates } = await madePayout();

    const { body } = await t.admin.get(`/affiliates/${affiliates[0]}/transactions`).expect(200);

    expect(body.transactions.data).toMatchObject([
      {
        total_amount: 50,
        payout: { id: payoutId, title: 'January' },
        currency_symbol: '$',
        referrals_count: 2,
      },
    ]);
  });

  it.each([
    '/payouts/99',
    '/payouts/99/transactions',
    '/payouts/99/referrals',
    '/payouts/99/transactions-export',
  ])('answers 404 for %s', async (path) => {
    const t = await startApp();

    expect((await t.admin.get(path).expect(404)).body.code).toBe('payout_not_found');
  });

  it('never finds a transaction through another payout', async () => {
    const { t, payoutId, ids, affiliates } = await madePayout();
    await earn(t, affiliates[0]!, 100);
    const other = await t.records.payout();

    expect(
      (
        await t.admin
          .patch(`/payouts/${other.id}/transactions/${ids[0]}`)
          .send({ status: 'paid' })
          .expect(404)
      ).body.code,
    ).toBe('transaction_not_found');
    expect((await t.admin.delete(`/payouts/${other.id}/transactions/${ids[0]}`).expect(404)).body.code).toBe(
      'transaction_not_found',
    );
    expect((await t.admin.delete(`/payouts/99/transactions/${ids[0]}`).expect(404)).body.code).toBe(
      'payout_not_found',
    );
    expect(await statusOf(t, payoutId)).toBe('processing');
  });
});

describe('title and description', () => {
  it('change alone or together, with the old values for listeners', async () => {
    const { t, payoutId } = await madePayout();
    const seen: unknown[] = [];
    t.service.hooks.addAction('payout/updated', (payout, previous) => {
      seen.push([payout.title, previous]);
    });

    const { body } = await t.admin
      .patch(`/payouts/${payoutId}`)
      .send({ title: 'New <i>title</i>', status: 'paid', total_amount: 1 })
      .expect(200);

    expect(body.payout).toMatchObject({
      title: 'New <i>title</i>',
      description: 'Run for January',
      status: 'processing',
      total_amount: 57,
      transactions_count: 2,
    });
    expect(seen).toEqual([['New <i>title</i>', { title: 'January', description: 'Run for January' }]]);
  });

  it.each([
    [{}],
    [{ title: 'ab' }],
    [{ title: 'x'.repeat(193) }],
    [{ description: 'ab' }],
    [{ status: 'paid' }],
  ])('refuses input %#', async (body) => {
    const { t, payoutId } = await madePayout();

    expect((await t.admin.patch(`/payouts/${payoutId}`).send(body).expect(422)).body.code).toBe(
      'validation_failed',
    );
  });
});

describe('marking paid', () => {
  it('moves no amount, and the payout is paid with its last transaction', async () => {
    const { t, payoutId, ids, affiliates } = await madePayout();
    const seen = watch(t);
    const before = await t.app.affiliates.get(affiliates[0]!);

    const first = await t.admin
      .patch(`/payouts/${payoutId}/transactions/${ids[0]}`)
      .send({ status: 'paid' })
      .expect(200);
    const second = await t.admin
      .patch(`/payouts/${payoutId}/transactions/${ids[1]}`)
      .send({ status: 'paid' })
      .expect(200);

    expect(first.body).toMatchObject({
      transaction: { id: ids[0], status: 'paid', total_amount: 50 },
      processing_count: 1,
    });
    expect(second.body.processing_count).toBe(0);
    expect(await t.app.affiliates.get(affiliates[0]!)).toEqual(before);
    expect(seen).toEqual([
      ['paid', ids[0], 'processing'],
      ['paid', ids[1], 'paid'],
    ]);
  });

  it('goes back and forth, and says nothing when nothing changes', async () => {
    const { t, payoutId, ids } = await madePayout();
    const patch = (status: string): Promise<{ body: Record<string, unknown> }> =>
      t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status }).expect(200);
    await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({ status: 'paid' }).expect(200);
    const seen = watch(t);

    await patch('paid');
    const { body } = await patch('processing');
    await patch('processing');

    expect(body).toMatchObject({ processing_count: 1, transaction: { status: 'processing' } });
    expect(await statusOf(t, payoutId)).toBe('processing');
    expect(seen).toEqual([['processing', ids[0], 'processing']]);
  });

  it('fires once for 8 requests at the same time', async () => {
    const { t, payoutId, ids } = await madePayout();
    const seen = watch(t);

    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        t.admin
          .patch(`/payouts/${payoutId}/transactions/${ids[at % 2]}`)
          .send({ status: 'paid' })
          .expect(200),
      ),
    );

    expect(seen).toHaveLength(2);
    expect(await statusOf(t, payoutId)).toBe('paid');
  });

  it('queues one mail per transaction and day with the change', async () => {
    const { t, payoutId, ids, affiliates } = await madePayout();
    const toggle = async (): Promise<void> => {
      for (const status of ['paid', 'processing'])
        await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status }).expect(200);
    };
    // with what the mail will be made of, which no list shows
    const mails = async (): Promise<{ kind: string; payload: string }[]> =>
      t.app.db('outbox').select('kind', 'payload').where({ kind: 'payout_to_affiliate' }).orderBy('id');

    await toggle();
    await toggle();
    expect(await mails()).toEqual([
      {
        kind: 'payout_to_affiliate',
        payload: JSON.stringify({
          transaction_id: ids[0],
          payout_id: payoutId,
          affiliate_id: affiliates[0],
          paid_at: t.clock.now(),
          paid_to: 'pay2@shop.test',
        }),
      },
    ]);
    t.clock.advance(86_400_000);
    await toggle();
    expect(await mails()).toHaveLength(2);
  });

  it.each(['draft', '', undefined, 5])('refuses the status %p', async (status) => {
    const { t, payoutId, ids } = await madePayout();

    expect(
      (await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status }).expect(422)).body
        .errors,
    ).toHaveProperty('status');
  });

  it('in bulk takes every open transaction, in order', async () => {
    const { t, payoutId, ids } = await madePayout();
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status: 'paid' }).expect(200);
    const seen = watch(t);

    const { body } = await t.admin
      .patch(`/payouts/${payoutId}/transactions/bulk-action`)
      .send({})
      .expect(200);
    const again = await t.admin
      .patch(`/payouts/${payoutId}/transactions/bulk-action`)
      .send({ status: 'paid' })
      .expect(200);

    expect(body).toMatchObject({ processing_count: 0, message: expect.any(String) });
    expect(again.body.processing_count).toBe(0);
    expect(seen).toEqual([['paid', ids[1], 'paid']]);
    await t.admin
      .patch(`/payouts/${payoutId}/transactions/bulk-action`)
      .send({ status: 'processing' })
      .expect(422);
  });

  it('of a large payout needs a second user', async () => {
    const { t, payoutId, ids } = await madePayout({ payouts: { approvalAbove: 56.99 } });
    await t.app.context.run({ user: null, requestId: 'x', source: 'code' }, async () => {});
    t.host.grant(5, 'manage_options');

    expect(
      (
        await t.admin
          .patch(`/payouts/${payoutId}/transactions/${ids[0]}`)
          .send({ status: 'paid' })
          .expect(403)
      ).body.code,
    ).toBe('approval_required');
    expect(
      (await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({}).expect(403)).body.code,
    ).toBe('approval_required');
    await t.as(5).patch(`/payouts/${payoutId}/transactions/bulk-action`).send({}).expect(200);
  });
});

describe('deleting a transaction', () => {
  it.each(['processing', 'paid'])('in state %s gives its referrals back to the next run', async (status) => {
    const { t, payoutId, ids, affiliates } = await madePayout();
    if (status === 'paid')
      await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status }).expect(200);
    const seen = watch(t);

    const { body } = await t.admin.delete(`/payouts/${payoutId}/transactions/${ids[0]}`).expect(200);

    expect(body.payout).toMatchObject({ total_amount: 7, transactions_count: 1, referrals_count: 1 });
    expect(await t.app.affiliates.get(affiliates[0]!)).toMatchObject({
      total_earnings_minor: 5000,
      unpaid_earnings_minor: 5000,
    });
    expect(seen).toEqual([
      ['deleting', ids[0]],
      ['deleted', ids[0], 700],
    ]);
    expect(await auditOf(t, 'action=payout_transaction.deleted')).toMatchObject([
      {
        object_id: String(ids[0]),
        actor_id: 1,
        before: { status, total_amount_minor: 5000, referral_ids: [1, 2] },
      },
    ]);
    expect((await t.records.payout()).total_amount).toBe(50);
  });

  it('leaves an empty payout as paid 0', async () => {
    const { t, payoutId, ids } = await madePayout();
    for (const id of ids) await t.admin.delete(`/payouts/${payoutId}/transactions/${id}`).expect(200);

    expect((await t.admin.get(`/payouts/${payoutId}`).expect(200)).body.payout).toMatchObject({
      total_amount: 0,
      status: 'paid',
      transactions_count: 0,
    });
  });

  it('is stopped by a veto or by the option, before anything is written', async () => {
    const { t, payoutId, ids } = await madePayout({ payouts: { allowDeletePaid: false } });
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status: 'paid' }).expect(200);
    let asked = 0;
    t.service.hooks.addAction('payout/transaction/deleting', () => {
      asked += 1;
      throw new Error('no');
    });

    expect((await t.admin.delete(`/payouts/${payoutId}/transactions/${ids[0]}`).expect(422)).body.code).toBe(
      'transaction_paid',
    );
    expect(asked).toBe(0);
    await t.admin.delete(`/payouts/${payoutId}/transactions/${ids[1]}`).expect(500);
    expect((await t.app.payouts.get(payoutId)).total_amount_minor).toBe(5700);
  });

  it('works when the affiliate is gone, as everything else does', async () => {
    const { t, payoutId, ids, affiliates } = await madePayout();
    await t.admin.delete(`/affiliates/${affiliates[0]}`).expect(200);

    expect(
      (await t.admin.get(`/payouts/${payoutId}/transactions`).expect(200)).body.transactions.data,
    ).toMatchObject([{ id: ids[1] }, { id: ids[0], affiliate: null }]);
    expect((await t.admin.get('/payouts').expect(200)).body.payouts.data).toMatchObject([
      { transactions_count: 2, affiliates_count: 1 },
    ]);
    expect(
      (await t.admin.get(`/payouts/${payoutId}/transactions-export?format=json`).expect(200)).body
        .transactions[1],
    ).toMatchObject({ affiliate_name: '', email: '' });
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status: 'paid' }).expect(200);
    expect(
      (await t.admin.delete(`/payouts/${payoutId}/transactions/${ids[0]}`).expect(200)).body.payout
        .total_amount,
    ).toBe(7);
  });

  it('happens once when asked 8 times at once', async () => {
    const { t, payoutId, ids, affiliates } = await madePayout();

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => t.admin.delete(`/payouts/${payoutId}/transactions/${ids[0]}`)),
    );

    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([
      200, 404, 404, 404, 404, 404, 404, 404,
    ]);
    expect((await t.app.affiliates.get(affiliates[0]!)).unpaid_earnings_minor).toBe(5000);
  });
});

describe('a failed payment', () => {
  it('returns the referrals to unpaid with the cause', async () => {
    const failed: unknown[] = [];
    const wire = {
      key: 'manual',
      title: 'Wire',
      prepare: () => ({
        kind: 'csv' as const,
        name: 'x.csv',
        contentType: 'text/csv',
        header: true,
        columns: [],
        rows: [],
      }),
      fail: (transaction: { id: number }, cause: string) => {
        failed.push([transaction.id, cause]);
      },
    };
    const { t, payoutId, ids, affiliates } = await madePayout({ payouts: { methods: [wire] } });
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status: 'paid' }).expect(200);

    await t.app.payouts.changes.fail(ids[0]!, 'account closed');

    expect(failed).toEqual([[ids[0], 'account closed']]);
    expect((await t.app.affiliates.get(affiliates[0]!)).unpaid_earnings_minor).toBe(5000);
    expect(await auditOf(t, 'action=payout_transaction.failed')).toMatchObject([
      { after: { cause: 'account closed' } },
    ]);
    await expect(t.app.payouts.changes.fail(ids[0]!, 'again')).rejects.toMatchObject({
      code: 'transaction_not_found',
    });
  });

  it('a payment that was marked is acknowledged to its method, with its payee', async () => {
    const payees: unknown[] = [];
    const wire = {
      key: 'manual',
      title: 'Wire',
      prepare: () => ({
        kind: 'csv' as const,
        name: 'x',
        contentType: 'text/csv',
        header: true,
        columns: [],
        rows: [],
      }),
      acknowledge: (transaction: PayoutTransaction, payout: Payout, payee: PaymentLine) => {
        payees.push([
          transaction.id,
          payout.id,
          payee.user_id,
          payee.email,
          payee.payment_email,
          payee.amount,
        ]);
      },
    };
    const { t, payoutId, ids } = await madePayout({ payouts: { methods: [wire] } });

    await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({}).expect(200);

    expect(payees).toEqual([
      [ids[0], payoutId, 2, 'alice@shop.test', 'pay2@shop.test', '50.00'],
      [ids[1], payoutId, 3, 'bob@shop.test', 'pay3@shop.test', '7.00'],
    ]);
  });
});

describe('own transactions of a manager', () => {
  it('are out of reach with forbidSelfManagement', async () => {
    const { t, payoutId, ids } = await madePayout({ forbidSelfManagement: true });
    t.host.grant(2, 'fa_view_payouts');
    const alice = t.as(2);

    for (const answer of [
      await alice.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status: 'paid' }),
      await alice.delete(`/payouts/${payoutId}/transactions/${ids[0]}`),
      await alice.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({}),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'self_management_forbidden']);
    await alice.patch(`/payouts/${payoutId}/transactions/${ids[1]}`).send({ status: 'paid' }).expect(200);
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[0]}`).send({ status: 'paid' }).expect(200);
  });
});

describe('export', () => {
  it('has one row per transaction, as a file or as rows', async () => {
    const { t, payoutId, affiliates } = await madePayout();

    const csv = await t.admin
      .get(`/payouts/${payoutId}/transactions-export?order_by=total_amount&order_type=ASC`)
      .expect(200);
    const json = await t.admin
      .get(`/payouts/${payoutId}/transactions-export?order_type=ASC`)
      .set('Accept', 'application/json')
      .expect(200);

    expect(csv.headers['content-disposition']).toContain(`payout_transactions_${payoutId}.csv`);
    expect(csv.text.trim().split('\n')).toEqual([
      'affiliate_id,affiliate_name,email,payout_email,amount,currency,paid_to,payee_changed',
      `${affiliates[1]},Bob Ray,bob@shop.test,pay3@shop.test,7,USD,pay3@shop.test,no`,
      `${affiliates[0]},Alice Doe,alice@shop.test,pay2@shop.test,50,USD,pay2@shop.test,no`,
    ]);
    expect(json.body).toMatchObject({
      limited: false,
      total: 2,
      transactions: [{ affiliate_id: affiliates[0], amount: 50 }, { amount: 7 }],
    });
  });

  it('gives the mass-payment file of open transactions', async () => {
    const { t, payoutId, ids } = await madePayout();
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[1]}`).send({ status: 'paid' }).expect(200);

    const { text, headers } = await t.admin
      .get(`/payouts/${payoutId}/transactions-export?method=paypal`)
      .expect(200);

    expect(text).toBe(`pay2@shop.test,50.00,USD,P${payoutId}-T${ids[0]},January,PAYPAL\n`);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'x-export-total': '1',
      'x-export-parts': '1',
    });
    await t.admin.get(`/payouts/${payoutId}/transactions-export?method=bank-csv`).expect(200);
    await t.admin.get(`/payouts/${payoutId}/transactions-export?method=carrier-pigeon`).expect(422);
  });
});

describe('stranded imports', () => {
  it('become unpaid again after an hour, with counters and one action', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    const sale = await earn(t, alice.id, 500, { status: 'processing', source_key: 'old:1' });
    const seen: unknown[] = [];
    t.service.hooks.addAction('payout/stranded_referrals_released', (ids, count) => {
      seen.push(ids, count);
    });

    expect(await t.app.payouts.releaseStranded(t.clock.now() + 3_599_000)).toBe(0);
    expect(await t.app.payouts.releaseStranded(t.clock.now() + 3_601_000)).toBe(1);

    expect((await t.app.referrals.get(sale.id)).status).toBe('unpaid');
    expect(await t.app.affiliates.get(alice.id)).toMatchObject({
      total_earnings_minor: 500,
      unpaid_earnings_minor: 500,
    });
    expect(seen).toEqual([[alice.id], 1]);
  });
});
