import { Alert, Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { useOpenRecord } from '../../shared/address.js';
import { send, useBoot, useMay } from '../../shared/boot.js';
import { ConfirmButton, RowButton } from '../../shared/buttons.js';
import { useRead, useWrite, type ResponseOf, type RowOf } from '../../shared/data.js';
import { DateTime, dayText } from '../../shared/dates.js';
import { useDownload } from '../../shared/download.js';
import { PrintButton } from '../../shared/file-buttons.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { List, type Column } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { StateMark } from '../../shared/money-states.js';
import { ActionMenuButton } from '../../shared/lazy-menu.js';
import { UrlDialog } from '../../shared/url-dialog.js';
import { AddressTabs, AppLink, Facts, Figures, PageHead, Panel, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { fromServer, number, t, tn, word } from '../../shared/texts.js';
import { DialogSum, sumText } from '../../shared/sums.js';
import { AffiliatePerson, nameOf, statusFilter } from '../people.js';
import { RunningPayouts } from './running.js';
import { Sending } from './sending.js';
import { PayoutStatus } from './status.js';
import { UndoProgress, UndoPayout } from './undo.js';

// Loaded on first use.
const EditForm = lazyPart(() => import('./edit.js'), 'EditForm');

type PayoutView = ResponseOf<'payouts.get'>['payout'];
type Transaction = RowOf<'payouts.transactions'>;

export function Payout(): ReactNode {
  const { id } = useParams<{ id: string }>();
  return (
    <QueryView of="payouts.get" input={{ params: { id } }} fresh lines={8} page>
      {({ payout }) => <Detail payout={payout} />}
    </QueryView>
  );
}

function Detail({ payout }: { payout: PayoutView }): ReactNode {
  const may = useMay('payouts', 'write');
  const seesReferrals = useMay('referrals', 'read');
  const processing = useRead('payouts.transactions', { params: { id: payout.id }, query: { per_page: 1 } });
  const left = processing.data?.processing_count ?? 0;
  const payable = may && left > 0 && payout.status !== 'draft';
  const sum = money(payout.total_amount, payout.currency);
  return (
    <>
      <PageHead
        back={{ href: '/payouts', label: t('Payouts') }}
        title={payout.title}
        badge={<PayoutStatus payout={payout} />}
        about={payout.description ?? undefined}
        actions={
          <>
            <PrintButton />
            <Files payout={payout} />
            {may && <Changes payout={payout} left={left} />}
          </>
        }
      />
      <div className="fa-stack">
        <Notes payout={payout} payable={payable} may={may} />
        {payout.was === null ? (
          <Figures
            figures={[
              { label: t('Total'), value: sum },
              { label: t('Affiliates'), value: number(payout.affiliates_count) },
              { label: t('Commissions'), value: number(payout.referrals_count) },
              { label: t('Open payments'), value: processing.data === undefined ? '…' : number(left) },
            ]}
          />
        ) : (
          <Undone was={payout.was} currency={payout.currency} />
        )}
        <AddressTabs
          tabs={[
            {
              key: 'transactions',
              label: t('Payments'),
              content: () => <Transactions payout={payout} may={may} />,
            },
            { key: 'sending', label: t('Sending'), content: () => <Sending id={payout.id} may={may} /> },
            seesReferrals && {
              key: 'referrals',
              label: t('Commissions'),
              content: () => <PayoutReferrals id={payout.id} />,
            },
            { key: 'about', label: t('About'), content: () => <About payout={payout} /> },
          ]}
        />
      </div>
    </>
  );
}

/** A draft can be undone even before it has payments. */
function Changes({ payout, left }: { payout: PayoutView; left: number }): ReactNode {
  const isDraft = payout.status === 'draft';
  return (
    <>
      {(left > 0 || isDraft) && <UndoPayout payout={payout} />}
      <Edit payout={payout} />
      {left > 0 && !isDraft && <MarkAllPaid payout={payout} left={left} />}
    </>
  );
}

/** Progress and warnings of the payout. */
const Notes = ({
  payout,
  payable,
  may,
}: {
  payout: PayoutView;
  payable: boolean;
  may: boolean;
}): ReactNode => (
  <>
    <RunningPayouts of={payout.id} />
    {payout.sandbox && <Alert color="yellow" title={t('Sandbox: no money moves')} />}
    <UndoProgress id={payout.id} open={payable} />
    <SkippedAffiliates payout={payout} />
    {payable && <FourEyes payout={payout} />}
    {may && payout.status === 'paid' && payout.transactions_count > 0 && (
      <p className="fa-about">{t('To undo this payout, reopen its payments first.')}</p>
    )}
  </>
);

/** What an undone payout was, and who undid it. */
const Undone = ({
  was: {
    total_amount: total,
    transactions_count: payments,
    referrals_count: commissions,
    undone_at,
    undone_by,
  },
  currency,
}: {
  was: NonNullable<PayoutView['was']>;
  currency: string | null;
}): ReactNode => (
  <Panel title={t('This payout was undone')} about={t('Its commissions are ready to pay again.')}>
    <Facts
      facts={[
        undone_at !== null && { label: t('Undone on'), value: <DateTime at={undone_at} full /> },
        undone_by !== null && { label: t('Undone by'), value: undone_by.display_name },
        { label: t('Total before'), value: money(total, currency) },
        { label: t('Payments before'), value: number(payments) },
        { label: t('Commissions before'), value: number(commissions) },
      ]}
    />
  </Panel>
);

/** Affiliates that were skipped when the payout was created. */
function SkippedAffiliates({
  payout: { left_out: rows, left_out_count: count, currency },
}: {
  payout: PayoutView;
}): ReactNode {
  if (count === 0) return null;
  return (
    <Alert color="yellow" title={t('Skipped because their commissions changed')}>
      <ul className="fa-plain-list">
        {rows.map(({ affiliate_id: id, amount }) => (
          <li key={id}>
            <AppLink href={`/affiliates/${id}`}>{t('Affiliate {id}', { id })}</AppLink>:{' '}
            {money(amount, currency)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function Edit({ payout }: { payout: PayoutView }): ReactNode {
  const [, setOpened] = useOpenRecord();
  return (
    <>
      <Button variant="default" onClick={() => setOpened('edit')}>
        {t('Edit')}
      </Button>
      <UrlDialog name="edit" title={t('Edit payout')}>
        {(close) => <EditForm payout={payout} onClose={close} />}
      </UrlDialog>
    </>
  );
}

function MarkAllPaid({ payout, left }: { payout: PayoutView; left: number }): ReactNode {
  const all = useWrite('payouts.markAllPaid', { quiet: true, later: true });
  // The sum omits payments that are already paid.
  const open = useRead('payouts.undo_preview', { params: { id: payout.id } });
  const sum = open.data?.undo.total_amount;
  return (
    <ConfirmButton
      loading={sum === undefined}
      question={{
        title: t('Mark everything as paid?'),
        text: (
          <>
            <div className="fa-dialog-sum">{money(sum, payout.currency)}</div>
            <p>{tn('{count} payment is marked as paid.', '{count} payments are marked as paid.', left)}</p>
            <AfterSending />
          </>
        ),
        yes: t('Mark as paid'),
        run: () => all.run({ params: { id: payout.id }, body: { status: 'paid' } }),
      }}
    >
      {t('Mark all as paid')}
    </ConfirmButton>
  );
}

/** What a person has to know before a payment is marked as paid. */
const AfterSending = (): ReactNode => (
  <>
    <p>{t('Do this after the money has been sent.')}</p>
    <p>{t('The mail to the affiliate leaves after five minutes, unless you reopen the payment.')}</p>
  </>
);

/** Above the limit another user has to confirm. Says so to the creator of the payout before the server rejects. */
function FourEyes({ payout }: { payout: PayoutView }): ReactNode {
  const { rights, user } = useBoot();
  const rules = useRead('settings.program_rules', undefined, { enabled: rights.settings });
  const limit = rules.data?.rules.approval_above ?? null;
  if (limit === null || payout.created_by !== user?.id || payout.total_amount <= limit) return null;
  return (
    <Alert color="yellow" title={t('A second manager has to confirm this payout')}>
      {t('Payouts above {amount} need a second manager. Ask another manager with payout rights.', {
        amount: money(limit, payout.currency),
      })}
    </Alert>
  );
}

/** The payments as CSV, and the payment file of each method. */
function Files({ payout }: { payout: PayoutView }): ReactNode {
  const { start, running } = useDownload(`payout-${payout.id}`);
  const methods = useRead('payouts.methods_of_payout', { params: { id: payout.id } });
  const fetchFile = (method?: string): void =>
    void start('payouts.export', {
      params: { id: payout.id },
      ...(method !== undefined && { query: { method } }),
    });
  if (payout.status === 'draft') return null;
  return (
    <ActionMenuButton
      width={280}
      button={
        <Button variant="default" loading={running} leftSection={<IconDownload size={15} />}>
          {t('Files')}
        </Button>
      }
      actions={[
        { label: t('List of payments (CSV)'), run: () => fetchFile() },
        ...(methods.data?.methods ?? [])
          .filter(({ key }) => key !== 'manual')
          .map((method) => ({
            label: t('File for {method}', { method: fromServer(method.title) }),
            run: () => fetchFile(method.key),
            disabled: method.transactions_count === 0,
            note: money(method.total_amount, payout.currency),
          })),
      ]}
    />
  );
}

/** Warnings before a payment is marked as paid; the button then confirms them. */
const isDoubtful = ({ payee_changed: moved, changed_count: changed }: Transaction): boolean =>
  moved || changed > 0;

const PaymentWarnings = ({ row }: { row: Transaction }): ReactNode => (
  <>
    {row.payee_changed && (
      <Alert color="yellow" title={t('Payment details changed since this payout was created')}>
        {t('Before')}: {row.paid_to}
      </Alert>
    )}
    {row.changed_count > 0 && (
      <Alert
        color="yellow"
        title={t('{amount} of it is no longer due.', { amount: money(row.not_due_amount, row.currency) })}
      />
    )}
  </>
);

function Transactions({ payout, may }: { payout: PayoutView; may: boolean }): ReactNode {
  const mark = useWrite('payouts.markTransaction', { quiet: true });
  const undo = useWrite('payouts.deleteTransaction', { quiet: true });
  const payee = useWrite('payouts.takePayee', { quiet: true });
  const sumOf = (row: Transaction): string => money(row.total_amount, row.currency);
  const setStatus = ({ id }: Transaction, status: 'paid' | 'processing'): Promise<unknown> =>
    send('payouts.markTransaction', { params: { id: payout.id, transaction_id: id }, body: { status } });
  const actions = (row: Transaction): ReactNode => (
    <span className="fa-row">
      {row.status === 'processing' && (
        <RowButton
          variant="light"
          question={{
            title: t('Mark as paid?'),
            text: (
              <>
                <div className="fa-dialog-sum">{sumOf(row)}</div>
                <p>{row.affiliate && nameOf(row.affiliate)}</p>
                <PaymentWarnings row={row} />
                <AfterSending />
              </>
            ),
            yes: t('Mark as paid'),
            run: () =>
              mark.run({
                params: { id: payout.id, transaction_id: row.id },
                body: { status: 'paid', ...(isDoubtful(row) && { confirm: true }) },
              }),
          }}
        >
          {t('Mark as paid')}
        </RowButton>
      )}
      {row.status === 'processing' && (
        <RowButton
          quiet
          question={{
            title: t('Undo this payment?'),
            danger: true,
            text: (
              <DialogSum sum={sumOf(row)}>
                {t('Its commissions are ready to pay again and go into the next payout.')}
              </DialogSum>
            ),
            yes: t('Undo payment'),
            run: () => undo.run({ params: { id: payout.id, transaction_id: row.id } }),
          }}
        >
          {t('Undo')}
        </RowButton>
      )}
      {row.status === 'paid' && (
        <RowButton
          quiet
          question={{
            title: t('Reopen this payment?'),
            text: (
              <DialogSum sum={sumOf(row)}>
                {t('Marked as not paid. The commissions are on their way again.')}
              </DialogSum>
            ),
            yes: t('Reopen'),
            run: () =>
              mark.run({ params: { id: payout.id, transaction_id: row.id }, body: { status: 'processing' } }),
          }}
        >
          {t('Reopen')}
        </RowButton>
      )}
    </span>
  );
  const columns: readonly Column<Transaction>[] = [
    {
      key: 'who',
      label: t('Affiliate'),
      head: true,
      cell: (row) =>
        row.affiliate ? (
          <AffiliatePerson of={row.affiliate} about={row.paid_to} />
        ) : (
          <span className="fa-faint">{t('Removed')}</span>
        ),
    },
    {
      key: 'status',
      label: t('Status'),
      cell: (row) => (
        <>
          <Status of={row.status} />
          {row.payee_changed && (
            <div className="fa-about fa-wrap">
              {t('Payment details changed since this payout was created')}
              {may && (
                <RowButton
                  variant="subtle"
                  question={{
                    title: t('Use the new details?'),
                    text: (
                      <>
                        <div className="fa-dialog-sum">{sumOf(row)}</div>
                        <p>{row.affiliate && nameOf(row.affiliate)}</p>
                        <p>{t('Sends the payment to the affiliate’s current details.')}</p>
                      </>
                    ),
                    yes: t('Use the new details'),
                    run: () => payee.run({ params: { id: payout.id, transaction_id: row.id } }),
                  }}
                >
                  {t('Use the new details')}
                </RowButton>
              )}
            </div>
          )}
        </>
      ),
    },
    { key: 'method', label: t('Method'), cell: (row) => word(row.payout_method) },
    { key: 'amount', label: t('Amount'), of: 'total_amount', strong: true },
    { key: 'updated', label: t('Changed'), end: true, cell: (row) => <DateTime at={row.updated_at} /> },
    ...(may ? [{ key: 'actions', label: '', end: true, head: false, cell: actions }] : []),
  ];
  return (
    <List
      name="payments"
      operation="payouts.transactions"
      record="transactions"
      input={{ params: { id: payout.id } }}
      columns={columns}
      rowName={(row) => (row.affiliate ? nameOf(row.affiliate) : `#${row.id}`)}
      search={t('Search affiliate')}
      filters={[statusFilter(['processing', 'paid'])]}
      bulk={
        may
          ? [
              {
                label: t('Mark as paid'),
                fits: (row) => row.status === 'processing',
                about: (rows) => (
                  <>
                    <DialogSum
                      sum={sumText(rows.map(({ total_amount: amount, currency }) => ({ amount, currency })))}
                    >
                      {tn(
                        '{count} payment is marked as paid.',
                        '{count} payments are marked as paid.',
                        rows.length,
                      )}
                    </DialogSum>
                    <AfterSending />
                  </>
                ),
                run: (row) => setStatus(row, 'paid'),
              },
              {
                label: t('Reopen'),
                fits: (row) => row.status === 'paid',
                about: (rows) => (
                  <DialogSum
                    sum={sumText(rows.map(({ total_amount: amount, currency }) => ({ amount, currency })))}
                  >
                    {t('Marked as not paid. The commissions are on their way again.')}
                  </DialogSum>
                ),
                run: (row) => setStatus(row, 'processing'),
              },
            ]
          : []
      }
      empty={{ title: t('No payments left'), text: t('All payments of this payout were undone.') }}
    />
  );
}

function PayoutReferrals({ id }: { id: number }): ReactNode {
  type Row = RowOf<'payouts.referrals'>;
  const columns: readonly Column<Row>[] = [
    {
      key: 'what',
      label: t('Commission'),
      head: true,
      cell: (row) => <AppLink href={`/referrals/${row.id}`}>{row.description || `#${row.id}`}</AppLink>,
    },
    { key: 'who', label: t('Affiliate'), cell: (row) => (row.affiliate ? nameOf(row.affiliate) : '—') },
    { key: 'status', label: t('Status'), cell: (row) => <StateMark of={row.state} /> },
    { key: 'amount', label: t('Commission'), of: 'amount', kind: 'amount' },
    { key: 'created', label: t('Date'), end: true, cell: (row) => <DateTime at={row.created_at} /> },
  ];
  return (
    <List
      name="payout-referrals"
      operation="payouts.referrals"
      input={{ params: { id } }}
      columns={columns}
      href={(row) => `/referrals/${row.id}`}
      search={false}
      empty={{ title: t('No commissions') }}
    />
  );
}

/** The first day of a payout without one. */
const BEGINNING = '1970-01-01';

function About({ payout }: { payout: PayoutView }): ReactNode {
  const settings = (Array.isArray(payout.settings) ? {} : payout.settings) as Readonly<
    Record<string, unknown>
  >;
  const value = (key: string): string =>
    typeof settings[key] === 'string' || typeof settings[key] === 'number' ? String(settings[key]) : '';
  const dayOf = (key: string): string => {
    const day = value(key).slice(0, 10);
    if (day === BEGINNING) return t('from the beginning');
    return day === '' ? '' : dayText(day);
  };
  return (
    <Panel>
      <Facts
        facts={[
          { label: t('Number'), value: `#${payout.id}` },
          { label: t('Created by'), value: payout.creator?.display_name },
          { label: t('Created'), value: <DateTime at={payout.created_at} full /> },
          { label: t('Method'), value: word(payout.payout_method) },
          { label: t('Commissions from'), value: dayOf('start_date') },
          { label: t('Commissions until'), value: dayOf('end_date') },
          {
            label: t('Minimum per affiliate'),
            value:
              Number(value('min_payout')) > 0 ? money(value('min_payout'), payout.currency) : t('No minimum'),
          },
        ]}
      />
    </Panel>
  );
}
