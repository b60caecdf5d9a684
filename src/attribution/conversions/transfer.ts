import { minor, toWire } from '../../core/money.js';
import { fail, failFields } from '../../errors.js';
import type { OpenTransaction } from '../../accounting/orders/service.js';
import {
  GIVEN,
  type Due,
  type Fact,
  type NewFact,
  type NewOrder,
  type Order,
  type OrderTerms,
} from '../../accounting/orders/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import { NO_SUB_IDS } from '../../core/sub-ids.js';
import { CommissionCalculator } from './commission-calculator.js';
import type { Deps } from './deps.js';
import type { Explanation } from './commission.js';
import { repricedBy, type RepricedTerms } from './reprice.js';
import type { GiveDto } from './schemas.js';
import { asNew, draftOf } from './referral-row.js';

export interface TransferInput {
  readonly affiliate_id: number;
  readonly reason: string;
}

interface TransferPlan {
  readonly referral: Referral;
  readonly order: Order;
  readonly from: number;
  readonly to: Affiliate;
  readonly terms: OrderTerms;
  /** How the commission of the other affiliate was calculated; null: the amount does not change. */
  readonly explanation: Explanation | null;
  readonly due: Due;
  readonly isPriced: boolean;
  readonly takesBack: number;
}

/** What a person decides with it; refunds, cancellations and missing payments do not change. */
const DECIDED = /^(?:manual|unsigned|fraud:.*)$/u;

/**
 * Gives an order to the affiliate who brought it. The first commission ends, and the other affiliate earns one at
 * their own rate. Both commissions show the reason (docs/money.md).
 */
export class OrderTransfer {
  readonly #calculator: CommissionCalculator;

  constructor(private readonly app: Deps) {
    this.#calculator = new CommissionCalculator(app);
  }

  async preview(referralId: number, affiliateId: number): Promise<GiveDto> {
    const { referral, order, from, to, due, isPriced, takesBack } = await this.#plan(referralId, affiliateId);
    return {
      from_affiliate_id: from,
      to_affiliate_id: to.id,
      currency: order.currency,
      takes_back: toWire(minor(takesBack), order.currency),
      gives: toWire(due.amount, order.currency),
      was_paid: referral.status === 'paid',
      keeps_amount: !isPriced,
    };
  }

  /** The commission of the other affiliate. */
  async transfer(referralId: number, { affiliate_id, reason }: TransferInput): Promise<Referral> {
    const plan = await this.#plan(referralId, affiliate_id);
    const given = await this.app.transaction(async (trx, afterCommit) => {
      const [added] = await this.app.orders.changes.addFacts(
        [plan.order.id],
        (_order, facts) => this.#facts(plan, facts, reason),
        { kind: 'earned', note: reason },
        {
          affiliates: [plan.to.id],
          change: (opened, order) => this.#move(opened, order, { plan, reason }),
        },
      );
      const after = added?.after ?? fail('busy');
      await this.#link({ trx, afterCommit }, plan, after);
      await this.app.audit.write(trx, 'referral.given', ['referral', plan.referral.id], {
        before: { affiliate_id: plan.from },
        after: { affiliate_id: plan.to.id, referral_id: after.id, reason },
      });
      return after;
    });
    return this.app.referrals.get(given.id);
  }

