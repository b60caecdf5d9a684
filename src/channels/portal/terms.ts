import { dayText, siteDay } from '../../core/dates.js';
import { nextPayoutDay } from '../../core/payout-day.js';
import { rateToWire } from '../../core/rate.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ReferralConfig } from '../../program/settings/types.js';
import type { Deps } from './deps.js';
import type { ProgramTerms } from './schemas.js';

/** What an affiliate earns and when it is paid, for those who are in and those who think about it. */
export class Terms {
  constructor(private readonly app: Deps) {}

  /** For an affiliate with a rate of their own, else with the program's rate. */
  async of(affiliate: Affiliate | null): Promise<ProgramTerms> {
    const config = await this.app.settings.referralConfig();
    const { minPayout: minimum } = await this.app.settings.rules();
    const today = siteDay(this.app.clock.now(), this.app.host.site().timeZone);
    const next = nextPayoutDay(config.payout_rhythm, config.payout_day, today);
    return {
      ...(await this.#rate(affiliate, config)),
      currency: config.currency,
      cookie_days: config.cookie_duration,
      last_click_counts: config.credit_last_referrer === 'yes',
      waiting_days: config.hold_days,
      minimum,
      payment_method: config.payout_method,
      payout_rhythm: config.payout_rhythm,
      payout_day: config.payout_day,
      next_payout: next === null ? null : dayText(next),
      renewals: laterRate(
        config.enable_subscription_renewal,
        config.renewal_rate_type,
        config.renewal_rate_e4,
      ),
      later_orders: laterRate(
        config.enable_lifetime_commission,
        config.lifetime_rate_type,
        config.lifetime_rate_e4,
      ),
      exceptions: await this.app.commerce.settings.ownRates(),
      excluded_products: config.excluded_products.length,
      excluded_categories: config.excluded_categories.length,
    };
  }

  async #rate(
    affiliate: Affiliate | null,
    config: ReferralConfig,
  ): Promise<Pick<ProgramTerms, 'rate' | 'rate_type' | 'is_own'>> {
    const own = affiliate && (await this.app.affiliates.rates([affiliate])).get(affiliate.id);
    if (!own || own.source === 'global')
      return { rate: rateToWire(config.rate_e4), rate_type: config.rate_type, is_own: false };
    return {
      rate: rateToWire(own.rate_e4),
      rate_type: own.type === 'percentage' ? 'percentage' : 'fixed',
      is_own: true,
    };
  }
}

/** What later orders of a customer earn; a rate of 0 means the same as the first one. */
const laterRate = (
  enabled: 'yes' | 'no',
  type: 'percentage' | 'fixed',
  rateE4: number,
): ProgramTerms['renewals'] => (enabled === 'yes' ? { rate: rateToWire(rateE4), rate_type: type } : null);
