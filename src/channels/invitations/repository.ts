import { readJson } from '../../core/json.js';
import type { Db } from '../../platform/database/db.js';
import type { Invitation, InvitationState } from './types.js';

type Row = Record<string, number | string | null>;

const COLUMNS = [
  'id',
  'kind',
  'email',
  'status',
  'group_id',
  'rate_type',
  'rate_e4',
  'note',
  'permissions',
  'affiliate_id',
  'user_id',
  'created_by',
  'created_at',
  'sent_at',
  'expires_at',
] as const;

const numberOrNull = (value: number | string | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

const fromRow = (row: Row): Invitation => ({
  id: Number(row['id']),
  kind: row['kind'] as Invitation['kind'], // written by us only, like the other words
  email: String(row['email']),
  status: row['status'] as Invitation['status'],
  group_id: numberOrNull(row['group_id']),
  rate_type: row['rate_type'] as Invitation['rate_type'],
  rate_e4: numberOrNull(row['rate_e4']),
  note: row['note'] === null ? null : String(row['note']),
  permissions: readJson<string[]>(row['permissions'], []),
  affiliate_id: numberOrNull(row['affiliate_id']),
  user_id: numberOrNull(row['user_id']),
  created_by: numberOrNull(row['created_by']),
  created_at: Number(row['created_at']),
  sent_at: Number(row['sent_at']),
  expires_at: Number(row['expires_at']),
});

export type NewInvitation = Omit<Invitation, 'id'> & { readonly email_key: string };

export async function insertInvitations(trx: Db, rows: readonly NewInvitation[]): Promise<void> {
  await trx.dialect.insertRows(
    trx,
    'invitations',
    rows.map((row) => ({
      ...row,
      permissions: JSON.stringify(row.permissions),
      updated_at: row.created_at,
    })),
  );
}

export async function findInvitation(db: Db, id: number): Promise<Invitation | null> {
  const row: Row | undefined = await db('invitations')
    .first([...COLUMNS])
    .where({ id });
  return row ? fromRow(row) : null;
}

/** The open invitations of these addresses, newest first. */
export async function openOf(
  db: Db,
  { keys, kind, now }: { readonly keys: readonly string[]; readonly kind: string; readonly now: number },
): Promise<(Invitation & { readonly email_key: string })[]> {
  const rows: Row[] = await db('invitations')
    .select([...COLUMNS, 'email_key'])
    .where({ kind, status: 'open' })
    .where('expires_at', '>', now)
    .whereIn('email_key', [...keys])
    .orderBy('id', 'desc');
  return rows.map((row) => ({ ...fromRow(row), email_key: String(row['email_key']) }));
}

interface InvitationFilter {
  readonly kind: string;
  readonly state: InvitationState | '';
  readonly search: string;
  readonly now: number;
}

function narrowed(db: Db, { kind, state, search, now }: InvitationFilter): ReturnType<Db> {
  const query = db('invitations').where({ kind });
  if (state === 'open') query.where({ status: 'open' }).where('expires_at', '>', now);
  else if (state === 'expired') query.where({ status: 'open' }).where('expires_at', '<=', now);
  else if (state !== '') query.where({ status: state });
  if (search !== '') query.where((one) => void db.dialect.contains(one, ['email'], search));
  return query;
}

export async function countInvitations(db: Db, filter: InvitationFilter): Promise<number> {
  const row: Row | undefined = await narrowed(db, filter).count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

export async function listInvitations(
  db: Db,
  filter: InvitationFilter,
  window: { readonly limit: number; readonly offset: number },
): Promise<Invitation[]> {
  const rows: Row[] = await narrowed(db, filter)
    .select([...COLUMNS])
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map(fromRow);
}

/** Changes an invitation that is still open; false when it is not. */
export async function changeOpen(
  db: Db,
  id: number,
  change: Partial<Pick<Invitation, 'status' | 'sent_at' | 'expires_at' | 'affiliate_id' | 'user_id'>> & {
    readonly updated_at: number;
  },
): Promise<boolean> {
  const changed: number = await db('invitations').where({ id, status: 'open' }).update(change);
  return changed > 0;
}

/** Those that nobody accepted, long after their end. */
export async function purgeInvitations(db: Db, before: number): Promise<number> {
  return db('invitations').whereNot({ status: 'accepted' }).where('expires_at', '<', before).delete();
}
