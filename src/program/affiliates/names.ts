import { LINKS, NAME_LENGTH, registeredForms, retiredName } from '../../core/link-name.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { Affiliate } from './record.js';
import { findAffiliate } from './repository.js';

// The registry of names that credit affiliates (docs/tracking.md §1). A name belongs to the affiliate it
// credited first: it moves in a merge, and it is retired when its affiliate is deleted.

/** Names of an affiliate that was merged, by which the remaining one can be found. */
export type MergedName = 'merged_id' | 'merged_user' | 'merged_source';

export interface NameRegistration {
  readonly affiliateId: number;
  readonly userId: number | null;
  readonly kind: 'own' | 'login';
  readonly name: string;
  readonly now: number;
}

/** Whose link name this is. */
export interface NameOwner {
  /** Null when the name is retired. */
  readonly affiliateId: number | null;
}

/** Null when the name is free. The current own name of an affiliate counts even without a row in the registry. */
export async function findNameOwner(db: Db, value: string): Promise<NameOwner | null> {
  const [name, retired] = registeredForms(value);
  const [row] = await db.readLocal(
    `select id, 0 as earlier from ${db.name('affiliates')} where custom_param = ? union all ` +
      `select affiliate_id, 1 from ${db.name('affiliate_names')} where space = ? and name in (?, ?) ` +
      'order by earlier limit 1',
    [name, LINKS, name, retired],
  );
  return row ? { affiliateId: row['id'] === null ? null : Number(row['id']) } : null;
}

/**
 * Gives the affiliate a link name; false when another one has it or ever had it. The unique key of the
 * registry decides when two requests race. A retired name is free only for the user who had it.
 */
export async function registerName(db: Db, registration: NameRegistration): Promise<boolean> {
  const { affiliateId, userId, kind, now } = registration;
  const [name, retired] = registeredForms(registration.name);
  if (name === '' || name.length > NAME_LENGTH) return false;
  const owner = await findNameOwner(db, name);
  if (owner !== null && owner.affiliateId !== null && owner.affiliateId !== affiliateId) return false;
  if (userId !== null && owner?.affiliateId === null)
    await db('affiliate_names')
      .where({ space: LINKS, name: retired, user_id: userId })
      .update({ name, kind, affiliate_id: affiliateId, user_id: null });
  else if (owner === null || owner.affiliateId === affiliateId)
    await db.dialect.insertIfAbsent(
      db,
      'affiliate_names',
      { space: LINKS, name, kind, affiliate_id: affiliateId, user_id: null, since: now },
      ['space', 'name'],
    );
  const rows: Row[] = await db('affiliate_names')
    .select('affiliate_id')
    .where({ space: LINKS })
    .whereIn('name', [name, retired]);
  return rows.length > 0 && rows.every((row) => Number(row['affiliate_id']) === affiliateId);
}

/**
 * Retires the names of a deleted affiliate, so that no other one gets them, and removes their text. With
 * `userId`, a later account of the same user may have them again. Imported names can be imported again.
 */
export async function retireNames(
  trx: Db,
  { id, custom_param: own }: Pick<Affiliate, 'id' | 'custom_param'>,
  { userId, now }: { readonly userId: number | null; readonly now: number },
): Promise<void> {
  if (own !== null) await registerName(trx, { affiliateId: id, userId: null, kind: 'own', name: own, now });
  const rows: Row[] = await trx('affiliate_names')
    .select('id', 'name')
    .where({ affiliate_id: id, space: LINKS });
  for (const row of rows)
    await trx('affiliate_names')
      .where({ id: Number(row['id']) })
      .update({ name: retiredName(String(row['name'])), affiliate_id: null, user_id: userId });
  await trx('affiliate_names').where({ affiliate_id: id }).delete();
}

/** Moves all names of `from`, present and former, to `into`, so that its links credit `into`. */
export async function passOnNames(
  trx: Db,
  from: Pick<Affiliate, 'id' | 'user_id' | 'custom_param'>,
  into: number,
  now: number,
): Promise<void> {
  if (from.custom_param !== null)
    await registerName(trx, {
      affiliateId: from.id,
      userId: null,
      kind: 'own',
      name: from.custom_param,
      now,
    });
  await trx('affiliate_names').where({ affiliate_id: from.id }).update({ affiliate_id: into });
  const stored: Row | undefined = await trx('affiliates').first('source_key').where({ id: from.id });
  const source: unknown = stored?.['source_key'];
  const names: readonly (readonly [MergedName, string | null])[] = [
    ['merged_id', String(from.id)],
    ['merged_user', from.user_id === null ? null : String(from.user_id)],
    ['merged_source', typeof source === 'string' ? source : null],
  ];
  await trx.dialect.upsert(
    trx,
    'affiliate_names',
    names.flatMap(([space, name]) =>
      name === null ? [] : [{ space, name, kind: 'merged', affiliate_id: into, user_id: null, since: now }],
    ),
    ['space', 'name'],
    ['affiliate_id'],
  );
}

/** The affiliate into which the one with this name was merged. */
export async function findMerged(db: Db, space: MergedName, name: string): Promise<Affiliate | null> {
  const row = await db.findByKey('affiliate_names', ['affiliate_id'], { space, name });
  return row && row['affiliate_id'] !== null ? findAffiliate(db, Number(row['affiliate_id'])) : null;
}
