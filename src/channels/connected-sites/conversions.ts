import { toIso } from '../../core/dates.js';
import { hasMoreDecimals } from '../../core/decimal.js';
import { currencyDigits, isCurrency, parseAmount } from '../../core/money.js';
import { unknownKey } from '../../core/unknown-key.js';
import { readJson } from '../../core/json.js';
import { isInAttributionWindow } from '../../core/attribution-window.js';
import { DAY } from '../../core/duration.js';
import { AffiliateError, fail, FieldCheck } from '../../errors.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type {
  ChangeResult,
  ConversionInput,
  ConvertedReferral,
  ItemInput,
  RefundInput,
} from '../../attribution/conversions/types.js';
import type { LatestClick, Order } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import { happenedAt } from './event-time.js';
import type {
  SiteConversionResponse,
  SiteFollowUpResponse,
  SiteReferral,
  SiteConversionInput,
  SiteFollowUp,
  SiteLeadInput,
  SiteProduct,
} from './schemas.js';
import type { ConnectedSite } from './types.js';

/** How long a report about an order waits for the order, as deliveries of shops do. */
const EARLY_MS = 7 * DAY;
const LONGEST_REFERENCE = 150;
/** A currency with the most decimals: for amounts of an order whose currency is not known yet. */
const WIDEST = 'BHD';
const DEAD: readonly string[] = ['rejected', 'cancelled'];

/** Records orders of connected sites; their commissions are computed here (docs/connected-sites.md §7). */
export class SiteConversions {
  constructor(private readonly app: Deps) {}

