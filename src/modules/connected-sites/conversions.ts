import type { App } from '../../app.js';
import { toIso } from '../../core/dates.js';
import { isCurrency, parseAmount } from '../../core/money.js';
import { AffiliateError, fail, FieldCheck } from '../../errors.js';
import type { Affiliate } from '../affiliates/types.js';
import type { ChangeResult, ConversionInput, ConvertedReferral, ItemInput } from '../conversions/types.js';
import { happenedAt } from './happened.js';
import type { ConnectedSite, SiteConversionInput, SiteFollowUp, SiteProduct } from './types.js';

const DAY = 86_400_000;
const SETTLED: readonly string[] = ['processing', 'paid'];
const DEAD: readonly string[] = ['rejected', 'cancelled'];

export interface WireReferral {
  readonly id: number;
  readonly reference: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly affiliate_id: number | null;
}
export interface SiteConversionAnswer {
  readonly referral: WireReferral | null;
  readonly created: boolean;
  /** Why nothing was credited. */
  readonly ignored?: string;
}

/** Orders of connected sites; what they earn is computed here (connected-sites §5.4, §5.5). */
export class SiteConversions {
  constructor(private readonly app: App) {}

  async record(site: ConnectedSite, input: SiteConversionInput): Promise<SiteConversionAnswer> {
    const stored = await this.#find(site, String(input.reference));
    if (stored) return { referral: await this.#wire(stored), created: false };
    const orderedAt = happenedAt(input.occurred_at, {
      now: this.app.clock.now(),
      days: site.cookie_duration,
    });
    const affiliate = await this.#affiliate(site, input, orderedAt);
    try {
      const { referral, created, reason } = await this.app.conversions.record(
        null,
        this.#conversion(site, input, { affiliate, orderedAt }),
      );
      if (referral) return { referral: await this.#wire(referral), created };
      if (reason === 'affiliate_inactive' || reason === 'no_affiliate') return fail('affiliate_not_found');
      return { referral: null, created: false, ignored: reason ?? 'refused' };
    } catch (error) {
      // The same reference with other data, stored by a request at the same moment: the stored one counts.
      const lost =
        error instanceof AffiliateError && error.code === 'conversion_conflict'
          ? await this.#find(site, String(input.reference))
          : null;
      if (!lost) throw error;
      return { referral: await this.#wire(lost), created: false };
    }
  }

  async followUp(
    site: ConnectedSite,
    reference: string,
    input: SiteFollowUp,
  ): Promise<{ referral: WireReferral; changed: boolean }> {
    const before = (await this.#find(site, reference)) ?? fail('referral_not_found');
    const refunded = await this.#refunded(before, input);
    let { referral, changed } = { referral: before, changed: false };
    for (const step of [
      () => this.#settle(site, referral, input.status),
      () => this.#refund(site, referral, refunded),
    ]) {
      const result = await step();
      if (result)
        ({ referral, changed } = {
          referral: result.referral ?? referral,
          changed: changed || result.changed,
        });
    }
    return { referral: await this.#wire(referral), changed };
  }

  async #settle(
    site: ConnectedSite,
    referral: ConvertedReferral,
    status: SiteFollowUp['status'],
  ): Promise<ChangeResult | null> {
    if (status === undefined || status === referral.status) return null;
    if (status === 'rejected' && DEAD.includes(referral.status)) return null;
    // The site's own word on an order is final: a payment tried again is a new order.
    if (SETTLED.includes(referral.status) || DEAD.includes(referral.status)) return locked();
    const key = keyOf(referral);
    const result = await (status === 'unpaid'
      ? this.app.conversions.complete(providerOf(site), key)
      : this.app.conversions.cancel(providerOf(site), key, 'voided'));
    return result.referral && result.referral.status !== status ? locked() : result;
  }

  /** Measured against the order's commissionable total, which is what the site was answered with. */
  async #refund(
    site: ConnectedSite,
    referral: ConvertedReferral,
    refunded: number,
  ): Promise<ChangeResult | null> {
    if (refunded === 0 || DEAD.includes(referral.status)) return null;
    const [provider, key] = [providerOf(site), keyOf(referral)];
    const result =
      (referral.order_total_minor ?? 0) === 0 && !SETTLED.includes(referral.status)
        ? await this.app.conversions.cancel(provider, key, 'refunded')
        : await this.app.conversions.refund(provider, key, { refunded_base: { minor: refunded } });
    // The program is told of the refund, but the site can not change what was paid out.
    const isPaid = result.referral !== null && SETTLED.includes(result.referral.status);
    return isPaid && (await this.app.settings.rules()).clawback === 'off' ? locked() : result;
  }

  /** In minor units; also checks that anything was asked at all. */
  async #refunded(
    referral: ConvertedReferral,
    { status, refunded_total: total }: SiteFollowUp,
  ): Promise<number> {
    const check = new FieldCheck();
    if (status === undefined && total === undefined)
      check.add('status', 'required', 'Send status or refunded_total.');
    const amount = total === undefined ? 0 : parseAmount(total, await this.#currency(referral));
    if (amount === null) check.add('refunded_total', 'numeric', 'refunded_total must be an amount.');
    check.throwIfAny();
    return amount ?? 0;
  }

  /** Whose order it is: the visit says, and the value must agree; a value alone is enough. */
  async #affiliate(
    site: ConnectedSite,
    { visit_id: visitId, affiliate_param }: SiteConversionInput,
    orderedAt: number,
  ): Promise<Affiliate> {
    const param = String(affiliate_param ?? '');
    if (visitId === undefined && !param)
      new FieldCheck().add('affiliate_param', 'required', 'Send affiliate_param or visit_id.').throwIfAny();
    const named = param ? await this.app.tracking.resolveParam(param) : null;
    if (param && named?.status !== 'active') fail('affiliate_not_found');
    if (visitId === undefined) return named ?? fail('affiliate_not_found');
    const visit = await this.app.visits.find(visitId);
    const tooOld = (visit?.created_at ?? 0) < orderedAt - site.cookie_duration * DAY;
    if (!visit?.affiliate_id || tooOld || (named && named.id !== visit.affiliate_id))
      return fail('visit_mismatch');
    const affiliate = named ?? (await this.app.affiliates.find(visit.affiliate_id));
    return affiliate?.status === 'active' ? affiliate : fail('affiliate_not_found');
  }

  #conversion(
    site: ConnectedSite,
    input: SiteConversionInput,
    { affiliate, orderedAt }: { affiliate: Affiliate; orderedAt: number },
  ): ConversionInput {
    const { currency, amount, customer, order } = input;
    const code = currency?.toUpperCase();
    if (code && !isCurrency(code))
      new FieldCheck().add('currency', 'in', 'currency must be an ISO 4217 code.').throwIfAny();
    return {
      provider: providerOf(site),
      sub_reference: String(input.reference),
      site_id: site.site_id,
      affiliate: affiliate.id,
      visit_id: input.visit_id ?? null,
      type: input.type ?? 'sale',
      status: input.status ?? 'pending',
      description: input.description ?? null,
      order: {
        subtotal: order.subtotal,
        tax: order.tax ?? 0,
        shipping: order.shipping ?? 0,
        discount: order.discount ?? 0,
        ...(code && { currency: code }),
      },
      customer: customer
        ? {
            email: customer.email ?? null,
            first_name: customer.first_name ?? null,
            last_name: customer.last_name ?? null,
            ip: customer.ip ?? null,
          }
        : null,
      items: (input.products ?? []).map(itemOf),
      ordered_at: orderedAt,
      ...(input.occurred_at !== undefined && { settings: { ordered_at: toIso(orderedAt) } }),
      ...(this.app.options.connectedSites.trustAmounts && amount !== undefined && { commission: amount }),
    };
  }

  #find(site: ConnectedSite, reference: string): Promise<ConvertedReferral | null> {
    return this.app.conversions.find(providerOf(site), { sub_reference: reference });
  }

  async #wire(referral: ConvertedReferral): Promise<WireReferral> {
    const { id, provider_sub_id: reference, status, amount, affiliate_id } = referral;
    return {
      id,
      reference: reference ?? '',
      status,
      amount,
      currency: await this.#currency(referral),
      affiliate_id,
    };
  }

  async #currency({ currency }: ConvertedReferral): Promise<string> {
    return currency ?? (await this.app.settings.referralConfig()).currency;
  }
}

const providerOf = ({ site_id: id }: ConnectedSite): string => `site_${id}`;
const keyOf = ({ provider_sub_id: reference }: ConvertedReferral): { sub_reference: string | null } => ({
  sub_reference: reference,
});
const locked = (): never => fail('referral_locked', { status: 409 });

const itemOf = ({ item_id: id, title, subtotal, tax, discount, total }: SiteProduct): ItemInput => ({
  id,
  title: title ?? '',
  subtotal: subtotal ?? total ?? 0,
  tax: tax ?? 0,
  discount: discount ?? 0,
});
