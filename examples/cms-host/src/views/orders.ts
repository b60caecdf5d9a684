import { totalOf, type Order } from '../store/orders.js';
import { cents, date, plural } from './format.js';
import { html, type Html, type Piece } from './html.js';
import { badge, pager, table, type Pager } from './layout.js';

export interface OrderList {
  readonly rows: readonly Order[];
  readonly total: number;
  readonly pager: Pager;
}

const orderActions = (order: Order): Piece => {
  if (order.status === 'refunded') return '–';
  const left = totalOf(order) - order.refunded_cents;
  return html`<div class="actions">
    ${order.status === 'pending' && html`<form method="post" action="/admin/orders/${order.id}/complete"><button class="quiet" type="submit">Complete</button></form>`}
    <form method="post" action="/admin/orders/${order.id}/refund" class="inline">
      <label
        ><span class="hidden">Refund of order ${order.id}</span
        ><input name="amount" inputmode="decimal" size="7" value="${(left / 100).toFixed(2)}"
      /></label>
      <button class="quiet" type="submit">Refund</button>
    </form>
  </div>`;
};

export const ordersPage = ({ rows, total, pager: pages }: OrderList): Html =>
  html`<header class="head"><h1>${total === 0 ? 'Orders' : plural(total, 'order')}</h1></header>
    ${[
      table(
        'Orders',
        rows,
        [
          { head: 'Order', cell: (order) => `#${order.id}` },
          { head: 'Date', cell: (order) => html`<time>${date(order.created_at)}</time>` },
          {
            head: 'Buyer',
            cell: (order) => html`${order.first_name} ${order.last_name}<small>${order.email}</small>`,
          },
          {
            head: 'Items',
            cell: (order) => order.items.map((item) => `${item.quantity} × ${item.title}`).join(', '),
          },
          {
            head: 'Total',
            numeric: true,
            cell: (order) =>
              html`${cents(totalOf(order))}${order.refunded_cents > 0 && html`<small>${cents(order.refunded_cents)} refunded</small>`}`,
          },
          { head: 'Status', cell: (order) => badge(order.status) },
          { head: 'Action', cell: orderActions },
        ],
        'No orders yet.',
      ),
      pager(pages),
    ]}`;
