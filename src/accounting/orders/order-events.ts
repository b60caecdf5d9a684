import { toIso } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { Db } from '../../platform/database/db.js';
import type { RefundsOfEvent } from '../referrals/types.js';
import { factsOf } from './due.js';
import type { Deps } from './deps.js';
import { byTime } from './times.js';
import type { Fact, Order } from './types.js';

/** The facts that were not known before. */
export const newFacts = (known: readonly Fact[], facts: readonly Fact[]): readonly Fact[] => {
  const keys = new Set(known.map(({ key }) => key));
  return facts.filter(({ key }) => !keys.has(key));
};

/**
 * The refunds among facts, as events show them; `amount` is null when only the rest of the order was
 * reported.
 */
export const reportedRefunds = (facts: readonly Fact[]): RefundsOfEvent =>
  factsOf(facts, 'refund').map(({ data: { refund_id, gross_minor, currency, undone }, at }) => ({
    refund_id,
    amount: gross_minor === null ? null : toWire(minor(gross_minor), currency),
    currency,
    undone,
    refunded_at: toIso(at),
  }));

const latest = (facts: readonly Fact[]): ReadonlyMap<string, ReturnType<typeof disputesIn>[number]> =>
  new Map(disputesIn(facts).map((fact) => [fact.data.dispute_id, fact]));

const disputesIn = (facts: readonly Fact[]) => factsOf(facts, 'dispute').toSorted(byTime);

/** Records the disputes of an order that were opened or closed by its new facts. */
export async function appendDisputes(
  app: Deps,
  trx: Db,
  order: Order,
  { known, facts }: { readonly known: readonly Fact[]; readonly facts: readonly Fact[] },
): Promise<void> {
  const before = latest(known);
  for (const [id, { data, at }] of latest(facts)) {
    const was = before.get(id)?.data.state;
    if (was === data.state) continue;
    const shown = {
      provider: order.provider,
      reference: order.reference,
      sub_reference: order.sub_reference,
      dispute_id: id,
      referral_id: order.referral_id,
      affiliate_id: order.affiliate_id,
      at: toIso(at),
    };
    await app.eventLog.append(trx, data.state === 'opened' ? 'dispute.opened' : 'dispute.closed', {
      id: order.id,
      data: { ...shown, state: data.state },
      ...(was !== undefined && { before: { state: was } }),
    });
  }
}
