import type { App } from '../../app.js';
import { booksOf, insertEntry, lockAffiliates, unbalanced, writeBooks, type BookPair } from './repository.js';
import type { Books, Repair } from './types.js';

const BATCH = 200;
const COLUMNS = ['total_earnings_minor', 'unpaid_earnings_minor', 'referrals', 'visits'] as const;

/** Batches of affiliates, one transaction each, until nothing disagrees. */
export async function reconcileBooks(app: App, currency: string): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (;;) {
    const batch = await repairBatch(app, currency);
    repairs.push(...batch);
    if (batch.length === 0) return repairs;
  }
}

async function repairBatch(app: App, currency: string): Promise<Repair[]> {
  const ids = (await unbalanced(app.db, currency, BATCH)).map((pair) => pair.stored.affiliate_id);
  if (ids.length === 0) return [];
  return app.transaction(async (trx) => {
    await lockAffiliates(trx, ids);
    const repairs: Repair[] = [];
    for (const pair of await booksOf(trx, currency, ids)) {
      const changed = [...counterRepairs(pair.stored, pair.counted), ...ledgerRepairs(pair)];
      if (changed.some(({ column }) => !column.startsWith('ledger_'))) await writeBooks(trx, pair.counted);
      const total = pair.counted.total_earnings_minor - pair.ledger.total;
      const unpaid = pair.counted.unpaid_earnings_minor - pair.ledger.unpaid;
      if (total !== 0 || unpaid !== 0) {
        await insertEntry(trx, {
          affiliate_id: pair.stored.affiliate_id, referral_id: null, payout_id: null, transaction_id: null, kind: 'adjusted', currency,
          total_delta_minor: total, unpaid_delta_minor: unpaid, actor_id: app.context.current().user?.id ?? null,
          reason: 'reconcile', created_at: app.clock.now(),
        });
      }
      repairs.push(...changed);
    }
    if (repairs.length > 0) await app.audit.write(trx, { action: 'ledger.reconcile', object_type: 'ledger', object_id: null, after: repairs });
    return repairs;
  });
}

function counterRepairs(stored: Books, counted: Books): Repair[] {
  return COLUMNS.filter((column) => stored[column] !== counted[column])
    .map((column) => ({ affiliate_id: stored.affiliate_id, column, before: stored[column], after: counted[column] }));
}

function ledgerRepairs({ counted, ledger }: BookPair): Repair[] {
  const pairs = [
    { column: 'ledger_total', before: ledger.total, after: counted.total_earnings_minor },
    { column: 'ledger_unpaid', before: ledger.unpaid, after: counted.unpaid_earnings_minor },
  ] as const;
  return pairs.filter(({ before, after }) => before !== after).map((pair) => ({ affiliate_id: counted.affiliate_id, ...pair }));
}
