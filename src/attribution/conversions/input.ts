import { minor, parseAmount, split, type Minor } from '../../core/money.js';
import { mailbox } from '../../core/mailbox.js';
import { exactName, orderKey } from '../../core/order-key.js';
import { statedTime } from '../../core/stated-time.js';
import { cut, LINE, plainLine } from '../../core/text.js';
import { failFields, FieldCheck } from '../../errors.js';
import type { CustomerInput } from '../../accounting/customers/types.js';
import { readCurrency } from '../../records/currency-field.js';
import {
  DISPUTE_STATES,
  REJECT_REASONS,
  type DisputeState,
  type OrderName,
  type RejectReason,
} from '../../accounting/orders/types.js';
import type {
  Conversion,
  ConversionInput,
  Item,
  ItemInput,
  MoneyInput,
  OrderInput,
  OrderKey,
  PaidInput,
  RateRule,
  ReportedInput,
  Totals,
} from './types.js';

const TYPES = ['sale', 'opt_in', 'lead', 'payment'] as const;
const ITEMS_MAX = 5000;
const ID_MAX = 191;
const PROVIDER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/u;
export const PROVIDER_SAYS =
  'provider must be 1 to 100 letters, digits, dots, hyphens or underscores, and begin with a letter or digit.';
const notAmount = (field: string): string =>
  `${field} must be an amount such as "12.50" or { minor: 1250 }, at most 99,999,999,999.99.`;

export const NOT_ISO = 'currency must be an ISO 4217 code, such as EUR.';
const RULES_MAX = 1000;
const WHOLE_E4 = 1_000_000; // 100 %
const ZERO = minor(0);

/** Checks a conversion; throws `validation_failed` with every invalid field. */
export function checkConversion(
  input: ReportedInput,
  { currency: programCurrency, now }: { readonly currency: string; readonly now: number },
): Conversion {
  const check = new FieldCheck();
  const currency = readCurrency(check, input.order?.currency, {
    fallback: programCurrency,
    name: 'order.currency',
    refusal: NOT_ISO,
  });
  const money = new MoneyReader(check, currency);
  const items = readItems(check, money, input.items ?? []);
  const totals = readTotals(money, input.order);
  const conversion: Conversion = {
    ...readKey(check, input),
    type: input.bonus ? 'bonus' : readWord(check, 'type', input.type ?? 'sale', TYPES),
    status: readWord(check, 'status', input.status ?? 'pending', ['pending', 'unpaid'] as const),
    currency,
    country: text(input.order?.country, 10) || null,
    totals: expected(totals, input.status),
    is_paid_told: isPaidReported(input.order, totals),
    items: spread(items, totals),
    customer: readCustomer(check, input.customer),
    description: text(input.description, 500) || describe(items),
    affiliate: readAffiliate(check, input.affiliate),
    coupon: text(input.coupon, 100) || null,
    coupon_counts: couponCounts(money, input.order, totals),
    visit_id: readId(check, 'visit_id', input.visit_id),
    created_by_staff: input.created_by_staff === true,
    upgrade: Boolean(input.upgrade_of),
    subscription: readSubscription(check, input.subscription),
    commission: money.optional('commission', input.commission),
    rules: readRules(check, input.rules),
    ordered_at: readTime(input.ordered_at, now),
    ...unchangedFields(input),
  };
  if (needsOrder(conversion)) check.add('order', 'required', 'A sale needs its order.');
  check.throwIfAny();
  return conversion;
}

/** Fields that are stored as given. */
const unchangedFields = ({
  site_id,
  settings,
  lead,
  bonus,
}: ReportedInput): Pick<Conversion, 'site_id' | 'settings' | 'lead' | 'bonus'> => ({
  site_id: site_id ?? null,
  settings: settings ?? {},
  lead: lead ?? null,
  bonus: bonus ?? null,
});

const isPaidReported = (order: OrderInput | undefined, totals: Totals | null): boolean =>
  order?.paid !== undefined && totals !== null && totals.paid > 0;

/** A coupon without a discount, on goods or shipping, does not identify the affiliate (docs/tracking.md §5). */
const couponCounts = (money: MoneyReader, order: OrderInput | undefined, totals: Totals | null): boolean =>
  money.read('order.shipping_discount', order?.shipping_discount) > 0 ||
  order?.discount === undefined ||
  (totals !== null && totals.goods < totals.goods_before_discount);

