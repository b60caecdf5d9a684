import type { OpenTransaction } from '../../accounting/orders/service.js';
import type { Deps } from './deps.js';
import type { RecordOutcome, ShopReport } from './order-report.js';

/**
 * Stores an order, then the shop's own rows. Orders of one affiliate lock its row anyway, so those that arrive
 * together share a transaction.
 */
export async function withinTransaction(
  app: Deps,
  { affiliateId, shop }: { readonly affiliateId: number | null; readonly shop: ShopReport | undefined },
  store: (opened: OpenTransaction) => Promise<RecordOutcome>,
): Promise<RecordOutcome> {
  return app.sharedTransaction(String(affiliateId), async (trx, afterCommit) => {
    const opened = { trx, afterCommit };
    const outcome = await store(opened);
    await shop?.within(opened, outcome);
    return outcome;
  });
}
