import type { Db, Row } from '../../platform/database/db.js';
import { commissions, type PortalCommission } from './record.js';
import type { VisitIncome } from './types.js';

/** Statuses of referrals that count as income or once did. */
const COUNTED = ['paid', 'unpaid', 'rejected'] as const;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * The newest by time of creation, since imports may give ids in another order. Each status is read by its
 * index.
 */
export async function recentReferrals(
  db: Db,
  affiliateId: number,
  limit: number,
): Promise<PortalCommission[]> {
  const found: Row[] = [];
  for (const status of COUNTED) {
    const rows: Row[] = await db('referrals')
      .select('id', ...commissions.columns)
      .where({ status, affiliate_id: affiliateId })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit);
    found.push(...rows);
  }
  return found
    .toSorted((a, b) => Number(b.created_at) - Number(a.created_at) || Number(b.id) - Number(a.id))
    .slice(0, limit)
    .map(commissions.fromRow);
}

/** The income from these visits in the program currency; one row per visit with a referral. */
export async function incomeOf(
  db: Db,
  affiliateId: number,
  visitIds: readonly number[],
  currency: string,
): Promise<ReadonlyMap<number, VisitIncome>> {
  if (visitIds.length === 0) return new Map();
  // The condition names only the visits: with owner or status in it, a database may read all referrals of the
  // affiliate.
  const columns = ['visit_id', 'affiliate_id', 'status', 'currency'] as const;
  const rows: Row[] = await db('referrals')
    .select(columns)
    .whereIn('visit_id', visitIds)
    .groupBy(columns)
    .sum({ amount: 'amount_minor' });
  const counted: readonly string[] = COUNTED;
  const income = new Map<number, VisitIncome>();
  for (const row of rows.filter(
    (each) => Number(each.affiliate_id) === affiliateId && counted.includes(String(each.status)),
  )) {
    const known = income.get(Number(row.visit_id))?.amount_minor ?? 0;
    const isProgram = (text(row.currency) ?? currency) === currency;
    income.set(Number(row.visit_id), { amount_minor: known + (isProgram ? Number(row.amount) : 0) });
  }
  return income;
}
