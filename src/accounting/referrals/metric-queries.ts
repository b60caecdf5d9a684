import type { Db } from '../../platform/database/db.js';
import { GIVEN_AWAY, type Metrics } from './types.js';

const SALES = "('sale', 'payment', 'recurring_sale', 'lifetime_sale')";
const LEADS = "('lead', 'opt_in')";

/**
 * What these affiliates brought between two instants, net of refunds: what is owed or paid for orders recorded
 * then. A refund counts at the time of its order, also when its commission was paid before. One statement.
 */
export async function metricsOf(
  db: Db,
  of: {
    readonly affiliateIds: readonly number[];
    readonly from: number;
    readonly until: number | null;
    readonly currency: string;
  },
): Promise<Map<number, Metrics>> {
  const { affiliateIds, from, until, currency } = of;
  if (affiliateIds.length === 0) return new Map();
  // an order that was given to another affiliate counts there, also when its first commission was paid
  const counts =
    `r.status in ('unpaid', 'paid', 'processing') and (o.due_status is null or o.due_status <> 'rejected') ` +
    `and coalesce(p.reject_reason, r.reject_reason, '') <> '${GIVEN_AWAY}'`;
  const isSale = `${counts} and r.type in ${SALES}`;
  const end = until === null ? '' : ' and coalesce(p.created_at, r.created_at) < ?';
  const rows = await db.raw(
    `select r.affiliate_id as affiliate_id, sum(case when ${isSale} then 1 else 0 end) as sales, ` +
      `sum(case when ${counts} and r.type in ${LEADS} then 1 else 0 end) as leads, ` +
      `count(distinct case when ${isSale} then r.customer_id end) as customers, ` +
      `sum(case when ${counts} and (r.currency is null or r.currency = ?) and ` +
      `(r.type in ${SALES} or (r.type = 'adjustment' and p.type in ${SALES})) ` +
      'then coalesce(r.order_total_minor, 0) else 0 end) as amount ' +
      `from ${db.name('referrals')} r ` +
      `left join ${db.name('referrals')} p on r.type = 'adjustment' and p.id = r.parent_id ` +
      `left join ${db.name('orders')} o on o.referral_id = coalesce(p.id, r.id) ` +
      `where r.affiliate_id in (${affiliateIds.map(() => '?').join(', ')}) and r.created_at >= ? ` +
      `and coalesce(p.created_at, r.created_at) >= ?${end} group by r.affiliate_id`,
    [currency, ...affiliateIds, from, from, ...(until === null ? [] : [until])],
  );
  return new Map(
    rows.map((row) => [
      Number(row['affiliate_id']),
      {
        sales: Number(row['sales'] ?? 0),
        amount_minor: Number(row['amount'] ?? 0),
        leads: Number(row['leads'] ?? 0),
        customers: Number(row['customers'] ?? 0),
      },
    ]),
  );
}
