import { QUARTER_HOUR } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { Slot } from './breakdown-queries.js';
import type { Span } from './earned-queries.js';

/** What the commissions of one product of a shop came to. */
export interface ProductPart {
  readonly provider: string;
  readonly product: string;
  readonly title: string;
  readonly orders: number;
  readonly amount: number;
  readonly order_total: number;
}

const EARNING = "x.status in ('paid', 'unpaid') and (x.currency is null or x.currency = ?)";
/** A product's share of its order, by value; equal shares of an order that is worth nothing. */
const SHARE = 'case when x.whole > 0 then x.total / x.whole else 1.0 / x.items end';
const sumOf = (column: string): string =>
  `sum(case when ${EARNING} then coalesce(x.${column}, 0) * (${SHARE}) else 0 end)`;
const ORDERS = "count(distinct case when x.type = 'adjustment' then null else x.id end)";

/** A row per product of each commission; an adjustment has the products of the commission it corrects. */
function productRows(db: Db): string {
  const { join, of } = db.dialect.jsonRows('coalesce(r.products, p.products)', {
    item_id: 'text',
    title: 'text',
    total: 'number',
  });
  return (
    `select r.id, r.type, r.status, r.currency, r.created_at, r.amount_minor, r.order_total_minor, ` +
    `coalesce(r.provider, '') as provider, coalesce(${of.item_id}, ${of.title}, '') as product, ` +
    `coalesce(${of.title}, '') as title, ${of.total} as total, ` +
    `sum(${of.total}) over (partition by r.id) as whole, count(*) over (partition by r.id) as items ` +
    `from ${db.name('referrals')} r ` +
    `left join ${db.name('referrals')} p on p.id = r.parent_id and r.type = 'adjustment' ${join} ` +
    'where r.created_at >= ? and r.created_at < ?'
  );
}

/** Highest earnings first. */
export async function productParts(
  db: Db,
  { from, to, currency }: Span,
  limit: number,
): Promise<ProductPart[]> {
  const rows = await db.raw(
    `select x.provider as provider, x.product as product, max(x.title) as title, ${ORDERS} as orders, ` +
      `${sumOf('amount_minor')} as amount, ${sumOf('order_total_minor')} as order_total ` +
      `from (${productRows(db)}) x group by x.provider, x.product ` +
      `order by amount desc, x.provider, x.product limit ${limit}`,
    [currency, currency, from, to],
  );
  return rows.map((row) => ({
    provider: String(row['provider']),
    product: String(row['product']),
    title: String(row['title']),
    orders: Number(row['orders']),
    amount: Math.round(Number(row['amount'])),
    order_total: Math.round(Number(row['order_total'])),
  }));
}

/** One product by quarters of an hour. */
export async function productSlots(
  db: Db,
  { from, to, currency }: Span,
  { provider, product }: Pick<ProductPart, 'provider' | 'product'>,
): Promise<Slot[]> {
  const slot = db.dialect.slot('x.created_at', QUARTER_HOUR);
  const rows = await db.raw(
    `select ${slot} as slot, ${ORDERS} as orders, ${sumOf('amount_minor')} as amount ` +
      `from (${productRows(db)}) x where x.provider = ? and x.product = ? group by ${slot}`,
    [currency, from, to, provider, product],
  );
  return rows.map((row) => ({
    at: Number(row['slot']) * QUARTER_HOUR,
    orders: Number(row['orders']),
    amount: Number(row['amount']),
  }));
}
