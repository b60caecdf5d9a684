import type { App } from '../../src/app/app.js';
import { SEED, seeded } from '../support/seed.js';
import { openBooks, type Order, type Outcome } from './books.js';

// A process of its own on a database that others use too. The parent sends orders, it answers with outcomes.

const random = seeded(SEED + Number(process.argv[3] ?? 0));

const attempt = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

async function obey(app: App, order: Order): Promise<string[]> {
  if (order.kind === 'churn')
    return Promise.all(Array.from({ length: order.times }, () => attempt(() => churn(app))));
  return Promise.all(Array.from({ length: order.times }, () => attempt(() => act(app, order.kind))));
}

async function act(app: App, kind: Order['kind']): Promise<unknown> {
  if (kind === 'process') return app.payouts.process({ title: 'Race', description: 'Race' });
  const row: { id: number | string; payout_id: number | string } | undefined = await app
    .db('payout_transactions')
    .select('id', 'payout_id')
    .orderBy('id')
    .first();
  if (!row) return undefined;
  return kind === 'bulk'
    ? app.payouts.changes.markAllPaid(Number(row.payout_id))
    : app.payouts.changes.remove(Number(row.payout_id), Number(row.id));
}

/** A random change of a random unpaid referral, or a transaction taken back. */
async function churn(app: App): Promise<unknown> {
  const pick = random();
  if (pick < 0.15) return act(app, 'delete');
  const rows: { id: number | string }[] = await app
    .db('referrals')
    .select('id')
    .where({ status: 'unpaid' })
    .orderBy('id')
    .limit(200);
  const referral = rows[Math.floor(random() * rows.length)];
  if (!referral) return undefined;
  if (pick < 0.6) return app.referrals.update(Number(referral.id), { amount: 1 + Math.floor(random() * 50) });
  return pick < 0.8
    ? app.referrals.update(Number(referral.id), { status: 'rejected' })
    : app.referrals.delete(Number(referral.id));
}

function dieAt(app: App, { at, when }: Order): void {
  let seen = 0;
  app.db.knex.on(when === 'before' ? 'query' : 'query-response', () => {
    if (++seen === at) process.kill(process.pid, 'SIGKILL');
  });
}

const { app } = await openBooks(JSON.parse(process.argv[2] ?? '{}') as never);
process.on('message', (order: Order) => {
  if (order.at !== undefined) dieAt(app, order);
  void obey(app, order).then((codes) => process.send?.({ id: order.id, codes } satisfies Outcome));
});
process.send?.({ id: 0, codes: [] } satisfies Outcome);
