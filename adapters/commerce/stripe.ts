import { sameBytes } from '../../src/core/constant-time.js';
import type { CommerceProvider, Delivery, ProviderEvent, Verdict } from '../commerce.js';
import type { DigitsTable } from './amounts.js';
import { fields, text, whole, type Fields } from './reading.js';
import { checkSecrets, fromHex, hmac, refused, secretList, VERIFIED, type Secrets } from './signature.js';
import { stripeApi, type StripeApi } from './stripe-api.js';
import type { StripeEnvelope, StripeReading } from './stripe-envelope.js';
import { checkoutEvents, invoiceEvents } from './stripe-orders.js';
import {
  chargeRefunded,
  creditNoteEvents,
  disputeEvents,
  fraudWarning,
  invoicePayment,
  refundEvents,
} from './stripe-later.js';

const TOLERANCE_MS = 300_000;
const THIN = 'v2.core.event';

/** Currencies for which the vendor's number of decimals differs from ISO 4217 (docs/integrations.md §6). */
export const STRIPE_DIGITS: DigitsTable = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  MGA: 0,
  PYG: 0,
  RWF: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  ISK: 2,
  UGX: 2,
};

export interface StripeOptions extends Pick<
  CommerceProvider,
  'mode' | 'enabled' | 'aliases' | 'catalog' | 'couponAffiliate' | 'orderUrl'
> {
  /** Signing secrets of the endpoint, `whsec_` included. */
  readonly secrets: Secrets;
  readonly key?: string;
  /** Corrections to the table of decimals. */
  readonly digits?: DigitsTable;
  /**
   * Asks the payment system for what the payload lacks (line items, texts of promotion codes,
   * payments of invoices, the card's fingerprint)
   * and daily for events that were never delivered. Off without it.
   */
  readonly api?: StripeApi;
  /** The first of these two, done in a way of your own. */
  readonly enrich?: (event: ProviderEvent) => Promise<ProviderEvent>;
}

type Handler = (object: Fields, envelope: StripeEnvelope, reading: StripeReading) => readonly ProviderEvent[];

/** How each event is read; all others are ignored (docs/integrations.md §7). */
const EVENTS: Readonly<Record<string, Handler>> = {
  'checkout.session.completed': checkoutEvents,
  'checkout.session.async_payment_succeeded': checkoutEvents,
  'checkout.session.async_payment_failed': checkoutEvents,
  'invoice.paid': invoiceEvents,
  'invoice.voided': invoiceEvents,
  'invoice.marked_uncollectible': invoiceEvents,
  'invoice_payment.paid': invoicePayment,
  'refund.created': refundEvents,
  'refund.updated': refundEvents,
  'refund.failed': refundEvents,
  'charge.refunded': chargeRefunded,
  'credit_note.created': creditNoteEvents,
  'credit_note.voided': creditNoteEvents,
  'charge.dispute.created': disputeEvents,
  'charge.dispute.closed': disputeEvents,
  'radar.early_fraud_warning.created': fraudWarning,
};

export function stripe({
  secrets,
  key = 'stripe',
  digits = {},
  api,
  enrich: given,
  ...more
}: StripeOptions): CommerceProvider {
  checkSecrets('stripe', secrets);
  const reading: StripeReading = { digits: { ...STRIPE_DIGITS, ...digits } };
  const asked =
    api && stripeApi(api, { reading, types: Object.keys(EVENTS), parse: (event) => parse(event, reading) });
  const enrich = given ?? asked?.enrich;
  return {
    orderUrl: ({ account, id }) => dashboardUrl(account, id),
    ...(asked && { changedSince: asked.changedSince, fetchOrder: asked.fetchOrder }),
    ...more,
    key,
    uniqueIds: true,
    info: { title: 'Stripe', description: 'Checkout, invoices and subscriptions.', type: 'commerce' },
    abilities: new Set(['coupons', 'renewals', 'upgrades', 'products', 'disputes']),
    webhook: {
      verify: (delivery, now) => verify(delivery, secrets, now),
      deliveryKey: ({ json }) => `${text(fields(json)['account'])}:${text(fields(json)['id'])}`,
      remark: ({ json }) =>
        fields(json)['object'] === THIN
          ? 'thin events name an object and hold none: choose snapshot events for this endpoint'
          : null,
      parse: ({ json }) => parse(fields(json), reading),
      ...(enrich && { enrich }),
    },
  };
}

function parse(event: Fields, reading: StripeReading): readonly ProviderEvent[] {
  const type = text(event['type']);
  const handler = event['object'] === THIN || !Object.hasOwn(EVENTS, type) ? undefined : EVENTS[type];
  if (!handler) return [];
  const object = fields(fields(event['data'])['object']);
  return handler(
    object,
    {
      type,
      at: whole(event['created']) * 1000,
      account: text(event['account']),
      test: event['livemode'] === false,
    },
    reading,
  );
}

/**
 * Reads `t=<seconds>,v1=<hex>`. Other schemes do not count. A time in the future is refused like one too long
 * ago.
 */
function verify({ body, header }: Delivery, secrets: Secrets, now: number): Verdict {
  const parts = (header('stripe-signature') ?? '')
    .split(',')
    .slice(0, 50)
    .map((part) => part.trim().split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  const given = parts.filter(([name]) => name === 'v1').map(([, value]) => fromHex(value ?? ''));
  if (given.length === 0 || !/^\d{1,12}$/.test(timestamp)) return refused(400, 'missing');
  if (Math.abs(Math.floor(now / 1000) * 1000 - Number(timestamp) * 1000) > TOLERANCE_MS)
    return refused(400, 'age');
  const expected = secretList(secrets).map((secret) => hmac(secret, `${timestamp}.`, body));
  return expected.some((each) => given.some((signature) => sameBytes(each, signature)))
    ? VERIFIED
    : refused(400, 'wrong');
}

function dashboardUrl(account: string, id: string): string | null {
  const kind = { pi: 'payments', in: 'invoices' }[id.split('_')[0] ?? ''];
  if (kind === undefined) return null;
  const path = [...(account === '' ? [] : [account]), kind, id].map(encodeURIComponent);
  return `https://dashboard.stripe.com/${path.join('/')}`;
}
