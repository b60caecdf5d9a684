import { mailbox } from '../../core/mailbox.js';
import { DAY } from '../../core/duration.js';
import { AffiliateError } from '../../errors.js';
import { RateLimiter } from '../../platform/http/rate-limit.js';
import type { ResolvedOptions } from '../../options.js';
import type { Visit } from '../../accounting/visits/types.js';
import type { Deps } from './deps.js';
import { couponSiteOf, isBelow, paidSignOf, referrerAmong, type ClickEvidence } from './clicks.js';
import { DISPOSABLE } from './mail-domains.js';
import type { AffiliateMarks } from './marks.js';
import { couponUses, latestSales } from './repository.js';
import type { ClickSign, FraudAction, FraudEvidence, FraudHit, FraudRule, Suspect } from './types.js';

const RATIO_DAYS = 90;
const RATIO_SALES = 500;
/** A day is compared with the days before it. */
const RISE_DAYS = 29;
const USES = 5000;
/** Of a sign that a cookie carries. */
const SIGN_LENGTH = 60;
const GIVEN_BACK: readonly (string | null)[] = ['refunded', 'disputed'];

type FraudSettings = ResolvedOptions['fraud'];
interface Case extends Suspect {
  readonly visit: Visit | null;
}
/** What makes the order suspicious; null when nothing does. */
type Evidence = FraudEvidence | null;
type Rule = readonly [FraudRule, FraudAction | 'off', (suspect: Case) => Evidence | Promise<Evidence>];
const LOOK_AT_VISIT: ReadonlySet<FraudRule> = new Set([
  'banned_referrer',
  'coupon_site',
  'paid_traffic',
  'fast_order',
]);

/** What the rules about clicks find in a click that no visit is stored for (docs/tracking.md §14). */
export function signsOf(click: ClickEvidence, fraud: FraudSettings): readonly ClickSign[] {
  const seen: readonly (readonly [ClickSign[0], string | null])[] = [
    ['banned_referrer', referrerAmong(click, fraud.bannedReferrers)],
    ['coupon_site', couponSiteOf(click, fraud.couponSites)],
    ['paid_traffic', paidSignOf(click, paidRules(fraud))],
  ];
  return seen.flatMap(([rule, sign]) => (sign === null ? [] : [[rule, sign.slice(0, SIGN_LENGTH)] as const]));
}

/**
 * Further rules for first sales, each with its own consequence (docs/tracking.md §14); off unless an option
 * switches them on.
 */
export class OrderRules {
  readonly #limiter: RateLimiter;

  constructor(
    private readonly app: Deps,
    private readonly marks: AffiliateMarks,
  ) {
    this.#limiter = new RateLimiter(app);
  }

  async check(suspect: Suspect): Promise<readonly FraudHit[]> {
    const { fraud } = await this.app.settings.rules();
    const rules = this.#rules(fraud).filter(([, action]) => action !== 'off');
    const visitId = rules.some(([rule]) => LOOK_AT_VISIT.has(rule)) ? suspect.visit_id : null;
    const suspectWithVisit = {
      ...suspect,
      visit: visitId === null ? null : await this.app.visits.find(visitId),
    };
    const hits: FraudHit[] = [];
    for (const [rule, action, look] of rules) {
      const evidence = action === 'off' ? null : await look(suspectWithVisit);
      if (action !== 'off' && evidence !== null) hits.push({ rule, action, evidence });
    }
    return hits;
  }

