import { currencyDigits, isCurrency } from '../../core/currency.js';
import { hasMoreDecimals } from '../../core/decimal.js';
import { LINE } from '../../core/text.js';
import { unknownKey } from '../../core/unknown-key.js';
import { FieldCheck } from '../../errors.js';
import type {
  ConversionInput,
  ItemInput,
  LeadInput,
  OrderInput,
  OrderKey,
  PaidInput,
  RateRule,
  RefundInput,
  UpdateInput,
} from './types.js';

type Names<T> = Readonly<Record<keyof Required<T>, true>>;

const INPUT: Names<ConversionInput> = {
  provider: true,
  reference: true,
  sub_reference: true,
  account: true,
  type: true,
  status: true,
  order: true,
  items: true,
  customer: true,
  description: true,
  affiliate: true,
  coupon: true,
  visit_id: true,
  ordered_at: true,
  created_by_staff: true,
  upgrade_of: true,
  subscription: true,
  commission: true,
  rules: true,
  site_id: true,
  settings: true,
  vendor_order: true,
};
const LEAD: Names<LeadInput> = {
  provider: true,
  reference: true,
  kind: true,
  account: true,
  customer: true,
  affiliate: true,
  coupon: true,
  visit_id: true,
  description: true,
  defer: true,
  happened_at: true,
  site_id: true,
  settings: true,
};
const ORDER: Names<OrderInput> = {
  subtotal: true,
  discount: true,
  tax: true,
  shipping: true,
  shipping_tax: true,
  shipping_discount: true,
  fees: true,
  total: true,
  paid: true,
  currency: true,
  country: true,
};
const ITEM: Names<ItemInput> = {
  id: true,
  title: true,
  categories: true,
  sku: true,
  quantity: true,
  subtotal: true,
  discount: true,
  tax: true,
  commissionable: true,
};
const SUBSCRIPTION: Names<NonNullable<ConversionInput['subscription']>> = {
  id: true,
  phase: true,
  parent_id: true,
  interval: true,
  plan: true,
};
const RULE: Names<RateRule> = { object_type: true, object_ids: true, rate_e4: true, rate_type: true };
const REFUND: Names<RefundInput> = {
  refunded_total: true,
  refunded_base: true,
  amount: true,
  items: true,
  shipping: true,
  shipping_tax: true,
  fees: true,
  currency: true,
  undone: true,
  refund_id: true,
};
const REFUNDED_ITEM: Names<NonNullable<RefundInput['items']>[number]> = {
  id: true,
  subtotal: true,
  tax: true,
};
const UPDATE: Names<UpdateInput> = { order: true, items: true, customer: true, coupon: true };
const PAID: Names<PaidInput> = { paid: true };
const KEY: Names<Exclude<OrderKey, string | number>> = {
  reference: true,
  sub_reference: true,
  account: true,
};
const AMOUNTS = [
  'subtotal',
  'discount',
  'tax',
  'shipping',
  'shipping_tax',
  'shipping_discount',
  'fees',
  'total',
  'paid',
] as const;

/**
 * Checks input as strictly as options: an unknown key (`discont`, or a `currency` beside the order) or an
 * amount with more decimals than its currency is a mistake and is reported by name. Computed amounts should
 * be given as text or as `{ minor }`, because floats have too many decimals.
 */
export function checkAllKeys(input: ConversionInput, programCurrency: string): void {
  const check = new FieldCheck();
  asMap(check, 'order', input, RECORD_SAYS);
  check.throwIfAny();
  const currency = String(input.order?.currency ?? programCurrency)
    .trim()
    .toUpperCase();
  const digits = currencyDigits(isCurrency(currency) ? currency : programCurrency);
  checkPart(check, digits, { path: '', value: input, names: INPUT });
  checkPart(check, digits, { path: 'order.', value: input.order, names: ORDER });
  checkPart(check, digits, { path: 'subscription.', value: input.subscription, names: SUBSCRIPTION });
  checkList(check, digits, { path: 'items', value: input.items, names: ITEM });
  checkList(check, digits, { path: 'rules', value: input.rules, names: RULE });
  if (hasMoreDecimals(input.commission, digits)) tooMany(check, 'commission', digits);
  check.throwIfAny();
}

/** Checks the keys of a lead. */
export function checkLeadKeys(check: FieldCheck, input: LeadInput): void {
  checkKeys(check, { path: '', value: input, names: LEAD });
}

