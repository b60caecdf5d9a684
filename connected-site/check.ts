import { currencyDigits, isCurrency } from '../src/core/currency.js';
import { hasMoreDecimals, readDecimal } from '../src/core/decimal.js';
import { PrimaryError } from './client.js';
import type { ConversionReport, FollowUp, LeadReport } from './types.js';

// What the primary would refuse is refused here at once: a report that waits for the primary could be lost
// when it is refused later.

const REFERENCE_MAX = 150;
const PARAM_MAX = 191;
const KIND_MAX = 30;
const CLICK_MAX = 64;
const PRODUCTS_MAX = 100;
const NAMES = {
  conversion: [
    'reference',
    'affiliate_param',
    'visit_id',
    'click',
    'order',
    'currency',
    'status',
    'type',
    'description',
    'customer',
    'products',
    'amount',
    'occurred_at',
  ],
  lead: [
    'reference',
    'kind',
    'customer',
    'affiliate_param',
    'visit_id',
    'description',
    'defer',
    'occurred_at',
  ],
  order: ['subtotal', 'tax', 'shipping', 'discount'],
  customer: ['email', 'first_name', 'last_name', 'ip'],
  product: ['item_id', 'title', 'subtotal', 'tax', 'discount', 'total'],
  change: ['status', 'refunded_total', 'refunded_base'],
} as const;

type Values = Readonly<Record<string, unknown>>;

const refuse = (field: string, needs: string): never => {
  throw new PrimaryError(422, 'validation_failed', `${field}: ${needs}`);
};

/** Such a text leads to another path, however it is written: the order could never be changed. */
export const isNoSegment = (text: string): boolean => /^\.{0,2}$/.test(text);

export function checkReference(reference: unknown): void {
  if (!isText(reference, REFERENCE_MAX) || isNoSegment(String(reference)))
    refuse('reference', `a text of 1 to ${REFERENCE_MAX} characters other than "." and "..".`);
}

/** `currency` is the program's, for orders that name none; null while it is not known. */
export function checkConversion(report: ConversionReport, currency: string | null): void {
  checkReference(report.reference);
  checkNames('', report, NAMES.conversion);
  const own: unknown = report.currency;
  if (own !== undefined && (typeof own !== 'string' || !isCurrency(own.toUpperCase())))
    refuse('currency', 'a code of ISO 4217, such as EUR.');
  const code = typeof own === 'string' ? own.toUpperCase() : currency;
  const digits = code === null ? null : currencyDigits(code);
  oneOf('status', report.status, ['pending', 'unpaid']);
  oneOf('type', report.type, ['sale', 'opt_in']);
  optionalText('affiliate_param', report.affiliate_param, PARAM_MAX);
  optionalText('description', report.description, 500);
  optionalText('click', report.click, CLICK_MAX);
  if (report.visit_id !== undefined && !(Number.isSafeInteger(report.visit_id) && report.visit_id > 0))
    refuse('visit_id', 'the number of a visit.');
  const order: unknown = report.order;
  if (!isMap(order)) return refuse('order', 'the amounts of the order.');
  checkNames('order.', order, NAMES.order);
  if (order['subtotal'] === undefined) refuse('order.subtotal', 'an amount.');
  checkAmounts('order.', order, { names: NAMES.order, digits });
  checkCustomer(report.customer);
  checkProducts(report.products, digits);
}

export function checkLead(report: LeadReport): void {
  checkReference(report.reference);
  checkNames('', report, NAMES.lead);
  if (!isText(report.kind, KIND_MAX)) refuse('kind', 'a short word such as signup or trial.');
  optionalText('affiliate_param', report.affiliate_param, PARAM_MAX);
  optionalText('description', report.description, 255);
  checkCustomer(report.customer);
  if (!isText(report.customer?.email, PARAM_MAX)) refuse('customer.email', 'the address of the customer.');
}

export function checkChange(change: FollowUp): void {
  checkNames('', change, NAMES.change);
  if (Object.values(change).every((value) => value === undefined))
    refuse('status', 'send status, refunded_total or refunded_base.');
  oneOf('status', change.status, ['unpaid', 'rejected']);
  checkAmounts('', change, { names: ['refunded_total', 'refunded_base'], digits: null });
}

function checkCustomer(customer: unknown): void {
  if (customer === undefined) return;
  if (!isMap(customer)) return refuse('customer', 'what is known of the buyer.');
  checkNames('customer.', customer, NAMES.customer);
  for (const name of NAMES.customer)
    optionalText(`customer.${name}`, customer[name], name === 'ip' ? 64 : PARAM_MAX);
}

function checkProducts(products: unknown, digits: number | null): void {
  if (products === undefined) return;
  if (!Array.isArray(products) || products.length > PRODUCTS_MAX)
    return refuse('products', `a list of at most ${PRODUCTS_MAX}.`);
  for (const [at, product] of (products as readonly unknown[]).entries()) {
    const path = `products.${at}.`;
    if (!isMap(product)) return refuse(`products.${at}`, 'a product.');
    checkNames(path, product, NAMES.product);
    if (!isText(product['item_id'], PARAM_MAX)) refuse(`${path}item_id`, 'the id of the product.');
    optionalText(`${path}title`, product['title'], 255);
    checkAmounts(path, product, { names: ['subtotal', 'tax', 'discount', 'total'], digits });
  }
}

function checkAmounts(
  path: string,
  values: object,
  { names, digits }: { readonly names: readonly string[]; readonly digits: number | null },
): void {
  for (const name of names) {
    const value = (values as Values)[name];
    if (value === undefined) continue;
    const decimal = typeof value === 'string' || typeof value === 'number' ? readDecimal(value) : null;
    if (decimal === null || decimal.units < 0n) refuse(`${path}${name}`, 'an amount of 0 or more.');
    if (digits !== null && hasMoreDecimals(value, digits))
      refuse(`${path}${name}`, `an amount with at most ${digits} decimals.`);
  }
}

/** A misspelled amount would be ignored, and the commission would be wrong. */
function checkNames(path: string, value: object, known: readonly string[]): void {
  for (const name of Object.keys(value))
    if (!known.includes(name)) refuse(`${path}${name}`, `not known here; there are ${known.join(', ')}.`);
}

function oneOf(field: string, value: unknown, words: readonly string[]): void {
  if (value !== undefined && !words.includes(value as string)) refuse(field, `one of ${words.join(', ')}.`);
}

function optionalText(field: string, value: unknown, max: number): void {
  if (value !== undefined && value !== '' && !isText(value, max))
    refuse(field, `a text of at most ${max} characters.`);
}

const isText = (value: unknown, max: number): boolean =>
  (typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value))) &&
  String(value).trim() !== '' &&
  Array.from(String(value)).length <= max;
const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
