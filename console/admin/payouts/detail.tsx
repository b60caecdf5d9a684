import { Alert, Button, Modal } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { useParams } from 'wouter';
import { useOpened } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { send, useBoot, useMay } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { useDownload } from '../../shared/download.js';
import { List, type Column } from '../../shared/list.js';
import { money, Money } from '../../shared/money.js';
import { DeedButton } from '../../shared/late-menu.js';
import {
  AddressTabs,
  Loaded,
  AppLink,
  Facts,
  Figures,
  PageHead,
  Panel,
  Person,
  Status,
  statusText,
} from '../../shared/parts.js';
import { fromServer, number, t, tn, word } from '../../shared/texts.js';
import { DialogSum } from '../../shared/sums.js';
import { nameOf } from '../people.js';
import { RunningPayouts } from './running.js';
import { Sending } from './sending.js';
import { PayoutStatus } from './status.js';
import { UndoCourse, UndoPayout } from './undo.js';

// Its code is loaded when somebody edits.
const EditForm = lazy(async () => ({ default: (await import('./edit.js')).EditForm }));

type PayoutView = AnswerOf<'payouts.get'>['payout'];
type Transaction = RowOf<'payouts.transactions'>;

export function Payout(): ReactNode {
  const { id } = useParams<{ id: string }>();
  const reading = useRead('payouts.get', { params: { id } }, { keep: false });
  return (
    <Loaded page of={reading} lines={8}>
      {({ payout }) => <Detail payout={payout} />}
    </Loaded>
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
            <Button variant="default" leftSection={<IconPrinter size={15} />} onClick={() => window.print()}>
              {t('Print')}
            </Button>
            <Files payout={payout} />
            {may && <Changes payout={payout} left={left} />}
          </>
        }
      />
      <div className="fa-stack">
        <Notes payout={payout} payable={payable} />
        <Figures
          figures={[
            { label: t('Total'), value: sum },
            { label: t('Affiliates'), value: number(payout.affiliates_count) },
            { label: t('Referrals'), value: number(payout.referrals_count) },
            { label: t('Still open'), value: processing.data === undefined ? '…' : number(left) },
          ]}
        />
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
              label: t('Referrals'),
              content: () => <PayoutReferrals id={payout.id} />,
            },
            { key: 'about', label: t('About'), content: () => <About payout={payout} /> },
          ]}
        />
      </div>
    </>
  );
}

/** A draft can only be undone, also before anything of it is claimed. */
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

/** What goes on with it, and what has to be known. */
const Notes = ({ payout, payable }: { payout: PayoutView; payable: boolean }): ReactNode => (
  <>
    <RunningPayouts of={payout.id} />
    {payout.sandbox && <Alert color="yellow" title={t('Sandbox: no money moves')} />}
    <UndoCourse id={payout.id} open={payable} />
    <NotPaid payout={payout} />
    {payable && <FourEyes payout={payout} />}
  </>
);

