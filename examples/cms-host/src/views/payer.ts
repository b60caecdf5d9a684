import type { StandInPayment } from '../store/payer.js';
import { date } from './format.js';
import { html, type Html } from './html.js';
import { badge, table } from './layout.js';

const DEEDS = [
  ['SUCCESS', 'Pay'],
  ['ONHOLD', 'Hold'],
  ['UNCLAIMED', 'Not accepted'],
  ['FAILED', 'Fail'],
  ['RETURNED', 'Return'],
] as const;

export const payerPage = (payments: readonly StandInPayment[]): Html =>
  html`<header class="head">
      <div>
        <p class="eyebrow">A stand-in of PayPal; no money moves</p>
        <h1>Payer</h1>
      </div>
    </header>
    <p>Payments that the affiliate program sent. Decide what becomes of each, then look at the payout.</p>
    ${table(
      'Payments',
      payments,
      [
        { head: 'Receiver', cell: (payment) => payment.receiver },
        { head: 'Amount', numeric: true, cell: (payment) => `${payment.value} ${payment.currency}` },
        { head: 'Changed', cell: (payment) => date(payment.at) },
        { head: 'State', cell: (payment) => badge(payment.state.toLowerCase()) },
        {
          head: 'Action',
          cell: (payment) =>
            html`<div class="actions">
              ${DEEDS.map(
                ([state, label]) =>
                  html`<form method="post" action="/admin/payer/${payment.id}">
                    <input type="hidden" name="state" value="${state}" />
                    <button class="quiet" type="submit">${label}</button>
                  </form>`,
              )}
            </div>`,
        },
      ],
      'None yet. Make a payout with PayPal and send it.',
    )}`;
