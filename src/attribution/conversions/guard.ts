import { clientAddress } from '../../platform/http/client-address.js';
import type { FraudHit, Suspect } from '../fraud/types.js';
import { AffiliateFinder } from './affiliate-finder.js';
import type { CreditedOrder } from './attribute.js';
import type { Deps } from './deps.js';
import { orderData } from './input.js';
import type { OrderReport } from './order-report.js';
import { skip, type Skip, type SkipReason } from './types.js';

export interface GuardedOrder extends CreditedOrder {
  /** The rules against fraud that matched. */
  readonly hits: readonly FraudHit[];
  /** The rule that blocks its commission until it is paid. */
  readonly refusedBy: SkipReason | null;
}

/** Asks the rules against fraud, then the host, which is given their objections (docs/tracking.md §6). */
export async function guard(app: Deps, credited: CreditedOrder): Promise<GuardedOrder | Skip> {
  const { report, conversion, credit, renewal } = credited;
  const affiliateId = credit.affiliate.id;
  const hits = await app.fraud.check(await suspectOf(app, credited));
  const rejected = hits.find((hit) => hit.action === 'reject');
  // A shop reports the whole order again, which is then reviewed as if it were new.
  const isFinal = report.shop !== undefined || conversion.status === 'unpaid' || renewal !== undefined;
  if (rejected && isFinal) return skip(rejected.rule, affiliateId, hits);
  if (await isVetoed(app, credited, hits)) return skip('refused', affiliateId);
  return { ...credited, hits, refusedBy: rejected?.rule ?? null };
}

/** May the order be credited? The host's filters decide. */
async function isVetoed(
  app: Deps,
  { input, conversion, credit }: CreditedOrder,
  hits: readonly FraudHit[],
): Promise<boolean> {
  if (!app.hooks.isUsed('should_process_referral')) return false;
  const { payment_fingerprint: _payment, ...customer } = conversion.customer;
  const question = {
    affiliate: credit.affiliate,
    customer,
    order_data: orderData(input),
    provider: conversion.provider,
    reasons: hits.map(({ rule }) => rule),
  };
  return !(await app.hooks.applyFilters('should_process_referral', true, question));
}

/** The person who sends the request is the buyer, unless staff entered the order or a subscription was renewed. */
async function suspectOf(app: Deps, { report, conversion, credit }: CreditedOrder): Promise<Suspect> {
  const { customer, created_by_staff: byStaff, subscription, ordered_at: at } = conversion;
  const isRenewal = subscription?.phase === 'renewal';
  const present = byStaff || isRenewal ? null : report.req;
  const { email, user_id, payment_fingerprint, ip } = customer;
  return {
    affiliate: credit.affiliate,
    buyer: { email, user_id, payment_fingerprint },
    visit_id: credit.visit_id,
    click: credit.click ?? null,
    coupon: await couponOf(app, { report: { ...report, req: present }, conversion, credit }),
    isRenewal,
    at: at ?? app.clock.now(),
    address: ip ?? (present === null ? null : clientAddress(present, app.options.tracking.trustProxy)),
    signedIn: present === null ? null : ((await app.host.currentUser(present))?.id ?? null),
  };
}

/**
 * The buyer's click on a link of the affiliate, when a coupon credits the order. Looked for only while the rule
 * about coupons without clicks is on.
 */
async function couponOf(
  app: Deps,
  { report, conversion, credit }: Pick<CreditedOrder, 'report' | 'conversion' | 'credit'>,
): Promise<Suspect['coupon']> {
  if (credit.source !== 'coupon') return shopsCoupon(report);
  const { codeWithoutClick: action } = (await app.settings.rules()).fraud;
  if (action === 'off') return null;
  return { clicked_at: await new AffiliateFinder(app).couponClick(credit, conversion, report.req) };
}

const shopsCoupon = ({ shop }: OrderReport): Suspect['coupon'] =>
  shop?.order?.source === 'coupon' ? { clicked_at: shop.couponClick ?? null } : null;