/** A sale without totals earns only the commission that its source gives. */
const needsOrder = ({ totals, type, commission }: Conversion): boolean =>
  totals === null && type === 'sale' && commission === null;

const readTime = (at: number | undefined, now: number): number | null =>
  at !== undefined && Number.isSafeInteger(at) ? statedTime(at, now) : null;

export class MoneyReader {
  constructor(
    private readonly check: FieldCheck,
    private readonly currency: string,
  ) {}

  read(field: string, value: MoneyInput | null | undefined, fallback: Minor = ZERO): Minor {
    if (value === undefined || value === null) return fallback;
    const amount = isAmount(value) ? parseAmount(value, this.currency) : null;
    if (amount === null) this.check.add(field, 'numeric', notAmount(field));
    else if (amount < 0) this.check.add(field, 'min', `${field} must be 0 or more.`);
    else return amount;
    return fallback;
  }

  /** Like `required`, also below 0: a trade-in or a deposit lowers what the other lines are worth. */
  signed(field: string, value: MoneyInput | null | undefined): Minor {
    if (value === undefined || value === null || value === '') return this.required(field, value);
    const amount = isAmount(value) ? parseAmount(value, this.currency) : null;
    if (amount === null) this.check.add(field, 'numeric', notAmount(field));
    return amount ?? ZERO;
  }

  /** null when the input has no such value. */
  optional(field: string, value: MoneyInput | null | undefined): Minor | null {
    return value === undefined || value === null ? null : this.read(field, value);
  }

  required(field: string, value: MoneyInput | null | undefined): Minor {
    if (value === undefined || value === null || value === '')
      this.check.add(field, 'required', `${field} is missing.`);
    return this.read(field, value === '' ? undefined : value);
  }
}

const isAmount = (value: unknown): value is MoneyInput =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  (typeof value === 'object' && value !== null && 'minor' in value && typeof value.minor === 'number');

/** A line below zero has no discount. */
const reducedBy = (before: number, discount: number): number =>
  before < 0 ? before : Math.max(0, before - discount);

function readTotals(money: MoneyReader, order: OrderInput | undefined): Totals | null {
  if (!order) return null;
  const before = money.required('order.subtotal', order.subtotal);
  const goods = minor(Math.max(0, before - money.read('order.discount', order.discount)));
  const parts = {
    goods,
    goods_before_discount: before,
    goods_tax: money.read('order.tax', order.tax),
    shipping: money.read('order.shipping', order.shipping),
    shipping_tax: money.read('order.shipping_tax', order.shipping_tax),
    fees: money.read('order.fees', order.fees),
  };
  const sum = minor(goods + parts.goods_tax + parts.shipping + parts.shipping_tax + parts.fees);
  const total = money.read('order.total', order.total, sum);
  const received = money.read('order.paid', order.paid, total);
  return {
    ...parts,
    grand_total: total,
    paid: minor(Math.min(total, received)),
    ...(received > total && { received }),
  };
}

/** Nothing received of an order that is not paid yet means that all of it is expected. */
const expected = (totals: Totals | null, status: ConversionInput['status']): Totals | null =>
  totals !== null && totals.paid === 0 && status !== 'unpaid'
    ? { ...totals, paid: totals.grand_total }
    : totals;

function readItems(check: FieldCheck, money: MoneyReader, items: readonly ItemInput[]): Item[] {
  if (!Array.isArray(items) || items.length > ITEMS_MAX) {
    check.add('items', 'array', `items must be a list of at most ${ITEMS_MAX} items.`);
    return [];
  }
  return items.map((given: ItemInput | null | undefined, at) => {
    const item: Partial<ItemInput> = given ?? {};
    const before = money.signed(`items.${at}.subtotal`, item.subtotal);
    const quantity = item.quantity ?? 1;
    if (!Number.isFinite(quantity))
      check.add(`items.${at}.quantity`, 'numeric', 'quantity must be a number.');
    return {
      id: readExact(check, `items.${at}.id`, item.id),
      title: text(item.title, 255),
      quantity,
      category_ids: Array.isArray(item.categories) ? item.categories.map(plain) : [],
      sku: text(item.sku, 100) || null,
      commissionable: item.commissionable !== false,
      net_before_discount: before,
      net: minor(reducedBy(before, money.read(`items.${at}.discount`, item.discount))),
      tax:
        before < 0 ? money.signed(`items.${at}.tax`, item.tax ?? 0) : money.read(`items.${at}.tax`, item.tax),
    };
  });
}

