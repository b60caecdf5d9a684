import { siteDay } from '../../core/dates.js';
import type { OpenTransaction } from '../../accounting/orders/service.js';
import type { OrderToCheck } from '../fraud/types.js';
import type { CheckedOrder } from './check.js';
import type { Deps } from './deps.js';
import { buyerOf } from './input.js';
import { qualifyLeadsOf } from './lead-qualification.js';
import type { RecordOutcome } from './order-report.js';
import { countSkip, insertSkipped } from './repository.js';
import { withinTransaction } from './transaction.js';
import { isNobodys, type Conversion, type Skip } from './types.js';

/** Notes an order that is not credited, and why, with the caller's rows. */
export async function storeSkipped(
  app: Deps,
  { report: { shop }, conversion }: Pick<CheckedOrder, 'report' | 'conversion'>,
  skipped: Skip,
): Promise<RecordOutcome> {
  const { totals, status } = conversion;
  if (isNobodys(skipped.reason) && status === 'unpaid' && (totals?.grand_total ?? 0) > 0)
    await boughtAlone(app, conversion);
  const { affiliateId, reason } = skipped;
  if (shop || skipped.hits)
    return withinTransaction(app, { affiliateId, shop, skipped: reason }, (opened) =>
      noteSkipped(app, conversion, skipped, opened),
    );
  await writeSkip(app, conversion, skipped);
  return { referral: null, created: false, reason };
}

/** The same in a transaction that is open. */
export async function noteSkipped(
  app: Deps,
  conversion: Conversion,
  skipped: Skip,
  { trx, afterCommit }: OpenTransaction,
): Promise<RecordOutcome> {
  await writeSkip(app, conversion, skipped);
  if (skipped.hits && skipped.affiliateId !== null) {
    const order = orderToCheck(conversion, skipped.affiliateId, null);
    const suspicion = await app.fraud.save(trx, skipped.hits, order);
    afterCommit(() => app.fraud.announce(suspicion));
  }
  return { referral: null, created: false, reason: skipped.reason };
}

/** The order as the list of suspicions shows it. */
export const orderToCheck = (
  { provider, reference, sub_reference: sub, customer }: Conversion,
  affiliateId: number,
  referralId: number | null,
): OrderToCheck => ({
  affiliate_id: affiliateId,
  referral_id: referralId,
  provider,
  provider_id: reference ?? sub ?? '',
  buyer: customer,
});

/** A customer has paid for an order that credits nobody. */
async function boughtAlone(app: Deps, conversion: Conversion): Promise<void> {
  const customerId = await app.customers.boughtAlone(buyerOf(conversion));
  if (customerId !== null) await qualifyLeadsOf(app, customerId);
}

async function writeSkip(
  app: Deps,
  { provider, reference, sub_reference: sub }: Conversion,
  { reason, affiliateId }: Skip,
): Promise<void> {
  const now = app.clock.now();
  if (isNobodys(reason)) await countSkip(app.db, siteDay(now, app.host.site().timeZone), reason);
  else
    await insertSkipped(app.db, {
      provider,
      provider_id: reference ?? sub ?? '',
      reason,
      affiliate_id: affiliateId,
      created_at: now,
    });
}
