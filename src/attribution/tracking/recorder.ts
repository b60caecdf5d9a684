import { AffiliateError } from '../../errors.js';
import { HOUR, DAY } from '../../core/duration.js';
import { RateLimiter } from '../../platform/http/rate-limit.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { bannedReason } from './banned.js';
import type { ParamResolver } from './resolver.js';
import type { Click, ClickInput, ClickResult, SkipReason, TrackMessage } from './types.js';
import { limitKeys, storedAddress, storedVisitorKey, visitorKey } from './visitor.js';
import { cookieDays } from './cookie.js';
import type { WriteQueue } from './write-queue.js';

const DEDUP_SECONDS = 1800;
const FLOOD_LIMIT = 100;
/** A cookie that is younger is not renewed. */
export const REFRESH_AFTER = HOUR;

/** A click that may count, and its affiliate. */
export interface AcceptedClick {
  readonly kind: 'accepted';
  readonly affiliate: Affiliate;
  readonly input: ClickInput;
}

/** The rules for clicks on pages, at the endpoint and on connected sites (docs/tracking.md §3). */
export class ClickRecorder {
  readonly #limiter: RateLimiter;

  constructor(
    private readonly app: Deps,
    private readonly parts: { params: ParamResolver; queue: WriteQueue },
  ) {
    this.#limiter = new RateLimiter(app);
  }

  async record(input: ClickInput): Promise<ClickResult> {
    const checked = await this.check(input);
    return checked.kind === 'accepted' ? this.store(checked) : checked;
  }

  /** Decides whether the visitor belongs to the affiliate, without storing a visit. */
  async recognize(input: ClickInput): Promise<ClickResult> {
    const checked = await this.check(input);
    return checked.kind === 'accepted' ? refused('throttled', 'rate_limited', checked.affiliate) : checked;
  }

