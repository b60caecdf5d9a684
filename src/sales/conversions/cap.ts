import { flatAmount, minor } from '../../core/money.js';
import { DAY } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { NewReferral } from '../../books/referrals/types.js';
import type { Needs } from './needs.js';
import { earnedFromCustomer } from './repository.js';

const E4 = 10_000;

/**
 * Reduces the row to what the affiliate may still earn from this customer (docs/tracking.md §13); null when
 * nothing is left. Called under the affiliate's lock. Orders in another currency and orders of unknown buyers
 * have no cap.
 */
export async function withinCap(app: Needs, trx: Db, row: NewReferral): Promise<NewReferral | null> {
  const {
    commission_cap_amount: amount,
    commission_cap_days: days,
    currency,
  } = await app.settings.referralConfig();
  const { customer_id: customerId, affiliate_id: affiliateId } = row;
  if (amount === 0 || !customerId || row.amount_minor <= 0 || (row.currency ?? currency) !== currency)
    return row;
  const since = days === 0 ? 0 : app.clock.now() - days * DAY;
  const left =
    flatAmount(amount * E4, currency) -
    (await earnedFromCustomer(trx, { affiliateId, customerId, currency, since }));
  if (left >= row.amount_minor) return row;
  if (left <= 0) return null;
  return {
    ...row,
    amount_minor: minor(left),
    settings: { ...row.settings, capped_from_minor: row.amount_minor },
  };
}
