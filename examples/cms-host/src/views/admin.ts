import type { HostUser } from 'affiliate-service/adapters';
import { totalOf, type Order } from '../store/orders.js';
import { cents, date, inner, money, plural, text } from './format.js';
import { html, type Html, type Piece } from './html.js';
import { badge, pager, table, type Pager } from './layout.js';

type Wire = Readonly<Record<string, unknown>>;
export interface Listing<Row = Wire> {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly pager: Pager;
}

const TABS = [
  ['/admin', 'Overview'],
  ['/admin/orders', 'Orders'],
  ['/admin/affiliates', 'Affiliates'],
  ['/admin/referrals', 'Referrals'],
  ['/admin/payouts', 'Payouts'],
] as const;

/** An admin page under the tabs. */
export const adminPage = (tab: string, title: string, content: Piece): Html =>
  html`<header class="head"><h1>${title}</h1></header>
    <nav class="tabs" aria-label="Administration">
      ${TABS.map(([href, label]) => html`<a href="${href}" ${href === tab && html` aria-current="page"`}>${label}</a>`)}
    </nav>
    <p class="alert" role="alert" id="error" hidden></p>
    ${content}`;

const affiliateName = (row: Wire): string =>
  text(inner(row['user_details'])['full_name'], `Affiliate ${text(row['id'])}`);

export interface OverviewView {
  readonly figures: readonly (readonly [label: string, value: string, href: string])[];
  readonly referrals: readonly Wire[];
}