/** Checks the keys and amounts of an order that is reported again. */
export function checkUpdate(input: UpdateInput, currency: string): void {
  const check = new FieldCheck();
  const digits = currencyDigits(currency);
  checkKeys(check, { path: '', value: asMap(check, 'input', input), names: UPDATE });
  checkPart(check, digits, { path: 'order.', value: input.order, names: ORDER });
  checkList(check, digits, { path: 'items', value: input.items, names: ITEM });
  if (input.order === undefined && input.items !== undefined)
    check.add('order', 'required', 'Send the order with its items.');
  if (input.order === undefined && input.coupon !== undefined)
    check.add('order', 'required', 'Send the order with its coupon.');
  if (input.order === undefined && input.items === undefined && input.customer === undefined)
    check.add('order', 'required', 'Send order (with items) or customer.');
  check.throwIfAny();
}

export function checkPaid(input: PaidInput): void {
  const check = new FieldCheck();
  checkKeys(check, { path: '', value: asMap(check, 'input', input), names: PAID });
  check.throwIfAny();
}

/**
 * Checks the name of an order: the provider, and a reference or a key with one. Callers without types may
 * have left an argument out or changed their order.
 */
export function checkName(provider: unknown, key: unknown): void {
  const check = new FieldCheck();
  if (typeof provider !== 'string' || provider === '')
    check.add('provider', 'string', "Pass the provider as the first argument, such as 'shop'.");
  const isMap = typeof key === 'object' && key !== null && !Array.isArray(key);
  if (isMap) checkKeys(check, { path: 'key.', value: key, names: KEY });
  const { reference, sub_reference: sub } = (isMap ? key : { reference: key }) as Record<string, unknown>;
  const isWord = (value: unknown): boolean =>
    (typeof value === 'string' && value !== '') || (typeof value === 'number' && Number.isFinite(value));
  if (!isWord(reference) && !isWord(sub))
    check.add(
      'key',
      'required',
      "Pass the order's reference, or { reference, sub_reference, account }, as the second argument.",
    );
  for (const [field, value] of Object.entries({ reference, sub_reference: sub }))
    if (typeof value === 'string' && !LINE.fits(value)) check.add(field, LINE.rule, LINE.says);
  check.throwIfAny();
}

/** Reports anything but an object, and then reads nothing from it. */
function asMap(
  check: FieldCheck,
  field: string,
  value: unknown,
  says = 'Pass an object as the third argument.',
): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  check.add(field, 'shape', says);
  return {};
}

const RECORD_SAYS =
  'conversions.record(req, order): pass the request as the first argument, or null, and the order as the second.';

/** Callers without types may have left the request out, or have one of the Web's kind. */
export function checkRequest(req: { readonly headers?: unknown } | null | undefined): void {
  if (req === null) return;
  const headers = req?.headers;
  if (typeof headers === 'object' && headers !== null && !(headers instanceof Headers)) return;
  const says =
    headers instanceof Headers
      ? 'This is a Web Request. Pass plainRequest(request), from affiliate-service/bridges.'
      : RECORD_SAYS;
  new FieldCheck().add('req', 'shape', says).throwIfAny();
}

/**
 * Checks the keys of a refund. With a misspelled `undone` it would count as another refund, and the money would be
 * taken back twice.
 */
export function checkRefund(input: RefundInput): void {
  const check = new FieldCheck();
  checkKeys(check, { path: '', value: asMap(check, 'input', input), names: REFUND });
  check.throwIfAny();
  if (Array.isArray(input.items))
    for (const [at, value] of input.items.entries())
      checkKeys(check, { path: `items.${at}.`, value, names: REFUNDED_ITEM });
  check.throwIfAny();
}

interface Part {
  /** The path before the key: `order.`, or empty at the top. */
  readonly path: string;
  readonly value: unknown;
  readonly names: Readonly<Record<string, true>>;
}

function checkKeys(check: FieldCheck, { path, value, names }: Part): void {
  if (typeof value !== 'object' || value === null) return;
  const known = Object.keys(names);
  const elsewhere = (key: string): string | undefined =>
    names === INPUT && Object.hasOwn(ORDER, key) ? `order.${key}` : undefined;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(names, key)) continue;
    const { field, message } = unknownKey(key, { path, known, elsewhere });
    check.add(field, 'unknown_key', message);
  }
}

function checkPart(check: FieldCheck, digits: number, part: Part): void {
  const { path, value, names } = part;
  if (typeof value !== 'object' || value === null) return;
  checkKeys(check, part);
  for (const name of AMOUNTS) {
    const amount = (value as Readonly<Record<string, unknown>>)[name];
    if (Object.hasOwn(names, name) && hasMoreDecimals(amount, digits))
      tooMany(check, `${path}${name}`, digits);
  }
}

function checkList(check: FieldCheck, digits: number, { path, value, names }: Part): void {
  if (!Array.isArray(value)) return;
  for (const [at, each] of value.entries())
    checkPart(check, digits, { path: `${path}.${at}.`, value: each, names });
}

function tooMany(check: FieldCheck, field: string, digits: number): void {
  check.add(field, 'decimals', `${field} has more decimals than its currency, which has ${digits}.`);
}
