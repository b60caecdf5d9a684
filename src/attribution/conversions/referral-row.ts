import { createHash } from 'node:crypto';
import { isMap } from '../../core/is-map.js';
import { minor, parseAmount } from '../../core/money.js';
import { orderKey } from '../../core/order-key.js';
import { cut, plainLine } from '../../core/text.js';
import { fail } from '../../errors.js';
import type { FraudHit } from '../fraud/types.js';
import type {
  NewReferral,
  Product,
  Referral,
  ReferralStatus,
  ReferralType,
} from '../../accounting/referrals/types.js';
import type { Deps } from './deps.js';
import type { Credit } from './affiliate-finder.js';
import type { PricedCommission } from './commission-calculator.js';
import type { Commission } from './commission.js';
import type { Conversion, Item } from './types.js';
import type {
  CommissionDraft,
  OpenReason,
  OrderContent,
  OrderLimit,
  OrderLine,
  OrderTerms,
} from '../../accounting/orders/types.js';

const ZERO_GUARDED: readonly ReferralType[] = ['sale', 'recurring_sale', 'lifetime_sale'];
const STATUSES: readonly ReferralStatus[] = ['pending', 'unpaid', 'rejected'];
const TYPES: readonly ReferralType[] = [
  'sale',
  'opt_in',
  'payment',
  'recurring_sale',
  'lifetime_sale',
  'lead',
  'bonus',
];

export interface RowParts {
  readonly conversion: Conversion;
  readonly credit: Credit;
  readonly commission: PricedCommission;
  readonly fingerprint: string;
  readonly parent?: Referral;
}

/** The referral of a conversion, before extensions have changed it and without the customer. */
export function referralRow({ conversion, credit, commission, fingerprint, parent }: RowParts): NewReferral {
  const { provider, reference, sub_reference: sub, account, subscription, totals } = conversion;
  return {
    affiliate_id: credit.affiliate.id,
    parent_id: parent?.id ?? null,
    visit_id: credit.visit_id,
    utm_campaign: credit.utm_campaign,
    ...credit.sub_ids,
    description: descriptionOf(conversion, parent),
    status: conversion.status,
    amount_minor: commission.amount,
    order_total_minor: totals === null ? null : commission.base,
    currency: conversion.currency,
    provider,
    provider_id: reference,
    provider_sub_id: sub ?? subscription?.id ?? null,
    dedup_key: orderKey(provider, { reference, sub_reference: sub, account }),
    payload_hash: fingerprint,
    site_id: conversion.site_id,
    products: conversion.items.length === 0 ? null : products(conversion),
    type: typeOf(conversion, credit, parent),
    ...(commission.hold_until !== null && { payable_at: commission.hold_until }),
    settings: {
      ...conversion.settings,
      ...(account && { account }), // the shop, if there are several; links to the order need it
      source: credit.source,
      ...(credit.source === 'coupon' && { coupon: conversion.coupon }),
      commission: commission.explanation,
    },
  };
}

const descriptionOf = ({ description }: Conversion, parent: Referral | undefined): string | null =>
  parent ? cut(`${description ?? parent.description ?? ''} (renewal)`.trim(), 500) : description;

function typeOf({ type }: Conversion, { source }: Credit, parent: Referral | undefined): ReferralType {
  if (parent) return 'recurring_sale';
  return source === 'lifetime' && type === 'sale' ? 'lifetime_sale' : type;
}

/**
 * The reasons a new commission has to wait, in addition to its payment; a person has to clear each of them.
 */
export const reasonsOf = (
  hits: readonly FraudHit[],
  { mismatch, too_many_items: tooMany }: Commission,
): OpenReason[] => [
  ...hits.flatMap(({ rule, action }) => (action === 'hold' ? [`fraud:${rule}` as const] : [])),
  ...(mismatch ? ['currency_mismatch' as const] : []),
  ...(tooMany ? ['totals_mismatch' as const] : []),
];

/** Stores the fraud rules that matched in the row's settings. */
export const suspected = (row: NewReferral, hits: readonly FraudHit[]): NewReferral =>
  hits.length === 0
    ? row
    : { ...row, settings: { ...row.settings, fraud: hits.map(({ rule, action }) => ({ rule, action })) } };

/** The terms stored with the order; later facts are computed by them. */
export function termsOf(
  row: NewReferral,
  { conversion, commission }: { readonly conversion: Conversion; readonly commission: PricedCommission },
  given: {
    readonly flat_rule: OrderTerms['flat_rule'];
    readonly lines: readonly OrderLine[] | null;
    readonly reasons: readonly OpenReason[];
    readonly limits: readonly OrderLimit[];
  },
): OrderTerms {
  const { pricing } = commission;
  const capped = row.settings?.['capped_from_minor'];
  return {
    ...contentOf({ conversion, commission, lines: given.lines, reasons: given.reasons }),
    amount_minor: row.amount_minor,
    ...(row.order_total_minor !== null &&
      row.order_total_minor !== undefined && { base_minor: row.order_total_minor }),
    flat_rule: given.flat_rule,
    counts: {
      before_discount: pricing.base.exclude_discount === 'no',
      tax: pricing.base.exclude_tax === 'no',
      shipping: pricing.base.exclude_shipping === 'no',
    },
    capped_from_minor: typeof capped === 'number' ? capped : null,
    content_hash: contentHash(conversion),
    pricing,
    ...(given.limits.length > 0 && { limits: given.limits }),
  };
}

