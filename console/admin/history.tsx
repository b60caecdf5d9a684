import type { ReactNode } from 'react';
import { currencyDigitsOf, money } from '../shared/money.js';
import type { RowOf } from '../shared/data.js';
import { dateTime } from '../shared/dates.js';
import { causeText } from '../shared/entry-words.js';
import { List, type Column } from '../shared/list.js';
import { commissionStatusText } from '../shared/money-states.js';
import { statusText } from '../shared/parts.js';
import { t, word } from '../shared/texts.js';
import { Doer } from './doers.js';
import { dayFilters, recordFilters } from './people.js';

type Row = RowOf<'audit.list'>;

const columns = (withObject: boolean, currency: string | null): readonly Column<Row>[] => [
  {
    key: 'what',
    label: t('Change'),
    head: true,
    cell: (row) => <span className="fa-strong">{actionText(row.action)}</span>,
  },
  ...(withObject
    ? [
        {
          key: 'object',
          label: t('Of'),
          cell: (row: Row) => `${word(row.object_type)} ${row.object_id ?? ''}`,
        },
      ]
    : []),
  {
    key: 'who',
    label: t('Changed by'),
    cell: (row) => <Doer of={row} />,
  },
  {
    key: 'before',
    label: t('Before'),
    cell: (row) => <Value of={row} value={row.before} beside={row.after} currency={currency} />,
  },
  {
    key: 'after',
    label: t('After'),
    cell: (row) => <Value of={row} value={row.after} beside={row.before} currency={currency} />,
  },
  { key: 'created', label: t('Date'), of: 'created_at', kind: 'time' },
];

/** Texts of the most common actions; the others show their name. */
function actionText(action: string): string {
  const texts: Readonly<Record<string, string>> = {
    'affiliate.created': t('Affiliate created'),
    'affiliate.updated': t('Affiliate changed'),
    'affiliate.deleted': t('Affiliate deleted'),
    'affiliate.merged': t('Affiliates merged'),
    'affiliate.balance_corrected': t('Balance of an affiliate corrected'),
    'referral.created': t('Commission created'),
    'referral.updated': t('Commission changed'),
    'referral.deleted': t('Commission deleted'),
    'referral.given': t('Order moved to another affiliate'),
    'payout.processed': t('Payout created'),
    'payout.marked_paid': t('Payout marked as paid'),
  };
  return texts[action] ?? word(action.replaceAll('.', ' '));
}

/** The audit log of the program, or of one record, whose amounts are in this currency. */
export function History({
  object,
  id,
  currency = null,
}: {
  object?: string;
  id?: string;
  currency?: string | null;
}): ReactNode {
  const one = object !== undefined && id !== undefined;
  return (
    <List
      name={one ? 'history' : 'audit'}
      operation="audit.list"
      input={one ? { query: { object_type: object, object_id: id } } : {}}
      columns={columns(!one, currency)}
      search={false}
      filters={[
        { key: 'action', label: t('Change'), kind: 'text' },
        ...(one ? dayFilters() : recordFilters()),
      ]}
      empty={{
        title: t('No changes yet'),
        text: t('Changes to amounts, rates, payment details and rights appear here.'),
      }}
    />
  );
}

/** Names and values; amounts in minor units. */
function Value({
  of: { object_type: type },
  value,
  beside,
  currency,
}: {
  of: Row;
  value: unknown;
  beside: unknown;
  currency: string | null;
}): ReactNode {
  if (value === null || value === undefined) return <span className="fa-faint">—</span>;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return <LongText text={value.map((part) => word(String(part))).join(', ')} />;
  const parts = changed(value, beside).map(
    ([key, part]) => `${word(key.replace(/_(minor|e4)$/, ''))}: ${partText(key, part, { type, currency })}`,
  );
  return <LongText text={parts.join(' · ')} />;
}

/** The values that differ before and after; for a created or deleted record, all values that are set. */
function changed(value: object, beside: unknown): [string, unknown][] {
  const parts = Object.entries(value) as [string, unknown][];
  if (typeof beside !== 'object' || beside === null)
    return parts.filter(([, part]) => part !== null && String(part) !== '');
  const other = beside as Record<string, unknown>;
  return parts.filter(([key, part]) => JSON.stringify(part) !== JSON.stringify(other[key]));
}

const LongText = ({ text }: { text: string }): ReactNode => (
  <span className="fa-lines" data-hint={text}>
    {text || '—'}
  </span>
);

/** Fields whose values are words of the API. */
const WORDS = new Set(['type', 'rate_type', 'payout_method', 'privacy', 'rights']);

function partText(
  key: string,
  part: unknown,
  record: { readonly type: string; readonly currency: string | null },
): string {
  if (part === null || part === '') return '—';
  if (typeof part === 'number') return numberText(key, part, record.currency);
  if (Array.isArray(part)) return part.map((one) => partText(key, one, record)).join(', ');
  if (key === 'status')
    return record.type === 'referral' ? commissionStatusText(String(part)) : statusText(String(part));
  if (key === 'why') return causeText(String(part));
  if (WORDS.has(key)) return word(String(part));
  return typeof part === 'object' ? JSON.stringify(part) : String(part);
}

/** Amounts are minor units, rates have four decimals, times are milliseconds. */
function numberText(key: string, part: number, currency: string | null): string {
  if (key.endsWith('_minor')) return money(part / 10 ** currencyDigitsOf(currency), currency);
  if (key.endsWith('_e4')) return String(part / 10_000);
  return key.endsWith('_at') ? dateTime(new Date(part).toISOString()) : String(part);
}