  /** Checks 2 to 4, and clicks of affiliates on their own links. */
  async check(input: ClickInput): Promise<AcceptedClick | ClickResult> {
    const affiliate = await this.parts.params.resolveForClick(input.param);
    if (!affiliate) return refused('invalid aff', 'unknown_affiliate', null);
    if (affiliate.status !== 'active') return refused('affiliate_inactive', 'inactive_affiliate', affiliate);
    const banned = bannedReason(this.app, input);
    if (banned) return refused('no', banned, affiliate);
    const held = await this.#heldBy(affiliate, input);
    if (held === 'first_click_wins' || (held !== null && !(await this.#renews(input))))
      return refused('already_exist', held, affiliate);
    if (affiliate.user_id !== null && affiliate.user_id === (await input.visitor.userId())) {
      await this.app.fraud.sawAt(affiliate.id, input.visitor.address);
      return refused('no', 'own_click', affiliate);
    }
    return held === null
      ? { kind: 'accepted', affiliate, input }
      : { ...refused('already_exist', held, affiliate), renews: true };
  }

  /** When the last click wins, a return renews the cookie unless it is recent (docs/tracking.md §4). */
  async #renews({ currentAt = null, site }: ClickInput): Promise<boolean> {
    if (currentAt !== null && this.app.clock.now() - currentAt < REFRESH_AFTER) return false;
    return (await this.#lastWins(site)) === 'yes';
  }

  async #lastWins(site: ClickInput['site']): Promise<'yes' | 'no'> {
    return site?.credit_last_referrer ?? (await this.app.settings.referralConfig()).credit_last_referrer;
  }

  /** Checks 5 to 8 (reuse, repeats, flood), then stores the visit. */
  async store({ affiliate, input }: AcceptedClick): Promise<ClickResult> {
    const earlier = await this.#visitOfLink(affiliate, input);
    if (earlier !== null)
      return { kind: 'answered', message: 'success', reason: 'repeated', affiliate, visitId: earlier };
    if (!(await this.#withinHour(affiliate))) return refused('throttled', 'throttled', affiliate);
    const outcome = this.parts.queue.isFull
      ? ('full' as const)
      : await this.parts.queue.push(await this.#click(affiliate, input));
    if (outcome === 'full' || outcome === null)
      return refused('no', outcome === 'full' ? 'overload' : 'failed', affiliate);
    const { message, visit, visitId } = outcome;
    return { kind: 'answered', message, reason: visit ? null : REASONS[message], affiliate, visitId };
  }

  /** Limits the cost of one affiliate's clicks; the limit is far above what a campaign brings. */
  async #withinHour({ id }: Affiliate): Promise<boolean> {
    const { affiliateClicksPerHour: points } = this.app.options.tracking;
    if (points === 0) return true;
    try {
      await this.#limiter.take(
        { name: 'affiliate-clicks', points, windowMs: HOUR, batch: Math.min(100, points) },
        String(id),
      );
      return true;
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'rate_limited') return false;
      throw error;
    }
  }

  /**
   * Does the visitor already belong to another affiliate? Cookies of inactive or deleted affiliates are
   * ignored.
   */
  async #heldBy(affiliate: Affiliate, { current, site }: ClickInput): Promise<SkipReason | null> {
    if (current === String(affiliate.id)) return 'known_visitor';
    const holder = current === null ? null : await this.parts.params.resolveForClick(current);
    if (holder?.status !== 'active') return null;
    if (holder.id === affiliate.id) return 'known_visitor';
    return (await this.#lastWins(site)) === 'yes' ? null : 'first_click_wins';
  }

  /**
   * A link that a connected site has extended names its first visit. The number alone proves nothing: the
   * visit must belong to the same affiliate, be recent, and have been reported by a site. A public link never
   * reuses a visit of this site.
   */
  async #visitOfLink(affiliate: Affiliate, { visitId, site }: ClickInput): Promise<number | null> {
    const visit = visitId === null ? null : await this.app.visits.find(visitId);
    if (visit?.affiliate_id !== affiliate.id || (visit.site_id === null && site === undefined)) return null;
    const days = site?.cookie_duration ?? (await cookieDays(this.app));
    return visit.created_at >= this.app.clock.now() - days * DAY ? visit.id : null;
  }

  async #click(affiliate: Affiliate, { url, referrer, utm, visitor, site }: ClickInput): Promise<Click> {
    const { app } = this;
    const { address, agent } = visitor;
    const keys = { secrets: app.secrets, now: app.clock.now() };
    const windowMs = Math.floor((await this.#filtered('visit_dedup_window', DEDUP_SECONDS)) * 1000);
    const floodLimit = Math.floor(await this.#filtered('visit_flood_limit', FLOOD_LIMIT));
    // A site that does not send its visitor's address gives nothing to recognize the visitor by.
    const known = address !== null || site === undefined;
    const { happened_at, site_id, event_id } = site ?? {
      happened_at: keys.now,
      site_id: null,
      event_id: null,
    };
    return {
      affiliateId: affiliate.id,
      at: happened_at,
      row: {
        ...utm,
        link_id: utm.link_id ?? null,
        url,
        referrer,
        user_id: await visitor.userId(),
        site_id,
        event_id,
        ip: storedAddress(address, app.options.tracking.ip, keys),
        visitor_key: known ? storedVisitorKey(address, agent, keys) : null,
      },
      dedupKey: known && windowMs > 0 ? visitorKey(address, agent, app.secrets) : null,
      windowMs,
      flood:
        known && floodLimit > 0
          ? (visitor.limitKeys ?? limitKeys(address, app.secrets)).map(({ key, times }) => ({
              key: `visits:${key}`,
              limit: floodLimit * times,
            }))
          : [],
    };
  }

  async #filtered(name: 'visit_dedup_window' | 'visit_flood_limit', value: number): Promise<number> {
    if (!this.app.hooks.isUsed(name)) return value;
    const response = await this.app.hooks.applyFilters(name, value);
    return Number.isFinite(response) ? response : value;
  }
}

const refused = (message: TrackMessage, reason: SkipReason, affiliate: Affiliate | null): ClickResult => ({
  kind: 'answered',
  message,
  reason,
  affiliate,
  visitId: null,
});

const REASONS: Readonly<
  Record<'success' | 'throttled' | 'no' | 'invalid aff' | 'affiliate_inactive', SkipReason>
> = {
  success: 'repeated',
  throttled: 'throttled',
  no: 'failed',
  'invalid aff': 'unknown_affiliate',
  affiliate_inactive: 'inactive_affiliate',
};
