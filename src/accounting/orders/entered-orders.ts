import { orderKey } from '../../core/order-key.js';
import { fail, failFields } from '../../errors.js';
import type { NewReferral, Referral } from '../referrals/types.js';
import { commissionEntered } from './domain-events.js';
import { contextOf } from './order-context.js';
import { correctionFact, dueNow, reviewFact, nextTime } from './facts.js';
import { givenTerms } from './imported.js';
import type { Deps } from './deps.js';
import type { OrderRecords } from './order-records.js';
import * as store from './repository.js';
import type { OpenTransaction, Settler } from './settle.js';
import { ENTERED, type Order, type OrderName } from './types.js';

const VERDICTS = { unpaid: 'approved', pending: 'held', rejected: 'rejected' } as const;
const REFERENCE_MAX = 191;

/** A commission that a person enters for an order. */
export interface ManualCommission {
  readonly row: NewReferral & { readonly currency: string; readonly provider: string };
  readonly reference: string;
  readonly insert: (row: NewReferral) => Promise<Referral>;
}

/**
 * Ties commissions that people enter to the orders they name, so that refunds reach them and no report of the
 * order makes a second one (docs/money.md).
 */
export class EnteredOrders {
  constructor(
    private readonly app: Deps,
    private readonly parts: { readonly records: OrderRecords; readonly settler: Settler },
  ) {}

  /** The caller has locked the affiliate. */
  async enter(opened: OpenTransaction, entered: ManualCommission): Promise<Referral> {
    const { row, reference, insert } = entered;
    if (reference.length > REFERENCE_MAX) return insert(row);
    const order = await this.#orderOf(opened, row.provider, reference);
    return order === null ? this.#begin(opened, entered) : this.#attach(opened, entered, order);
  }

  /** The order with this number: of the provider, or of any when the person named none. */
  async #orderOf({ trx }: OpenTransaction, provider: string, reference: string): Promise<Order | null> {
    const found = await store.ordersNumbered(trx, reference, provider === ENTERED ? null : provider);
    const [one, other] = found;
    if (one !== undefined && other !== undefined) {
      const names = [...new Set(found.map((order) => order.provider))].toSorted().join(', ');
      return failFields({
        provider: { in: `Several orders have this number. Send the provider of the order: ${names}.` },
      });
    }
    return one === undefined ? null : store.lockOrder(trx, one.id);
  }

  /** Makes a record that waits for the reports of the order. */
  async #begin(opened: OpenTransaction, { row, reference, insert }: ManualCommission): Promise<Referral> {
    const name: OrderName = { provider: row.provider, account: '', reference, sub_reference: '' };
    const referral = await insert({ ...row, dedup_key: orderKey(name.provider, name) });
    const { affiliate_id, id: referral_id } = referral;
    const order = await this.parts.records.insertOrder(opened.trx, name, {
      currency: row.currency,
      terms: givenTerms(row.amount_minor, null),
      affiliate_id,
      referral_id,
      source: ENTERED,
      decision: 'recorded',
    });
    if (order === null) return fail('busy');
    await this.app.internal.emit(commissionEntered, opened.trx, { provider: row.provider, reference });
    return this.#withReview(opened, order, referral);
  }

  /** Adds the commission to an order that has none yet. */
  async #attach(opened: OpenTransaction, { row, insert }: ManualCommission, order: Order): Promise<Referral> {
    refuse(order, row);
    const { trx } = opened;
    const referral = await insert({ ...row, dedup_key: orderKey(order.provider, order), ...named(order) });
    const change = {
      terms: order.terms ?? givenTerms(row.amount_minor, order.total_minor),
      draft: null,
      affiliate_id: referral.affiliate_id,
      referral_id: referral.id,
      first_order_id: null, // a renewal leaves its subscription, because a person decided about it
      source: ENTERED,
      decision: 'recorded',
    };
    await store.changeOrder(trx, order.id, change, this.app.clock.now());
    return this.#withReview(opened, { ...order, ...change }, referral, row.amount_minor);
  }

  /**
   * The person who enters a commission decides about it, and about its amount where the order leads to
   * another.
   */
  async #withReview(
    opened: OpenTransaction,
    order: Order,
    referral: Referral,
    amount: number | null = null,
  ): Promise<Referral> {
    const facts = await store.factsOfOrder(opened.trx, order.id);
    const around = await contextOf(opened.trx, order, referral);
    const known = dueNow(order, facts, { ...around, inPayout: false });
    const entry = { at: nextTime(facts, this.app.clock.now()), reason: null };
    const verdict = VERDICTS[referral.status as keyof typeof VERDICTS]; // the form takes no other
    await store.addFacts(
      opened.trx,
      order.id,
      [...(amount === null ? [] : [correctionFact(amount, known, entry)]), reviewFact(verdict, known, entry)],
      this.parts.records.stamp(),
    );
    const cause = { kind: 'adjusted', reason: 'manual', silent: true } as const;
    return (await this.parts.settler.settle(opened, order.id, cause))?.after ?? referral;
  }
}

const named = ({ provider, reference, account }: Order): Partial<NewReferral> => ({
  provider,
  provider_id: reference,
  ...(account !== '' && { settings: { account } }),
});

function refuse(
  { referral_id: id, affiliate_id, deleted_at, currency }: Order,
  row: ManualCommission['row'],
): void {
  if (deleted_at !== null)
    fail('order_credited', {
      message:
        'The commission of this order was deleted. To pay it anyway, enter it without an order number.',
    });
  if (id !== null) fail('order_credited', { data: { referral_id: id, affiliate_id } });
  if (currency !== row.currency)
    failFields({
      provider_id: { in: `This order is in ${currency}, and commissions are entered in ${row.currency}.` },
    });
}
