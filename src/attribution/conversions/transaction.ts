import type { OpenTransaction } from '../../accounting/orders/service.js';
import type { Deps } from './deps.js';
import type { RecordOutcome, ShopReport } from './order-report.js';
import type { SkipReason } from './types.js';

interface Surroundings {
  readonly affiliateId: number | null;
  readonly shop: ShopReport | undefined;
  /** Why nothing will be credited. */
  readonly skipped?: SkipReason;
}

/**
 * Stores an order with the shop's own rows. Several orders are stored with one commit: those of one affiliate lock
 * its row anyway, so orders that arrive together share a transaction.
 */
export async function withinTransaction(
  app: Deps,
  { affiliateId, shop, skipped }: Surroundings,
  store: (opened: OpenTransaction) => Promise<RecordOutcome>,
): Promise<RecordOutcome> {
  return app.sharedTransaction(String(affiliateId), async (trx, afterCommit) => {
    const opened = { trx, afterCommit };
    return shop ? shop.within(opened, () => store(opened), skipped ?? null) : store(opened);
  });
}
