import type { ReactNode } from 'react';
import type { RowOf } from '../../shared/data.js';
import { List, type Column } from '../../shared/list.js';
import { Money, money } from '../../shared/money.js';
import { AppLink } from '../../shared/parts.js';
import { causeOf, entryText } from '../../shared/entry-words.js';
import { t } from '../../shared/texts.js';

type Row = RowOf<'affiliates.statement'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'what',
    label: t('Entry'),
    head: true,
    cell: (row) => (
      <span className="fa-person-text">
        <span className="fa-strong">{entryText(row)}</span>
        <span className="fa-faint">
          <About row={row} />
        </span>
      </span>
    ),
  },
  {
    key: 'reason',
    label: t('Reason'),
    cell: (row) => reasonOf(row) || <span className="fa-faint">—</span>,
  },
  { key: 'day', label: t('Date'), of: 'created_at', kind: 'time' },
  { key: 'amount', label: t('Amount'), of: 'amount', kind: 'amount' },
  { key: 'balance', label: t('Balance'), end: true, cell: (row) => <Money amount={row.balance ?? 0} /> },
];

/** The reason of a correction is its description. */
const reasonOf = (row: Row): string =>
  row.change === 'balance' ? row.description : (row.note ?? causeOf(row));

/** The commission or the payout of an entry. */
function About({ row }: { row: Row }): ReactNode {
  if (row.commission_id !== null) {
    const name = row.change === 'balance' ? '' : row.description;
    return (
      <AppLink href={`/referrals/${String(row.commission_id)}`}>
        {name || `#${String(row.commission_id)}`}
      </AppLink>
    );
  }
  if (row.payout_id !== null && row.description !== '')
    return <AppLink href={`/payouts/${String(row.payout_id)}`}>{row.description}</AppLink>;
  return row.description;
}

/** The ledger entries of an affiliate. */
export const Statement = ({ id }: { id: number }): ReactNode => (
  <List
    name="affiliate-statement"
    operation="affiliates.statement"
    input={{ params: { id } }}
    columns={columns()}
    search={false}
    totals={({ balance }) => t('Balance now: {amount}', { amount: money(balance.closing) })}
    empty={{
      title: t('No entries yet'),
      text: t('Commissions, refunds, corrections and payments are listed here.'),
    }}
  />
);
