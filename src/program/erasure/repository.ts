import { chunks } from '../../core/chunks.js';
import { readJson } from '../../core/json.js';
import { isMap } from '../../core/is-map.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { EventData } from '../event-log/types.js';
import type { Person } from './types.js';

const CHUNK = 500;

type Change = (value: unknown) => unknown;

/** Rewrites these JSON columns of the rows, page by page. */
async function rewrite(
  trx: Db,
  table: TableName,
  columns: Readonly<Record<string, Change>>,
  where: (query: ReturnType<Db>) => void,
): Promise<number[]> {
  const ids: number[] = [];
  for (let after = 0; ;) {
    const query = trx(table)
      .select(['id', ...Object.keys(columns)])
      .where('id', '>', after)
      .orderBy('id')
      .limit(CHUNK);
    where(query);
    const rows: Row[] = await query;
    for (const row of rows) {
      const changed = Object.entries(columns).flatMap(([column, change]) => {
        const stored: unknown = row[column];
        if (stored === null || stored === undefined) return [];
        const next = JSON.stringify(change(readJson<unknown>(stored, null)));
        return next === stored ? [] : [[column, next] as const];
      });
      if (changed.length > 0)
        await trx(table)
          .where({ id: Number(row['id']) })
          .update(Object.fromEntries(changed));
    }
    ids.push(...rows.map((row) => Number(row['id'])));
    after = ids.at(-1) ?? after;
    if (rows.length < CHUNK) return ids;
  }
}

/** Removes the personal fields from events about the person. */
export async function eraseEvents(trx: Db, { kind, ids, blank }: Person): Promise<void> {
  const about = (query: ReturnType<Db>): void =>
    void query.where({ object_type: kind }).whereIn('object_id', ids.map(String));
  const columns = { data: over(blank), previous: without(blank) };
  await rewrite(trx, 'event_queue', columns, about);
  for (const chunk of chunks(await rewrite(trx, 'events', columns, about), CHUNK))
    await trx('outbox').whereIn('event_id', chunk).whereNotNull('answer').update({ answer: null });
}

/** Removes addresses of pages from events of clicks, as they contain the affiliate's link. */
export async function eraseClicks(
  trx: Db,
  where: { readonly affiliates?: readonly number[]; readonly visits?: readonly number[] },
): Promise<void> {
  const { affiliates, visits = [] } = where;
  const columns = { data: over({ url: null, referrer: null, ip: null }) };
  for (const table of ['event_queue', 'events'] as const) {
    const find = (each: (query: ReturnType<Db>) => void): Promise<number[]> =>
      rewrite(trx, table, columns, (query) => {
        query.where({ type: 'visit.created' });
        each(query);
      });
    if (affiliates)
      await find(
        (query) =>
          void query.where((any) => {
            for (const id of affiliates)
              void any
                .orWhere('data', 'like', `%"affiliate_id":${id},%`)
                .orWhere('data', 'like', `%"affiliate_id":${id}}%`);
          }),
      );
    for (const chunk of chunks(visits, CHUNK))
      await find((query) => void query.whereIn('object_id', chunk.map(String)));
  }
}

/** Mails about the affiliate: those to former addresses are deleted, others then have its ID only. */
export async function eraseMails(trx: Db, { ids }: Person, now: number): Promise<void> {
  for (const id of ids) {
    const about = (): ReturnType<Db> => trx('outbox').where('event', 'like', `affiliate:${id}:%`);
    await about().where('recipient', 'like', 'address:%').delete();
    await about().where({ status: 'pending' }).update({ status: 'skipped', updated_at: now });
    await about().update({ payload: JSON.stringify({ affiliate_id: id }), answer: null });
  }
}

/** The audit log still shows that something changed. */
export async function eraseAudit(trx: Db, { kind, ids }: Person, conceal: Change): Promise<void> {
  const columns = { before: conceal, after: conceal };
  await rewrite(
    trx,
    'audit',
    columns,
    (query) => void query.where({ object_type: kind }).whereIn('object_id', ids.map(String)),
  );
  if (kind === 'affiliate')
    await rewrite(
      trx,
      'audit',
      columns,
      (query) =>
        void query.where({ object_type: 'link' }).where((any) => {
          for (const id of ids)
            for (const column of ['before', 'after'])
              void any.orWhere(column, 'like', `%"affiliate_id":${id},%`);
        }),
    );
}

/** What belongs to the affiliate alone. */
export async function deleteOwn(trx: Db, { ids }: Person): Promise<void> {
  for (const table of [
    'redirect_links',
    'affiliate_marks',
    'payout_payees',
    'payout_payee_forms',
    'payment_details',
    'invitations',
    'message_recipients',
  ] as const)
    await trx(table).whereIn('affiliate_id', ids).delete();
  await trx('payout_attempts').whereIn('affiliate_id', ids).update({ message: null });
  const commissions = trx('referrals').select('id').whereIn('affiliate_id', ids);
  await trx('commission_notes').whereIn('referral_id', commissions).delete();
}

/** Stored responses to requests of people, and remarks of imports, that contain a text of the person. */
export async function eraseMentions(trx: Db, { words }: Person, committed: number): Promise<void> {
  if (words.length === 0) return;
  const mentioning = (table: TableName, columns: readonly string[]): ReturnType<Db> =>
    trx(table).where((any) => {
      for (const word of words) void any.orWhere((one) => void trx.dialect.contains(one, columns, word));
    });
  await mentioning('idempotency_keys', ['answer'])
    .whereNotNull('answer')
    .where('scope', 'like', 'user:%')
    .update({ status: committed, answer: null, claimed_until: 0 });
  // responses of receivers and mail servers to deliveries about other people that name the person
  await mentioning('outbox', ['answer']).whereNotNull('answer').update({ answer: null });
  await mentioning('import_rows', ['affiliate', 'detail']).update({ affiliate: null, detail: null });
}

/** IDs of affiliates that were merged into this one. */
export async function mergedIds(trx: Db, id: number): Promise<number[]> {
  const rows: Row[] = await trx('affiliate_names')
    .select('name')
    .where({ affiliate_id: id, space: 'merged_id' });
  return rows.map((row) => Number(row['name']));
}

/** All values that links of the affiliate have carried. */
export async function linkValues(trx: Db, id: number): Promise<string[]> {
  const rows: Row[] = await trx('affiliate_names')
    .select('name')
    .where({ affiliate_id: id })
    .whereNotIn('space', ['merged_id', 'merged_user', 'merged_source']);
  return rows.map((row) => String(row['name']));
}

const over =
  (blank: EventData): Change =>
  (value) =>
    isMap(value)
      ? { ...value, ...Object.fromEntries(Object.entries(blank).filter(([key]) => key in value)) }
      : value;

const without =
  (blank: EventData): Change =>
  (value) =>
    isMap(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !(key in blank))) : value;
