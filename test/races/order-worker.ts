import type { App } from '../../src/app/app.js';
import { SEED, seeded } from '../support/seed.js';
import { openBooks } from './books.js';
import { PROVIDER, referenceOf, type Order, type Outcome } from './orders.js';

// A process of its own that changes a few orders in every way there is,
// many at once, while others do the same.

const random = seeded(SEED + Number(process.argv[3] ?? 0));
const pick = (count: number): number => 1 + Math.floor(random() * count);

type Act = (app: App, reference: string) => Promise<unknown>;

const ACTIONS: readonly Act[] = [
  (app, reference) => app.conversions.refund(PROVIDER, reference, oneRefund()),
  (app, reference) => app.conversions.refund(PROVIDER, reference, { ...oneRefund(), undone: true }),
  (app, reference) => app.conversions.refund(PROVIDER, reference, { refunded_total: pick(60) }),
  (app, reference) => app.conversions.cancel(PROVIDER, reference),
  (app, reference) => app.conversions.complete(PROVIDER, reference),
  async (app, reference) => {
    const referral = await app.conversions.find(PROVIDER, reference);
    return referral && app.referrals.update(referral.id, { amount: pick(20) });
  },
  (app) => app.payouts.process({ title: 'Race', description: 'Race' }),
  async (app) => {
    const one = await anyTransaction(app);
    return one && app.payouts.setTransactionStatus(one.payout, one.id, 'paid', { confirm: true });
  },
  async (app) => {
    const one = await anyTransaction(app);
    return one && app.payouts.changes.remove(one.payout, one.id);
  },
];

const oneRefund = (): { refund_id: string; amount: number } => ({
  refund_id: `r${pick(3)}`,
  amount: pick(40),
});

async function anyTransaction(app: App): Promise<{ id: number; payout: number } | null> {
  const rows: { id: number | string; payout_id: number | string }[] = await app
    .db('payout_transactions')
    .select('id', 'payout_id')
    .orderBy('id', 'desc')
    .limit(6);
  const row = rows[pick(rows.length) - 1];
  return row === undefined ? null : { id: Number(row.id), payout: Number(row.payout_id) };
}

/** Deleted and created again; an order reported once more is never paid a second time. */
async function again(app: App, reference: string): Promise<unknown> {
  const order = await app.orders.find({ provider: PROVIDER, account: '', reference, sub_reference: '' });
  const affiliate = await app.affiliates.find(order?.affiliate_id ?? 0);
  if (affiliate === null || affiliate.user_id === null) return null;
  await app.affiliates.remove(affiliate.id);
  const fresh = await app.affiliates.changes.create({ user_id: affiliate.user_id, status: 'active' });
  return app.conversions.record(null, {
    provider: PROVIDER,
    reference,
    status: 'unpaid',
    order: { subtotal: 100 },
    affiliate: fresh.id,
  });
}

async function attempt(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

async function obey(app: App, { times, orders, restart }: Order): Promise<string[]> {
  return Promise.all(
    Array.from({ length: times }, (_, at) => {
      const act = restart && at === 0 ? again : ACTIONS[pick(ACTIONS.length) - 1]!;
      return attempt(() => act(app, referenceOf(pick(orders))));
    }),
  );
}

const { app } = await openBooks(JSON.parse(process.argv[2] ?? '{}') as never);
process.on('message', (order: Order) => {
  void obey(app, order).then((codes) => process.send?.({ codes } satisfies Outcome));
});
process.send?.({ codes: [] } satisfies Outcome);
