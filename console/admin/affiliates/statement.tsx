import type { ReactNode } from 'react';
import type { RowOf } from '../../shared/data.js';
import { List, type Column } from '../../shared/list.js';
import { Money, money } from '../../shared/money.js';
import { AppLink } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

type Row = RowOf<'affiliates.statement'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'what',
    label: t('Entry'),
    head: true,
    cell: (row) => (
      <span className="fa-person-text">
        <span className="fa-strong">{kindText(row.kind)}</span>
        <span className="fa-faint">
          {row.commission_id === null ? (
            row.description
          ) : (
            <AppLink href={`/referrals/${String(row.commission_id)}`}>
              {row.description || `#${String(row.commission_id)}`}
            </AppLink>
          )}
        </span>
      </span>
    ),
  },
  { key: 'reason', label: t('Reason'), cell: (row) => row.reason || <span className="fa-faint">—</span> },
  { key: 'day', label: t('Date'), of: 'created_at', kind: 'time' },
  { key: 'amount', label: t('Amount'), of: 'amount', kind: 'amount' },
  { key: 'balance', label: t('Balance'), end: true, cell: (row) => <Money amount={row.balance ?? 0} /> },
];

function kindText(kind: string): string {
  const texts: Readonly<Record<string, string>> = {
    earned: t('Commission earned'),
    adjusted: t('Commission changed'),
    refunded: t('Order refunded'),
    clawed_back: t('Reversed after a refund'),
    merged: t('Merged with another account'),
    paid: t('Payment'),
    payment_reversed: t('Payment undone'),
    corrected: t('Balance corrected'),
    imported: t('Imported'),
  };
  return texts[kind] ?? t('Other change');
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