/** What was bought and what it earns; the parts carry the ids by which the source names its lines. */
export function contentOf({
  conversion,
  commission,
  lines,
  reasons,
}: {
  readonly conversion: Conversion;
  readonly commission: Commission;
  readonly lines: readonly OrderLine[] | null;
  readonly reasons: readonly OpenReason[];
}): OrderContent {
  const { explanation } = commission;
  const isGiven = explanation.source === 'given';
  const named = lines ?? linesOf(conversion);
  return {
    amount_minor: commission.amount,
    base_minor: commission.base,
    basis_minor: explanation.basis.base_minor,
    ...chargedOf(conversion),
    flat_minor: commission.flat,
    lines: named,
    parts: commission.parts.map((part, at) =>
      part.kind === 'item' ? { ...part, id: named[at]?.id ?? part.id } : part,
    ),
    reasons,
    level: isGiven ? null : explanation.level,
    rule: isGiven ? null : explanation.source,
    rate: isGiven ? null : explanation.rate,
    exchange: explanation.exchange ?? null,
  };
}

/** What the buyer is charged, and what of it was received. */
export const chargedOf = ({
  totals,
  is_paid_told: isReported,
}: Conversion): Pick<
  OrderContent,
  'grand_total_minor' | 'paid_minor' | 'received_minor' | 'is_paid_told'
> => ({
  grand_total_minor: totals?.grand_total ?? 0,
  ...(totals !== null && { paid_minor: totals.paid }),
  ...(totals?.received !== undefined && { received_minor: totals.received }),
  ...(isReported && { is_paid_told: true }),
});

/** A hash of the items and the money of an order, without its buyer. */
export const contentHash = ({ totals, items, commission, is_paid_told: isReported }: Conversion): string =>
  createHash('sha256')
    .update(JSON.stringify([totals, items.map(withoutBlankSku), commission, ...(isReported ? ['paid'] : [])]))
    .digest('hex');

/** As orders were hashed before items had an SKU. */
const withoutBlankSku = ({ sku, ...item }: Item): Omit<Item, 'sku'> =>
  sku === null ? item : ({ ...item, sku } as Item);

const linesOf = ({ items }: Conversion): OrderLine[] =>
  items.map(({ id, net, net_before_discount: before, tax, commissionable }) => ({
    id,
    net,
    before,
    tax,
    commissionable,
  }));

function products({ items, currency }: Conversion): Product[] {
  const digits = (value: number): number => value / unit;
  const unit = parseAmount('1', currency) ?? 100;
  return items.map((item) => ({
    item_id: /^\d{1,15}$/u.test(item.id) ? Number(item.id) : item.id,
    title: item.title,
    subtotal: digits(item.net_before_discount),
    tax: digits(item.tax),
    discount: digits(item.net_before_discount - item.net),
    total: digits(item.net),
  }));
}

/** A stored row as one to insert again. */
export const asNew = ({
  id: _id,
  payout_id: _payout,
  payout_transaction_id: _transaction,
  payable_at: _payable,
  created_at: _created,
  updated_at: _updated,
  affiliate_id,
  ...row
}: Referral): NewReferral => ({ ...row, affiliate_id: affiliate_id ?? 0 });

/** The row of a commission that is not booked yet, without what its order knows. */
export function draftOf(
  {
    affiliate_id: _affiliate,
    customer_id: _customer,
    visit_id: _visit,
    parent_id: _parent,
    status: _status,
    amount_minor: _amount,
    reject_reason: _reason,
    ...row
  }: NewReferral,
  refused: string | null,
): CommissionDraft {
  return { row, refused };
}

/** The row as extensions have changed it, and whether it is dropped as a zero amount (docs/tracking.md §6). */
export async function filteredRow(
  app: Deps,
  row: NewReferral,
  { provider, keepZero }: { provider: string; keepZero: boolean },
): Promise<{ readonly row: NewReferral; readonly isDropped: boolean }> {
  const response = app.hooks.isUsed('referral_data')
    ? await app.hooks.applyFilters('referral_data', { ...row }, provider)
    : row;
  const checked = response === row ? row : merge(row, response);
  if (parseAmount({ minor: checked.amount_minor }, checked.currency ?? 'USD') === null)
    fail('amount_overflow');
  if (checked.amount_minor > 0 || !ZERO_GUARDED.includes(checked.type) || keepZero)
    return { row: checked, isDropped: false };
  const isDropped = await app.hooks.applyFilters('ignore_zero_amount_referral', true, { ...checked });
  return { row: checked, isDropped };
}

/**
 * Takes only known keys with valid values from a filter's value. The affiliate and the key of the order
 * cannot be changed.
 */
function merge(row: NewReferral, response: Readonly<Record<string, unknown>>): NewReferral {
  const {
    amount_minor: amount,
    order_total_minor: total,
    status,
    type,
    description,
    utm_campaign: campaign,
    settings,
  } = response;
  const settled =
    Number.isSafeInteger(amount) && (amount as number) >= 0
      ? minor(amount as number)
      : fail('hook_aborted', { message: 'An extension returned an invalid amount.' });
  return {
    ...row,
    amount_minor: settled,
    ...(Number.isSafeInteger(total) &&
      (total as number) >= 0 && { order_total_minor: minor(total as number) }),
    ...(STATUSES.includes(status as ReferralStatus) && { status: status as ReferralStatus }),
    ...(TYPES.includes(type as ReferralType) && { type: type as ReferralType }),
    ...(typeof description === 'string' && { description: cut(plainLine(description), 500) }),
    ...(typeof campaign === 'string' && { utm_campaign: cut(plainLine(campaign), 100) }),
    ...(isMap(settings) && { settings }),
  };
}
