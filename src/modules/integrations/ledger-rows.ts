import type { ProviderOrder } from '../../../adapters/commerce.js';
import type { App } from '../../app.js';
import type { AfterCommit, Db } from '../../database/db.js';
import type { Alongside } from '../conversions/service.js';
import { amountsOf, ledgerItems } from './order-input.js';
import { addRefs, changeOrder, EMPTY_BOOK, insertOrder, lockOrder, type OrderName } from './order-queries.js';
import { awaitKey } from './outcome.js';
import type { LedgerOrder, NewOrder, OrderState } from './types.js';

export interface Books {
  readonly trx: Db;
  readonly afterCommit: AfterCommit;
}

/** Another event of the same order was stored since the ledger was read. */
export class LedgerMoved extends Error {
  constructor() {
    super('The order was recorded by another event meanwhile.');
  }
}

interface Judgement {
  readonly state: OrderState;
  readonly source: string | null;
  readonly candidate: { readonly affiliate_id: number; readonly visit_id: number | null } | null;
  readonly decision: string | null;
  readonly isRenewal?: boolean;
}

/** The rows of the order ledger, from the first word of an order to its judgement. */
export class OrderRows {
  constructor(private readonly app: App) {}

  async draft(
    name: OrderName,
    { at, order }: { at: number; order: ProviderOrder },
    { candidate, isRenewal = false, ...judged }: Judgement,
  ): Promise<NewOrder> {
    const config = await this.app.settings.referralConfig();
    return {
      ...name,
      subscription_id: isRenewal ? null : order.subscription?.id || null,
      event_at: at,
      currency: order.currency,
      totals: amountsOf(order.totals, order.items, { ...config, include_fees: this.app.options.includeFees }),
      items: ledgerItems(order.items),
      refunds: EMPTY_BOOK,
      customer_id: null,
      affiliate_id: candidate?.affiliate_id ?? null,
      visit_id: candidate?.visit_id ?? null,
      reason: null,
      referral_id: null,
      ...judged,
    };
  }

  /** Takes the order's place, or that of the row that only says who brought it; throws LedgerMoved when it is taken. */
  async claim(trx: Db, draft: NewOrder, known: LedgerOrder | null): Promise<LedgerOrder> {
    const now = this.app.clock.now();
    if (known === null) {
      const id = await insertOrder(trx, draft, now);
      if (id === null) throw new LedgerMoved();
      return { ...draft, id };
    }
    if ((await lockOrder(trx, known.id))?.state !== 'attributed') throw new LedgerMoved();
    await changeOrder(trx, known.id, draft, now);
    return { ...draft, id: known.id };
  }

  /** What became of the order. */
  async judged(
    trx: Db,
    order: LedgerOrder,
    { referral, reason }: Parameters<Alongside['end']>[1],
  ): Promise<LedgerOrder> {
    const isRepeat = reason === 'duplicate';
    const change: Partial<NewOrder> = {
      decision: referral ? 'recorded' : reason,
      reason: isRepeat ? null : reason,
      ...(isRepeat && referral?.status === 'pending' && { state: 'created' as const }),
      ...(referral && { referral_id: referral.id, customer_id: referral.customer_id }),
      ...(referral?.affiliate_id && { affiliate_id: referral.affiliate_id, visit_id: referral.visit_id }),
    };
    await changeOrder(trx, order.id, change, this.app.clock.now());
    return { ...order, ...change };
  }

  /** The order's other names; returns everything that may have waited for it. */
  async link(trx: Db, row: LedgerOrder, { id, refs = [] }: ProviderOrder): Promise<string[]> {
    const names = refs.filter((ref) => ref !== '' && ref !== id);
    await addRefs(trx, row, names);
    return [id, ...names, ...(row.subscription_id === null ? [] : [row.subscription_id])].map((ref) =>
      awaitKey(row.account, ref),
    );
  }
}
