import { readJson } from '../../core/json.js';
import type { Db } from '../../platform/database/db.js';
import type { Audience, Message } from './types.js';

type Row = Record<string, number | string | null>;

const COLUMNS = [
  'id',
  'subject',
  'body',
  'audience',
  'status',
  'recipients',
  'last_affiliate_id',
  'portal_until',
  'created_by',
  'created_at',
] as const;

const numberOrNull = (value: number | string | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

const fromRow = (row: Row): Message => ({
  id: Number(row['id']),
  subject: String(row['subject']),
  body: String(row['body']),
  audience: readJson<Audience>(row['audience'], {}),
  status: row['status'] as Message['status'], // written by us only
  recipients: Number(row['recipients']),
  last_affiliate_id: numberOrNull(row['last_affiliate_id']),
  portal_until: numberOrNull(row['portal_until']),
  created_by: numberOrNull(row['created_by']),
  created_at: Number(row['created_at']),
});

export async function insertMessage(trx: Db, message: Omit<Message, 'id'>): Promise<number> {
  return trx.dialect.insert(trx, 'messages', {
    ...message,
    audience: JSON.stringify(message.audience),
    updated_at: message.created_at,
  });
}

export async function findMessage(db: Db, id: number): Promise<Message | null> {
  const row: Row | undefined = await db('messages')
    .first([...COLUMNS])
    .where({ id });
  return row ? fromRow(row) : null;
}

/** The oldest message whose recipients are not all queued. */
export async function nextQueued(db: Db): Promise<Message | null> {
  const row: Row | undefined = await db('messages')
    .first([...COLUMNS])
    .where({ status: 'queued' })
    .orderBy('id');
  return row ? fromRow(row) : null;
}

/** Moves a message on; false when another process has done it since `seen`. */
export async function moveOn(
  trx: Db,
  seen: Pick<Message, 'id' | 'last_affiliate_id' | 'recipients'>,
  change: Partial<Pick<Message, 'status' | 'last_affiliate_id' | 'recipients'>> & {
    readonly updated_at: number;
  },
): Promise<boolean> {
  const query = trx('messages').where({ id: seen.id, status: 'queued' });
  if (seen.last_affiliate_id === null) query.whereNull('last_affiliate_id');
  else query.where({ last_affiliate_id: seen.last_affiliate_id });
  return (await query.update(change)) > 0;
}

export async function insertRecipients(
  trx: Db,
  messageId: number,
  affiliateIds: readonly number[],
): Promise<void> {
  await trx.dialect.insertRows(
    trx,
    'message_recipients',
    affiliateIds.map((id) => ({ message_id: messageId, affiliate_id: id })),
  );
}

export async function countMessages(db: Db): Promise<number> {
  const row: Row | undefined = await db('messages').count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

export async function listMessages(
  db: Db,
  window: { readonly limit: number; readonly offset: number },
): Promise<Message[]> {
  const rows: Row[] = await db('messages')
    .select([...COLUMNS])
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map(fromRow);
}

/** The newest messages to one affiliate; with `until`, those that stand in the portal now. */
export async function messagesOf(
  db: Db,
  affiliateId: number,
  { limit, until }: { readonly limit: number; readonly until?: number },
): Promise<Message[]> {
  const ids = db('message_recipients').select('message_id').where({ affiliate_id: affiliateId });
  const query = db('messages')
    .select([...COLUMNS])
    .whereIn('id', ids)
    .orderBy('id', 'desc')
    .limit(limit);
  if (until !== undefined) query.where('portal_until', '>', until);
  return ((await query) as Row[]).map(fromRow);
}