/** Who was left out while the payout was made. */
function NotPaid({
  payout: { left_out: rows, left_out_count: count, currency },
}: {
  payout: PayoutView;
}): ReactNode {
  if (count === 0) return null;
  return (
    <Alert color="yellow" title={t('Left out, since their commissions changed meanwhile')}>
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
  const [opened, setOpened] = useOpened();
  const close = (): void => setOpened(null);
  return (
    <>
      <Button variant="default" onClick={() => setOpened('edit')}>
        {t('Edit')}
      </Button>
      <Modal opened={opened === 'edit'} onClose={close} title={t('Edit payout')}>
        <Suspense>{opened === 'edit' && <EditForm payout={payout} onClose={close} />}</Suspense>
      </Modal>
    </>
  );
}

function MarkAllPaid({ payout, left }: { payout: PayoutView; left: number }): ReactNode {
  const all = useWrite('payouts.markAllPaid', { quiet: true, later: true });
  // What is paid already is not part of the sum.
  const open = useRead('payouts.undo_preview', { params: { id: payout.id } });
  const sum = open.data?.undo.total_amount;
  return (
    <Button
      loading={sum === undefined}
      onClick={() =>
        ask({
          title: t('Mark everything as paid?'),
          text: (
            <>
              <div className="fa-dialog-sum">{money(sum, payout.currency)}</div>
              <p>
                {tn(
                  '{count} open payment is marked as paid and the affiliate gets a mail.',
                  '{count} open payments are marked as paid and the affiliates get a mail.',
                  left,
                )}
              </p>
              <p>{t('Do this after the money has been sent.')}</p>
            </>
          ),
          yes: t('Mark as paid'),
          run: () => all.run({ params: { id: payout.id }, body: { status: 'paid' } }),
        })
      }
    >
      {t('Mark all as paid')}
    </Button>
  );
}

/** Above the limit another person confirms; whoever made the payout is told so before the server refuses. */
function FourEyes({ payout }: { payout: PayoutView }): ReactNode {
  const { rights, user } = useBoot();
  const rules = useRead('settings.program_rules', undefined, { enabled: rights.settings });
  const limit = rules.data?.rules.approval_above ?? null;
  if (limit === null || payout.created_by !== user?.id || payout.total_amount <= limit) return null;
  return (
    <Alert color="yellow" title={t('A second person has to confirm this payout')}>
      {t('Above {amount}, a second person has to confirm a payout. Ask somebody else who may pay out.', {
        amount: money(limit, payout.currency),
      })}
    </Alert>
  );
}

/** The list of payments, and the file each method takes. */
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
    <DeedButton
      width={280}
      button={
        <Button variant="default" loading={running} leftSection={<IconDownload size={15} />}>
          {t('Files')}
        </Button>
      }
      deeds={[
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

/** What a person should know before a payment is called paid; pressing then confirms it. */
const isDoubtful = ({ payee_changed: moved, changed_count: changed }: Transaction): boolean =>
  moved || changed > 0;

const Doubts = ({ row }: { row: Transaction }): ReactNode => (
  <>
    {row.payee_changed && (
      <Alert color="yellow" title={t('Payment details changed since this payout was made')}>
        {t('Before')}: {row.paid_to}
      </Alert>
    )}
    {row.changed_count > 0 && (
      <Alert
        color="yellow"
        title={t('{amount} of it is not due any more.', { amount: money(row.not_due_amount, row.currency) })}
      />
    )}
  </>
);

function Transactions({ payout, may }: { payout: PayoutView; may: boolean }): ReactNode {
  const mark = useWrite('payouts.markTransaction', { quiet: true });
  const undo = useWrite('payouts.deleteTransaction', { quiet: true });
  const payee = useWrite('payouts.takePayee', { quiet: true });
  const sumOf = (row: Transaction): string => money(row.total_amount, row.currency);
  const deeds = (row: Transaction): ReactNode => (
    <span className="fa-row">
      {row.status === 'processing' && (
        <Button
          size="compact-xs"
          variant="light"
          onClick={() =>
            ask({
              title: t('Mark as paid?'),
              text: (
                <>
                  <div className="fa-dialog-sum">{sumOf(row)}</div>
                  <p>{row.affiliate && nameOf(row.affiliate)}</p>
                  <Doubts row={row} />
                </>
              ),
              yes: t('Mark as paid'),
              run: () =>
                mark.run({
                  params: { id: payout.id, transaction_id: row.id },
                  body: { status: 'paid', ...(isDoubtful(row) && { confirm: true }) },
                }),
            })
          }
        >
          {t('Mark as paid')}
        </Button>
      )}
      {row.status === 'processing' && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() =>
            ask({
              title: t('Take this payment out?'),
              danger: true,
              text: (
                <>
                  <div className="fa-dialog-sum">{sumOf(row)}</div>
                  <p>{t('Its referrals become unpaid again and go into the next payout.')}</p>
                </>
              ),
              yes: t('Take out'),
              run: () => undo.run({ params: { id: payout.id, transaction_id: row.id } }),
            })
          }
        >
          {t('Undo')}
        </Button>
      )}
      {row.status === 'paid' && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() =>
            ask({
              title: t('Back to open?'),
              text: (
                <>
                  <div className="fa-dialog-sum">{sumOf(row)}</div>
                  <p>{t('The payment is marked as not made yet. Its referrals go back to processing.')}</p>
                </>
              ),
              yes: t('Mark as open'),
              run: () =>
                mark.run({
                  params: { id: payout.id, transaction_id: row.id },
                  body: { status: 'processing' },
                }),
            })
          }
        >
          {t('Reopen')}
        </Button>
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
          <Person
            name={nameOf(row.affiliate)}
            about={row.paid_to}
            avatar={row.affiliate.user?.photo ?? ''}
            href={`/affiliates/${row.affiliate.id}`}
          />
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
              {t('Payment details changed since this payout was made')}
              {may && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  onClick={() =>
                    ask({
                      title: t('Use the new details?'),
                      text: (
                        <>
                          <div className="fa-dialog-sum">{sumOf(row)}</div>
                          <p>{row.affiliate && nameOf(row.affiliate)}</p>
                          <p>{t('The payment goes to the details that the affiliate has now.')}</p>
                        </>
                      ),
                      yes: t('Use the new details'),
                      run: () => payee.run({ params: { id: payout.id, transaction_id: row.id } }),
                    })
                  }
                >
                  {t('Use the new details')}
                </Button>
              )}
            </div>
          )}
        </>
      ),
    },
    { key: 'method', label: t('Method'), cell: (row) => word(row.payout_method) },
    {
      key: 'amount',
      label: t('Amount'),
      of: 'total_amount',
      cell: (row) => (
        <strong>
          <Money amount={row.total_amount} currency={row.currency} />
        </strong>
      ),
    },
    { key: 'updated', label: t('Changed'), end: true, cell: (row) => <When at={row.updated_at} /> },
    ...(may ? [{ key: 'deeds', label: '', end: true, head: false, cell: deeds }] : []),
  ];
  return (
    <List
      name="payments"
      operation="payouts.transactions"
      record="transactions"
      input={{ params: { id: payout.id } }}
      columns={columns}
      rowKey={(row) => row.id}
      rowName={(row) => (row.affiliate ? nameOf(row.affiliate) : `#${row.id}`)}
      search={t('Search affiliate')}
      filters={[
        {
          key: 'status',
          label: t('Status'),
          choices: ['processing', 'paid'].map((value) => ({ value, label: statusText(value) })),
        },
      ]}
      bulk={
        may
          ? [
              {
                label: t('Mark as paid'),
                fits: (row) => row.status === 'processing',
                about: (rows) => (
                  <DialogSum of={rows.map(({ total_amount: amount, currency }) => ({ amount, currency }))}>
                    {tn(
                      '{count} payment is marked as paid.',
                      '{count} payments are marked as paid.',
                      rows.length,
                    )}
                  </DialogSum>
                ),
                run: (row) =>
                  send('payouts.markTransaction', {
                    params: { id: payout.id, transaction_id: row.id },
                    body: { status: 'paid' },
                  }),
              },
            ]
          : []
      }
      empty={{ title: t('No payments left'), text: t('Every payment of this payout was taken out again.') }}
    />
  );
}

