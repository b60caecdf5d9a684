import { countOf, findRecord } from '../../records/list.js';
import type { Db, Row } from '../../platform/database/db.js';
import { messages, type Message } from './record.js';

export async function insertMessage(trx: Db, message: Omit<Message, 'id'>): Promise<number> {
  return trx.dialect.insert(trx, 'messages', {
    ...messages.toRow(message),
    updated_at: message.created_at,
  });
}

export const findMessage = (db: Db, id: number): Promise<Message | null> => findRecord(db, messages, { id });

/** The oldest message whose recipients are not all queued. */
export async function nextQueued(db: Db): Promise<Message | null> {
  const row: Row | undefined = await db('messages')
    .first(messages.columns)
    .where({ status: 'queued' })
    .orderBy('id');
  return row ? messages.fromRow(row) : null;
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

export async function recipientsOf(
  db: Db,
  messageId: number,
  window: { readonly limit: number; readonly offset: number },
): Promise<number[]> {
  const rows: Row[] = await db('message_recipients')
    .select('affiliate_id')
    .where({ message_id: messageId })
    .orderBy('affiliate_id')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map((row) => Number(row['affiliate_id']));
}

export async function countMessages(db: Db): Promise<number> {
  return countOf(db('messages'));
}

export async function listMessages(
  db: Db,
  window: { readonly limit: number; readonly offset: number },
): Promise<Message[]> {
  const rows: Row[] = await db('messages')
    .select(messages.columns)
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map((row) => messages.fromRow(row));
}

/** The newest messages to one affiliate; with `until`, those that the portal shows now. */
export async function messagesOf(
  db: Db,
  affiliateId: number,
  { limit, until }: { readonly limit: number; readonly until?: number },
): Promise<Message[]> {
  const ids = db('message_recipients').select('message_id').where({ affiliate_id: affiliateId });
  const query = db('messages').select(messages.columns).whereIn('id', ids).orderBy('id', 'desc').limit(limit);
  if (until !== undefined) query.where('portal_until', '>', until);
  return ((await query) as Row[]).map((row) => messages.fromRow(row));
}