  /** Reports about this order that came before it are applied at once. */
  async record(site: ConnectedSite, input: SiteConversionInput): Promise<SiteConversionResponse> {
    const response = await this.#record(site, input);
    const reference = String(input.reference);
    if (response.referral === null || !(await this.#applyEarly(site, reference))) return response;
    const now = await this.#find(site, reference);
    return { ...response, referral: now && (await this.#serialize(now)) };
  }

  async #record(site: ConnectedSite, input: SiteConversionInput): Promise<SiteConversionResponse> {
    const stored = await this.#find(site, String(input.reference));
    if (stored) return { referral: await this.#serialize(stored), created: false };
    checkInput(input);
    const orderedAt = happenedAt(input.occurred_at, {
      now: this.app.clock.now(),
      days: site.cookie_duration,
    });
    const click = await this.#click(site, input, orderedAt);
    const affiliate = await this.#affiliate(site, input, { orderedAt, click });
    try {
      const { referral, created, reason } = await this.app.conversions.recordClicked(
        this.#conversion(site, input, { affiliate, orderedAt }),
        click?.affiliateId === affiliate.id ? click.latest : null,
      );
      if (referral) return { referral: await this.#serialize(referral), created };
      if (reason === 'affiliate_inactive' || reason === 'no_affiliate') return fail('affiliate_not_found');
      return { referral: null, created: false, ignored: reason ?? 'refused' };
    } catch (error) {
      // Another request stored the same reference with other data at the same moment: the stored data count.
      const lost =
        error instanceof AffiliateError && error.code === 'conversion_conflict'
          ? await this.#find(site, String(input.reference))
          : null;
      if (!lost) throw error;
      return { referral: await this.#serialize(lost), created: false };
    }
  }

  /** A sign-up, form or trial of the site. Later reports name it `lead:<kind>:<reference>`. */
  async lead(site: ConnectedSite, input: SiteLeadInput): Promise<SiteConversionResponse> {
    const check = new FieldCheck();
    checkKeys(check, '', input, LEAD_NAMES);
    checkKeys(check, 'customer', input.customer, CUSTOMER_NAMES);
    check.throwIfAny();
    const happened = { now: this.app.clock.now(), days: site.cookie_duration };
    const at = happenedAt(input.occurred_at, happened);
    const affiliate = await this.#affiliate(site, input, { orderedAt: at, click: null });
    const { referral, created, reason } = await this.app.conversions.lead(null, {
      provider: providerOf(site),
      reference: input.reference,
      kind: String(input.kind),
      customer: customerOf(input.customer),
      affiliate: affiliate.id,
      visit_id: input.visit_id ?? null,
      description: input.description ?? null,
      defer: input.defer ?? false,
      happened_at: at,
      site_id: site.site_id,
    });
    if (referral) return { referral: await this.#serialize(referral), created };
    if (reason === 'affiliate_inactive' || reason === 'no_affiliate') return fail('affiliate_not_found');
    return { referral: null, created: false, ignored: reason ?? 'refused' };
  }

  /** Stores later reports about an order as facts, in any status of its commission. */
  async followUp(site: ConnectedSite, reference: string, input: SiteFollowUp): Promise<SiteFollowUpResponse> {
    const order =
      (await this.#order(site, reference)) ??
      (await this.#saveEarly(site, reference, input)) ??
      fail('referral_not_found', {
        message: `No such order. If it arrives within ${EARLY_MS / DAY} days, this report counts then.`,
      });
    const before = await this.#find(site, reference);
    const refund = this.#refundOf(order.currency, input);
    // A site's report that an order failed is final: a payment that is tried again is a new order.
    if (input.status === 'unpaid' && before !== null && DEAD.includes(before.status))
      fail('referral_locked', { status: 409 });
    const results = await this.#applyReport(site, reference, {
      before,
      refund,
      status: input.status,
      isFree: (order.total_minor ?? 0) === 0,
    });
    if (before === null) return { referral: null, changed: false, reason: 'deleted' };
    const changed = results.some((result) => result.changed);
    const isLocked = !changed && results.some(({ reason }) => reason === 'locked');
    const after = results.at(-1)?.referral ?? before;
    return {
      referral: await this.#serialize(after),
      changed,
      ...(isLocked && { reason: 'locked' as const }),
    };
  }

  #order(site: ConnectedSite, reference: string): Promise<Order | null> {
    return this.app.orders.changes.find({
      provider: providerOf(site),
      account: '',
      reference: '',
      sub_reference: reference,
    });
  }

  /**
   * Stores the report for an order that has not arrived yet. Returns the order if it arrived in the meantime.
   */
  async #saveEarly(site: ConnectedSite, reference: string, input: SiteFollowUp): Promise<Order | null> {
    this.#refundOf(WIDEST, input);
    if (reference === '' || reference.length > LONGEST_REFERENCE) return null;
    const { db, clock } = this.app;
    const id = await store.insertEarly(db, {
      site_id: site.site_id,
      reference,
      fields: JSON.stringify({
        status: input.status,
        refunded_total: input.refunded_total,
        refunded_base: input.refunded_base,
      }),
      expires_at: clock.now() + EARLY_MS,
    });
    const order = await this.#order(site, reference);
    if (order !== null) await store.removeEarly(db, id);
    return order;
  }

  /** True when there was a report. One that does not fit the order is logged and dropped. */
  async #applyEarly(site: ConnectedSite, reference: string): Promise<boolean> {
    const { db, clock, log } = this.app;
    const reports = await store.earlyReports(db, site.site_id, { reference, now: clock.now() });
    for (const { id, fields } of reports) {
      try {
        await this.followUp(site, reference, readJson<SiteFollowUp>(fields, {}));
      } catch (error) {
        if (!(error instanceof AffiliateError) || error.status >= 500) throw error;
        log.warn('a report that arrived before its order could not be applied', {
          site: site.site_id,
          error,
        });
      }
      await store.removeEarly(db, id);
    }
    return reports.length > 0;
  }

  async #applyReport(
    site: ConnectedSite,
    reference: string,
    {
      before,
      refund,
      status,
      isFree,
    }: {
      readonly before: ConvertedReferral | null;
      readonly refund: RefundInput | null;
      readonly status: SiteFollowUp['status'];
      readonly isFree: boolean;
    },
  ): Promise<ChangeResult[]> {
    const { conversions } = this.app;
    const [provider, key] = [providerOf(site), { sub_reference: reference }];
    const results: ChangeResult[] = [];
    if (status === 'unpaid' && (before === null || before.status === 'pending'))
      results.push(await conversions.complete(provider, key));
    if (status === 'rejected' && !DEAD.includes(before?.status ?? ''))
      results.push(await conversions.cancel(provider, key, 'voided'));
    if (refund === null) return results;
    results.push(
      await (isFree
        ? conversions.cancel(provider, key, 'refunded')
        : conversions.refund(provider, key, refund)),
    );
    return results;
  }

  /**
   * The refund in the order's currency; also checks that the request asks for something. A refund of 0 is no
   * refund.
   */
  #refundOf(currency: string, input: SiteFollowUp): RefundInput | null {
    const { status, refunded_total: total, refunded_base: base } = input;
    const check = new FieldCheck();
    const digits = currencyDigits(currency);
    if (status === undefined && total === undefined && base === undefined)
      check.add('status', 'required', 'Send status, refunded_total or refunded_base.');
    const read = (field: string, value: string | number | undefined): number | null => {
      if (value === undefined) return null;
      const amount = parseAmount(value, currency);
      if (amount === null) check.add(field, 'numeric', `${field} must be an amount.`);
      else if (hasMoreDecimals(value, digits))
        check.add(field, 'decimals', `${field} has more decimals than its currency, which has ${digits}.`);
      return amount;
    };
    const [gross, part] = [read('refunded_total', total), read('refunded_base', base)];
    checkKeys(check, '', input, FOLLOW_UP_NAMES);
    check.throwIfAny();
    if ((gross ?? 0) === 0 && (part ?? 0) === 0) return null;
    return {
      ...(gross !== null && { refunded_total: { minor: gross } }),
      ...(part !== null && { refunded_base: { minor: part } }),
    };
  }

  /**
   * The affiliate of an order: the visit decides, and the value of the link must agree; a value alone is
   * enough.
   */
  async #affiliate(
    site: ConnectedSite,
    { visit_id: visitId, affiliate_param }: Pick<SiteConversionInput, 'visit_id' | 'affiliate_param'>,
    { orderedAt, click }: { readonly orderedAt: number; readonly click: SiteClick | null },
  ): Promise<Affiliate> {
    const param = String(affiliate_param ?? '');
    if (visitId === undefined && !param)
      new FieldCheck().add('affiliate_param', 'required', 'Send affiliate_param or visit_id.').throwIfAny();
    const named = param ? await this.#named(param) : null;
    if (visitId === undefined) return named ?? fail('affiliate_not_found');
    return this.#ofVisit(visitId, named, { site, since: orderedAt - site.cookie_duration * DAY, click });
  }

  /**
   * The visitor's latest click, as this primary sent it to the site. Null when it is forged, or cannot have led
   * to the order.
   */
  async #click(
    site: ConnectedSite,
    { click }: SiteConversionInput,
    orderedAt: number,
  ): Promise<SiteClick | null> {
    const sent = click === undefined ? null : this.app.tracking.clickOf(String(click));
    if (sent?.latest == null) return null;
    if (!isInAttributionWindow(sent.issued_at, orderedAt, site.cookie_duration)) return null;
    const affiliate = await this.app.affiliates.findCredited(sent.affiliate_id);
    return affiliate && { affiliateId: affiliate.id, latest: sent.latest };
  }