function PayoutReferrals({ id }: { id: number }): ReactNode {
  type Row = RowOf<'payouts.referrals'>;
  const columns: readonly Column<Row>[] = [
    {
      key: 'what',
      label: t('Referral'),
      head: true,
      cell: (row) => <AppLink href={`/referrals/${row.id}`}>{row.description || `#${row.id}`}</AppLink>,
    },
    { key: 'who', label: t('Affiliate'), cell: (row) => (row.affiliate ? nameOf(row.affiliate) : '—') },
    { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
    {
      key: 'amount',
      label: t('Commission'),
      end: true,
      cell: (row) => <Money amount={row.amount} currency={row.currency} />,
    },
    { key: 'created', label: t('Date'), end: true, cell: (row) => <When at={row.created_at} /> },
  ];
  return (
    <List
      name="payout-referrals"
      operation="payouts.referrals"
      input={{ params: { id } }}
      columns={columns}
      rowKey={(row) => row.id}
      href={(row) => `/referrals/${row.id}`}
      search={false}
      empty={{ title: t('No referrals') }}
    />
  );
}

function About({ payout }: { payout: PayoutView }): ReactNode {
  const settings = (Array.isArray(payout.settings) ? {} : payout.settings) as Readonly<
    Record<string, unknown>
  >;
  const value = (key: string): string =>
    typeof settings[key] === 'string' || typeof settings[key] === 'number' ? String(settings[key]) : '';
  return (
    <Panel>
      <Facts
        facts={[
          { label: t('Number'), value: `#${payout.id}` },
          { label: t('Created by'), value: payout.creator?.display_name },
          { label: t('Created'), value: <When at={payout.created_at} full /> },
          { label: t('Method'), value: word(payout.payout_method) },
          { label: t('Commissions from'), value: value('start_date') },
          { label: t('Commissions until'), value: value('end_date') },
          { label: t('Minimum per affiliate'), value: value('min_payout') },
        ]}
      />
    </Panel>
  );
}
