import type { Db, Row } from '../../database/db.js';
import type { PortalReferral, PortalVisit, VisitIncome } from './types.js';

// What affiliates see of their own rows; only the columns that are shown are read.

const REFERRAL = [
  'description',
  'status',
  'amount_minor',
  'currency',
  'utm_campaign',
  'type',
  'created_at',
  'updated_at',
] as const;
const VISIT = ['id', 'url', 'referrer', 'utm_campaign', 'utm_medium', 'utm_source', 'created_at'] as const;
/** Referrals that count as income or once did. */
const COUNTED = ['paid', 'unpaid', 'rejected'] as const;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const toReferral = (row: Row): PortalReferral => ({
  description: text(row.description),
  status: String(row.status),
  amount_minor: Number(row.amount_minor),
  currency: text(row.currency),
  utm_campaign: text(row.utm_campaign),
  type: String(row.type),
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

const toVisit = (row: Row): PortalVisit => ({
  id: Number(row.id),
  url: text(row.url) ?? '',
  referrer: text(row.referrer),
  utm_campaign: text(row.utm_campaign),
  utm_medium: text(row.utm_medium),
  utm_source: text(row.utm_source),
  created_at: Number(row.created_at),
});

/**
 * The newest by creation, which imports may have made in another order than their ids.
 * Each status is read along its index.
 */
export async function recentReferrals(db: Db, affiliateId: number, limit: number): Promise<PortalReferral[]> {
  const found: Row[] = [];
  for (const status of COUNTED) {
    const rows: Row[] = await db('referrals')
      .select('id', ...REFERRAL)
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
    .map(toReferral);
}

/** In the order of the ids. */
export async function findVisits(db: Db, ids: readonly number[]): Promise<PortalVisit[]> {
  if (ids.length === 0) return [];
  const rows: Row[] = await db('visits').select(VISIT).whereIn('id', ids);
  const visits = new Map(rows.map(toVisit).map((visit) => [visit.id, visit]));
  return ids.flatMap((id) => visits.get(id) ?? []);
}

/** What these visits brought, in the program currency; one row per visit with a referral. */
export async function incomeOf(
  db: Db,
  affiliateId: number,
  visitIds: readonly number[],
  currency: string,
): Promise<ReadonlyMap<number, VisitIncome>> {
  if (visitIds.length === 0) return new Map();
  // Only the visits are asked for: with owner or status as conditions a planner may walk through
  // all referrals of the affiliate.
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
