import { countOf, findRecord } from '../../records/list.js';
import type { Db, Row } from '../../platform/database/db.js';
import { invitations, type Invitation } from './record.js';
import type { InvitationState } from './types.js';

export type NewInvitation = Omit<Invitation, 'id'> & { readonly email_key: string };

export async function insertInvitations(trx: Db, rows: readonly NewInvitation[]): Promise<void> {
  await trx.dialect.insertRows(
    trx,
    'invitations',
    rows.map((row) => ({ ...invitations.toRow(row), updated_at: row.created_at })),
  );
}

export const findInvitation = (db: Db, id: number): Promise<Invitation | null> =>
  findRecord(db, invitations, { id });

/** The open invitations of these addresses, newest first. */
export async function openOf(
  db: Db,
  { keys, kind, now }: { readonly keys: readonly string[]; readonly kind: string; readonly now: number },
): Promise<(Invitation & { readonly email_key: string })[]> {
  const rows: Row[] = await db('invitations')
    .select([...invitations.columns, 'email_key'])
    .where({ kind, status: 'open' })
    .where('expires_at', '>', now)
    .whereIn('email_key', [...keys])
    .orderBy('id', 'desc');
  return rows.map((row) => ({ ...invitations.fromRow(row), email_key: String(row['email_key']) }));
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
  return countOf(narrowed(db, filter));
}

export async function listInvitations(
  db: Db,
  filter: InvitationFilter,
  window: { readonly limit: number; readonly offset: number },
): Promise<Invitation[]> {
  const rows: Row[] = await narrowed(db, filter)
    .select(invitations.columns)
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map((row) => invitations.fromRow(row));
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

/** Those that were not accepted, long after their end. */
export async function purgeInvitations(db: Db, before: number): Promise<number> {
  return db('invitations').whereNot({ status: 'accepted' }).where('expires_at', '<', before).delete();
}
