import type { CommerceProvider, Intake, Outcome, ProviderEvent } from '../commerce.js';
import { fields, list, text, timeOf, type Fields } from './reading.js';
import {
  changedAt,
  isCaptured,
  medusaOrder,
  medusaRefunds,
  ORDER_FIELDS,
  PAYMENT_FIELDS,
} from './medusa-order.js';

const EVENTS = [
  'order.placed',
  'order.completed',
  'order.canceled',
  'payment.captured',
  'payment.refunded',
] as const;

interface Message {
  readonly data: unknown;
}

/** The parts of Medusa 2 that are used; its event bus and query can be passed as they are. */
export interface MedusaOptions extends Pick<
  CommerceProvider,
  'enabled' | 'aliases' | 'catalog' | 'couponAffiliate' | 'orderUrl'
> {
  readonly query: {
    graph(query: {
      entity: string;
      fields: string[];
      filters: Record<string, unknown>;
    }): Promise<{ readonly data: unknown }>;
  };
  /** Leave it out when the host's own subscribers call `handle`. */
  readonly events?: {
    subscribe(
      name: string,
      handler: (message: Message) => Promise<void>,
      context?: { subscriberId: string },
    ): unknown;
    unsubscribe?(
      name: string,
      handler: (message: Message) => Promise<void>,
      context?: { subscriberId: string },
    ): unknown;
  };
  readonly key?: string;
}

export interface MedusaProvider extends CommerceProvider {
  /** For a subscriber file: `export default ({ event, … }) => provider.handle(event.name, event.data)`. */
  handle(name: string, data: unknown): Promise<Outcome | null>;
}

/**
 * Medusa runs in the same process and sends nothing. Its events carry an id; the order is then read from it.
 */
export function medusa({ query, events, key = 'medusa', ...more }: MedusaOptions): MedusaProvider {
  const reader = new MedusaReader(query);
  let intake: Intake | null = null;
  const handle = async (name: string, data: unknown): Promise<Outcome | null> => {
    const event = intake && (await reader.event(name, text(fields(data)['id'])));
    return intake && event ? intake.accept(event) : null;
  };
  return {
    ...more,
    key,
    handle,
    info: { title: 'Medusa', description: 'Orders of a Medusa shop in the same process.', type: 'commerce' },
    abilities: new Set(['coupons', 'products', ...(more.catalog ? ['categories' as const] : [])]),
    fetchOrder: async ({ id }) => {
      const order = await reader.order(id);
      return order && medusaOrder(order);
    },
    attach: (given) => {
      intake = given;
      const detach = EVENTS.map((name) =>
        subscribe(events, name, async ({ data }) => {
          await handle(name, data);
        }),
      );
      return () => {
        intake = null;
        for (const off of detach) off();
      };
    },
  };
}

function subscribe(
  events: MedusaOptions['events'],
  name: string,
  handler: (message: Message) => Promise<void>,
): () => void {
  const context = { subscriberId: `affiliate-${name}` };
  events?.subscribe(name, handler, context);
  return () => {
    events?.unsubscribe?.(name, handler, context);
  };
}

class MedusaReader {
  constructor(private readonly query: MedusaOptions['query']) {}

  async event(name: string, id: string): Promise<ProviderEvent | null> {
    if (id === '') return null;
    const order = name.startsWith('payment.') ? await this.#orderOfPayment(id) : await this.order(id);
    return order && eventOf(name, order);
  }

  async order(id: string): Promise<Fields | null> {
    return this.#one('order', ORDER_FIELDS, id);
  }

  /** Payment events carry the payment's id; its payment collection leads to the order. */
  async #orderOfPayment(id: string): Promise<Fields | null> {
    const payment = await this.#one('payment', PAYMENT_FIELDS, id);
    const order = fields(fields(payment?.['payment_collection'])['order'])['id'];
    return text(order) === '' ? null : this.order(text(order));
  }

  async #one(entity: string, names: readonly string[], id: string): Promise<Fields | null> {
    const { data } = await this.query.graph({ entity, fields: [...names], filters: { id } });
    return list(data)[0] ?? null;
  }
}

function eventOf(name: string, row: Fields): ProviderEvent {
  const order = medusaOrder(row);
  const base = { at: changedAt(row, order.created_at), account: '' };
  if (name === 'order.canceled' || text(row['canceled_at']) !== '')
    return {
      ...base,
      at: timeOf(row['canceled_at'], base.at),
      type: 'order.canceled',
      order_ref: order.id,
      reason: 'canceled',
    };
  const paid = isCaptured(row);
  return {
    ...base,
    type: paid ? 'order.paid' : 'order.created',
    order: { ...order, refunds: medusaRefunds(row, order) },
  };
}