  async #named(param: string): Promise<Affiliate> {
    const affiliate = await this.app.tracking.resolveParam(param);
    return affiliate?.status === 'active' ? affiliate : fail('affiliate_not_found');
  }

  /**
   * The affiliate of a visit to this site or the primary that belongs to the named affiliate, if one was named.
   * The visit, or a later click of its affiliate, is not older than `since`.
   */
  async #ofVisit(
    visitId: number,
    named: Affiliate | null,
    {
      site,
      since,
      click,
    }: { readonly site: ConnectedSite; readonly since: number; readonly click: SiteClick | null },
  ): Promise<Affiliate> {
    const visit = await this.app.visits.find(visitId);
    if (!visit?.affiliate_id) return fail('visit_mismatch');
    if (visit.created_at < since && click?.affiliateId !== visit.affiliate_id) return fail('visit_mismatch');
    if (![null, site.site_id].includes(visit.site_id)) return fail('visit_mismatch');
    if (named && named.id !== visit.affiliate_id) return fail('visit_mismatch');
    const affiliate = named ?? (await this.app.affiliates.find(visit.affiliate_id));
    return affiliate?.status === 'active' ? affiliate : fail('affiliate_not_found');
  }

  #conversion(
    site: ConnectedSite,
    input: SiteConversionInput,
    { affiliate, orderedAt }: { affiliate: Affiliate; orderedAt: number },
  ): ConversionInput {
    const { amount } = input;
    return {
      provider: providerOf(site),
      sub_reference: String(input.reference),
      site_id: site.site_id,
      affiliate: affiliate.id,
      visit_id: input.visit_id ?? null,
      type: input.type ?? 'sale',
      status: input.status ?? 'pending',
      description: input.description ?? null,
      order: orderOf(input),
      customer: input.customer ? customerOf(input.customer) : null,
      items: (input.products ?? []).map(itemOf),
      ordered_at: orderedAt,
      ...(input.occurred_at !== undefined && { settings: { ordered_at: toIso(orderedAt) } }),
      ...(this.app.options.connectedSites.trustAmounts && amount !== undefined && { commission: amount }),
    };
  }

  #find(site: ConnectedSite, reference: string): Promise<ConvertedReferral | null> {
    return this.app.conversions.find(providerOf(site), { sub_reference: reference });
  }

  async #serialize(referral: ConvertedReferral): Promise<SiteReferral> {
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

