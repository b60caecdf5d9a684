import { createHmac, timingSafeEqual } from 'node:crypto';
import { minor } from 'affiliate-service';
import {
  fromDecimal,
  type CommerceProvider,
  type Delivery,
  type ProviderEvent,
  type ProviderOrder,
  type Verdict,
} from 'affiliate-service/adapters';

const TOLERANCE_MS = 300_000;

/** What our ticket office posts: `{ event, id, time, sale | refund }`, amounts as decimal text. */
interface Message {
  readonly event?: string;
  readonly id?: string;
  readonly time?: number;
  readonly sale?: {
    readonly number?: string;
    readonly currency?: string;
    readonly net?: string;
    readonly tax?: string;
    readonly email?: string;
    readonly campaign?: string;
    readonly paid?: boolean;
  };
  readonly refund?: {
    readonly number?: string;
    readonly id?: string;
    readonly currency?: string;
    readonly gross?: string;
  };
}

/** A provider only translates: who earns and how much is the service's to know. */
export function ticketOffice(secrets: readonly string[]): CommerceProvider {
  return {
    key: 'tickets',
    info: { title: 'Ticket office', description: 'Tickets sold at our own office.', type: 'commerce' },
    abilities: new Set(['products']),
    orderUrl: ({ id }) => `https://tickets.example/sales/${encodeURIComponent(id)}`,
    webhook: {
      verify: (delivery, now) => verify(delivery, secrets, now),
      deliveryKey: ({ json }) => String((json as Message).id),
      parse: ({ json }) => parse(json as Message),
    },
  };
}

/** `X-Tickets-Signature: <milliseconds>.<hex>` over the bytes as received; compared in constant time. */
function verify({ body, header }: Delivery, secrets: readonly string[], now: number): Verdict {
  const [, time = '', hex = ''] =
    /^(\d{1,15})\.([0-9a-f]{64})$/.exec(header('x-tickets-signature') ?? '') ?? [];
  if (hex === '' || Math.abs(now - Number(time)) > TOLERANCE_MS)
    return { ok: false, status: 401, reason: 'missing or old' };
  const given = Buffer.from(hex, 'hex');
  const known = secrets.some((secret) =>
    timingSafeEqual(createHmac('sha256', secret).update(`${time}.`).update(body).digest(), given),
  );
  return known ? { ok: true } : { ok: false, status: 401, reason: 'wrong' };
}

function parse(message: Message): readonly ProviderEvent[] {
  const base = { at: message.time ?? 0, account: '' };
  const { sale, refund } = message;
  if (message.event === 'sold' && sale?.number && sale.currency) {
    return [
      {
        ...base,
        type: sale.paid === false ? 'order.created' : 'order.paid',
        order: orderOf(sale, sale.number, sale.currency, base.at),
      },
    ];
  }
  if (message.event !== 'refunded' || !refund?.number || !refund.currency) return [];
  return [
    {
      ...base,
      type: 'order.refunded',
      refund: {
        order_ref: refund.number,
        ...(refund.id === undefined ? {} : { refund_id: refund.id }),
        gross: fromDecimal(refund.gross, refund.currency),
        currency: refund.currency,
        state: 'done',
      },
    },
  ];
}

function orderOf(
  sale: NonNullable<Message['sale']>,
  id: string,
  currency: string,
  at: number,
): ProviderOrder {
  const [net, tax, none] = [
    fromDecimal(sale.net, currency),
    fromDecimal(sale.tax, currency),
    fromDecimal('0', currency),
  ];
  const total = minor(net + tax);
  return {
    id,
    currency,
    coupons: [],
    created_at: at,
    items: [
      {
        id: 'ticket',
        product_id: 'ticket',
        title: 'Ticket',
        quantity: 1,
        net,
        net_before_discount: net,
        tax,
      },
    ],
    totals: {
      goods: net,
      goods_before_discount: net,
      goods_tax: tax,
      shipping: none,
      shipping_tax: none,
      fees: none,
      fees_tax: none,
      grand_total: total,
      paid: total,
    },
    customer: sale.email === undefined ? {} : { email: sale.email },
    attribution: sale.campaign === undefined ? {} : { token: sale.campaign },
  };
}
