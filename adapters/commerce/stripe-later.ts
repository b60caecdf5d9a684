import type { ProviderEvent, ProviderRefund } from '../commerce.js';
import { currencyOf, fromVendorMinor, sum } from './amounts.js';
import { fields, given, idOf, list, text, texts, type Fields } from './reading.js';
import type { StripeEnvelope, StripeReading } from './stripe-envelope.js';

/** A charge does not name its invoice; this event links the two. */
export function invoicePayment(
  payment: Fields,
  { type: _type, ...base }: StripeEnvelope,
): readonly ProviderEvent[] {
  const invoice = idOf(payment['invoice']);
  const way = fields(payment['payment']);
  const refs = texts(way['payment_intent'], way['charge'], way['payment_record']);
  return invoice === '' || refs.length === 0
    ? []
    : [{ ...base, type: 'order.linked', order_ref: invoice, refs }];
}

/** One refund, by its id. A refund that still needs an action of the buyer does not count yet. */
export function refundEvents(
  refund: Fields,
  { type, ...base }: StripeEnvelope,
  { digits }: StripeReading,
): readonly ProviderEvent[] {
  const status = text(refund['status']);
  const ref = idOf(refund['payment_intent']) || idOf(refund['charge']);
  if (ref === '' || status === 'requires_action') return [];
  const currency = currencyOf(refund['currency']);
  const state = status === 'failed' || status === 'canceled' || type === 'refund.failed' ? 'undone' : 'done';
  return [
    {
      ...base,
      type: 'order.refunded',
      refund: {
        order_ref: ref,
        ...given('refund_id', refund['id']),
        gross: fromVendorMinor(refund['amount'], currency, digits),
        currency,
        state,
        by_id: true,
      },
    },
  ];
}

/** The total refunded of a charge so far; ignored for accounts that report each refund by its id. */
export function chargeRefunded(
  charge: Fields,
  { type: _type, ...base }: StripeEnvelope,
  { digits }: StripeReading,
): readonly ProviderEvent[] {
  const ref = idOf(charge['payment_intent']) || text(charge['id']);
  if (ref === '') return [];
  const currency = currencyOf(charge['currency']);
  return [
    {
      ...base,
      type: 'order.refunded',
      refund: {
        order_ref: ref,
        gross: fromVendorMinor(charge['amount_refunded'], currency, digits),
        currency,
        state: 'done',
        provisional: true,
      },
    },
  ];
}

/**
 * A credit note names its refunds; each counts once, for both orders of the events. If there is at most one
 * refund, the lines of the note are what was given back. What went to the customer's balance counts under the
 * id of the note.
 */
export function creditNoteEvents(
  note: Fields,
  { type, ...base }: StripeEnvelope,
  { digits }: StripeReading,
): readonly ProviderEvent[] {
  const invoice = idOf(note['invoice']);
  if (invoice === '' || text(note['id']) === '') return [];
  const currency = currencyOf(note['currency']);
  const money = (value: unknown): ReturnType<typeof fromVendorMinor> =>
    fromVendorMinor(value, currency, digits);
  const refund = {
    order_ref: invoice,
    currency,
    state: type === 'credit_note.voided' ? 'undone' : 'done',
  } as const;
  const carried = Array.isArray(note['refunds'])
    ? list(note['refunds']).map((each) => ({
        id: idOf(each['refund']),
        amount: money(each['amount_refunded']),
      }))
    : texts(note['refund']).map((id) => ({ id, amount: money(note['total']) }));
  const total = sum([money(note['total']), -Number(takenBefore(note, money))]);
  if (total <= 0) return [];
  const rest = total - sum(carried.map(({ amount }) => amount));
  if (carried.length <= 1 && (carried.length === 0 || rest === 0)) {
    return [
      {
        ...base,
        type: 'order.refunded',
        refund: {
          ...refund,
          refund_id: carried[0]?.id ?? text(note['id']),
          gross: total,
          ...details(note, money),
        },
      },
    ];
  }
  const parts: ProviderRefund[] = carried.map(({ id, amount }) => ({
    ...refund,
    refund_id: id,
    gross: amount,
  }));
  if (rest > 0) parts.push({ ...refund, refund_id: text(note['id']), gross: sum([rest]) });
  return parts.map((part) => ({ ...base, type: 'order.refunded', refund: part }));
}

/** What the note took off before the payment: it was never received, so the paid amount of the invoice lacks it. */
const takenBefore = (
  note: Fields,
  money: (value: unknown) => ReturnType<typeof fromVendorMinor>,
): ReturnType<typeof fromVendorMinor> =>
  note['pre_payment_amount'] === undefined && note['type'] === 'pre_payment'
    ? money(note['total'])
    : money(note['pre_payment_amount'] ?? 0);

/**
 * Lines of a credit note name the lines of the invoice; their net amount excludes tax. Shipping is separate.
 */
function details(
  note: Fields,
  money: (value: unknown) => ReturnType<typeof fromVendorMinor>,
): Pick<ProviderRefund, 'items' | 'shipping' | 'shipping_tax'> {
  if (takenBefore(note, money) !== 0) return {}; // the note does not show which lines were paid
  const all = list(fields(note['lines'])['data']);
  const lines = all.filter((line) => text(line['invoice_line_item']) !== '');
  const cost = fields(note['shipping_cost']);
  const [total, tax] = [money(cost['amount_total']), money(cost['amount_tax'])];
  if (lines.length < all.length || (lines.length === 0 && total <= 0)) return {};
  return {
    ...(total > 0 && { shipping: sum([total - tax]), shipping_tax: tax }),
    items: lines.map((line) => {
      const taxes = Array.isArray(line['taxes']) ? list(line['taxes']) : list(line['tax_amounts']);
      const discount = sum(list(line['discount_amounts']).map((each) => money(each['amount'])));
      const inclusive = sum(
        taxes
          .filter((tax) => tax['tax_behavior'] === 'inclusive' || tax['inclusive'] === true)
          .map((tax) => money(tax['amount'])),
      );
      return {
        item_id: text(line['invoice_line_item']),
        net: sum([money(line['amount']) - discount - inclusive]),
        tax: sum(taxes.map((tax) => money(tax['amount']))),
      };
    }),
  };
}

const WON = new Set(['won', 'warning_closed']);
const LOST = new Set(['lost', 'prevented']); // the money of a prevented one was given back already

/** Inquiries and unknown values only leave a remark. */
export function disputeEvents(
  dispute: Fields,
  { type, ...envelope }: StripeEnvelope,
): readonly ProviderEvent[] {
  const ref = idOf(dispute['payment_intent']) || idOf(dispute['charge']);
  const [id, status] = [text(dispute['id']), text(dispute['status'])];
  if (ref === '' || id === '') return [];
  const base = { ...envelope, order_ref: ref, dispute_id: id };
  if (type === 'charge.dispute.created')
    return [{ ...base, type: 'dispute.opened', ...(status.startsWith('warning_') && { inquiry: true }) }];
  if (WON.has(status)) return [{ ...base, type: 'dispute.won' }];
  return [
    LOST.has(status) ? { ...base, type: 'dispute.lost' } : { ...base, type: 'dispute.opened', inquiry: true },
  ];
}

export function fraudWarning(
  warning: Fields,
  { type: _type, ...base }: StripeEnvelope,
): readonly ProviderEvent[] {
  const ref = idOf(warning['payment_intent']) || idOf(warning['charge']);
  return ref === ''
    ? []
    : [{ ...base, type: 'dispute.opened', order_ref: ref, dispute_id: text(warning['id']) }];
}
