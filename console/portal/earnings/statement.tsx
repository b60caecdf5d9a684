import { Button, TextInput } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import type { AnswerOf, RowOf } from '../../shared/data.js';
import { dayText, When } from '../../shared/dates.js';
import { useDownload } from '../../shared/download.js';
import { List, type Column } from '../../shared/list.js';
import { Money, money } from '../../shared/money.js';
import { AppLink } from '../../shared/parts.js';
import { t, tn } from '../../shared/texts.js';
import { kindText } from './words.js';

type Row = RowOf<'portal.statement'>;

const columns = (currency: string): readonly Column<Row>[] => [
  { key: 'day', label: t('Date'), cell: (row) => <When at={row.created_at} day /> },
  {
    key: 'what',
    label: t('What'),
    head: true,
    cell: (row) => (
      <span className="fa-two-lines">
        <span className="fa-strong">{kindText(row.kind)}</span>
        <span className="fa-faint">
          {row.payment_id === null ? (
            row.description
          ) : (
            <>
              <AppLink href={`/payments/${String(row.payment_id)}`}>
                {row.description || t('Payment')}
              </AppLink>{' '}
              {tn('{count} commission', '{count} commissions', row.commissions)}
            </>
          )}
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

/** The balance entry by entry, for any time, on paper and as CSV. */
export function Statement(): ReactNode {
  const address = useAddress();
  const [from, to, currency] = [address.get('from'), address.get('to'), address.get('currency')];
  const range = {
    ...(from !== '' && { start_date: from }),
    ...(to !== '' && { end_date: to }),
    ...(currency !== '' && { currency }),
  };
  const file = useDownload('statement');
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
          onChange={(event) => address.set({ to: event.currentTarget.value, page: null })}
        />
        <div className="fa-list-tools">
          <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
            {t('Print')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            loading={file.running}
            onClick={() => void file.start('portal.export_statement', { query: range })}
          >
            {t('CSV')}
          </Button>
        </div>
      </div>
      <List
        name="portal-statement"
        operation="portal.statement"
        input={{ query: range }}
        columns={columns(currency)}
        rowKey={(row) => row.id}
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
  balance: AnswerOf<'portal.statement'>['balance'];
  from: string;
}): ReactNode => (
  <span>
    {from !== '' &&
      `${t('Balance before {day}', { day: dayText(from) })}: ${money(balance.opening, balance.currency)} · `}
    {t('Balance at the end')}: <strong>{money(balance.closing, balance.currency)}</strong>
  </span>
);

/** The statement has one currency; the others with money in them are a press away. */
const Currencies = ({
  balance: { balances, currency: shown },
  onChoose,
}: {
  balance: AnswerOf<'portal.statement'>['balance'];
  onChoose: (currency: string) => void;
}): ReactNode =>
  balances
    .filter(({ currency }) => currency !== shown)
    .map(({ currency }) => (
      <Button key={currency} variant="subtle" size="compact-xs" onClick={() => onChoose(currency)}>
        {t('Statement in {currency}', { currency })}
      </Button>
    ));