  #rules(fraud: FraudSettings): readonly Rule[] {
    return [
      ['disposable_mail', fraud.disposableMail, (each) => isDisposable(each, fraud.disposableDomains)],
      [
        'banned_referrer',
        fraud.bannedReferrer,
        (each) =>
          siteSeen(referrerAmong(each.visit, fraud.bannedReferrers) ?? signOf(each, 'banned_referrer')),
      ],
      [
        'coupon_site',
        fraud.couponSite,
        (each) => siteSeen(couponSiteOf(each.visit, fraud.couponSites) ?? signOf(each, 'coupon_site')),
      ],
      [
        'paid_traffic',
        fraud.paidTraffic,
        (each) => {
          const sign = paidSignOf(each.visit, paidRules(fraud)) ?? signOf(each, 'paid_traffic');
          return sign === null ? null : { sign };
        },
      ],
      ['fast_order', fraud.fastOrder, (each) => tooFast(each, fraud.fastOrderSeconds)],
      ['address_orders', fraud.addressOrders, (each) => this.#tooMany(each, fraud.addressOrdersPerDay)],
      ['refund_ratio', fraud.refundRatio, (each) => this.#tooManyRefunds(each, fraud)],
      [
        'shared_payout',
        fraud.sharedPayout,
        async ({ affiliate }) => sharedWith(await this.marks.sharesPayout(affiliate)),
      ],
      ['code_without_click', fraud.codeWithoutClick, (each) => this.#codeUse(each, fraud)],
    ];
  }

  /** Counts orders per address and day under a keyed hash, so the address is not stored. */
  async #tooMany({ address }: Case, points: number): Promise<Evidence> {
    if (address === null) return null;
    const limit = {
      name: 'orders',
      points,
      windowMs: DAY,
      batch: 1,
    };
    try {
      await this.#limiter.takeAddress(limit, address, (key) => this.app.secrets.sign('order-address', key));
      return null;
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'rate_limited') return { limit: points };
      throw error;
    }
  }

  /** Was the coupon used without a click, or far more often than usual? */
  async #codeUse({ affiliate, coupon, at }: Case, fraud: FraudSettings): Promise<Evidence> {
    const { codeWithoutClickDays: days, codeRiseOrders: least, codeRiseFactor: factor } = fraud;
    if (!coupon || fraud.codeWithoutClickExcept.includes(String(affiliate.id))) return null;
    if (coupon.clicked_at === null || coupon.clicked_at < at - days * DAY) return { limit: days };
    const uses = await couponUses(this.app.db, affiliate.id, { since: at - RISE_DAYS * DAY, most: USES });
    const today = uses.filter((used) => used > at - DAY).length + 1;
    const usual = (uses.length + 1 - today) / (RISE_DAYS - 1);
    const limit = Math.max(least, Math.ceil(usual * factor));
    return today > limit ? { sales: today, limit } : null;
  }

  /** Were too many of the affiliate's latest first sales refunded? */
  async #tooManyRefunds(
    { affiliate }: Case,
    { refundRatioOrders: least, refundRatioPercent: percent }: FraudSettings,
  ): Promise<Evidence> {
    const sales = await latestSales(this.app.db, affiliate.id, {
      since: this.app.clock.now() - RATIO_DAYS * DAY,
      limit: RATIO_SALES,
    });
    const given = sales.filter((reason) => GIVEN_BACK.includes(reason)).length;
    const tooMany = sales.length >= least && given * 100 >= percent * sales.length;
    return tooMany ? { sales: sales.length, given_back: given, limit: percent } : null;
  }
}

function isDisposable({ buyer }: Case, more: readonly string[]): Evidence {
  const domain = mailbox(buyer.email)?.split('@').at(-1) ?? '';
  return [...DISPOSABLE, ...more].some((known) => isBelow(domain, known)) ? {} : null;
}

const sharedWith = (other: number | null): Evidence =>
  other === null ? null : { other_affiliate_id: other };

const siteSeen = (site: string | null): Evidence => (site === null ? null : { site });

const signOf = ({ click }: Case, rule: ClickSign[0]): string | null =>
  click?.signs.find(([of]) => of === rule)?.[1] ?? null;

const paidRules = (fraud: FraudSettings): { params: readonly string[]; campaigns: readonly string[] } => ({
  params: fraud.paidTrafficParams,
  campaigns: fraud.allowedCampaigns,
});

/** The latest click counts, whether it was stored as a visit or renewed the cookie of an earlier one. */
function tooFast({ visit, click, at }: Case, limit: number): Evidence {
  const clickedAt = Math.max(visit?.created_at ?? 0, click?.at ?? 0);
  if (clickedAt === 0 || at - clickedAt >= limit * 1000) return null;
  return { seconds: Math.max(0, Math.floor((at - clickedAt) / 1000)), limit };
}
