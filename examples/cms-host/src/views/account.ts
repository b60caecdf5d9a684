import { ACCOUNTS } from '../seed.js';
import { badge, table } from './layout.js';
import { date, money, text, inner } from './format.js';
import { html, type Html } from './html.js';

type Wire = Readonly<Record<string, unknown>>;

export const signIn = ({
  next,
  login,
  failed,
}: {
  readonly next: string;
  readonly login: string;
  readonly failed: boolean;
}): Html =>
  html` <section class="narrow">
    <h1>Sign in</h1>
    ${failed && html`<p class="alert" role="alert">Login and password do not fit.</p>`}
    <form method="post" action="/login" class="panel stack">
      <input type="hidden" name="next" value="${next}" />
      <label>Login <input name="login" value="${login}" autocomplete="username" required autofocus /></label>
      <label
        >Password <input type="password" name="password" autocomplete="current-password" required
      /></label>
      <button type="submit">Sign in</button>
    </form>
    <h2>Accounts of this example</h2>
    <p>The password is the login.</p>
    <dl class="accounts">
      ${ACCOUNTS.map(
        ({ login: name, about }) =>
          html`<div>
            <dt><code>${name}</code></dt>
            <dd>${about}</dd>
          </div>`,
      )}
    </dl>
  </section>`;

export interface EarningsView {
  readonly name: string;
  readonly status: string;
  readonly link: string;
  readonly clicks: number;
  readonly count: number;
  readonly unpaid: number;
  readonly processing: number;
  readonly paid: number;
  readonly referrals: readonly Wire[];
  readonly payouts: readonly Wire[];
}

const stat = (label: string, value: string, note?: string): Html =>
  html`<div class="stat">
    <dt>${label}</dt>
    <dd>${value}${note && html`<small>${note}</small>`}</dd>
  </div>`;

export const earnings = (view: EarningsView): Html =>
  html`<header class="head">
      <div>
        <p class="eyebrow">Affiliate</p>
        <h1>Hello, ${view.name}</h1>
      </div>
      ${badge(view.status)}
    </header>
    ${view.status === 'pending' && html`<p class="panel">Your application is waiting for approval. Until then your link earns nothing.</p>`}
    <section class="panel" aria-labelledby="link">
      <h2 id="link">Your link</h2>
      <p>
        Put it wherever you talk about Fernway. Add <code>${new URL(view.link).search}</code> to any page of
        the shop.
      </p>
      <div class="copy">
        <label><span class="hidden">Your link</span><input id="share" readonly value="${view.link}" /></label>
        <button type="button" data-copy="share">Copy</button><span role="status" class="note"></span>
      </div>
    </section>
    <dl class="stats">
      ${stat('Clicks', view.clicks.toLocaleString('en-US'))}${stat('Referrals', view.count.toLocaleString('en-US'))}
      ${stat('Unpaid', money(view.unpaid))}${stat('Paid', money(view.paid), view.processing > 0 ? `${money(view.processing)} on its way` : undefined)}
    </dl>
    <section>
      <h2>Referrals</h2>
      ${table(
        'Your referrals',
        view.referrals,
        [
          { head: 'Date', cell: (row) => date(row['created_at']) },
          { head: 'What', cell: (row) => text(row['description']) },
          {
            head: 'Order value',
            numeric: true,
            cell: (row) => (row['order_total'] === null ? '–' : money(row['order_total'])),
          },
          { head: 'Commission', numeric: true, cell: (row) => money(row['amount']) },
          { head: 'Status', cell: (row) => badge(text(row['status'])) },
        ],
        'None yet. Somebody has to follow your link and buy something.',
      )}
    </section>
    <section>
      <h2>Payouts</h2>
      ${table(
        'Your payouts',
        view.payouts,
        [
          { head: 'Date', cell: (row) => date(row['created_at']) },
          { head: 'Payout', cell: (row) => text(inner(row['payout'])['title']) },
          { head: 'Referrals', numeric: true, cell: (row) => text(row['referrals_count'], '0') },
          { head: 'Amount', numeric: true, cell: (row) => money(row['total_amount']) },
          { head: 'Status', cell: (row) => badge(text(row['status'])) },
        ],
        'None yet.',
      )}
    </section>`;

export const notAffiliate = (name: string): Html =>
  html`<section class="narrow">
    <h1>Hello, ${name}</h1>
    <p>You are not an affiliate yet.</p>
    <p><a class="button" href="/signup">Apply</a> <a href="/pages/affiliates">How it works</a></p>
  </section>`;
