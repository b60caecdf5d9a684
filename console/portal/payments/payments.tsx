import type { ReactNode } from 'react';
import { useRead, type RowOf } from '../../shared/data.js';
import { bothZones, date, dayText, DateTime } from '../../shared/dates.js';
import { List, type Column } from '../../shared/list.js';
import { Money } from '../../shared/money.js';
import { StateMark } from '../../shared/money-states.js';
import { AppLink, PageHead, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { rhythmText } from '../deal/deal.js';
import { methodText } from './words.js';

type Row = RowOf<'portal.payments'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'title',
    label: t('Payment'),
    head: true,
    card: 'name',
    cell: (row) => (
      <span className="fa-two-lines">
        <AppLink href={`/payments/${row.id}`}>{row.title || row.reference}</AppLink>
        <span className="fa-faint">{row.reference}</span>
      </span>
    ),
  },
  { key: 'made', label: t('Made on'), card: 'date', cell: (row) => <DateTime at={row.created_at} day /> },
  { key: 'method', label: t('Method'), cell: (row) => methodText(row.method) },
  { key: 'commissions', label: t('Commissions'), of: 'commissions', kind: 'number' },
  {
    key: 'status',
    label: t('Status'),
    card: 'state',
    cell: (row) =>
      row.status === 'paid' ? (
        <span data-hint={bothZones(row.paid_at as string)}>
          <Status of="paid" label={t('Paid on {day}', { day: date(row.paid_at as string) })} />
        </span>
      ) : (
        <StateMark of="on_its_way" />
      ),
  },
  { key: 'amount', label: t('Amount'), card: 'amount', of: 'amount', kind: 'amount' },
];

export const Payments = (): ReactNode => (
  <>
    <PageHead title={t('Payments')} about={t('Your payments, each with a printable statement.')} />
    <div className="fa-stack">
      <MissingDetails />
      <PaymentWarnings />
      <NextPayout />
      <List
        name="portal-payments"
        operation="portal.payments"
        columns={columns()}
        rowName={(row) => row.title || row.reference}
        href={(row) => `/payments/${row.id}`}
        search={false}
        empty={{
          title: t('No payments yet'),
          text: t('Your payments appear here. Undone ones are in your balance statement.'),
          action: <AppLink href="/earnings">{t('See your earnings')}</AppLink>,
        }}
      />
    </div>
  </>
);

/** Warnings about payments that are on hold, not accepted or failed. */
function PaymentWarnings(): ReactNode {
  const { data } = useRead('portal.payment_states', { query: { per_page: 10 } });
  const warningOf = (data?.payments.data ?? []).filter((row) => stateText(row) !== null);
  if (warningOf.length === 0) return null;
  return (
    <div className="fa-stack">
      {warningOf.map((row) => (
        <div key={row.id} className="fa-notice" role="note">
          <strong>
            <Money amount={row.sent_amount} currency={row.currency} />
          </strong>{' '}
          {row.sandbox && `(${t('Test payment: no money moves')}) `}
          {stateText(row)} {row.message}
        </div>
      ))}
    </div>
  );
}

/** What the affiliate should do about a payment; null for nothing. */
function stateText({ state, until, method: key }: RowOf<'portal.payment_states'>): string | null {
  const method = methodText(key);
  if (state === 'held')
    return until === null
      ? t('{method} is holding this payment. Check your account there.', { method })
      : t('{method} is holding this payment. Accept it by {day}, or it comes back.', {
          method,
          day: date(until),
        });
  if (state === 'unclaimed')
    return until === null
      ? t('Accept this payment in your account, or it comes back.')
      : t('Accept this payment by {day}, or it comes back.', { day: date(until) });
  if (state === 'failed' || state === 'returned')
    return t('This payment did not reach you. Check your payment details; we still owe you the amount.');
  return null;
}

/** The day of the next payout, if set. */
function NextPayout(): ReactNode {
  const { data } = useRead('portal.terms');
  const rhythm = data && rhythmText(data.terms);
  if (!rhythm) return null;
  const { next_payout: next } = data.terms;
  return (
    <p className="fa-about">
      {t('Payouts are made {rhythm}.', { rhythm })}{' '}
      {next !== null && <strong>{t('The next one is on {day}.', { day: dayText(next) })}</strong>}
    </p>
  );
}

/** Asks for missing payment details. */
function MissingDetails(): ReactNode {
  const { data } = useRead('portal.payment_details', {});
  if (data === undefined || data.complete) return null;
  return (
    <div className="fa-notice" role="note">
      <strong>{t('Your payment details are missing.')}</strong>{' '}
      <AppLink href="/settings">{t('Enter your payment details')}</AppLink>
    </div>
  );
}
