import type { Sqlite } from './open.js';

export type Payment = 'card' | 'invoice';
export type OrderStatus = 'pending' | 'completed' | 'refunded';

export interface OrderItem {
  readonly product_id: number;
  readonly title: string;
  readonly category: string;
  readonly quantity: number;
  readonly price_cents: number;
}

export interface NewOrder {
  /** Made by the checkout form; the same form sent twice is one order. */
  readonly checkout_key: string;
  readonly user_id: number | null;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly coupon: string | null;
  readonly payment: Payment;
  readonly discount_cents: number;
  /** The visitor's attribution cookie, so that the commission can also be recorded later. */
  readonly tracking: string;
  readonly items: readonly OrderItem[];
}

export interface Order extends NewOrder {
  readonly id: number;
  readonly created_at: string;
  readonly status: OrderStatus;
  readonly subtotal_cents: number;
  readonly refunded_cents: number;
  /** Counts changes; `settled_revision` is the last one the affiliate service was told of. */
  readonly revision: number;
  readonly settled_revision: number;
}

export const totalOf = (order: Pick<Order, 'subtotal_cents' | 'discount_cents'>): number =>
  order.subtotal_cents - order.discount_cents;

type OrderRow = Omit<Order, 'items'>;

/** Orders of the shop. Every write is one transaction and on the disk when the method returns. */
export class Orders {
  constructor(private readonly db: Sqlite) {}

  find(id: number): Order | null {
    return this.#complete(this.db.prepare<[number], OrderRow>('SELECT * FROM orders WHERE id = ?').get(id));
  }

  findByKey(key: string): Order | null {
    return this.#complete(
      this.db.prepare<[string], OrderRow>('SELECT * FROM orders WHERE checkout_key = ?').get(key),
    );
  }

  list(page: number, perPage: number): { orders: Order[]; total: number } {
    const rows = this.db
      .prepare<[number, number], OrderRow>('SELECT * FROM orders ORDER BY id DESC LIMIT ? OFFSET ?')
      .all(perPage, (page - 1) * perPage);
    const count = this.db.prepare<[], { total: number }>('SELECT count(*) AS total FROM orders').get();
    return { orders: rows.map((row) => this.#withItems(row)), total: count?.total ?? 0 };
  }

  /** Orders the affiliate service does not know fully: a crash, or an error, came between. */
  unsettled(): Order[] {
    return this.db
      .prepare<[], OrderRow>('SELECT * FROM orders WHERE settled_revision < revision ORDER BY id')
      .all()
      .map((row) => this.#withItems(row));
  }

  /** `at` is when the buyer placed it: now, but for invented orders of the past. */
  place(order: NewOrder, at: Date = new Date()): Order {
    return this.db
      .transaction(() => {
        const known = this.findByKey(order.checkout_key);
        if (known !== null) return known;
        const subtotal = order.items.reduce((sum, item) => sum + item.price_cents * item.quantity, 0);
        const status: OrderStatus = order.payment === 'card' ? 'completed' : 'pending';
        const { lastInsertRowid } = this.db
          .prepare(
            `INSERT INTO orders
        (checkout_key, created_at, user_id, email, first_name, last_name, coupon, payment, status, subtotal_cents, discount_cents, tracking)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            order.checkout_key,
            at.toISOString(),
            order.user_id,
            order.email,
            order.first_name,
            order.last_name,
            order.coupon,
            order.payment,
            status,
            subtotal,
            order.discount_cents,
            order.tracking,
          );
        const insert = this.db.prepare(
          'INSERT INTO order_items (order_id, product_id, title, category, quantity, price_cents) ' +
            'VALUES (?, ?, ?, ?, ?, ?)',
        );
        for (const item of order.items)
          insert.run(
            lastInsertRowid,
            item.product_id,
            item.title,
            item.category,
            item.quantity,
            item.price_cents,
          );
        return this.#stored(Number(lastInsertRowid));
      })
      .immediate();
  }

  complete(id: number): Order {
    this.db
      .prepare(
        "UPDATE orders SET status = 'completed', revision = revision + 1 WHERE id = ? AND status = 'pending'",
      )
      .run(id);
    return this.#stored(id);
  }

  /** Refunds part of an order, or all that is left of it; null when that is more than is left. */
  refund(id: number, cents: number | null): Order | null {
    return this.db
      .transaction(() => {
        const order = this.#stored(id);
        const left = totalOf(order) - order.refunded_cents;
        const amount = cents ?? left;
        if (amount <= 0 || amount > left) return null;
        this.db
          .prepare(
            `UPDATE orders SET refunded_cents = refunded_cents + ?, status = CASE WHEN ? THEN 'refunded' ELSE status END,
        revision = revision + 1 WHERE id = ?`,
          )
          .run(amount, amount === left ? 1 : 0, id);
        return this.#stored(id);
      })
      .immediate();
  }

  markSettled({ id, revision }: Order): void {
    this.db
      .prepare('UPDATE orders SET settled_revision = max(settled_revision, ?) WHERE id = ?')
      .run(revision, id);
  }

  #stored(id: number): Order {
    const order = this.find(id);
    if (order === null) throw new Error(`There is no order ${id}.`);
    return order;
  }

  #complete(row: OrderRow | undefined): Order | null {
    return row === undefined ? null : this.#withItems(row);
  }

  #withItems(row: OrderRow): Order {
    const items = this.db
      .prepare<[number], OrderItem>(
        'SELECT product_id, title, category, quantity, price_cents FROM order_items WHERE order_id = ? ' +
          'ORDER BY product_id',
      )
      .all(row.id);
    return { ...row, items };
  }
}