/**
 * Spreads the discount and tax that the order has, but its items lack, over the items by their value
 * (docs/tracking.md §8.4).
 */
function spread(items: readonly Item[], totals: Totals | null): readonly Item[] {
  if (totals === null || items.length === 0) return items;
  const values = items.map((item) => Math.max(0, item.net_before_discount));
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const ofOrder =
    totals.goods_before_discount -
    totals.goods -
    sum(items.map((item) => item.net_before_discount - item.net));
  const discounts = split(
    minor(Math.max(0, ofOrder)),
    items.map((item) => Math.max(0, item.net)),
  );
  const taxed = items.some((item) => item.tax !== 0);
  const taxes = split(taxed ? ZERO : totals.goods_tax, values);
  return items.map((item, at) => ({
    ...item,
    net: minor(item.net < 0 ? item.net : Math.max(0, item.net - (discounts[at] ?? 0))),
    tax: taxed ? item.tax : (taxes[at] ?? ZERO),
  }));
}

function readKey(
  check: FieldCheck,
  input: ConversionInput,
): Pick<Conversion, 'provider' | 'reference' | 'sub_reference' | 'account'> {
  const provider = plain(input.provider);
  const reference = readExact(check, 'reference', input.reference);
  const sub = readExact(check, 'sub_reference', input.sub_reference);
  if (!PROVIDER.test(provider)) check.add('provider', 'string', PROVIDER_SAYS);
  if (reference === '' && sub === '') check.add('reference', 'required', 'reference is missing.');
  return {
    provider,
    reference: reference || null,
    sub_reference: sub || null,
    account: readExact(check, 'account', input.account),
  };
}

/**
 * What names something: an order, a line, a refund. It is stored exactly or refused, because two names must
 * not become one.
 */
export function readExact(check: FieldCheck, field: string, value: unknown, max = ID_MAX): string {
  const name = exactName(plain(value));
  if (!LINE.fits(name)) check.add(field, LINE.rule, LINE.says);
  if (name.length > max) check.add(field, 'max', `${field} may have at most ${max} characters.`);
  return name;
}

function readCustomer(check: FieldCheck, customer: ConversionInput['customer']): Conversion['customer'] {
  const name = (value: unknown): string | null => text(value, ID_MAX) || null;
  const given = customer ?? {};
  const user = Number(plain(given.user_id));
  const email = plain(given.email).trim();
  if (email !== '' && mailbox(email) === null)
    check.add('customer.email', 'email', 'customer.email must be one e-mail address.');
  return {
    email: name(given.email),
    user_id: Number.isSafeInteger(user) && user > 0 ? user : null,
    first_name: name(given.first_name),
    last_name: name(given.last_name),
    ip: name(given.ip),
    payment_fingerprint: name(given.payment_fingerprint),
    ref: name(given.ref),
  };
}

/** The buyer of an order, with the account that its provider knows the buyer by. */
export function buyerOf({ provider, account, customer }: Conversion): CustomerInput {
  const { ref, ...buyer } = customer;
  return { ...buyer, ref: ref === null ? null : { provider, account, id: ref } };
}

/**
 * Checks the reason an order ended. Callers without types may misspell it, and a fact is never taken back.
 */
export const endOf = (reason: RejectReason): RejectReason => knownWord('reason', reason, REJECT_REASONS);

/** Checks the state of a dispute for the same reason. */
export const disputeStateOf = (state: DisputeState): DisputeState =>
  knownWord('state', state, DISPUTE_STATES);

function knownWord<T extends string>(field: string, value: T, words: readonly T[]): T {
  if (!words.includes(value))
    failFields({ [field]: { in: `${field} must be one of: ${words.join(', ')}.` } });
  return value;
}

