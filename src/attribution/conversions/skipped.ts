import { siteDay } from '../../core/dates.js';
import type { Logger } from '../../core/logger.js';
import type { OpenTransaction } from '../../accounting/orders/service.js';
import type { OrderToCheck } from '../fraud/types.js';
import type { UnknownReason } from '../tracking/types.js';
import type { CheckedOrder } from './check.js';
import type { Deps } from './deps.js';
import { buyerOf } from './input.js';
import { qualifyLeadsOf } from './lead-qualification.js';
import { notCreated, type RecordOutcome } from './order-report.js';
import { countSkip, insertSkipped } from './repository.js';
import { withinTransaction } from './transaction.js';
import {
  isUnattributed,
  type Conversion,
  type ConversionInput,
  type Skip,
  type SkipReason,
} from './types.js';

/** Stores why an order is not credited, with the rows of its shop. */
export async function recordSkip(
  app: Deps,
  { report: { shop }, conversion }: Pick<CheckedOrder, 'report' | 'conversion'>,
  skipped: Skip,
): Promise<RecordOutcome> {
  const { totals, status } = conversion;
  if (isUnattributed(skipped.reason) && status === 'unpaid' && (totals?.grand_total ?? 0) > 0)
    await confirmUnattributedBuyer(app, conversion);
  const { affiliateId, reason } = skipped;
  if (shop || skipped.hits)
    return withinTransaction(app, { affiliateId, shop }, (opened) =>
      recordSkipIn(app, conversion, skipped, opened),
    );
  await insertSkip(app, conversion, skipped);
  return notCreated(reason);
}

/** Like `recordSkip`, in the transaction of the order. */
export async function recordSkipIn(
  app: Deps,
  conversion: Conversion,
  skipped: Skip,
  { trx, afterCommit }: OpenTransaction,
): Promise<RecordOutcome> {
  await insertSkip(app, conversion, skipped);
  if (skipped.hits && skipped.affiliateId !== null) {
    const order = orderToCheck(conversion, skipped.affiliateId, null);
    const suspicion = await app.fraud.save(trx, skipped.hits, order);
    afterCommit(() => app.fraud.announce(suspicion));
  }
  return notCreated(skipped.reason);
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

/** A customer has paid for an order that credits no affiliate. */
async function confirmUnattributedBuyer(app: Deps, conversion: Conversion): Promise<void> {
  const customerId = await app.customers.confirmUnattributedBuyer(buyerOf(conversion));
  if (customerId !== null) await qualifyLeadsOf(app, customerId);
}

async function insertSkip(
  app: Deps,
  { provider, reference, sub_reference: sub }: Conversion,
  { reason, affiliateId }: Skip,
): Promise<void> {
  const now = app.clock.now();
  if (isUnattributed(reason)) await countSkip(app.db, siteDay(now, app.host.site().timeZone), reason);
  else
    await insertSkipped(app.db, {
      provider,
      provider_id: reference ?? sub ?? '',
      reason,
      affiliate_id: affiliateId,
      created_at: now,
    });
}

/** What to do when a developer's own test order is not credited. */
const HINTS: Readonly<Partial<Record<SkipReason, string>>> = {
  robot:
    'No affiliate was credited for an order: the request comes from a robot or a command-line tool. ' +
    'Order from a browser, or set `tracking.countTools` while you try it.',
  no_cookie:
    'No affiliate was credited for an order: the request has no affiliate cookie. ' +
    "Follow an affiliate link in the same browser first, and pass the buyer's request.",
  consent: 'No affiliate was credited for an order: the visitor has not agreed to tracking, or opted out.',
} satisfies Record<UnknownReason, string>;

/** Logs each hint once per process: it helps while a shop is being set up, and is known later. */
export class SetupHints {
  readonly #logged = new Set<SkipReason>();

  constructor(private readonly logger: Logger) {}

  log(reason: SkipReason | null, { provider, reference }: ConversionInput): void {
    const hint = reason === null ? undefined : HINTS[reason];
    if (reason === null || hint === undefined || this.#logged.has(reason)) return;
    this.#logged.add(reason);
    this.logger.warn(hint, { provider, reference, reason });
  }
}
