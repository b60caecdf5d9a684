import type { Deps } from './deps.js';
import { attribute } from './attribute.js';
import { check } from './check.js';
import { guard } from './guard.js';
import type { OrderReport, RecordOutcome } from './order-report.js';
import { price } from './price.js';
import { DELETED, repeated } from './repeated.js';
import { recordSkip } from './skipped.js';
import { store } from './store.js';
import { skip } from './types.js';

/**
 * The path of an order from its report to its commission (docs/tracking.md §5):
 *
 * | Step | Does | Ends the path when |
 * |---|---|---|
 * | check | reads the input; extensions of the provider may change it | the order is stored already, or was deleted |
 * | attribute | finds the affiliate: named, coupon, click, customer | no affiliate is found |
 * | guard | asks the rules against fraud and the host | one of them refuses |
 * | price | freezes rates and rules and computes the commission | a shop's order earns nothing |
 * | store | stores order, facts, customer and commission in one transaction | the affiliate or the customer has changed meanwhile |
 * | settle | a part of `store`, in that transaction: `referrals.writer.book` writes the ledger entry, `orders.storeCredited` stores what is due | |
 *
 * The table of docs/tracking.md §5 has the steps of each way in. A shop's order comes with rows of the shop, which
 * `within` stores in the same transaction; it is the only callback. What is reported later of a stored order (a
 * refund, a dispute, a payment) is a fact that is added to it, and `settle` again.
 */
export async function reportOrder(app: Deps, report: OrderReport): Promise<RecordOutcome> {
  const checked = await check(app, report);
  if (checked.kind === 'stored') return repeated(app, checked);
  if (checked.kind === 'deleted') return DELETED;
  if (checked.kind === 'empty') return recordSkip(app, checked, skip('no_order_data', null));
  const credited = await attribute(app, checked);
  if (credited.kind === 'skip') return recordSkip(app, checked, credited);
  const guarded = await guard(app, credited);
  if (guarded.kind === 'skip') return recordSkip(app, checked, guarded);
  const priced = await price(app, guarded);
  if (priced.kind === 'skip') return recordSkip(app, checked, priced);
  return store(app, priced);
}
