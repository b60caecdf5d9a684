import type { Minor } from '../../core/money.js';
import { failFields, FieldCheck } from '../../errors.js';
import { readCurrency } from '../../records/currency-field.js';
import { MoneyReader, NOT_ISO, readExact } from './input.js';
import { checkRefund } from './known-keys.js';
import type { MoneyInput, RefundInput } from './types.js';

const ID_MAX = 150;
const ITEMS_MAX = 5000;

/** A refund in minor units, as orders take it. */
export interface CheckedRefund {
  readonly refund_id: string | null;
  readonly gross: number | null;
  readonly base: number | null;
  readonly items?: readonly { readonly item_id: string; readonly net: number; readonly tax: number }[];
  readonly shipping?: number;
  readonly shipping_tax?: number;
  readonly fees?: number;
  readonly currency: string;
  readonly undone: boolean;
}

/** Checks a refund; throws `validation_failed` with every invalid field. */
export function refundOf(input: RefundInput, orderCurrency: string): CheckedRefund {
  checkRefund(input);
  const check = new FieldCheck();
  const currency = readCurrency(check, input.currency, { fallback: orderCurrency, refusal: NOT_ISO });
  const money = new MoneyReader(check, currency);
  const read = (field: string, value: MoneyInput | undefined): Minor | null =>
    value === undefined ? null : money.read(field, value);
  const isTotal = input.refunded_total !== undefined || input.refunded_base !== undefined;
  const one = readParts(check, money, input);
  const isNamed = input.refund_id !== undefined && input.refund_id !== '';
  if (
    !isTotal &&
    !(isNamed && (input.undone === true || input.amount !== undefined || Object.keys(one).length > 0))
  )
    failFields({ refunded_total: { required: 'Send refunded_total, or refund_id with amount or items.' } });
  const checked = isTotal
    ? {
        refund_id: null,
        gross: read('refunded_total', input.refunded_total),
        base: read('refunded_base', input.refunded_base),
      }
    : {
        refund_id: readExact(check, 'refund_id', input.refund_id, ID_MAX),
        gross: read('amount', input.amount),
        base: null,
        ...one,
      };
  check.throwIfAny();
  return { ...checked, currency, undone: input.undone === true };
}

/** The parts that the refund returned. */
function readParts(
  check: FieldCheck,
  money: MoneyReader,
  input: RefundInput,
): Pick<CheckedRefund, 'items' | 'shipping' | 'shipping_tax' | 'fees'> {
  const items = readItems(check, money, input.items);
  const amounts = (['shipping', 'shipping_tax', 'fees'] as const).flatMap((name) =>
    input[name] === undefined ? [] : [[name, money.read(name, input[name])] as const],
  );
  return { ...(items && { items }), ...Object.fromEntries(amounts) };
}

function readItems(
  check: FieldCheck,
  money: MoneyReader,
  items: RefundInput['items'],
): CheckedRefund['items'] | null {
  if (items === undefined) return null;
  if (!Array.isArray(items) || items.length > ITEMS_MAX) {
    check.add('items', 'array', `items must be a list of at most ${ITEMS_MAX} items.`);
    return null;
  }
  return items.map((item, at) => ({
    item_id: readExact(check, `items.${at}.id`, item?.id),
    net: money.required(`items.${at}.subtotal`, item?.subtotal),
    tax: money.read(`items.${at}.tax`, item?.tax),
  }));
}
