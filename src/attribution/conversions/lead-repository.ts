import type { Db, Row } from '../../platform/database/db.js';

/** How the sub-references of leads begin. */
export const LEAD = 'lead:';

const BOUGHT = ['sale', 'payment', 'lifetime_sale', 'recurring_sale'];
const LOOKED_AT = 20;

export interface CustomersLead {
  readonly affiliate_id: number;
  readonly visit_id: number | null;
  readonly created_at: number;
}

const leads = (db: Db): ReturnType<Db> =>
  db('referrals').where({ type: 'lead' }).where('provider_sub_id', 'like', `${LEAD}%`);

/** Is the customer a lead already? One that was canceled or rejected does not count. */
export async function isLead(trx: Db, customerId: number): Promise<boolean> {
  const row: Row | undefined = await leads(trx)
    .first('id')
    .where({ customer_id: customerId })
    .whereNot({ status: 'rejected' });
  return row !== undefined;
}

/** The lead of a customer who has bought nothing yet; `beforeId`: nothing before this commission. */
export async function leadOf(
  db: Db,
  customerId: number,
  beforeId: number = Number.MAX_SAFE_INTEGER,
): Promise<CustomersLead | null> {
  const rows: Row[] = await db('referrals')
    .select('type', 'provider_sub_id', 'affiliate_id', 'visit_id', 'created_at')
    .where({ customer_id: customerId })
    .where('id', '<', beforeId)
    .whereIn('type', ['lead', ...BOUGHT])
    .whereNot({ status: 'rejected' })
    .orderBy('id')
    .limit(LOOKED_AT);
  if (rows.some((row) => row['type'] !== 'lead')) return null;
  const lead = rows.find((row) => String(row['provider_sub_id'] ?? '').startsWith(LEAD));
  if (!lead || lead['affiliate_id'] === null) return null;
  return {
    affiliate_id: Number(lead['affiliate_id']),
    visit_id: lead['visit_id'] === null ? null : Number(lead['visit_id']),
    created_at: Number(lead['created_at']),
  };
}

/** The leads of a customer that may wait for the first payment. */
export async function pendingLeads(db: Db, customerId: number): Promise<number[]> {
  const rows: Row[] = await leads(db)
    .select('id')
    .where({ customer_id: customerId, status: 'pending' })
    .orderBy('id')
    .limit(LOOKED_AT);
  return rows.map((row) => Number(row['id']));
}

/** Customers with such a lead who have bought something. */
export async function customersToQualify(db: Db, limit: number): Promise<number[]> {
  const payers = db('referrals')
    .select('customer_id')
    .whereNotNull('customer_id')
    .whereIn('type', BOUGHT)
    .whereIn('status', ['unpaid', 'paid'])
    .where('order_total_minor', '>', 0);
  const rows: Row[] = await leads(db)
    .distinct('customer_id')
    .where({ status: 'pending' })
    .whereIn('customer_id', payers)
    .orderBy('customer_id')
    .limit(limit);
  return rows.map((row) => Number(row['customer_id']));
}
