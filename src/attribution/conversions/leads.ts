import type { IncomingMessage } from 'node:http';
import { exactName } from '../../core/order-key.js';
import { LINE } from '../../core/text.js';
import { fail, FieldCheck } from '../../errors.js';
import {
  UNKNOWN_ORDER,
  type Order,
  type RejectReason,
  type SettleResult,
} from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { endOf, nameOf, PROVIDER_SAYS } from './input.js';
import { couponAffiliate } from './coupon-repository.js';
import { checkLeadKeys } from './known-keys.js';
import { LEAD } from './lead-repository.js';
import type { RecordOutcome } from './order-report.js';
import { reportOrder } from './report.js';
import type { BuyerInput, LeadInput, LeadKey, OrderKey, ReportedInput } from './types.js';

const KIND = /^[a-z][a-z0-9_-]{0,29}$/;
const KIND_SAYS =
  'kind must be 1 to 30 lower-case letters, digits, hyphens or underscores, and begin with a letter, such as signup.';
const REFERENCE_MAX = 150;

/**
 * Leads: sign-ups, forms and trials that earn a flat amount. A lead is an order of its own without a total, so
 * facts, approval, cancellation and payout work as for any order (docs/tracking.md §17).
 */
export class Leads {
  constructor(private readonly app: Deps) {}

  async record(req: IncomingMessage | null, input: LeadInput): Promise<RecordOutcome> {
    return reportOrder(this.app, { req, input: conversionOf(input, checkLead(input)) });
  }

  /** The lead is real: what it earns waits no longer. */
  async qualify(lead: LeadKey): Promise<SettleResult> {
    const order = await this.#find(lead);
    return order === null ? UNKNOWN_ORDER : this.app.orders.changes.complete(order);
  }

  /** The lead was not real, or is withdrawn. */
  async cancel(lead: LeadKey, reason: RejectReason): Promise<SettleResult> {
    const order = await this.#find(lead);
    return order === null ? UNKNOWN_ORDER : this.app.orders.changes.cancel(order, endOf(reason));
  }

  /** With `forbidSelfManagement`, users cannot report leads that credit their own account. */
  async forbidOwn({ affiliate, visit_id, coupon, provider }: LeadInput): Promise<void> {
    const { referrals, tracking, visits, db } = this.app;
    if (typeof affiliate === 'number') await referrals.forbidOwn(affiliate);
    if (typeof affiliate === 'string')
      await referrals.forbidOwn((await tracking.resolveParam(affiliate))?.id ?? null);
    if (visit_id) await referrals.forbidOwn((await visits.find(visit_id))?.affiliate_id ?? null);
    if (coupon) await referrals.forbidOwn(await couponAffiliate(db, provider, coupon));
  }

  async get(lead: LeadKey): Promise<Order> {
    return (await this.#find(lead)) ?? fail('referral_not_found');
  }

  async #find(lead: LeadKey): Promise<Order | null> {
    return this.app.orders.changes.find(nameOf(lead.provider, checkLeadKey(lead)));
  }
}

/** An order can never have this name, so a lead and an order may have the same reference. */
const keyOf = ({ reference, kind, account = '' }: LeadKey): Exclude<OrderKey, string | number> => ({
  account,
  sub_reference: `${LEAD}${kind}:${exactName(reference)}`,
});

function checkLeadKey(lead: LeadKey): ReturnType<typeof keyOf> {
  const check = new FieldCheck();
  checkName(check, lead);
  check.throwIfAny();
  return keyOf(lead);
}

const isKind = (kind: unknown): boolean => typeof kind === 'string' && KIND.test(kind);

function checkName(check: FieldCheck, { provider, reference, kind, account = '' }: LeadKey): void {
  const name = typeof reference === 'string' || typeof reference === 'number' ? exactName(reference) : '';
  if (name === '') check.add('reference', 'required', 'reference is missing.');
  if (typeof provider !== 'string' || provider === '') check.add('provider', 'string', PROVIDER_SAYS);
  for (const [field, value] of Object.entries({ provider, reference: name, account }))
    if (typeof value === 'string' && !LINE.fits(value)) check.add(field, LINE.rule, LINE.says);
  if (name.length > REFERENCE_MAX)
    check.add('reference', 'max', `reference may have at most ${REFERENCE_MAX} characters.`);
  if (!isKind(kind)) check.add('kind', 'pattern', KIND_SAYS);
}

function checkLead(input: LeadInput): ReturnType<typeof keyOf> {
  const check = new FieldCheck();
  checkLeadKeys(check, input);
  checkName(check, input);
  // code without types may leave it out
  const { email, user_id: user, ref }: Partial<BuyerInput> = { ...input.customer };
  if (!email && !user && !ref)
    check.add('customer', 'required', 'A lead needs the customer: email, user_id or ref.');
  check.throwIfAny();
  return keyOf(input);
}

function conversionOf(
  { provider, kind, reference, customer, description, defer, happened_at: at, ...source }: LeadInput,
  key: ReturnType<typeof keyOf>,
): ReportedInput {
  const { affiliate, coupon, visit_id, site_id, settings } = source;
  return {
    provider,
    ...key,
    lead: kind,
    type: 'lead',
    status: defer === true ? 'pending' : 'unpaid',
    customer,
    description: description ?? kind,
    ...(affiliate !== undefined && { affiliate }),
    ...(coupon !== undefined && { coupon }),
    ...(visit_id !== undefined && { visit_id }),
    ...(site_id !== undefined && { site_id }),
    ...(at !== undefined && { ordered_at: at }),
    settings: { ...settings, lead: { kind, reference: exactName(reference) } },
  };
}
