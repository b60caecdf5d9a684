import { createHash } from 'node:crypto';
import { couponKey } from '../../core/alias.js';
import { toIso } from '../../core/dates.js';
import type { Page } from '../../core/page.js';
import { LINE } from '../../core/text.js';
import { fail, failFields } from '../../errors.js';
import type { ListQuery } from '../../platform/http/schema.js';
import type { Deps } from './deps.js';
import type { CouponBound } from './types.js';
import * as store from './coupon-repository.js';
import type { CouponDto, CouponChangeDto } from './coupon-schemas.js';

const CODE_MAX = 100;
const PROVIDER_MAX = 100;
const OF_AFFILIATE_MAX = 500;

export interface CouponQuery extends ListQuery {
  readonly provider?: string;
  readonly affiliate_id?: number | undefined;
}

/** Stores which affiliate a coupon credits (docs/tracking.md §5). */
export class Coupons {
  #integrations: () => readonly string[] = () => [];

  constructor(private readonly app: Deps) {}

  /** The keys of the integrations, whose spelling counts. */
  knowIntegrations(keys: () => readonly string[]): void {
    this.#integrations = keys;
  }

  /** Binds a code. Returns the affiliate it was bound to before. */
  async bind(shop: string, code: string, affiliateId: number): Promise<CouponBound> {
    const text = checked(shop.trim(), code);
    const provider = await this.#spelled(shop.trim());
    await this.app.affiliates.forbidSelf(await this.app.affiliates.get(affiliateId));
    return this.app.transaction(async (trx) => {
      const bound = { provider, code: text, affiliate_id: affiliateId };
      const also_in = await store.sameCouponElsewhere(trx, bound);
      const before = await store.couponAffiliate(trx, provider, text);
      if (before === affiliateId) return { moved_from: null, also_in };
      await store.bindCoupon(trx, { ...bound, created_at: this.app.clock.now() });
      await this.app.audit.write(trx, 'coupon.bound', ['coupon', auditId(provider, text)], {
        before: before === null ? null : { provider, code: text, affiliate_id: before },
        after: bound,
      });
      return { moved_from: before, also_in };
    });
  }

  /** The name of a shop as integrations and orders write it: a coupon counts for exactly this name. */
  async #spelled(name: string): Promise<string> {
    const known = [...this.#integrations(), ...(await store.shopsOfOrders(this.app.db))];
    if (known.includes(name)) return name;
    return known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
  }

  /** The shops of the orders so far. */
  shopsOfOrders(): Promise<readonly string[]> {
    return store.shopsOfOrders(this.app.db);
  }

  /** False when the code was not bound. */
  async unbind(provider: string, code: string): Promise<boolean> {
    const owner = await store.couponAffiliate(this.app.db, provider, code);
    const affiliate = owner === null ? null : await this.app.affiliates.find(owner);
    if (affiliate !== null) await this.app.affiliates.forbidSelf(affiliate);
    return this.app.transaction(async (trx) => {
      const affiliateId = await store.couponAffiliate(trx, provider, code);
      if (affiliateId === null || !(await store.unbindCoupon(trx, provider, code))) return false;
      await this.app.audit.write(trx, 'coupon.unbound', ['coupon', auditId(provider, code)], {
        before: { provider, code: code.trim(), affiliate_id: affiliateId },
      });
      return true;
    });
  }

  async list(query: CouponQuery): Promise<Page<CouponDto>> {
    const page = await store.listCoupons(this.app.db, {
      provider: query.provider ?? '',
      affiliateId: query.affiliate_id ?? null,
      search: query.search,
      page: query.page,
      per_page: query.per_page,
    });
    const affiliates = await this.app.affiliates.embed(page.rows.map((row) => row.affiliate_id));
    return {
      ...page,
      rows: page.rows.map((row) => ({
        ...row,
        created_at: toIso(row.created_at),
        affiliate: affiliates.get(row.affiliate_id) ?? null,
      })),
    };
  }

  /** The coupons of an affiliate, as the portal and the affiliate's page show them. */
  async ofAffiliate(affiliateId: number): Promise<{ readonly provider: string; readonly code: string }[]> {
    return store.couponsOf(this.app.db, affiliateId, OF_AFFILIATE_MAX);
  }

  /** Whose the code was, newest first. */
  async history(
    provider: string,
    code: string,
    { page, per_page }: Pick<ListQuery, 'page' | 'per_page'>,
  ): Promise<Page<CouponChangeDto>> {
    const found = await this.app.audit.list({
      page,
      per_page,
      order_type: 'DESC',
      object_type: 'coupon',
      object_id: auditId(provider, code),
    });
    const users = await this.app.users(found.rows.map((row) => row.actor_id));
    return {
      ...found,
      rows: found.rows.map(({ before, after, actor_id, api_key_id, request_id, created_at }) => ({
        from_affiliate_id: affiliateIn(before),
        affiliate_id: affiliateIn(after),
        actor: users.get(actor_id ?? 0)?.display_name ?? '',
        actor_id,
        api_key_id,
        request_id,
        created_at: toIso(created_at),
      })),
    };
  }

  async mustUnbind(provider: string, code: string): Promise<void> {
    if (!(await this.unbind(provider, code))) fail('coupon_not_found');
  }
}

function checked(provider: string, code: string): string {
  const text = code.trim();
  if (text === '' || !LINE.fits(text) || text.length > CODE_MAX)
    failFields({ code: { max: `The coupon code must have 1 to ${CODE_MAX} characters.` } });
  if (provider === '' || provider.length > PROVIDER_MAX)
    failFields({ provider: { max: `The shop must have 1 to ${PROVIDER_MAX} characters.` } });
  return text;
}

/** Codes are longer than an object of the audit log may be. */
const auditId = (provider: string, code: string): string =>
  createHash('sha256')
    .update(JSON.stringify([provider, couponKey(code)]))
    .digest('hex');

const affiliateIn = (values: unknown): number | null => {
  const id = (values as { affiliate_id?: unknown } | null)?.affiliate_id;
  return typeof id === 'number' ? id : null;
};
