import type { CustomerName, FoundBuyer } from '../../accounting/customers/types.js';
import type { OpenTransaction } from '../../accounting/orders/service.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { Db } from '../../platform/database/db.js';
import type { Credit } from './affiliate-finder.js';
import type { Deps } from './deps.js';
import { buyerOf } from './input.js';
import { isLead } from './lead-repository.js';
import { isPaidNow } from './order-to-store.js';
import type { PricedOrder } from './price.js';
import { firstOfCustomer } from './repository.js';
import type { Conversion } from './types.js';

export interface Buyer {
  readonly customerId: number | null;
  /** Unknown before, so there is no earlier order to look for. */
  readonly isNew: boolean;
  /** The buyer's first order by this affiliate. */
  readonly first: Referral | null;
  /** Names that count for the customer once the order is paid. */
  readonly unconfirmed: readonly CustomerName[];
}

const NO_BUYER: Buyer = { customerId: null, isNew: false, first: null, unconfirmed: [] };

/**
 * Reasons by which a person or a bank has rejected the customer's first order; later orders then earn nothing
 * either. Other reasons only end lifetime commissions.
 */
const FRAUDULENT: readonly (string | null)[] = ['manual', 'disputed'];

/** The customer, stored now or found. A renewal has the customer of its first payment. */
export async function saveBuyer(
  app: Deps,
  trx: Db,
  order: PricedOrder,
  found: FoundBuyer | null,
): Promise<Buyer> {
  const { conversion, renewal, row } = order;
  if (renewal) return { ...NO_BUYER, customerId: renewal.parent.customer_id };
  const ip = app.tracking.storedAddress(conversion.customer.ip);
  const context = { known: found, paid: isPaidNow(order) };
  const buyer = await app.customers.buyers.save(trx, { ...buyerOf(conversion), ip }, context);
  if (buyer === null) return NO_BUYER;
  const { isNew, unconfirmed } = buyer;
  const { id } = buyer.customer;
  const first = isNew ? null : await firstBy(app, trx, row.affiliate_id, id);
  return { customerId: id, isNew, first, unconfirmed };
}

/** The customer's first order by this affiliate. */
async function firstBy(
  app: Deps,
  trx: Db,
  affiliateId: number,
  customerId: number,
): Promise<Referral | null> {
  const id = await firstOfCustomer(trx, affiliateId, customerId);
  return id === null ? null : app.referrals.find(id);
}

/** Does the rejection of the customer's first order by this affiliate end later commissions? */
export function endsLaterOrders({ status, reject_reason: reason }: Referral, { source }: Credit): boolean {
  if (status !== 'rejected') return false;
  return source === 'lifetime' ? reason !== 'failed' : FRAUDULENT.includes(reason);
}

/** A lead pays once per customer; under the customer's lock, so that only one of two at once is the first. */
export async function isKnownLead(
  app: Deps,
  trx: Db,
  { lead }: Conversion,
  customerId: number | null,
): Promise<boolean> {
  if (lead === null || customerId === null) return false;
  await app.customers.lock(trx, customerId);
  return isLead(trx, customerId);
}

/** A lead binds its customer at once, unless a rule holds it for a person. */
export async function bindLead(
  app: Deps,
  { trx, afterCommit }: OpenTransaction,
  lead: Referral,
): Promise<void> {
  const { customer_id: customerId, affiliate_id: affiliateId } = lead;
  if (customerId === null || affiliateId === null) return;
  if (!(await app.customers.bind(trx, customerId, affiliateId, lead.created_at))) return;
  if (!app.hooks.isUsed('customer_linked')) return;
  afterCommit(async () => {
    const linked = await app.customers.find(customerId);
    const affiliate = await app.affiliates.find(affiliateId);
    if (linked && affiliate) await app.hooks.doAction('customer_linked', linked, affiliate, null);
  });
}
