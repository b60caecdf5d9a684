import type { App } from '../../app.js';
import { AffiliateError } from '../../errors.js';
import { RateLimiter } from '../../http/rate-limit.js';
import type { Visit } from '../visits/types.js';
import { isBelow, isFromCouponSite, isPaidTraffic, isReferredBy } from './clicks.js';
import { DISPOSABLE } from './mail-domains.js';
import type { AffiliateMarks } from './marks.js';
import { latestSales } from './repository.js';
import type { FraudAction, FraudHit, FraudRule, Suspect } from './types.js';

const DAY = 86_400_000;
const RATIO_DAYS = 90;
const RATIO_SALES = 500;
const GIVEN_BACK: readonly (string | null)[] = ['refunded', 'disputed'];

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

/** What else may be wrong with a first sale, each with its own consequence (tracking §20); off unless an option says otherwise. */
export class OrderRules {
  readonly #limiter: RateLimiter;

  constructor(
    private readonly app: App,
    private readonly marks: AffiliateMarks,
  ) {
    this.#limiter = new RateLimiter(app);
  }

  async check(suspect: Suspect): Promise<readonly FraudHit[]> {
    const rules = this.#rules().filter(([, action]) => action !== 'off');
    const visitId = rules.some(([rule]) => LOOK_AT_VISIT.has(rule)) ? suspect.visit_id : null;
    const judged = { ...suspect, visit: visitId === null ? null : await this.app.visits.find(visitId) };
    const hits: FraudHit[] = [];
    for (const [rule, action, matches] of rules)
      if (action !== 'off' && (await matches(judged))) hits.push({ rule, action });
    return hits;
  }

  #rules(): readonly Rule[] {
    const { fraud } = this.app.options;
    return [
      ['disposable_mail', fraud.disposableMail, (each) => this.#disposable(each)],
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
      ['address_orders', fraud.addressOrders, (each) => this.#tooMany(each)],
      ['refund_ratio', fraud.refundRatio, (each) => this.#tooManyRefunds(each)],
      ['shared_payout', fraud.sharedPayout, ({ affiliate }) => this.marks.sharesPayout(affiliate)],
    ];
  }

  #disposable({ buyer }: Case): boolean {
    const domain = buyer.email?.split('@').at(-1)?.trim().toLowerCase() ?? '';
    return [...DISPOSABLE, ...this.app.options.fraud.disposableDomains].some((known) =>
      isBelow(domain, known),
    );
  }

  /** Orders per address and day, counted under a keyed hash: the address itself is not kept. */
  async #tooMany({ address }: Case): Promise<boolean> {
    if (address === null) return false;
    const limit = {
      name: 'orders',
      points: this.app.options.fraud.addressOrdersPerDay,
      windowMs: DAY,
      batch: 1,
    };
    try {
      await this.#limiter.take(limit, this.app.secrets.sign('order-address', address));
      return false;
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'rate_limited') return true;
      throw error;
    }
  }

  /** Too many of the affiliate's latest first sales were given back. */
  async #tooManyRefunds({ affiliate }: Case): Promise<boolean> {
    const { refundRatioOrders: least, refundRatioPercent: percent } = this.app.options.fraud;
    const sales = await latestSales(this.app.db, affiliate.id, {
      since: this.app.clock.now() - RATIO_DAYS * DAY,
      limit: RATIO_SALES,
    });
    const given = sales.filter((reason) => GIVEN_BACK.includes(reason)).length;
    return sales.length >= least && given * 100 >= percent * sales.length;
  }
}
