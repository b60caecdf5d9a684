import type { Db, Row } from '../../platform/database/db.js';
import { rowsOf } from '../../records/list.js';
import { affiliates, type Affiliate } from './record.js';

type Writable = Partial<Omit<Affiliate, 'id'>>;

export async function findAffiliate(db: Db, id: number): Promise<Affiliate | null> {
  const row = await db.lookUp('affiliates', affiliates.columns, { id });
  return row ? affiliates.fromRow(row) : null;
}

/** The row, locked until the transaction ends; the first lock of every change (docs/reliability.md §3.1). */
export async function lockAffiliate(trx: Db, id: number): Promise<Affiliate | null> {
  const row = await trx.lockRow('affiliates', affiliates.columns, { id });
  return row ? affiliates.fromRow(row) : null;
}

export async function findByUser(db: Db, userId: number): Promise<Affiliate | null> {
  const row = await db.lookUp('affiliates', affiliates.columns, { user_id: userId });
  return row ? affiliates.fromRow(row) : null;
}

export async function findAffiliates(
  db: Db,
  ids: readonly number[],
  key: 'id' | 'user_id' = 'id',
): Promise<Affiliate[]> {
  if (ids.length === 1) {
    const row = await db.lookUp('affiliates', affiliates.columns, { [key]: ids[0]! });
    return row ? [affiliates.fromRow(row)] : [];
  }
  return (await rowsOf(db, affiliates, ids, key)).map(affiliates.fromRow);
}

/**
 * null when the user is an affiliate already. The unique key decides when two requests race, not a look-up
 * before.
 */
export async function insertAffiliate(trx: Db, affiliate: Omit<Affiliate, 'id'>): Promise<number | null> {
  return trx.dialect.insertIfAbsent(trx, 'affiliates', affiliates.toRow(affiliate), ['user_id']);
}

/** Changes the row if it still has the status it was read with; false when another writer was first. */
export async function updateAffiliate(
  trx: Db,
  seen: Pick<Affiliate, 'id' | 'status'>,
  changes: Writable,
): Promise<boolean> {
  return (
    (await trx('affiliates')
      .where({ id: seen.id, status: seen.status })
      .update(affiliates.toRow(changes))) === 1
  );
}

/**
 * Gives the affiliate a link value; false when another one has it or ever had it. The unique key of the table
 * of aliases decides when two requests race. An imported value is only in the affiliate's row until it is
 * changed.
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

/** Keeps a link value so that it credits this affiliate, unless it belongs to somebody already. */
export async function rememberParam(
  trx: Db,
  { affiliateId, value, now }: { readonly affiliateId: number; readonly value: string; readonly now: number },
): Promise<void> {
  const row = { kind: 'custom_param', value, affiliate_id: affiliateId, created_at: now };
  await trx.dialect.insertIfAbsent(trx, 'affiliate_aliases', row, ['kind', 'value']);
}

/** Names of an affiliate that was merged, by which the remaining one can be found. */
export type MergedName = 'merged_id' | 'merged_user' | 'merged_source';

/** Moves all names of `from`, present and former, to `into`, so that its links credit `into`. */
export async function passOnNames(
  trx: Db,
  from: Pick<Affiliate, 'id' | 'user_id' | 'custom_param'>,
  into: number,
  now: number,
): Promise<void> {
  if (from.custom_param !== null)
    await rememberParam(trx, { affiliateId: from.id, value: from.custom_param, now });
  await trx('affiliate_aliases').where({ affiliate_id: from.id }).update({ affiliate_id: into });
  const stored: Row | undefined = await trx('affiliates').first('source_key').where({ id: from.id });
  const source: unknown = stored?.['source_key'];
  const names: readonly (readonly [MergedName, string | null])[] = [
    ['merged_id', String(from.id)],
    ['merged_user', from.user_id === null ? null : String(from.user_id)],
    ['merged_source', typeof source === 'string' ? source : null],
  ];
  await trx.dialect.upsert(
    trx,
    'affiliate_aliases',
    names.flatMap(([kind, value]) =>
      value === null ? [] : [{ kind, value, affiliate_id: into, created_at: now }],
    ),
    ['kind', 'value'],
    ['affiliate_id'],
  );
}

/** The affiliate into which the one with this name was merged. */
export async function findMerged(db: Db, kind: MergedName, value: string): Promise<Affiliate | null> {
  const alias = await db.lookUp('affiliate_aliases', ['affiliate_id'], { kind, value });
  return alias ? findAffiliate(db, Number(alias['affiliate_id'])) : null;
}

/** Removes the members from the group; those that used its rate get the default. */
export async function detachGroup(trx: Db, groupId: number, now: number): Promise<void> {
  await trx('affiliates')
    .where({ group_id: groupId, rate_type: 'group' })
    .update({ rate_type: 'default', updated_at: now });
  await trx('affiliates').where({ group_id: groupId }).update({ group_id: null, updated_at: now });
}

export async function deleteAffiliate(trx: Db, id: number): Promise<void> {
  await trx('affiliates').where({ id }).delete();
}
