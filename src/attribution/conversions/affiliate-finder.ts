import type { IncomingMessage } from 'node:http';
import { SECOND, DAY } from '../../core/duration.js';
import { subIdsOf, type SubIds } from '../../core/sub-ids.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Visit } from '../../accounting/visits/types.js';
import type { LatestClick } from '../fraud/types.js';
import type { AttributedVisit } from '../tracking/types.js';
import type { Customer } from '../../accounting/customers/types.js';
import type { Deps } from './deps.js';
import { buyerOf } from './input.js';
import { couponAffiliate } from './coupon-repository.js';
import { leadOf } from './lead-repository.js';
import { skip, type Conversion, type Skip, type SkipReason } from './types.js';

export type Source = 'explicit' | 'visit' | 'coupon' | 'cookie' | 'lead' | 'lifetime' | 'filter';

export interface Credit {
  readonly affiliate: Affiliate;
  readonly source: Source;
  readonly visit_id: number | null;
  readonly utm_campaign: string | null;
  /** The short link of the visit. */
  readonly link_id?: number | null;
  readonly sub_ids: SubIds;
  /** The click that set or renewed the cookie; null for other sources. */
  readonly click?: LatestClick | null;
}
export interface OrderCredit {
  readonly kind: 'credit';
  readonly credit: Credit;
  readonly renewal?: undefined;
  readonly isParentRejected?: undefined;
}

interface Clicks {
  readonly from: number;
  readonly to: number;
}
interface Candidate {
  readonly kind: 'candidate';
  readonly affiliate: Affiliate;
  readonly source: Source;
  readonly visit: Visit | null;
  readonly click?: LatestClick | null;
}
const candidate = (affiliate: Affiliate, source: Source, visit: Visit | null = null): Candidate => ({
  kind: 'candidate',
  affiliate,
  source,
  visit,
});

/** Finds the affiliate of an order. The first source that names one decides (docs/tracking.md §5). */
export class AffiliateFinder {
  constructor(private readonly app: Deps) {}

