// Every operation that moves money, on a small program, and what the books look like before and after it.

const order = (subtotal) => ({ subtotal, currency: 'USD' });
const TABLES = [
  'payout_items',
  'ledger_entries',
  'visit_keys',
  'provider_refs',
  'provider_orders',
  'skip_counts',
  'skipped_conversions',
  'daily_stats',
  'referral_totals',
  'outbox',
  'audit',
  'idempotency_keys',
  'referrals',
  'payout_transactions',
  'payouts',
  'visits',
  'customers',
  'affiliates',
];

/** An empty program, also after a process that died with the lease in its hand. */
export async function reset({ db, transaction }) {
  await transaction(async (trx) => {
    await trx('referrals').update({ parent_id: null });
    for (const table of TABLES) await trx(table).delete();
    await trx('job_leases').where({ name: 'payouts.run' }).update({ owner: null, expires_at: 0 });
  });
  return db;
}

/** Two affiliates with visits, manual referrals, one pending order and one completed order. */
export async function fixture(app) {
  const affiliates = [];
  for (const user_id of [2, 3])
    affiliates.push(
      await app.affiliates.create({ user_id, status: 'active', payment_email: `p${user_id}@shop.test` }),
    );
  const [first, second] = affiliates.map(({ id }) => id);
  await app.transaction((trx) =>
    app.visits.insertMany(trx, [
      { affiliate_id: first, url: 'https://shop.test/' },
      { affiliate_id: second, url: 'https://shop.test/' },
    ]),
  );
  const manual = [];
  for (const [affiliate_id, amount] of [
    [first, 12.34],
    [first, 7.5],
    [second, 99.99],
  ]) {
    manual.push((await app.referrals.create({ affiliate_id, amount, status: 'unpaid', type: 'sale' })).id);
  }
  await app.conversions.record(null, {
    provider: 'shop',
    reference: 'open',
    status: 'pending',
    order: order('100.00'),
    affiliate: first,
    customer: { email: 'jo@shop.test' },
  });
  await app.conversions.record(null, {
    provider: 'shop',
    reference: 'done',
    status: 'unpaid',
    order: order('55.55'),
    affiliate: second,
  });
  return { first, second, manual };
}

const payOut = (app) => app.payouts.process({ title: 'Kill', description: 'Kill' });
const paidOut = async (app) => {
  const { id } = await payOut(app);
  const transaction = await app.db('payout_transactions').where({ payout_id: id }).orderBy('id').first('id');
  return { payout: id, transaction: Number(transaction.id) };
};

/** `prepare` runs before the statements are counted. */
export const OPERATIONS = {
  'payout run': { act: payOut },
  'transaction marked paid': {
    prepare: paidOut,
    act: (app, { payout, transaction }) => app.payouts.setTransactionStatus(payout, transaction, 'paid'),
  },
  'all marked paid': { prepare: paidOut, act: (app, { payout }) => app.payouts.markAllPaid(payout) },
  'transaction deleted': {
    prepare: paidOut,
    act: (app, { payout, transaction }) => app.payouts.deleteTransaction(payout, transaction),
  },
  'transaction failed': {
    prepare: paidOut,
    act: (app, { transaction }) => app.payouts.failTransaction(transaction, 'The account is closed.'),
  },
  'referral created': {
    act: (app, { first }) =>
      app.referrals.create({ affiliate_id: first, amount: 3.21, status: 'unpaid', type: 'sale' }),
  },
  'referral edited': { act: (app, { manual }) => app.referrals.update(manual[0], { amount: 45.67 }) },
  'referral rejected': { act: (app, { manual }) => app.referrals.update(manual[0], { status: 'rejected' }) },
  'referral deleted': { act: (app, { manual }) => app.referrals.delete(manual[0]) },
  'conversion recorded': {
    act: (app, { first }) =>
      app.conversions.record(null, {
        provider: 'shop',
        reference: 'new',
        status: 'unpaid',
        order: order('80.00'),
        affiliate: first,
        customer: { email: 'new@shop.test', first_name: 'Jo' },
      }),
  },
  'conversion completed': { act: (app) => app.conversions.complete('shop', 'open') },
  'conversion refunded in part': {
    act: (app) => app.conversions.refund('shop', 'done', { refunded_total: '20.00' }),
  },
  'conversion refunded': {
    act: (app) => app.conversions.refund('shop', 'done', { refunded_total: '55.55' }),
  },
  'conversion canceled': { act: (app) => app.conversions.cancel('shop', 'done') },
  'affiliate deleted': { prepare: paidOut, act: (app, { second }) => app.affiliates.remove(second) },
};

/** The money of the whole program as text, without ids and times: two equal states read the same. */
export async function snapshot({ db }) {
  const places = new Map(
    (await db('affiliates').select('id').orderBy('user_id')).map(({ id }, place) => [Number(id), place]),
  );
  const affiliates = await db('affiliates')
    .select('user_id', 'total_earnings_minor', 'unpaid_earnings_minor', 'referrals', 'visits')
    .orderBy('user_id');
  const referrals = await db('referrals').select(
    'affiliate_id',
    'status',
    'amount_minor',
    'reject_reason',
    'payout_transaction_id',
  );
  const transactions = await db('payout_transactions').select('status', 'total_amount_minor');
  const payouts = await db('payouts').select('status', 'total_amount_minor');
  const entries = await db('ledger_entries').select('kind', 'total_delta_minor', 'unpaid_delta_minor');
  const counts = [];
  for (const table of ['payout_items', 'customers', 'visits', 'outbox'])
    counts.push(Number((await db(table).count({ n: '*' }).first()).n));
  const text = (rows) => rows.map((row) => Object.values(row).join(' ')).sort();
  return JSON.stringify([
    text(affiliates),
    text(transactions),
    text(payouts),
    text(entries),
    counts,
    referrals
      .map(
        (row) =>
          `${places.get(Number(row.affiliate_id))} ${row.status} ${row.amount_minor} ${row.reject_reason} ` +
          `${row.payout_transaction_id === null}`,
      )
      .sort(),
  ]);
}
