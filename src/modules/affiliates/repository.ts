import { readJson } from '../../core/json.js';
import { minor } from '../../core/money.js';
import type { Db, Row } from '../../database/db.js';
import type { Affiliate, AffiliateSettings, RateType } from './types.js';

export const COLUMNS = [
  'id',
  'user_id',
  'contact_id',
  'group_id',
  'rate_e4',
  'rate_type',
  'total_earnings_minor',
  'unpaid_earnings_minor',
  'referrals',
  'visits',
  'lead_counts',
  'custom_param',
  'payment_email',
  'status',
  'settings',
  'custom_fields',
  'note',
  'created_at',
  'updated_at',
] as const;

const CHUNK = 1000;
const SETTINGS: AffiliateSettings = { disable_new_ref_email: 'no', bank_details: '' };
const RATE_TYPES: Readonly<Record<string, RateType>> = {
  group: 'group',
  percentage: 'percentage',
  flat: 'flat',
  fixed: 'flat',
};

const orNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export function fromRow(row: Row): Affiliate {
  const rateType = RATE_TYPES[String(row.rate_type)] ?? 'default';
  return {
    id: Number(row.id),
    user_id: orNull(row.user_id),
    contact_id: orNull(row.contact_id),
    group_id: orNull(row.group_id),
    rate_e4: rateType === 'flat' || rateType === 'percentage' ? orNull(row.rate_e4) : null,
    rate_type: rateType,
    total_earnings_minor: minor(Number(row.total_earnings_minor)),
    unpaid_earnings_minor: minor(Number(row.unpaid_earnings_minor)),
    referrals: Number(row.referrals),
    visits: Number(row.visits),
    lead_counts: Number(row.lead_counts),
    custom_param: textOrNull(row.custom_param),
    payment_email: textOrNull(row.payment_email),
    status: String(row.status),
    settings: readSettings(row.settings),
    custom_fields: readMap(row.custom_fields),
    note: textOrNull(row.note),
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
  };
}

function readSettings(stored: unknown): AffiliateSettings {
  const value = readMap(stored);
  return {
    disable_new_ref_email: value.disable_new_ref_email === 'yes' ? 'yes' : SETTINGS.disable_new_ref_email,
    bank_details: typeof value.bank_details === 'string' ? value.bank_details : SETTINGS.bank_details,
    ...(value.disable_payout_email === 'yes' && { disable_payout_email: 'yes' }),
  };
}

function readMap(stored: unknown): Readonly<Record<string, unknown>> {
  const value = readJson<unknown>(stored, null);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

type Writable = Partial<Omit<Affiliate, 'id'>>;

function toRow({ settings, custom_fields, ...columns }: Writable): Row {
  return {
    ...columns,
    ...(settings && { settings: JSON.stringify(settings) }),
    ...(custom_fields && { custom_fields: JSON.stringify(custom_fields) }),
  };
}

export async function findAffiliate(db: Db, id: number): Promise<Affiliate | null> {
  const row = await db.lookUp('affiliates', COLUMNS, { id });
  return row ? fromRow(row) : null;
}

/** The row, locked until the transaction ends; the first lock of every change (reliability §3.1). */
export async function lockAffiliate(trx: Db, id: number): Promise<Affiliate | null> {
  const row: Row | undefined = await trx.dialect.forUpdate(trx('affiliates').first(COLUMNS).where({ id }));
  return row ? fromRow(row) : null;
}

export async function findByUser(db: Db, userId: number): Promise<Affiliate | null> {
  const row = await db.lookUp('affiliates', COLUMNS, { user_id: userId });
  return row ? fromRow(row) : null;
}

export async function findAffiliates(
  db: Db,
  ids: readonly number[],
  key: 'id' | 'user_id' = 'id',
): Promise<Affiliate[]> {
  const found: Affiliate[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const rows: Row[] = await db('affiliates')
      .select(COLUMNS)
      .whereIn(key, ids.slice(at, at + CHUNK));
    found.push(...rows.map(fromRow));
  }
  return found;
}

/** null when the user is an affiliate already: the unique key decides a race, not a look-up before it. */
export async function insertAffiliate(trx: Db, affiliate: Omit<Affiliate, 'id'>): Promise<number | null> {
  return trx.dialect.insertIfAbsent(trx, 'affiliates', toRow(affiliate), ['user_id']);
}

/** Changes the row only while it still has the status it was read with; false when another writer was first. */
export async function updateAffiliate(
  trx: Db,
  seen: Pick<Affiliate, 'id' | 'status'>,
  changes: Writable,
): Promise<boolean> {
  return (await trx('affiliates').where({ id: seen.id, status: seen.status }).update(toRow(changes))) === 1;
}

/**
 * Gives the affiliate a value of links; false when another one has it or ever had it. The unique key of the table of
 * aliases decides a race; an imported value stands in the affiliate's row alone until it is changed.
 */
export async function claimParam(
  trx: Db,
  claim: { readonly affiliateId: number; readonly value: string; readonly now: number },
): Promise<boolean> {
  const held: Row | undefined = await trx('affiliates').first('id').where({ custom_param: claim.value });
  if (held !== undefined && Number(held.id) !== claim.affiliateId) return false;
  await rememberParam(trx, claim);
  const owner: Row | undefined = await trx('affiliate_aliases')
    .first('affiliate_id')
    .where({ kind: 'custom_param', value: claim.value });
  return Number(owner?.affiliate_id) === claim.affiliateId;
}

/** Keeps a value of links as one that credits this affiliate, unless it belongs to somebody already. */
export async function rememberParam(
  trx: Db,
  { affiliateId, value, now }: { readonly affiliateId: number; readonly value: string; readonly now: number },
): Promise<void> {
  const row = { kind: 'custom_param', value, affiliate_id: affiliateId, created_at: now };
  await trx.dialect.insertIfAbsent(trx, 'affiliate_aliases', row, ['kind', 'value']);
}

/** Links by any name the affiliate ever had lead nowhere from now on. */
export async function forgetParams(trx: Db, affiliateId: number): Promise<void> {
  await trx('affiliate_aliases').where({ affiliate_id: affiliateId }).delete();
}

/** Members lose the group; those that took its rate fall back to the default. */
export async function detachGroup(trx: Db, groupId: number, now: number): Promise<void> {
  await trx('affiliates')
    .where({ group_id: groupId, rate_type: 'group' })
    .update({ rate_type: 'default', updated_at: now });
  await trx('affiliates').where({ group_id: groupId }).update({ group_id: null, updated_at: now });
}

export async function deleteAffiliate(trx: Db, id: number): Promise<void> {
  await trx('affiliates').where({ id }).delete();
}

export async function countMembers(db: Db, groupId: number): Promise<number> {
  const row: Row | undefined = await db('affiliates').where({ group_id: groupId }).count({ n: '*' }).first();
  return Number(row?.n ?? 0);
}
