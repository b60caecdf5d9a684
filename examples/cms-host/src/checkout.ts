import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AffiliateService, ConversionInput, ConvertedReferral } from 'affiliate-service';
import { cookieOf, shopperOf } from './cookies.js';
import type { OrderItem, Orders, Order, Payment } from './store/orders.js';
import type { Products } from './store/products.js';

const PROVIDER = 'shop';
const TRACKING_COOKIE = 'f_aff';
const QUANTITY_MAX = 99;
const LINES_MAX = 50;

export interface CartLine {
  readonly id: number;
  readonly quantity: number;
}

/** What the checkout form or a JSON body holds, unchecked. */
export type CheckoutForm = Readonly<Record<string, unknown>>;

/** Wrong input, told to the buyer. */
export class CheckoutError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface CheckoutParts {
  readonly orders: Orders;
  readonly products: Products;
  readonly service: AffiliateService;
}

/**
 * From a cart to an order and its commission.
 * The order is stored first and counts as placed from then on; the affiliate service is brought up to it by
 * `settle`, which may run any number of times: the order's id is the key.
 */
export class Checkout {
  constructor(private readonly parts: CheckoutParts) {}

  /** Checks and stores the order. */
  place(req: IncomingMessage, form: CheckoutForm, buyer: { readonly id: number } | null): Order {
    const items = this.#items(form['items']);
    const subtotal = items.reduce((sum, item) => sum + item.price_cents * item.quantity, 0);
    const coupon = text(form['coupon'], 40) || null;
    return this.parts.orders.place({
      checkout_key: ownKey(shopperOf(req), text(form['checkout_key'], 64)),
      user_id: buyer?.id ?? null,
      email: email(form['email']),
      first_name: text(form['first_name'], 100),
      last_name: text(form['last_name'], 100),
      coupon,
      payment: payment(form['payment']),
      discount_cents: this.#discount(coupon, subtotal),
      tracking: cookieOf(req, TRACKING_COOKIE),
      items,
    });
  }

  /** Tells the affiliate service what became of an order; an error leaves the order for the next round. */
  async settle(order: Order): Promise<ConvertedReferral | null> {
    const { conversions } = this.parts.service;
    const key = String(order.id);
    const { referral } = await conversions.record(withCookie(order.tracking), conversionOf(order));
    const completed = order.status === 'pending' ? null : await conversions.complete(PROVIDER, key);
    const refunded =
      order.refunded_cents === 0
        ? null
        : await conversions.refund(PROVIDER, key, { refunded_total: { minor: order.refunded_cents } });
    this.parts.orders.markSettled(order);
    return refunded?.referral ?? completed?.referral ?? referral;
  }

  /** Settles what a crash or an error left behind; returns the orders that still resist. */
  async settleAll(): Promise<{ readonly order: Order; readonly error: unknown }[]> {
    const failed: { order: Order; error: unknown }[] = [];
    for (const order of this.parts.orders.unsettled()) {
      await this.settle(order).catch((error: unknown) => {
        failed.push({ order, error });
      });
    }
    return failed;
  }

  #items(value: unknown): OrderItem[] {
    if (!Array.isArray(value) || value.length === 0)
      throw new CheckoutError('cart_empty', 'The cart is empty.');
    if (value.length > LINES_MAX) throw new CheckoutError('cart_too_long', 'The cart holds too many lines.');
    const quantities = new Map<number, number>();
    for (const line of value as readonly unknown[]) {
      const { id, quantity } = readLine(line);
      quantities.set(id, (quantities.get(id) ?? 0) + quantity);
    }
    return [...quantities].map(([id, quantity]) => this.#item(id, quantity));
  }

  #item(id: number, quantity: number): OrderItem {
    const product = this.parts.products.find(id);
    if (product === null)
      throw new CheckoutError('product_unknown', 'A product in the cart is not sold here.');
    if (quantity > QUANTITY_MAX)
      throw new CheckoutError('quantity_invalid', `At most ${QUANTITY_MAX} of a product can be ordered.`);
    return {
      product_id: id,
      title: product.title,
      category: product.category,
      quantity,
      price_cents: product.price_cents,
    };
  }

  #discount(coupon: string | null, subtotal: number): number {
    if (coupon === null) return 0;
    const percent = this.parts.products.couponPercent(coupon);
    if (percent === null) throw new CheckoutError('coupon_unknown', 'This coupon is not known.');
    return Math.round((subtotal * percent) / 100);
  }
}

/** The same order gives the same conversion, whenever it is asked for. */
function conversionOf(order: Order): ConversionInput {
  return {
    provider: PROVIDER,
    reference: String(order.id),
    type: 'sale',
    status: order.payment === 'card' ? 'unpaid' : 'pending',
    coupon: order.coupon,
    order: {
      subtotal: { minor: order.subtotal_cents },
      discount: { minor: order.discount_cents },
      currency: 'USD',
    },
    items: order.items.map((item) => ({
      id: item.product_id,
      title: item.title,
      categories: [item.category],
      quantity: item.quantity,
      subtotal: { minor: item.price_cents * item.quantity },
    })),
    customer: {
      email: order.email,
      first_name: order.first_name,
      last_name: order.last_name,
      user_id: order.user_id,
    },
  };
}

// The service reads the attribution from the request; the order remembers that part of it.
const withCookie = (value: string): IncomingMessage =>
  ({
    method: 'POST',
    url: '/cart/checkout',
    headers: value === '' ? {} : { cookie: `${TRACKING_COOKIE}=${value}` },
  }) as IncomingMessage;

function readLine(line: unknown): CartLine {
  const { id, quantity = 1 } = (typeof line === 'object' && line !== null ? line : {}) as {
    id?: unknown;
    quantity?: unknown;
  };
  const checked = { id: Number(id), quantity: Number(quantity) };
  if (!Number.isSafeInteger(checked.id))
    throw new CheckoutError('product_unknown', 'A product in the cart is not sold here.');
  if (!Number.isSafeInteger(checked.quantity) || checked.quantity < 1)
    throw new CheckoutError('quantity_invalid', 'A quantity is a number from 1 to 99.');
  return checked;
}

/**
 * The key of a form counts for the visitor it was sent by:
 * a stranger who sends it again gets an order of his own.
 */
const ownKey = (shopper: string, key: string): string =>
  shopper === '' || key === ''
    ? randomUUID()
    : createHash('sha256').update(`${shopper}\n${key}`).digest('hex').slice(0, 32);

const text = (value: unknown, max: number): string =>
  typeof value === 'string' ? value.trim().slice(0, max) : '';

function email(value: unknown): string {
  const address = text(value, 190);
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(address))
    throw new CheckoutError('email_invalid', 'Please give an e-mail address.');
  return address;
}

function payment(value: unknown): Payment {
  if (value === undefined || value === '' || value === 'card') return 'card';
  if (value === 'invoice') return 'invoice';
  throw new CheckoutError('payment_invalid', 'Orders are paid by card or by invoice.');
}
