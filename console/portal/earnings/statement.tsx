import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { RowButton } from '../../shared/buttons.js';
import type { ResponseOf, RowOf } from '../../shared/data.js';
import { dayText, DateTime } from '../../shared/dates.js';
import { causeOf, entryText } from '../../shared/entry-words.js';
import { DownloadButton, PrintButton } from '../../shared/file-buttons.js';
import { List, type Column } from '../../shared/list.js';
import { Money, money } from '../../shared/money.js';
import { AppLink } from '../../shared/parts.js';
import { t, tn } from '../../shared/texts.js';

type Row = RowOf<'portal.statement'>;

const columns = (currency: string): readonly Column<Row>[] => [
  { key: 'day', label: t('Date'), cell: (row) => <DateTime at={row.created_at} day /> },
  {
    key: 'what',
    label: t('What'),
    head: true,
    cell: (row) => (
      <span className="fa-two-lines">
        <span className="fa-strong">{entryText(row)}</span>
        <span className="fa-faint">
          <About row={row} />
        </span>
      </span>
    ),
  },
  {
    key: 'amount',
    label: t('Amount'),
    end: true,
    cell: (row) => (
      <span className={row.amount < 0 ? 'fa-soft' : 'fa-plus'}>
        <Money amount={row.amount} currency={currency} />
      </span>
    ),
  },
  {
    key: 'balance',
    label: t('Balance'),
    end: true,
    cell: (row) => <Money amount={row.balance ?? 0} currency={currency} />,
  },
];

/** The commission of an entry, or its payment with the number of commissions. */
function About({ row }: { row: Row }): ReactNode {
  if (row.payment_id === null)
    return [row.description, row.note ?? causeOf(row)].filter((text) => text !== '').join(' · ');
  const name = row.description || t('Payment');
  return (
    <>
      {row.payment_undone ? name : <AppLink href={`/payments/${String(row.payment_id)}`}>{name}</AppLink>}
      {' · '}
      {tn('{count} commission', '{count} commissions', row.commissions)}
    </>
  );
}

/** The statement of the balance for any period, for print and as CSV. */
export function Statement(): ReactNode {
  const address = useAddress();
  const [from, to, currency] = [address.get('from'), address.get('to'), address.get('currency')];
  const isBackwards = from !== '' && to !== '' && to < from;
  const range = {
    ...(from !== '' && { start_date: from }),
    ...(to !== '' && { end_date: to }),
    ...(currency !== '' && { currency }),
  };
  return (
    <div className="fa-stack">
      <div className="fa-days">
        <TextInput
          type="date"
          label={t('From')}
          value={from}
          max={to || undefined}
          onChange={(event) => address.set({ from: event.currentTarget.value, page: null })}
        />
        <TextInput
          type="date"
          label={t('Until')}
          value={to}
          min={from || undefined}
          error={isBackwards && t('The last day is before the first day.')}
          onChange={(event) => address.set({ to: event.currentTarget.value, page: null })}
        />
        <div className="fa-list-tools">
          <PrintButton />
          <DownloadButton name="statement" of="portal.export_statement" input={{ query: range }}>
            {t('CSV')}
          </DownloadButton>
        </div>
      </div>
      <List
        name="portal-statement"
        operation="portal.statement"
        input={{ query: range }}
        columns={columns(currency)}
        search={false}
        totals={(response) => (
          <>
            <Balance balance={response.balance} from={from} />
            <Currencies
              balance={response.balance}
              onChoose={(code) => address.set({ currency: code, page: null })}
            />
          </>
        )}
        empty={{
          title: t('Nothing in this time'),
          text: t('Commissions, refunds and payments are listed here, each with the balance after it.'),
        }}
      />
    </div>
  );
}

const Balance = ({
  balance,
  from,
}: {
  balance: ResponseOf<'portal.statement'>['balance'];
  from: string;
}): ReactNode => (
  <span>
    {from !== '' &&
      `${t('Balance before {day}', { day: dayText(from) })}: ${money(balance.opening, balance.currency)} · `}
    {t('Balance at the end')}: <strong>{money(balance.closing, balance.currency)}</strong>
  </span>
);

/** A statement has one currency; links lead to the others. */
const Currencies = ({
  balance: { balances, currency: shown },
  onChoose,
}: {
  balance: ResponseOf<'portal.statement'>['balance'];
  onChoose: (currency: string) => void;
}): ReactNode =>
  balances
    .filter(({ currency }) => currency !== shown)
    .map(({ currency }) => (
      <RowButton key={currency} variant="subtle" onClick={() => onChoose(currency)}>
        {t('Statement in {currency}', { currency })}
      </RowButton>
    ));