/** A click that this primary sent to a site. */
interface SiteClick {
  readonly affiliateId: number;
  readonly latest: LatestClick;
}

/** Clients send a time with every request (docs/interface.md §1), and some their credentials. */
const WITH_EVERY_REQUEST = ['query_timestamp', 'site_id', 'server_token'];
const NAMES = [
  'reference',
  'affiliate_param',
  'visit_id',
  'order',
  'currency',
  'status',
  'type',
  'description',
  'customer',
  'products',
  'amount',
  'occurred_at',
  'click',
  ...WITH_EVERY_REQUEST,
];
const LEAD_NAMES = [
  'reference',
  'kind',
  'affiliate_param',
  'visit_id',
  'description',
  'customer',
  'defer',
  'occurred_at',
  ...WITH_EVERY_REQUEST,
];
const FOLLOW_UP_NAMES = ['status', 'refunded_total', 'refunded_base', ...WITH_EVERY_REQUEST];
const CUSTOMER_NAMES = ['email', 'first_name', 'last_name', 'ip'];
const ORDER_NAMES = ['subtotal', 'tax', 'shipping', 'discount'];
const PRODUCT_NAMES = ['item_id', 'title', 'subtotal', 'tax', 'discount', 'total'];

/**
 * Refuses unknown keys as `conversions.record` does: a misspelled amount would be ignored, and the commission
 * would be wrong.
 */
function checkInput(input: SiteConversionInput): void {
  const { reference, order, products = [], customer = {} } = input;
  const check = new FieldCheck();
  // Such a text is not allowed in the address of the order's later reports.
  if (/^\.{1,2}$/.test(String(reference)))
    check.add('reference', 'pattern', 'reference must be a text other than "." and "..".');
  checkKeys(check, '', input, NAMES);
  checkKeys(check, 'order', order, ORDER_NAMES);
  checkKeys(check, 'customer', customer, CUSTOMER_NAMES);
  for (const [at, product] of products.entries()) checkKeys(check, `products.${at}`, product, PRODUCT_NAMES);
  check.throwIfAny();
}

function checkKeys(check: FieldCheck, path: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value).filter((each) => !known.includes(each))) {
    const { field, message } = unknownKey(key, {
      path: path === '' ? '' : `${path}.`,
      known,
      elsewhere: (name) => (name === 'currency' ? name : undefined),
    });
    check.add(field, 'unknown_key', message);
  }
}

const providerOf = ({ site_id: id }: ConnectedSite): string => `site_${id}`;
const itemOf = ({ item_id: id, title, subtotal, tax, discount, total }: SiteProduct): ItemInput => ({
  id,
  title: title ?? '',
  subtotal: subtotal ?? total ?? 0,
  tax: tax ?? 0,
  discount: discount ?? 0,
});

function orderOf({ order, currency }: SiteConversionInput): NonNullable<ConversionInput['order']> {
  const code = currency?.toUpperCase();
  if (code && !isCurrency(code))
    new FieldCheck().add('currency', 'in', 'currency must be an ISO 4217 code.').throwIfAny();
  return {
    subtotal: order.subtotal,
    tax: order.tax ?? 0,
    shipping: order.shipping ?? 0,
    discount: order.discount ?? 0,
    ...(code && { currency: code }),
  };
}

const customerOf = (
  customer: NonNullable<SiteConversionInput['customer']>,
): NonNullable<ConversionInput['customer']> => ({
  email: customer.email ?? null,
  first_name: customer.first_name ?? null,
  last_name: customer.last_name ?? null,
  ip: customer.ip ?? null,
});
