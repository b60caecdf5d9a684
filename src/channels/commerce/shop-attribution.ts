import type { IncomingMessage } from 'node:http';
import type { Attribution, CommerceProvider, ProviderOrder } from '../../../adapters/commerce.js';
import { isInAttributionWindow } from '../../core/attribution-window.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { LatestClick } from '../../attribution/fraud/types.js';
import type { Deps } from './deps.js';

const COUPONS_MAX = 20;

export type Source = 'coupon' | 'token' | 'staff' | 'cookie' | 'landing';

export interface Candidate {
  readonly affiliate_id: number;
  readonly visit_id: number | null;
  readonly source: Source;
  /** The click that set or renewed the cookie, which the fraud rules check; absent when it is unknown. */
  readonly click?: LatestClick;
  /** For a coupon: the buyer's click on a link of its affiliate; null when none is known. */
  readonly coupon_click?: number | null;
}

/**
 * Finds out who brought an order, by the most trusted source first (docs/integrations.md §10). Lifetime
 * customers are found later, by the conversion itself.
 */
export class ShopAttribution {
  constructor(private readonly app: Deps) {}

  async find(
    provider: CommerceProvider,
    order: ProviderOrder,
    config: Readonly<Record<string, unknown>>,
  ): Promise<Candidate | null> {
    const coupon =
      config['affiliate_on_discount_product'] === 'yes' ? await this.#coupon(provider, order) : null;
    if (coupon) return { ...coupon, coupon_click: await this.#clickOf(coupon, provider, order) };
    // The browser of the shop's staff does not identify the buyer's affiliate.
    return order.created_by_staff === true
      ? null
      : this.ofVisitor(provider, order.attribution, order.created_at);
  }

  /** Looked for only while the rule about coupons without clicks is on. */
  async #clickOf(
    { affiliate_id: id }: Candidate,
    provider: CommerceProvider,
    { attribution, created_at: orderedAt, created_by_staff: byStaff }: ProviderOrder,
  ): Promise<number | null> {
    const { codeWithoutClick: action } = (await this.app.settings.rules()).fraud;
    if (action === 'off' || byStaff === true) return null;
    const found = await this.ofVisitor(provider, attribution, orderedAt);
    if (found?.affiliate_id !== id) return null;
    const visit = found.visit_id === null ? null : await this.app.visits.find(found.visit_id);
    return found.click?.at ?? visit?.created_at ?? null;
  }

  async ofVisitor(
    provider: CommerceProvider,
    attribution: Attribution,
    orderedAt: number,
  ): Promise<Candidate | null> {
    return (
      (await this.#token(attribution.token, orderedAt)) ??
      (await this.#staff(provider, attribution.affiliate_id)) ??
      (await this.#cookie(attribution.cookie)) ??
      (await this.#landing(provider, attribution.landing_url))
    );
  }

  async #coupon(provider: CommerceProvider, { coupons }: ProviderOrder): Promise<Candidate | null> {
    if (!provider.abilities?.has('coupons')) return null;
    for (const { code, id, discount, free_shipping: free = false } of coupons.slice(0, COUPONS_MAX)) {
      if (discount <= 0 && !free) continue;
      const names = [code, id].filter((name): name is string => typeof name === 'string' && name !== '');
      const affiliate = await this.#active(await this.#boundTo(provider, names));
      if (affiliate) return { affiliate_id: affiliate.id, visit_id: null, source: 'coupon' };
    }
    return null;
  }

  async #boundTo(provider: CommerceProvider, names: readonly string[]): Promise<number | null> {
    for (const name of names) {
      const id = await this.app.conversions.couponAffiliate(provider.key, name);
      if (id !== null) return id;
    }
    return names.length === 0 ? null : ((await provider.couponAffiliate?.(names[0] ?? '', names)) ?? null);
  }

  /** The click has to be before the order, and not older than the cookie lasts (docs/tracking.md §5). */
  async #token(token: string | undefined, orderedAt: number): Promise<Candidate | null> {
    const click = token === undefined ? null : this.app.tracking.clickOf(token);
    if (!click) return null;
    const { cookie_duration: days } = await this.app.settings.referralConfig();
    if (!isInAttributionWindow(click.issued_at, orderedAt, days)) return null;
    const affiliate = await this.#active(click.affiliate_id);
    if (affiliate === null) return null;
    return {
      affiliate_id: affiliate.id,
      visit_id: click.visit_id,
      source: 'token',
      ...(click.latest && { click: click.latest }),
    };
  }

  async #staff(provider: CommerceProvider, id: number | undefined): Promise<Candidate | null> {
    const affiliate = provider.trustAffiliateId === true ? await this.#active(id ?? null) : null;
    return affiliate && { affiliate_id: affiliate.id, visit_id: null, source: 'staff' };
  }

  async #cookie(value: string | undefined): Promise<Candidate | null> {
    if (value === undefined || !/^[\w|%.~-]{1,500}$/.test(value)) return null;
    const headers = {
      cookie: `${this.app.options.tracking.cookie.name}=${value.includes('|') ? encodeURIComponent(value) : value}`,
    };
    // only its cookie is read
    const found = await this.app.tracking.attributedVisit({ headers } as IncomingMessage);
    if (found === null) return null;
    const { affiliate, visit_id, clicked_at: at, signs } = found;
    return {
      affiliate_id: affiliate.id,
      visit_id,
      source: 'cookie',
      ...(at !== null && { click: { at, signs } }),
    };
  }

  async #landing(provider: CommerceProvider, url: string | undefined): Promise<Candidate | null> {
    const landing =
      provider.acceptUnsigned === true && url !== undefined ? URL.parse(url, this.app.host.site().url) : null;
    if (landing === null) return null;
    const { referral_variable: variable } = await this.app.settings.referralConfig();
    const param = landing.searchParams.get(variable);
    const affiliate = param ? await this.app.tracking.resolveParam(param) : null;
    return affiliate?.status === 'active'
      ? { affiliate_id: affiliate.id, visit_id: null, source: 'landing' }
      : null;
  }

  async #active(id: number | null): Promise<Affiliate | null> {
    if (id === null || !Number.isSafeInteger(id) || id <= 0) return null;
    const affiliate = await this.app.affiliates.findCredited(id);
    return affiliate?.status === 'active' ? affiliate : null;
  }
}
