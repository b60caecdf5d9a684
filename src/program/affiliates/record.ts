import { isMap, type JsonMap } from '../../core/is-map.js';
import { readJson } from '../../core/json.js';
import { Type } from '../../core/type.js';
import { mapOrEmptyList, mapOrList, string, yesNo } from '../../core/dto-schema.js';
import {
  amount,
  count,
  flag,
  id,
  inside,
  json,
  rate,
  ref,
  text,
  time,
  timeOrNone,
  word,
  type Field,
} from '../../records/fields.js';
import { choice, email, idOrNone, inForm, longText } from '../../records/form.js';
import { record, type RecordOf } from '../../records/record.js';
import { linkName, rateEntry, userEntry } from './rules.js';
import {
  AFFILIATE_STATUSES,
  RATE_TYPES,
  type AffiliateSettings,
  type InvoiceDetails,
  type RateType,
} from './words.js';

export const NOTE_MAX = 10_000;

/** Imported rows may contain other words. */
const rateType: Field<RateType, RateType> = {
  ...word(RATE_TYPES, { export: true, audit: true }),
  read: (stored) => READ_AS[String(stored)] ?? 'default',
};
const READ_AS: Readonly<Record<string, RateType>> = {
  group: 'group',
  percentage: 'percentage',
  flat: 'flat',
  fixed: 'flat',
};

export const settingsSchema = Type.Object({
  disable_new_ref_email: yesNo,
  bank_details: string,
  disable_payout_email: Type.Optional(yesNo),
  disable_announcements: Type.Optional(yesNo),
  invoice: Type.Optional(Type.Object({ name: string, address: string, tax_number: string })),
});
const settings: Field<AffiliateSettings, AffiliateSettings> = {
  ...json<AffiliateSettings>(),
  read: readSettings,
  write: JSON.stringify,
  serialize: (value) => value,
  schema: settingsSchema,
};
const customFields: Field<JsonMap, JsonMap | readonly never[]> = {
  ...json<JsonMap>(),
  read: readMap,
  write: JSON.stringify,
  serialize: mapOrList,
  schema: mapOrEmptyList,
};

const stored = record('affiliates', {
  id: id({ sort: true, export: true }),
  contact_id: ref(),
  user_id: inForm(ref(), userEntry),
  group_id: inForm(ref({ audit: true }), idOrNone('Id of a group; 0, "" or null for none')),
  /** × 10 000; null unless `rate_type` is flat or percentage. */
  rate_e4: inForm(rate({ sort: true, export: true, audit: true }), rateEntry),
  total_earnings_minor: amount({ sort: true, filter: true, export: true }),
  unpaid_earnings_minor: amount({ sort: true, filter: true, export: true }),
  referrals: count({ sort: true, filter: true, export: true }),
  visits: count({ sort: true, filter: true, export: true }),
  lead_counts: count(),
  rate_type: inForm(rateType, choice(RATE_TYPES)),
  custom_param: inForm(text({ export: true, audit: true }), linkName),
  payment_email: inForm(
    text({ sort: true, find: 'anywhere', filter: true, export: true, audit: true }),
    email('E-mail address. Not used if affiliates are paid by bank transfer.'),
  ),
  status: inForm(
    word(AFFILIATE_STATUSES, { sort: true, filter: true, export: true, audit: true }),
    choice(AFFILIATE_STATUSES),
  ),
  settings,
  custom_fields: customFields,
  note: inForm(text(), longText(NOTE_MAX)),
  created_at: time({ sort: true, export: true }),
  updated_at: time({ sort: true }),
  /** A person pinned it to its group, at any level it reaches. */
  group_pinned: inside(flag()),
  /** When its owner asked for the deletion of the personal data. */
  deletion_asked_at: inside(timeOrNone()),
});

/** An affiliate as stored. Counters and earnings are changed by the ledger and by visits only. */
export type Affiliate = RecordOf<typeof stored>;

export const affiliates: typeof stored = {
  ...stored,
  fromRow: (row) => {
    const affiliate = stored.fromRow(row);
    const hasRate = affiliate.rate_type === 'flat' || affiliate.rate_type === 'percentage';
    return hasRate ? affiliate : { ...affiliate, rate_e4: null };
  },
};

/**
 * The personal columns, emptied: everything that may be empty but group and rate. Settings become those of a new
 * affiliate.
 */
export const ERASED: Partial<Affiliate> = affiliates.emptied(['group_id', 'rate_e4']);

/** The first columns of exports in their order, with the names of user and group. */
const EXPORTED_FIRST = [
  'id',
  'full_name',
  'email',
  'payment_email',
  'rate_type',
  'rate',
  'status',
  'total_earnings',
  'unpaid_earnings',
  'referrals',
  'visits',
  'created_at',
  'login',
  'group',
  'custom_param',
];
/** Where the money is, in the program's currency; the words of a balance in responses. */
export const BALANCE_COLUMNS = ['payable', 'waiting', 'held', 'on_its_way', 'paid', 'canceled'] as const;
/** All columns of exports. */
export const EXPORT_COLUMNS = [...new Set([...EXPORTED_FIRST, ...stored.uses.export]), ...BALANCE_COLUMNS];

function readInvoice(stored: unknown): InvoiceDetails {
  const value = readMap(stored);
  const text = (name: keyof InvoiceDetails): string => (typeof value[name] === 'string' ? value[name] : '');
  return { name: text('name'), address: text('address'), tax_number: text('tax_number') };
}

function readSettings(text: unknown): AffiliateSettings {
  const value = readMap(text);
  return {
    disable_new_ref_email: value['disable_new_ref_email'] === 'yes' ? 'yes' : 'no',
    bank_details: typeof value['bank_details'] === 'string' ? value['bank_details'] : '',
    ...(value['disable_payout_email'] === 'yes' && { disable_payout_email: 'yes' }),
    ...(value['disable_announcements'] === 'yes' && { disable_announcements: 'yes' }),
    ...(value['invoice'] !== undefined && { invoice: readInvoice(value['invoice']) }),
  };
}

function readMap(text: unknown): JsonMap {
  const value = readJson<unknown>(text, null);
  return isMap(value) ? value : {};
}