  async find(conversion: Conversion, req: IncomingMessage | null): Promise<OrderCredit | Skip> {
    const named = await this.#named(conversion);
    if (named?.kind === 'skip') return named;
    const found =
      named ??
      (await this.#coupon(conversion)) ??
      (conversion.created_by_staff
        ? null
        : ((await this.#cookie(req, conversion)) ?? (await this.#bound(conversion))));
    const chosen = await this.#filtered(conversion, found);
    if (chosen === null) return skip(await this.#noCreditReason(conversion, found, req), null);
    if (chosen.affiliate.status !== 'active') return skip('affiliate_inactive', chosen.affiliate.id);
    return { kind: 'credit', credit: await this.#credit(conversion, chosen) };
  }

  /** Why no affiliate was found, according to the buyer's own request. */
  async #noCreditReason(
    { created_by_staff: byStaff }: Conversion,
    found: Candidate | null,
    req: IncomingMessage | null,
  ): Promise<SkipReason> {
    if (req === null || byStaff || found !== null) return 'no_affiliate';
    return (await this.app.tracking.reasonUnknown(req)) ?? 'no_affiliate';
  }

  /** The affiliate or visit that the caller names. A name without an affiliate also ends the search. */
  async #named(conversion: Conversion): Promise<Candidate | Skip | null> {
    const { affiliate, visit_id: visitId } = conversion;
    if (affiliate !== null) {
      const found =
        typeof affiliate === 'number'
          ? await this.app.affiliates.findCredited(affiliate)
          : await this.app.tracking.resolveParam(affiliate);
      return found ? candidate(found, 'explicit') : skip('no_affiliate', null);
    }
    if (visitId === null) return null;
    const visit = await this.app.visits.find(visitId);
    if (
      visit &&
      !(await this.#isInAttributionWindow(conversion, { from: visit.created_at, to: visit.created_at }))
    )
      return null;
    const found = visit?.affiliate_id ? await this.app.affiliates.find(visit.affiliate_id) : null;
    return found && candidate(found, 'visit', visit);
  }

  /** The affiliate of the coupon; no click is needed. With an inactive affiliate the search continues. */
  async #coupon({ provider, coupon, coupon_counts: counts }: Conversion): Promise<Candidate | null> {
    const id = coupon !== null && counts ? await couponAffiliate(this.app.db, provider, coupon) : null;
    const affiliate = id === null ? null : await this.app.affiliates.find(id);
    return affiliate?.status === 'active' ? candidate(affiliate, 'coupon') : null;
  }

  async #cookie(req: IncomingMessage | null, conversion: Conversion): Promise<Candidate | null> {
    const found = req === null ? null : await this.app.tracking.attributedVisit(req);
    if (found?.clicked_at && !(await this.#isInAttributionWindow(conversion, clicksOf(found)))) return null;
    if (found === null) return null;
    const { affiliate, visit, clicked_at: at, signs } = found;
    return { ...candidate(affiliate, 'cookie', visit), ...(at !== null && { click: { at, signs } }) };
  }

  /**
   * The attribution window: can these clicks have led to the order? The first must be before the order, and the last one at most the
   * cookie's duration before it.
   */
  async #isInAttributionWindow({ ordered_at: at }: Conversion, { from, to }: Clicks): Promise<boolean> {
    const orderedAt = at ?? this.app.clock.now();
    const { cookie_duration: days } = await this.app.settings.referralConfig();
    return from <= orderedAt + SECOND && to >= orderedAt - days * DAY;
  }

  /**
   * The buyer's latest click on a link of the affiliate whose coupon credits the order, for the rule about
   * coupons without clicks; null when none is known.
   */
  async couponClick(
    { affiliate }: Pick<Credit, 'affiliate'>,
    { visit_id: visitId }: Conversion,
    req: IncomingMessage | null,
  ): Promise<number | null> {
    const found = req === null ? null : await this.app.tracking.attributedVisit(req);
    const named = visitId === null ? null : await this.app.visits.find(visitId);
    const clicks = [
      ...(found?.affiliate.id === affiliate.id ? [found.clicked_at, found.visit?.created_at] : []),
      ...(named?.affiliate_id === affiliate.id ? [named.created_at] : []),
    ].filter((at) => typeof at === 'number');
    return clicks.length === 0 ? null : Math.max(...clicks);
  }

  /** The affiliate of a known customer: by a lead before the first order, else for the lifetime. */
  async #bound(conversion: Conversion): Promise<Candidate | null> {
    const known = (await this.app.customers.buyers.findBuyer(this.app.db, buyerOf(conversion)))?.customer;
    if (!known) return null;
    return (await this.#lead(conversion, known)) ?? this.#lifetime(known);
  }

  /** A lead counts like a click at its time, for the first order of its customer. */
  async #lead(conversion: Conversion, { id }: Customer): Promise<Candidate | null> {
    const lead = conversion.lead === null ? await leadOf(this.app.db, id) : null;
    if (
      lead === null ||
      !(await this.#isInAttributionWindow(conversion, { from: lead.created_at, to: lead.created_at }))
    )
      return null;
    const affiliate = await this.app.affiliates.find(lead.affiliate_id);
    if (affiliate?.status !== 'active') return null;
    const visit = lead.visit_id === null ? null : await this.app.visits.find(lead.visit_id);
    return candidate(affiliate, 'lead', visit);
  }

  /** The affiliate of a customer who still earns from later orders (docs/tracking.md §7). */
  async #lifetime(known: Customer): Promise<Candidate | null> {
    const affiliate = known.by_affiliate_id ? await this.app.affiliates.find(known.by_affiliate_id) : null;
    if (affiliate?.status !== 'active') return null;
    return (await this.#lifetimeRuns(known, affiliate)) ? candidate(affiliate, 'lifetime') : null;
  }

  async #lifetimeRuns(customer: Customer, affiliate: Affiliate): Promise<boolean> {
    const terms = await this.app.groups.lifetimeTerms(affiliate.group_id);
    if (!terms.enabled) return false;
    return terms.days === 0 || customer.created_at + terms.days * DAY > this.app.clock.now();
  }

  async #filtered({ customer, provider }: Conversion, found: Candidate | null): Promise<Candidate | null> {
    if (!this.app.hooks.isUsed('checkout_affiliate')) return found;
    const buyer = { user_id: customer.user_id, email: customer.email };
    const response = await this.app.hooks.applyFilters(
      'checkout_affiliate',
      found?.affiliate ?? null,
      buyer,
      provider,
    );
    if (response === null) return null;
    if (response.id === found?.affiliate.id) return found;
    // The value of a filter is input: only its id counts, and the row is read again.
    const affiliate = await this.app.affiliates.findCredited(response.id);
    return affiliate && candidate(affiliate, 'filter');
  }

  /** Uses the visit only when it belongs to the credited affiliate. Orders entered by staff have no visit. */
  async #credit(
    conversion: Conversion,
    { affiliate, source, visit: found, click = null }: Candidate,
  ): Promise<Credit> {
    const visit = conversion.created_by_staff ? null : await this.#visitOf(conversion, found);
    const own = visit?.affiliate_id === affiliate.id ? visit : null;
    return {
      affiliate,
      source,
      visit_id: own?.id ?? null,
      utm_campaign: own?.utm_campaign ?? null,
      link_id: own?.link_id ?? null,
      sub_ids: subIdsOf(own ?? {}),
      click,
    };
  }

  /** The visit that the caller names, else the one that led to the affiliate. */
  async #visitOf({ visit_id: named }: Conversion, found: Visit | null): Promise<Visit | null> {
    return named === null || named === found?.id ? found : this.app.visits.find(named);
  }
}

/**
 * The first and the last click of a cookie. Another click of the same affiliate renews the cookie without
 * changing its visit.
 */
function clicksOf({ clicked_at: last, visit }: AttributedVisit): Clicks {
  const to = last ?? 0;
  return { from: Math.min(to, visit?.created_at ?? to), to };
}
