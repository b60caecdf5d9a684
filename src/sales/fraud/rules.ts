import { mailbox } from '../../core/mailbox.js';
import { addressKey } from '../../platform/http/client-address.js';
import { AffiliateError } from '../../errors.js';
import { RateLimiter } from '../../platform/http/rate-limit.js';
import type { ResolvedOptions } from '../../options.js';
import type { Visit } from '../../books/visits/types.js';
import type { Needs } from './needs.js';
import { isBelow, isFromCouponSite, isPaidTraffic, isReferredBy } from './clicks.js';
import { DISPOSABLE } from './mail-domains.js';
import type { AffiliateMarks } from './marks.js';
import { latestSales } from './repository.js';
import type { FraudAction, FraudHit, FraudRule, Suspect } from './types.js';

const DAY = 86_400_000;
const RATIO_DAYS = 90;
const RATIO_SALES = 500;
const GIVEN_BACK: readonly (string | null)[] = ['refunded', 'disputed'];

type FraudSettings = ResolvedOptions['fraud'];
interface Case extends Suspect {
  readonly visit: Visit | null;
}
type Rule = readonly [FraudRule, FraudAction | 'off', (suspect: Case) => boolean | Promise<boolean>];
const LOOK_AT_VISIT: ReadonlySet<FraudRule> = new Set([
  'banned_referrer',
  'coupon_site',
  'paid_traffic',
  'fast_order',
]);

/**
 * What else may be wrong with a first sale, each with its own consequence (docs/tracking.md §14);
 * off unless an option says otherwise.
 */
export class OrderRules {
  readonly #limiter: RateLimiter;

  constructor(
    private readonly app: Needs,
    private readonly marks: AffiliateMarks,
  ) {
    this.#limiter = new RateLimiter(app);
  }

  async check(suspect: Suspect): Promise<readonly FraudHit[]> {
    const { fraud } = await this.app.settings.rules();
    const rules = this.#rules(fraud).filter(([, action]) => action !== 'off');
    const visitId = rules.some(([rule]) => LOOK_AT_VISIT.has(rule)) ? suspect.visit_id : null;
    const judged = { ...suspect, visit: visitId === null ? null : await this.app.visits.find(visitId) };
    const hits: FraudHit[] = [];
    for (const [rule, action, matches] of rules)
      if (action !== 'off' && (await matches(judged))) hits.push({ rule, action });
    return hits;
  }

  #rules(fraud: FraudSettings): readonly Rule[] {
    return [
      ['disposable_mail', fraud.disposableMail, (each) => isDisposable(each, fraud.disposableDomains)],
      ['banned_referrer', fraud.bannedReferrer, ({ visit }) => isReferredBy(visit, fraud.bannedReferrers)],
      ['coupon_site', fraud.couponSite, ({ visit }) => isFromCouponSite(visit, fraud.couponSites)],
      [
        'paid_traffic',
        fraud.paidTraffic,
        ({ visit }) =>
          isPaidTraffic(visit, { params: fraud.paidTrafficParams, campaigns: fraud.allowedCampaigns }),
      ],
      [
        'fast_order',
        fraud.fastOrder,
        ({ visit, at }) => visit !== null && at - visit.created_at < fraud.fastOrderSeconds * 1000,
      ],
      ['address_orders', fraud.addressOrders, (each) => this.#tooMany(each, fraud.addressOrdersPerDay)],
      ['refund_ratio', fraud.refundRatio, (each) => this.#tooManyRefunds(each, fraud)],
      ['shared_payout', fraud.sharedPayout, ({ affiliate }) => this.marks.sharesPayout(affiliate)],
    ];
  }

  /** Orders per address and day, counted under a keyed hash: the address itself is not kept. */
  async #tooMany({ address }: Case, points: number): Promise<boolean> {
    if (address === null) return false;
    const limit = {
      name: 'orders',
      points,
      windowMs: DAY,
      batch: 1,
    };
    try {
      await this.#limiter.take(limit, this.app.secrets.sign('order-address', addressKey(address)));
      return false;
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'rate_limited') return true;
      throw error;
    }
  }

  /** Too many of the affiliate's latest first sales were given back. */
  async #tooManyRefunds(
    { affiliate }: Case,
    { refundRatioOrders: least, refundRatioPercent: percent }: FraudSettings,
  ): Promise<boolean> {
    const sales = await latestSales(this.app.db, affiliate.id, {
      since: this.app.clock.now() - RATIO_DAYS * DAY,
      limit: RATIO_SALES,
    });
    const given = sales.filter((reason) => GIVEN_BACK.includes(reason)).length;
    return sales.length >= least && given * 100 >= percent * sales.length;
  }
}

function isDisposable({ buyer }: Case, more: readonly string[]): boolean {
  const domain = mailbox(buyer.email)?.split('@').at(-1) ?? '';
  return [...DISPOSABLE, ...more].some((known) => isBelow(domain, known));
}
