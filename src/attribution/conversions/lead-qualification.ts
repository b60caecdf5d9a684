import type { Deps } from './deps.js';
import { customersToQualify, pendingLeads } from './lead-repository.js';

const CUSTOMERS_AT_ONCE = 500;

/** The customer has paid for something, so the deferred lead of the customer was real. */
export async function qualifyLeadsOf(app: Deps, customerId: number): Promise<void> {
  const orders = await app.orders.ofReferrals(await pendingLeads(app.db, customerId));
  for (const order of orders.values()) await app.orders.changes.complete(order);
}

/** The hourly job: the same for customers whose payment was stored by a process that ended right afterwards. */
export async function qualifyPaidLeads(app: Deps): Promise<number> {
  const customers = await customersToQualify(app.db, CUSTOMERS_AT_ONCE);
  for (const id of customers) await qualifyLeadsOf(app, id);
  return customers.length;
}