  async #plan(referralId: number, affiliateId: number): Promise<TransferPlan> {
    const { referrals, orders } = this.app;
    const { referral, order, known, from } = await this.#transferable(referralId);
    const to = await this.#receiver(from, affiliateId);
    await referrals.forbidOwn(from);
    await referrals.forbidOwn(to.id);
    const facts = await orders.factsOf(order);
    const has = (kind: Fact['data']['kind']): boolean => facts.some(({ data }) => data.kind === kind);
    const priced = has('content') ? null : await this.#priced(order, known, to);
    const terms = priced?.terms ?? known;
    const decisions = await this.#decisions(order, facts);
    const due = await orders.dueFor({ ...order, ...movedTo(to, terms) }, facts, decisions);
    if (due.status === 'rejected') fail('order_ended');
    if (due.amount === 0)
      failFields({ affiliate_id: { in: 'This affiliate would earn nothing from the order.' } });
    const adjusted = (await referrals.adjustedSums([referralId])).get(referralId) ?? 0;
    const takesBack = referral.status === 'rejected' ? 0 : referral.amount_minor + adjusted;
    return {
      referral,
      order,
      from,
      to,
      terms,
      explanation: priced?.explanation ?? null,
      due,
      isPriced: priced !== null && !has('correction'),
      takesBack,
    };
  }

  /** A commission whose order can be given away. */
  async #transferable(
    id: number,
  ): Promise<Pick<TransferPlan, 'referral' | 'order' | 'from'> & { readonly known: OrderTerms }> {
    const referral = await this.app.referrals.get(id);
    const order = await this.app.orders.ofReferral(id);
    const { affiliate_id: from, status } = referral;
    if (order === null || order.terms === null || from === null) return fail('referral_without_order');
    if (status === 'processing' || status === 'cancelled') fail('referral_locked');
    if (status === 'paid') {
      if ((await this.app.settings.rules()).clawback === 'off') fail('referral_paid');
    } else if ((await this.app.referrals.adjustments(id)).length > 0) fail('referral_locked');
    return { referral, order, from, known: order.terms };
  }

  async #receiver(from: number, id: number): Promise<Affiliate> {
    const to = await this.app.affiliates.find(id);
    if (to === null) return failFields({ affiliate_id: { exists: 'No such affiliate.' } });
    if (to.id === from)
      failFields({ affiliate_id: { different: 'The order already belongs to this affiliate.' } });
    return to.status === 'active' ? to : fail('affiliate_inactive');
  }

  /** Null when it is unknown what the other affiliate would earn; then the amount does not change. */
  async #priced(order: Order, terms: OrderTerms, to: Affiliate): Promise<RepricedTerms | null> {
    if (!terms.pricing) return null;
    const pricing = await this.#calculator.pricingFor(terms.pricing, to, order.created_at);
    const { timeZone } = this.app.host.site();
    return repricedBy({ terms, currency: order.currency, recorded_at: order.created_at, timeZone }, pricing);
  }

  /** The person who gives the order has looked at it, so suspicions about the first affiliate are settled. */
  async #decisions(order: Order, facts: readonly Fact[]): Promise<NewFact[]> {
    const known = await this.app.orders.dueFor(order, facts);
    const clears = known.causes.flatMap(({ name, reason }) => (DECIDED.test(reason) ? [name] : []));
    if (clears.length === 0) return [];
    const at = this.app.orders.facts.nextTime(facts, this.app.clock.now());
    return [
      { key: `judgement:${at}`, at, data: { kind: 'judgement', verdict: 'approved', reason: null, clears } },
    ];
  }

  async #facts(plan: TransferPlan, facts: readonly Fact[], reason: string): Promise<NewFact[]> {
    const at = this.app.orders.facts.nextTime(facts, this.app.clock.now());
    const { from, to, referral } = plan;
    return [
      { key: `moved:${at}`, at, data: { kind: 'moved', from, to: to.id, referral_id: referral.id, reason } },
      ...(await this.#decisions(plan.order, facts)),
    ];
  }

  async #move(
    opened: OpenTransaction,
    locked: Order,
    { plan, reason }: { readonly plan: TransferPlan; readonly reason: string },
  ): Promise<void> {
    const { trx, afterCommit } = opened;
    const { referral: seen, to, terms } = plan;
    const { writer } = this.app.referrals;
    const receiver = await this.app.affiliates.lock(trx, to.id);
    const referral = await writer.lock(trx, seen.id);
    const isSame = locked.referral_id === seen.id && referral?.status === seen.status;
    if (!isSame || receiver?.status !== 'active') return fail('busy');
    const given = (await writer.endForTransfer(trx, referral, { to: to.id, note: reason })) ?? fail('busy');
    const { adjustment } = given;
    if (adjustment !== null) afterCommit(() => this.app.referrals.announce(adjustment));
    else afterCommit(() => this.app.referrals.announceChange(given.ended, referral));
    const { row } = draftOf(asNew(referral), null);
    await this.app.orders.change(trx, locked.id, {
      ...movedTo(to, terms),
      draft: {
        row: {
          ...row,
          type: row.type === 'lifetime_sale' ? 'sale' : row.type,
          // A renewal leaves its subscription, so later renewals do not follow it.
          ...(row.type === 'recurring_sale' && { provider_sub_id: null }),
          utm_campaign: null,
          ...NO_SUB_IDS,
          settings: {
            ...row.settings,
            ...(plan.explanation && { commission: explained(row.settings, plan.explanation) }),
            source: GIVEN,
            given_from: { affiliate_id: plan.from, referral_id: seen.id },
          },
        },
        refused: null,
      },
    });
  }

  /** Each of the two commissions names the other one; renewals follow the new one. */
  async #link({ trx }: OpenTransaction, { referral, to }: TransferPlan, after: Referral): Promise<void> {
    const { writer } = this.app.referrals;
    const ended = (await writer.lock(trx, referral.id)) ?? fail('busy');
    const given_to = { affiliate_id: to.id, referral_id: after.id };
    await writer.changeSettings(trx, ended, { ...ended.settings, given_to });
    await writer.moveRenewals(trx, referral.id, after.id);
  }
}

/** What of the order counts does not depend on the affiliate. */
function explained(settings: Referral['settings'] | undefined, now: Explanation): Explanation {
  const before = settings?.['commission'] as Explanation | undefined; // stored when the order was recorded
  return before === undefined ? now : { ...now, basis: before.basis };
}

const movedTo = ({ id }: Affiliate, terms: OrderTerms): Partial<NewOrder> => ({
  affiliate_id: id,
  terms,
  source: GIVEN,
  referral_id: null,
  visit_id: null,
  click: null,
  first_order_id: null,
});
