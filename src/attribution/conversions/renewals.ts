import { subIdsOf } from '../../core/sub-ids.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { Deps } from './deps.js';
import type { RenewalTerms } from './commission.js';
import type { OrderCredit, Credit } from './affiliate-finder.js';
import { skip, type Conversion, type Skip } from './types.js';

const RENEWALS_MAX = 10_000;

/** The affiliate who earns from a later payment of a subscription, and the terms. */
export interface RenewalCredit {
  readonly kind: 'credit';
  readonly credit: Credit;
  readonly renewal: RenewalTerms;
  /** Its first payment was rejected; it earns when that is approved after all. */
  readonly isParentRejected: boolean;
}

/**
 * Credits later payments of a subscription to the affiliate of its first referral; cookies do not matter
 * (docs/tracking.md §9).
 */
export class Renewals {
  constructor(private readonly app: Deps) {}

  async find(conversion: Conversion): Promise<RenewalCredit | OrderCredit | Skip> {
    const { provider, subscription } = conversion;
    const parent =
      subscription &&
      (await (subscription.parent_id
        ? this.app.referrals.find(subscription.parent_id)
        : this.app.referrals.firstOfSubscription(provider, subscription.id)));
    if (!parent?.affiliate_id) return this.#begins(conversion);
    // A person who deletes the first commission ends those that would come after it.
    const first = await this.app.orders.firstOrderOf(parent);
    if (first !== null && first.deleted_at !== null) return skip('parent_unknown', parent.affiliate_id);
    const affiliate = await this.app.affiliates.find(parent.affiliate_id);
    if (affiliate?.status !== 'active') return skip('affiliate_inactive', parent.affiliate_id);
    const terms = await this.#terms(affiliate, parent);
    if (terms.ended !== null && !(await this.#mayBeRuled(conversion))) return skip(terms.ended, affiliate.id);
    const credit: Credit = {
      affiliate,
      source: 'explicit',
      visit_id: parent.visit_id,
      utm_campaign: parent.utm_campaign,
      sub_ids: subIdsOf(parent),
    };
    return { kind: 'credit', credit, renewal: terms, isParentRejected: endsSubscription(parent) };
  }

  /** Are there reward rules for renewals, which count even where the settings end them? */
  async #mayBeRuled({ ordered_at: at }: Conversion): Promise<boolean> {
    const active = await this.app.rewards.at(at ?? this.app.clock.now());
    return active?.rules.some(({ event }) => event === 'renewal') === true;
  }

  /** A subscription whose first payment earned nothing, such as a free trial, begins with this one. */
  async #begins({ provider, account, subscription }: Conversion): Promise<OrderCredit | Skip> {
    const [first] = await this.app.orders.ofSubscription(provider, account, subscription?.id ?? '');
    if (first?.decision !== 'zero_amount' || first.draft === null || first.affiliate_id === null)
      return skip('parent_unknown', null);
    const affiliate = await this.app.affiliates.find(first.affiliate_id);
    if (affiliate?.status !== 'active') return skip('affiliate_inactive', first.affiliate_id);
    const { visit_id, click, draft } = first;
    const utm_campaign = draft.row.utm_campaign ?? null;
    return {
      kind: 'credit',
      credit: { affiliate, source: 'explicit', visit_id, utm_campaign, sub_ids: subIdsOf(draft.row), click },
    };
  }

  /** Is the first payment still there, under the affiliate's lock? */
  async isKnown({ parent }: RenewalTerms): Promise<boolean> {
    return (await this.app.referrals.find(parent.id)) !== null;
  }

  /** Has a subscription whose first payment has no order reached its limit, which includes that payment? */
  async isOver({ parent, max }: RenewalTerms): Promise<boolean> {
    return max > 0 && (await this.#count(parent)) + 1 >= max;
  }

  async #terms(affiliate: Affiliate, parent: Referral): Promise<RenewalTerms> {
    const own = await this.app.groups.renewalTerms(affiliate.group_id);
    return {
      rate: { type: own.type, rate_e4: own.rate_e4, source: 'renewal' },
      count: await this.#count(parent),
      max: own.payments,
      parent,
      ended: this.#isExpired(parent, own.months)
        ? 'renewal_expired'
        : own.enabled
          ? null
          : 'renewals_disabled',
    };
  }

  /** Has the limit in calendar months since the first referral passed? */
  #isExpired(parent: Referral, months: number | ''): boolean {
    return months !== '' && this.app.clock.now() >= monthsAfter(parent.created_at, months);
  }

  async #count(parent: Referral): Promise<number> {
    const children = await this.app.referrals.children(parent.id, RENEWALS_MAX);
    return children.filter(
      (child) => child.type === 'recurring_sale' && child.amount_minor >= 0 && child.status !== 'rejected',
    ).length;
  }
}

/**
 * A person or a bank ended the subscription with its first payment. A refund takes back only its own payment
 * (docs/money.md).
 */
const endsSubscription = ({ status, reject_reason: reason }: Referral): boolean =>
  status === 'rejected' && (reason === null || reason === 'manual' || reason === 'disputed');

/** The day and time that many months later, or the last day of a shorter month. */
function monthsAfter(start: number, months: number): number {
  const end = new Date(start);
  const day = end.getUTCDate();
  end.setUTCMonth(end.getUTCMonth() + months);
  if (end.getUTCDate() !== day) end.setUTCDate(0);
  return end.getTime();
}