export const overview = ({ figures, referrals }: OverviewView): Html =>
  adminPage(
    '/admin',
    'Administration',
    html` <dl class="stats">
        ${figures.map(
          ([label, value, href]) =>
            html`<div class="stat">
              <dt><a href="${href}">${label}</a></dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>
      <section>
        <h2>Latest referrals</h2>
        ${referralTable(referrals)}
      </section>
      <p><a class="button" href="/admin/payouts">Make a payout</a></p>`,
  );

const referralTable = (rows: readonly Wire[]): Html =>
  table(
    'Referrals',
    rows,
    [
      { head: 'Date', cell: (row) => date(row['created_at']) },
      { head: 'Affiliate', cell: (row) => affiliateName(inner(row['affiliate'])) },
      { head: 'What', cell: (row) => text(row['description']) },
      { head: 'Order', cell: (row) => text(row['provider_id']) },
      {
        head: 'Order value',
        numeric: true,
        cell: (row) => (row['order_total'] === null ? '–' : money(row['order_total'])),
      },
      { head: 'Commission', numeric: true, cell: (row) => money(row['amount']) },
      { head: 'Status', cell: (row) => badge(text(row['status'])) },
    ],
    'No referrals yet. Open the shop through an affiliate link and buy something.',
  );

export const referralsPage = ({ rows, total, pager: pages }: Listing): Html =>
  adminPage('/admin/referrals', total === 0 ? 'Referrals' : plural(total, 'referral'), [
    referralTable(rows),
    pager(pages),
  ]);

export const affiliatesPage = (
  { rows, total, pager: pages }: Listing,
  candidates: readonly HostUser[],
): Html =>
  adminPage('/admin/affiliates', total === 0 ? 'Affiliates' : plural(total, 'affiliate'), [
    table(
      'Affiliates',
      rows,
      [
        { head: 'Affiliate', cell: (row) => affiliateName(row) },
        { head: 'E-mail', cell: (row) => text(inner(row['user_details'])['email']) },
        { head: 'Rate', cell: (row) => text(inner(row['rate_details'])['human_readable']) },
        { head: 'Clicks', numeric: true, cell: (row) => text(row['visits'], '0') },
        { head: 'Referrals', numeric: true, cell: (row) => text(row['referrals'], '0') },
        { head: 'Earned', numeric: true, cell: (row) => money(row['total_earnings']) },
        { head: 'Unpaid', numeric: true, cell: (row) => money(row['unpaid_earnings']) },
        { head: 'Status', cell: (row) => badge(text(row['status'])) },
      ],
      'No affiliates yet.',
    ),
    pager(pages),
    html`<section class="panel" aria-labelledby="new">
      <h2 id="new">New affiliate</h2>
      ${
        candidates.length === 0
          ? html`<p class="empty">Every user is an affiliate already.</p>`
          : html`<form id="affiliate-form" class="row">
              <label
                >User
                <select name="user_id" required>
                  ${candidates.map((user) => html`<option value="${user.id}">${user.login} (${user.full_name})</option>`)}
                </select></label
              >
              <label
                >Rate <span class="hint">percent, empty for the program's</span
                ><input name="rate" type="number" min="0" max="100" step="0.01"
              /></label>
              <label
                >Pay to <span class="hint">e-mail</span><input name="payment_email" type="email" required
              /></label>
              <button type="submit">Create</button>
            </form>`
      }
    </section>`,
  ]);

export const payoutsPage = ({ rows, total, pager: pages }: Listing): Html =>
  adminPage('/admin/payouts', total === 0 ? 'Payouts' : plural(total, 'payout'), [
    html`<section class="panel" aria-labelledby="new">
      <h2 id="new">New payout</h2>
      <p>Gathers the unpaid referrals. You see what would be paid before anything happens.</p>
      <form id="payout-form" class="stack">
        <div class="row">
          <label
            >Title
            <input
              name="title"
              maxlength="192"
              required
              value="Payout of ${new Date().toISOString().slice(0, 10)}"
          /></label>
          <label
            >Description <input name="description" maxlength="5000" required value="Commissions"
          /></label>
        </div>
        <div class="row">
          <label>From <span class="hint">optional</span><input name="start_date" type="date" /></label
          ><label>To <span class="hint">optional</span><input name="end_date" type="date" /></label>
          <label
            >At least <span class="hint">per affiliate</span
            ><input name="min_payout" type="number" min="0" step="0.01" value="0"
          /></label>
        </div>
        <p><button type="submit">Preview</button></p>
      </form>
      <div id="preview" role="region" aria-live="polite" aria-label="Preview"></div>
    </section>`,
    table(
      'Payouts',
      rows,
      [
        { head: 'Date', cell: (row) => date(row['created_at']) },
        {
          head: 'Payout',
          cell: (row) => html`<a href="/admin/payouts/${text(row['id'])}">${text(row['title'])}</a>`,
        },
        { head: 'Affiliates', numeric: true, cell: (row) => text(row['affiliates_count'], '0') },
        { head: 'Referrals', numeric: true, cell: (row) => text(row['referrals_count'], '0') },
        { head: 'Amount', numeric: true, cell: (row) => money(row['total_amount']) },
        { head: 'Status', cell: (row) => badge(text(row['status'])) },
      ],
      'No payouts yet.',
    ),
    pager(pages),
  ]);

export interface PayoutView {
  readonly payout: Wire;
  readonly listing: Listing;
  readonly open: number;
}

export const payoutPage = ({ payout, listing, open }: PayoutView): Html =>
  adminPage('/admin/payouts', text(payout['title']), [
    html`<p>${text(payout['description'], '')}</p>
      <dl class="stats">
        <div class="stat">
          <dt>Amount</dt>
          <dd>${money(payout['total_amount'])}</dd>
        </div>
        <div class="stat">
          <dt>Referrals</dt>
          <dd>${text(payout['referrals_count'], '0')}</dd>
        </div>
        <div class="stat">
          <dt>Still to pay</dt>
          <dd>${open}</dd>
        </div>
        <div class="stat">
          <dt>Status</dt>
          <dd>${badge(text(payout['status']))}</dd>
        </div>
      </dl>`,
    table(
      'Transactions',
      listing.rows,
      [
        { head: 'Affiliate', cell: (row) => affiliateName(inner(row['affiliate'])) },
        { head: 'Pay to', cell: (row) => text(inner(row['affiliate'])['payment_email']) },
        { head: 'Amount', numeric: true, cell: (row) => money(row['total_amount']) },
        { head: 'Status', cell: (row) => badge(text(row['status'])) },
        {
          head: 'Action',
          cell: (row) =>
            row['status'] === 'paid'
              ? '–'
              : html`<button
                  type="button"
                  class="quiet"
                  data-paid="/payouts/${text(payout['id'])}/transactions/${text(row['id'])}"
                >
                  Mark paid<span class="hidden"> ${affiliateName(inner(row['affiliate']))}</span>
                </button>`,
        },
      ],
      'No transactions.',
    ),
    pager(listing.pager),
    open > 1 &&
      html`<p>
        <button type="button" data-paid="/payouts/${text(payout['id'])}/transactions/bulk-action">
          Mark all ${open} paid
        </button>
      </p>`,
  ]);

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

export const ordersPage = ({ rows, total, pager: pages }: Listing<Order>): Html =>
  adminPage('/admin/orders', total === 0 ? 'Orders' : plural(total, 'order'), [
    table(
      'Orders',
      rows,
      [
        { head: 'Order', cell: (order) => `#${order.id}` },
        { head: 'Date', cell: (order) => date(order.created_at) },
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
  ]);