function readWord<T extends string>(
  check: FieldCheck,
  field: string,
  value: unknown,
  words: readonly T[],
): T {
  const word = words.find((each) => each === value);
  if (word === undefined) check.add(field, 'in', `${field} must be one of: ${words.join(', ')}.`);
  return word ?? (words[0] as T);
}

function readAffiliate(check: FieldCheck, value: number | string | null | undefined): number | string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : readId(check, 'affiliate', value);
}

function readId(check: FieldCheck, field: string, value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (Number.isSafeInteger(value) && value > 0) return value;
  check.add(field, 'numeric', `${field} must be an ID: a whole number above 0.`);
  return null;
}

function readSubscription(
  check: FieldCheck,
  value: ConversionInput['subscription'],
): Conversion['subscription'] {
  if (!value) return null;
  const id = readExact(check, 'subscription.id', value.id);
  if (id === '') check.add('subscription.id', 'required', 'subscription.id is missing.');
  return {
    id,
    phase: value.phase === 'renewal' ? 'renewal' : 'first',
    parent_id: readId(check, 'subscription.parent_id', value.parent_id),
    interval: text(value.interval, 50) || null,
    plan: text(value.plan, 100) || null,
  };
}

/** Reads the rates of a provider or host; the first invalid one is named. */
function readRules(check: FieldCheck, value: unknown): readonly RateRule[] {
  if (value === undefined || value === null) return [];
  const rules: readonly unknown[] = Array.isArray(value) ? value : [null];
  const wrong = rules.length > RULES_MAX ? RULES_MAX : rules.findIndex((rule) => !isRule(rule));
  if (wrong === -1) return rules as readonly RateRule[];
  check.add(
    'rules',
    'shape',
    `rules[${wrong}] must be { object_type: 'product' | 'category', object_ids: [id], ` +
      "rate_type: 'percentage' | 'fixed', rate_e4: rate × 10 000 }.",
  );
  return [];
}

function isRule(rule: unknown): rule is RateRule {
  if (typeof rule !== 'object' || rule === null) return false;
  const {
    object_type: type,
    object_ids: ids,
    rate_e4: rate,
    rate_type: kind,
  } = rule as Record<string, unknown>;
  return (
    (type === 'product' || type === 'category') &&
    Array.isArray(ids) &&
    ids.every((id) => (typeof id === 'string' && id !== '') || Number.isSafeInteger(id)) &&
    (kind === 'percentage' || kind === 'fixed') &&
    Number.isSafeInteger(rate) &&
    (rate as number) >= 0 &&
    (kind === 'fixed' || (rate as number) <= WHOLE_E4)
  );
}

/** The money received so far in minor units; undefined when it was not given. */
export function paidOf({ paid }: PaidInput, currency: string): number | undefined {
  if (paid === undefined) return undefined;
  const check = new FieldCheck();
  const amount = new MoneyReader(check, currency).read('paid', paid);
  check.throwIfAny();
  return amount;
}

/** "Mug and 2 more items". */
function describe(items: readonly Item[]): string | null {
  const [first] = items;
  if (!first || first.title === '') return null;
  const more = items.length - 1;
  return more === 0 ? first.title : `${first.title} and ${more} more ${more === 1 ? 'item' : 'items'}`;
}

/** The order as filters see it: the submitted data without the source's own object. */
export function orderData(input: ConversionInput): Readonly<Record<string, unknown>> {
  const { vendor_order: _vendor, rules: _rules, settings: _settings, ...data } = input;
  return data;
}

// Plain JavaScript may call this too, so anything but text and numbers counts as missing.
const plain = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const text = (value: unknown, max: number): string => cut(plainLine(plain(value)), max);

/** The key by which a repeat of this order is found. */
export const keyOf = ({ provider, reference, sub_reference, account }: Conversion): string =>
  orderKey(provider, { reference, sub_reference, account });

/** The name of an order with every part; a missing part is ''. */
export function nameOf(provider: string, key: OrderKey): OrderName {
  const {
    reference = null,
    sub_reference: sub = null,
    account = '',
  } = typeof key === 'object' ? key : { reference: key };
  return {
    provider,
    account: exactName(account),
    reference: exactName(reference),
    sub_reference: exactName(sub),
  };
}
