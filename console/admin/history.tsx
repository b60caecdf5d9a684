import { Fragment, type ReactNode } from 'react';
import { currencyDigitsOf, money } from '../shared/money.js';
import type { RowOf } from '../shared/data.js';
import { dateTime } from '../shared/dates.js';
import { causeText } from '../shared/entry-words.js';
import { List, type Column } from '../shared/list.js';
import { commissionStatusText } from '../shared/money-states.js';
import { AppLink, statusText } from '../shared/parts.js';
import { t, word } from '../shared/texts.js';
import { Doer } from './doers.js';
import { dayFilters, recordFilters } from './people.js';
import { rateText } from './rates.js';

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
          cell: (row: Row) => <Changed of={row} />,
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
    cell: (row) => <Value of={row} value={row.after} beside={row.before} currency={currency} isAfter />,
  },
  { key: 'created', label: t('Date'), of: 'created_at', kind: 'time' },
];

/** The changed record, with a link to its page; hashes are no names. */
function Changed({ of: { object_type: type, object_id: id } }: { of: Row }): ReactNode {
  const name = word(type);
  if (id === null || /^[0-9a-f]{20,}$/.test(id)) return name;
  const page = RECORDS[`${type}_id`];
  const text = `${name} ${id}`;
  return page !== undefined && /^\d+$/.test(id) ? <AppLink href={`${page}/${id}`}>{text}</AppLink> : text;
}

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
  isAfter = false,
}: {
  of: Row;
  value: unknown;
  beside: unknown;
  currency: string | null;
  isAfter?: boolean;
}): ReactNode {
  if (value === null || value === undefined) return <span className="fa-faint">—</span>;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return <LongText text={value.map((part) => word(String(part))).join(', ')} />;
  const old = isAfter ? recordOf(beside) : {};
  const parts = changed(value, beside)
    .filter(([key, part]) => !isNumberOfRecord(key, part) || key in RECORDS)
    .map(([key, part]) => {
      const of = { type, currency, rateType: recordOf(value)['rate_type'], wasSet: isHash(old[key]) };
      return {
        key,
        label: word(key.replace(/_(minor|e4)$/, '')),
        text: shortened(partText(key, part, of)),
        href: isNumberOfRecord(key, part) ? `${RECORDS[key]}/${String(part)}` : null,
      };
    });
  return (
    <LongText text={parts.map(({ label, text }) => `${label}: ${text}`).join(' · ')}>
      {parts.map(({ key, label, text, href }, at) => (
        <Fragment key={key}>
          {at > 0 && ' · '}
          {label}: {href === null ? text : <AppLink href={href}>{text}</AppLink>}
        </Fragment>
      ))}
    </LongText>
  );
}

/** Pages of records, by the field with their number. Numbers of other records say nothing to a person. */
const RECORDS: Readonly<Record<string, string>> = {
  affiliate_id: '/affiliates',
  referral_id: '/referrals',
  payout_id: '/payouts',
  customer_id: '/customers',
  group_id: '/groups',
};

const isNumberOfRecord = (key: string, part: unknown): boolean =>
  key.endsWith('_id') && typeof part === 'number';

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** The values that differ before and after; for a created or deleted record, all values that are set. */
function changed(value: object, beside: unknown): [string, unknown][] {
  const parts = Object.entries(value) as [string, unknown][];
  if (typeof beside !== 'object' || beside === null)
    return parts.filter(([, part]) => part !== null && String(part) !== '');
  const other = beside as Record<string, unknown>;
  return parts.filter(([key, part]) => JSON.stringify(part) !== JSON.stringify(other[key]));
}

const LongText = ({ text, children = text }: { text: string; children?: ReactNode }): ReactNode => (
  <span className="fa-lines" data-hint={text}>
    {text === '' ? '—' : children}
  </span>
);

const LONGEST = 120;
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** Fields whose values are words of the API. */
const WORDS = new Set(['type', 'rate_type', 'payout_method', 'privacy', 'rights']);

interface PartOf {
  readonly type: string;
  readonly currency: string | null;
  /** The kind of the rate beside it. */
  readonly rateType?: unknown;
  /** The personal value had another value before. */
  readonly wasSet?: boolean;
}

/** Personal values are stored as hashes. */
const isHash = (part: unknown): boolean => typeof part === 'string' && /^hash:[0-9a-f]+$/.test(part);

function partText(key: string, part: unknown, of: PartOf): string {
  if (part === null || part === '') return '—';
  if (Array.isArray(part)) return part.map((one) => partText(key, one, of)).join(', ') || '—';
  return typeof part === 'object' ? nestedText(part, of) : singleText(key, part, of);
}

function singleText(key: string, part: unknown, of: PartOf): string {
  if (isHash(part)) return of.wasSet === true ? t('changed') : t('set');
  if (key === 'rate' && typeof of.rateType === 'string') return rateOf(part, of.rateType);
  if (typeof part === 'number') return numberText(key, part, of.currency);
  if (typeof part === 'boolean') return part ? t('Yes') : t('No');
  return wordText(key, String(part), of.type);
}

function wordText(key: string, part: string, type: string): string {
  if (key === 'status') return type === 'referral' ? commissionStatusText(part) : statusText(part);
  if (key === 'why') return causeText(part);
  return WORDS.has(key) ? word(part) : part;
}

/** A nested record: its title, or its values with their names. */
function nestedText(part: object, of: PartOf): string {
  const record = recordOf(part);
  const title = record['title'] ?? record['name'];
  if (typeof title === 'string' && title !== '') return title;
  return Object.entries(record)
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([key, value]) =>
        `${word(key.replace(/_(minor|e4)$/, ''))} ${partText(key, value, { ...of, rateType: record['rate_type'] })}`,
    )
    .join(', ');
}

/** A rate of this kind; an inherited one has no value of its own. */
function rateOf(part: unknown, type: string): string {
  return type === 'percentage' || type === 'flat' ? rateText({ type, rate: Number(part) }) : String(part);
}

/** Amounts are minor units, rates have four decimals, times are milliseconds; a plain number is one of a record. */
function numberText(key: string, part: number, currency: string | null): string {
  if (key in RECORDS) return `#${part}`;
  if (key.endsWith('_minor')) return money(part / 10 ** currencyDigitsOf(currency), currency);
  if (key.endsWith('_e4')) return String(part / 10_000);
  return key.endsWith('_at') ? dateTime(new Date(part).toISOString()) : String(part);
}
