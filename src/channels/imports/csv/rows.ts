import { importedColumns } from '../../../program/api-schemas.js';
import { nameKey } from '../../../core/text.js';
import { foldWord } from '../../../core/imports/words.js';
import { isBlank, readEmailKey, readIdList } from '../../../core/imports/values.js';
import { paymentStatus } from '../../../../adapters/imports/fields.js';
import type { AnyRow, Raw, SourceAffiliate, Stage, StageRows } from '../../../../adapters/imports.js';
import type { CsvFileName } from './presets.js';
import type { CsvRow } from './row.js';
import type { Survey } from './survey.js';

/** The column that has a field, or a function of the row and of what was found in all files. */
type Field<T> = (Raw extends T ? string : never) | ((row: CsvRow, survey: Survey) => T);
type Fields<R> = { readonly [K in keyof Omit<R, 'id'>]: Field<R[K]> };

/** Fields with the names of their columns. */
const same = <K extends string>(...columns: readonly K[]): Record<K, K> =>
  Object.fromEntries(columns.map((column) => [column, column])) as Record<K, K>; // an entry for each

const columnsOf = (row: CsvRow, columns: readonly string[]): Record<string, Raw> =>
  Object.fromEntries(columns.map((column) => [column, row.field(column)]));

const amount = (column: string) => (row: CsvRow) => row.amount(column);
const date = (row: CsvRow): Raw => row.date;
const affiliate = (row: CsvRow, { affiliates }: Survey): string | null => row.affiliate(affiliates);

const AFFILIATE: Fields<SourceAffiliate> = {
  ...same('note', 'custom_param', 'bank_details'),
  user: userOf,
  status: (row) => row.status('affiliates'),
  columns: (row) => columnsOf(row, importedColumns),
  group_id: (row) => {
    const group = row.field('group');
    return group === null ? null : nameKey(group);
  },
  rate_type: rateTypeOf,
  rate: rateOf,
  payment_email: (row) => row.field('payment_email') ?? row.field('email'),
  coupons: (row, { coupons }) => coupons.get(row.id) ?? [],
  aliases: (row) => row.oldLinks.map((value) => ({ kind: 'token', value })),
  total_earnings: amount('total_earnings'),
  paid_earnings: amount('paid_earnings'),
  unpaid_earnings: amount('unpaid_earnings'),
  custom_fields: (row) => columnsOf(row, ['company', 'website', 'phone', 'country']),
  created_at: date,
};

const REFERRAL: Fields<StageRows['referrals']> = {
  ...same('parent_id', 'description', 'provider', 'provider_id', 'provider_sub_id', 'utm_campaign', 'type'),
  affiliate_id: affiliate,
  status: (row) => row.status('commissions'),
  amount: amount('amount'),
  order_total: amount('order_total'),
  currency: (row) => row.currency,
  created_at: date,
};

const CUSTOMER: Fields<StageRows['customers']> = {
  email: 'email',
  first_name: (row) => row.names.first_name,
  last_name: (row) => row.names.last_name,
  affiliate_id: affiliate,
  referral_ids: ordersOf,
  notes: (row, survey) =>
    affiliate(row, survey) === null && ordersOf(row, survey).length === 0
      ? ['customer_without_affiliate']
      : undefined,
  created_at: date,
};

const PAYMENT: Fields<StageRows['payouts']> = {
  method: 'method',
  affiliate_id: affiliate,
  amount: amount('amount'),
  currency: (row) => row.currency,
  status: (row) => paymentStatus(row.status('payouts')),
  referral_ids: (row, { byPayout }) => [
    ...new Set([...row.list('commission_ids'), ...(byPayout.get(row.id) ?? [])]),
  ],
  created_at: date,
  batch: (row) => ({
    id: row.field('batch') ?? `payout-${row.id}`.slice(0, 120),
    title: row.field('title'),
    created_at: row.date,
  }),
};

const VISIT: Fields<StageRows['visits']> = {
  ...same('url', 'referrer', 'ip'),
  campaign: 'utm_campaign',
  medium: 'utm_medium',
  source: 'utm_source',
  affiliate_id: affiliate,
  referral_ids: (row) => readIdList(row.field('referral_id')),
  created_at: date,
};

const RECORDS = {
  affiliates: { stage: 'affiliates', fields: AFFILIATE },
  commissions: { stage: 'referrals', fields: REFERRAL },
  customers: { stage: 'customers', fields: CUSTOMER },
  payouts: { stage: 'payouts', fields: PAYMENT },
  clicks: { stage: 'visits', fields: VISIT },
} as const satisfies Partial<Record<CsvFileName, { readonly stage: Stage; readonly fields: object }>>;

/** The files whose rows become records; those of coupons belong to affiliates. */
export type RecordFile = keyof typeof RECORDS;
export const RECORD_FILES = Object.keys(RECORDS) as readonly RecordFile[];
export const stageOf = (file: RecordFile): Stage => RECORDS[file].stage;

/** The record that a row makes. */
export function recordOf(file: RecordFile, row: CsvRow, survey: Survey): AnyRow {
  const fields = Object.entries(RECORDS[file].fields) as [string, Field<Raw>][];
  return Object.fromEntries([
    ['id', row.id],
    ...fields.map(([name, field]) => [
      name,
      typeof field === 'string' ? row.field(field) : field(row, survey),
    ]),
  ]) as AnyRow; // Fields<R> has a field for each
}

/** The login of an affiliate; null where the file has neither e-mail address nor login. */
function userOf(row: CsvRow): SourceAffiliate['user'] {
  const [email, login] = [row.field('email'), row.field('login')];
  return email === null && login === null ? null : { email, login, ...row.names };
}

function rateOf(row: CsvRow): string | null {
  return row.field('rate')?.replace('%', '').trim() ?? null;
}

function rateTypeOf(row: CsvRow): string {
  const type = foldWord(row.field('rate_type'));
  const rate = rateOf(row);
  if (type === 'group' || (row.field('group') !== null && isBlank(rate))) return 'group';
  if (isBlank(rate) || type === 'default') return 'default';
  return ['flat', 'fixed', 'fixed_amount', 'amount'].includes(type) ? 'flat' : 'percentage';
}

/** The commissions that name a customer by id or e-mail address. */
function ordersOf(row: CsvRow, { byCustomer }: Survey): string[] {
  const keys = [row.id, readEmailKey(row.field('email'))].filter((key) => key !== null);
  return [...new Set(keys.flatMap((key) => byCustomer.get(nameKey(key)) ?? []))];
}
