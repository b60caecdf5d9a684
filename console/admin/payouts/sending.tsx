import { Alert, Button, FileButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { confirmFirst } from '../../shared/confirm.js';
import { send, sendFiles } from '../../shared/boot.js';
import { RowButton } from '../../shared/buttons.js';
import { queries, useRead, useTask, useWrite, type ResponseOf, type RowOf } from '../../shared/data.js';
import { date } from '../../shared/dates.js';
import { useDownload } from '../../shared/download.js';
import { List, type Column } from '../../shared/list.js';
import { money, Money } from '../../shared/money.js';
import { AppLink, Facts, Status } from '../../shared/parts.js';
import { fromServer, number, t, tn, word } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';

type Overview = ResponseOf<'payers.overview'>;
type Plan = ResponseOf<'payers.plan'>['plan'];
type Payment = RowOf<'payers.payments'>;

const stateText = (state: string): string =>
  ({
    prepared: t('Waits to be sent'),
    unknown: t('No response yet'),
    submitted: t('Submitted'),
    processing: t('On its way'),
    unclaimed: t('Not accepted yet'),
    held: t('Held by the payer'),
    paid: t('Paid'),
    failed: t('Failed'),
    returned: t('Returned'),
    canceled: t('Canceled'),
  })[state] ?? state;

/** The payments of a payout that payers send, with their status. */
export function Sending({ id, may }: { id: number; may: boolean }): ReactNode {
  const reading = useRead(
    'payers.overview',
    { params: { id } },
    { every: ({ states }) => states.some(({ state }) => state === 'prepared') && 3000 },
  );
  const overview = reading.data;
  return (
    <div className="fa-stack">
      {overview && <SandboxPayments overview={overview} />}
      {overview && may && <SendPanel id={id} overview={overview} />}
      {overview && <States overview={overview} />}
      {overview && <Batches id={id} overview={overview} may={may} />}
      {may && <Findings id={id} />}
      <PaymentList id={id} may={may} batches={overview?.batches ?? []} />
    </div>
  );
}

/** Payments of a sandbox. */
const SandboxPayments = ({ overview: { states, methods } }: { overview: Overview }): ReactNode =>
  [...states, ...methods].some(({ sandbox }) => sandbox) && (
    <Alert color="yellow" title={t('Sandbox: no money moves')} />
  );

/** Highlights payments that need attention. */
const State = ({ of, label = stateText(of) }: { of: string; label?: string }): ReactNode => (
  <Status of={of} label={label} {...(WAITS.includes(of) && { tone: 'amber' as const })} />
);
const WAITS = ['unknown', 'unclaimed', 'held'];

/** Actions for a payment that needs attention. */
const hintOf = (state: string): string =>
  ({
    unknown: t('The service retries it. The payer pays only once.'),
    held: t('Check the payer’s site.'),
  })[state] ?? '';

/** Number of payments per status. */
const States = ({ overview: { states } }: { overview: Overview }): ReactNode =>
  states.length > 0 && (
    <div className="fa-row">
      {states.map(({ method, state, sandbox, count }) => (
        <State
          key={`${method} ${state} ${sandbox}`}
          of={state}
          label={`${word(method)}${sandbox ? ` (${t('Sandbox')})` : ''}: ${stateText(state)} ${number(count)}`}
        />
      ))}
    </div>
  );

function SendPanel({ id, overview }: { id: number; overview: Overview }): ReactNode {
  const reconcile = useWrite('payers.reconcile', { done: t('Compared with the payer') });
  return (
    <span className="fa-row">
      {overview.methods
        .filter((method) => method.sends)
        .map((method) => (
          <SendButton key={method.method} id={id} method={method} />
        ))}
      {overview.states.length > 0 && (
        <Button
          variant="default"
          loading={reconcile.running}
          onClick={() => reconcile.press({ params: { id } })}
        >
          {t('Reconcile')}
        </Button>
      )}
    </span>
  );
}

function SendButton({
  id,
  method: { method, title, sandbox },
}: {
  id: number;
  method: Overview['methods'][number];
}): ReactNode {
  const sending = useWrite('payers.send', { quiet: true });
  /** With `confirm`, payments whose commissions or payee changed are sent too. */
  const look = useTask(async (confirm: boolean) => {
    const query = { method, ...(confirm && { confirm }) };
    const { plan } = await send('payers.plan', { params: { id }, query });
    const body = { method, count: plan.count, amount: plan.amount, ...(confirm && { confirm }) };
    confirmFirst({
      title: t('Send the money by {method}?', { method: fromServer(plan.title) }),
      text: <SendPreview plan={plan} onConfirm={() => look.start(true)} />,
      yes: t('Send payments'),
      run: () => sending.run({ params: { id }, body }),
    });
  });
  return (
    <Button loading={look.running} onClick={() => look.start(false)}>
      {t('Send by {method}', { method: fromServer(title) })}
      {sandbox && ` (${t('Sandbox')})`}
    </Button>
  );
}

/** Statuses that need a manager. */
const CHANGED = ['commissions_changed', 'payee_changed'];

function SendPreview({ plan, onConfirm }: { plan: Plan; onConfirm: () => void }): ReactNode {
  const changed = plan.left_out.filter(({ code }) => CHANGED.includes(code)).length;
  const sum = (amount: number): string => money(amount, plan.currency);
  return (
    <>
      <div className="fa-dialog-sum">{sum(plan.amount)}</div>
      {plan.sandbox && <Alert color="yellow" title={t('Sandbox: no money moves')} />}
      {plan.enough === false && <Alert color="red" title={t('The account holds too little money')} />}
      <Facts
        facts={[
          { label: t('Payments'), value: number(plan.count) },
          plan.fees !== null && { label: t('Fees'), value: sum(plan.fees) },
          plan.balance !== null && { label: t('In the account'), value: sum(plan.balance) },
          plan.left_out_count > 0 && { label: t('Skipped'), value: number(plan.left_out_count) },
        ]}
      />
      {plan.left_out.length > 0 && (
        <ul className="fa-plain-list">
          {plan.left_out.slice(0, 20).map((row) => (
            <li key={row.transaction_id}>
              <AppLink href={`/affiliates/${row.affiliate_id}`}>
                {row.affiliate_name ?? t('Affiliate {id}', { id: row.affiliate_id ?? 0 })}
              </AppLink>
              : {leftOutText(row.code)} {row.reason ?? ''}
            </li>
          ))}
        </ul>
      )}
      {changed > 0 && (
        <Button variant="default" size="compact-sm" onClick={onConfirm}>
          {tn('Send {count} changed payment too', 'Send {count} changed payments too', changed)}
        </Button>
      )}
    </>
  );
}

const leftOutText = (code: string): string =>
  ({
    payment_in_flight: t('sent already'),
    missing_payment_details: t('no payment details'),
    details_to_check: t('the last payment failed; check the details'),
    details_refused: t('the payment details cannot be used'),
    commissions_changed: t('commissions were refunded or disputed'),
    payee_changed: t('Payment details changed since this payout was created'),
    amount_out_of_range: t('the amount is too small or too large'),
    currency_not_supported: t('this currency is not supported'),
    fee_exceeds_amount: t('the fee is higher than the amount'),
  })[code] ?? code;

/** Open differences between the payer's records and ours. */
function Findings({ id }: { id: number }): ReactNode {
  const reading = useRead('payers.to_do');
  const settle = useWrite('payers.settle_finding', { quiet: true });
  const found = (reading.data?.findings ?? []).filter(({ payout_id: payout }) => payout === id);
  if (found.length === 0) return null;
  return (
    <Alert color="yellow" title={t('Differences with the payer')}>
      <ul className="fa-plain-list">
        {found.map((row) => (
          <li key={row.id} className="fa-row">
            <span>
              {findingText(row.kind)} {row.reference ?? ''}{' '}
              {row.found_amount !== null && money(row.found_amount, row.currency)}
            </span>
            <RowButton
              question={{
                title: t('Is this difference settled?'),
                text: `${findingText(row.kind)} ${row.reference ?? ''}`,
                reason: NOTE(),
                yes: t('Settled'),
                run: (note) => settle.run({ params: { id: row.id }, body: { note } }),
              }}
            >
              {t('Settled')}
            </RowButton>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

const findingText = (kind: string): string =>
  ({
    missing_at_payer: t('The payer has no record of this payment'),
    unknown_to_us: t('The payer made a payment unknown to us'),
    amount_differs: t('The payer paid another amount'),
    paid_after_end: t('Paid by the payer after it had failed'),
    transaction_gone: t('Paid by the payer, but no longer part of the payout'),
  })[kind] ?? kind;

const NOTE = () => ({ label: t('How do you know?'), required: true });

/** Files for a bank, with buttons to confirm or reject them. */
function Batches({ id, overview, may }: { id: number; overview: Overview; may: boolean }): ReactNode {
  const { start, running } = useDownload(`payout-${id}-batch`);
  const settle = useWrite('payers.settle_batch', { quiet: true });
  const files = overview.batches.filter((batch) => batch.makes_file);
  if (files.length === 0 || !may) return null;
  const readers = [...new Set(files.filter((batch) => batch.reads_answer).map(({ method }) => method))];
  const paid = (batch: number): void =>
    confirmFirst({
      title: t('Has the bank paid this file?'),
      text: t('Confirm when the money has left the account.'),
      reason: NOTE(),
      yes: t('Mark as paid'),
      run: (note) => settle.run({ params: { id, batch_id: batch }, body: { as: 'paid', note } }),
    });
  const failed = (batch: number): void =>
    confirmFirst({
      title: t('Did the bank refuse this file?'),
      text: t('Its payments can then be sent again.'),
      reason: NOTE(),
      danger: true,
      yes: t('Not paid'),
      run: (note) => settle.run({ params: { id, batch_id: batch }, body: { as: 'failed', note } }),
    });
  return (
    <ul className="fa-plain-list">
      {files.map((batch) => (
        <li key={batch.id} className="fa-row">
          <span>{batch.key}</span>
          <RowButton
            variant="light"
            loading={running}
            onClick={() => void start('payers.file', { params: { id, batch_id: batch.id } })}
          >
            {t('File for the bank')}
          </RowButton>
          <RowButton variant="subtle" onClick={() => paid(batch.id)}>
            {t('Mark as paid')}
          </RowButton>
          <RowButton quiet onClick={() => failed(batch.id)}>
            {t('Not paid')}
          </RowButton>
        </li>
      ))}
      {readers.map((method) => (
        <li key={method}>
          <BankReport id={id} method={method} />
        </li>
      ))}
    </ul>
  );
}

/** Uploads the bank's report on a file, or its list of returns. */
function BankReport({ id, method }: { id: number; method: string }): ReactNode {
  const reading = useTask(async (file: File) => {
    const response = await sendFiles('payers.bank_answer', file, { params: { id }, query: { method } });
    const { read_count: count } = response as ResponseOf<'payers.bank_answer'>;
    toast.done(tn('{count} payment was read', '{count} payments were read', count));
    await queries.invalidateQueries();
  });
  return (
    <FileButton onChange={(file) => file && reading.start(file)}>
      {(props) => (
        <Button {...props} size="compact-sm" variant="default" loading={reading.running}>
          {t('Read the bank’s response ({method})', { method: word(method) })}
        </Button>
      )}
    </FileButton>
  );
}

function PaymentList({
  id,
  may,
  batches,
}: {
  id: number;
  may: boolean;
  batches: Overview['batches'];
}): ReactNode {
  const byFile = new Set(batches.filter((batch) => batch.makes_file).map((batch) => batch.id));
  const columns: readonly Column<Payment>[] = [
    {
      key: 'who',
      label: t('Affiliate'),
      head: true,
      cell: (row) => (
        <AppLink href={`/affiliates/${row.affiliate_id}`}>
          {row.affiliate_name ?? t('Affiliate {id}', { id: row.affiliate_id ?? 0 })}
        </AppLink>
      ),
    },
    {
      key: 'state',
      label: t('Status'),
      cell: (row) => (
        <div>
          <State of={row.state} />
          <div className="fa-faint">
            {row.sandbox && `${t('Sandbox')} `}
            {row.until === null ? (row.message ?? '') : t('until {day}', { day: date(row.until) })}{' '}
            {hintOf(row.state)}
          </div>
        </div>
      ),
    },
    { key: 'method', label: t('Method'), cell: (row) => word(row.method) },
    { key: 'amount', label: t('Amount'), of: 'sent_amount', kind: 'amount' },
    {
      key: 'fee',
      label: t('Fees'),
      end: true,
      cell: (row) => (row.fee === null ? '—' : <Money amount={row.fee} currency={row.fee_currency ?? ''} />),
    },
    { key: 'updated', label: t('Changed'), of: 'updated_at', kind: 'time' },
    ...(may
      ? [
          {
            key: 'actions',
            label: '',
            end: true,
            head: false,
            cell: (row: Payment) => <PaymentActions payment={row} byFile={byFile.has(row.batch_id)} />,
          },
        ]
      : []),
  ];
  return (
    <List
      name="sent-payments"
      operation="payers.payments"
      input={{ params: { id } }}
      columns={columns}
      search={false}
      empty={{ title: t('Nothing was sent yet') }}
    />
  );
}

const OPEN = ['prepared', 'unknown', 'submitted', 'processing', 'unclaimed', 'held'];

function PaymentActions({ payment, byFile }: { payment: Payment; byFile: boolean }): ReactNode {
  const retry = useWrite('payers.retry');
  const cancel = useWrite('payers.cancel', { quiet: true });
  const params = { id: payment.payout_id, payment_id: payment.id };
  if (!OPEN.includes(payment.state)) return null;
  return (
    <span className="fa-row">
      {(payment.state === 'unknown' || byFile) && <Settle payment={payment} />}
      {payment.state !== 'prepared' && !byFile && (
        <RowButton variant="light" loading={retry.running} onClick={() => retry.press({ params })}>
          {t('Ask again')}
        </RowButton>
      )}
      {(payment.state === 'prepared' || payment.state === 'unclaimed') && (
        <RowButton
          quiet
          question={{
            title: t('Cancel this payment?'),
            danger: true,
            text: t('Its commissions become due again.'),
            yes: t('Cancel payment'),
            run: () => cancel.run({ params }),
          }}
        >
          {t('Cancel payment')}
        </RowButton>
      )}
    </span>
  );
}

/** Lets a manager settle a payment whose result the payer can't report. */
function Settle({ payment }: { payment: Payment }): ReactNode {
  const settle = useWrite('payers.settle', { quiet: true });
  const params = { id: payment.payout_id, payment_id: payment.id };
  const settleAs = (as: 'paid' | 'failed'): void =>
    confirmFirst({
      title: as === 'paid' ? t('Did this payment arrive?') : t('Did this payment not arrive?'),
      text: t('Check the payer first. This works only if the payer has no record of the payment.'),
      reason: NOTE(),
      danger: as === 'failed',
      yes: as === 'paid' ? t('Mark as paid') : t('Not paid'),
      run: (note) => settle.run({ params, body: { as, note } }),
    });
  return (
    <>
      <RowButton variant="subtle" onClick={() => settleAs('paid')}>
        {t('Mark as paid')}
      </RowButton>
      <RowButton quiet onClick={() => settleAs('failed')}>
        {t('Not paid')}
      </RowButton>
    </>
  );
}
