import { readJson } from '../../core/json.js';
import type { Db } from '../../database/db.js';
import type { MailSubject, OutboxEntry, OutboxRow } from './types.js';

/** Queues mails in the transaction of their cause; an (event, recipient) that is there already stays as it is. */
export async function enqueue(trx: Db, entries: readonly OutboxEntry[], now: number): Promise<void> {
  const rows = entries.map(({ event, recipient, kind, payload, delayMs = 0 }) => ({
    event,
    recipient,
    kind,
    payload: JSON.stringify(payload),
    status: 'pending',
    attempts: 0,
    next_attempt_at: now + delayMs,
    created_at: now,
    updated_at: now,
  }));
  if (rows.length > 0) await trx.dialect.upsert(trx, 'outbox', rows, ['event', 'recipient'], []);
}

/** Was this mail queued after that instant? */
export async function isQueuedSince(
  db: Db,
  mail: Pick<OutboxEntry, 'event' | 'recipient'>,
  after: number,
): Promise<boolean> {
  return (
    (await db('outbox')
      .first('id')
      .where({ event: mail.event, recipient: mail.recipient })
      .where('created_at', '>', after)) !== undefined
  );
}

export async function hasDue(db: Db, now: number): Promise<boolean> {
  return (
    (await db('outbox').first('id').where({ status: 'pending' }).where('next_attempt_at', '<=', now)) !==
    undefined
  );
}

interface Stored {
  readonly id: number | string;
  readonly kind: string;
  readonly payload: string | null;
  readonly attempts: number | string;
}

/** Takes the oldest due mails for this worker; a claim that is not finished in time falls to another one. */
export async function claimDue(
  db: Db,
  claim: { readonly worker: string; readonly now: number; readonly until: number; readonly limit: number },
): Promise<OutboxRow[]> {
  const due: { id: number | string }[] = await db('outbox')
    .select('id')
    .where({ status: 'pending' })
    .where('next_attempt_at', '<=', claim.now)
    .where((free) => void free.whereNull('claimed_until').orWhere('claimed_until', '<', claim.now))
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(claim.limit);
  if (due.length === 0) return [];
  // Compare and set: on a cluster two workers may read the same rows, one of the two updates counts.
  await db('outbox')
    .whereIn(
      'id',
      due.map((row) => Number(row.id)),
    )
    .where({ status: 'pending' })
    .where((free) => void free.whereNull('claimed_until').orWhere('claimed_until', '<', claim.now))
    .update({ claimed_by: claim.worker, claimed_until: claim.until, updated_at: claim.now });
  const mine: Stored[] = await db('outbox')
    .select(['id', 'kind', 'payload', 'attempts'])
    .where({ claimed_by: claim.worker, status: 'pending' })
    .whereIn(
      'id',
      due.map((row) => Number(row.id)),
    )
    .orderBy('id');
  return mine.map((row) => ({
    id: Number(row.id),
    kind: row.kind,
    payload: readJson<MailSubject>(row.payload, {}),
    attempts: Number(row.attempts),
  }));
}

export async function finish(
  db: Db,
  id: number,
  worker: string,
  change: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  await db('outbox')
    .where({ id, claimed_by: worker })
    .update({ ...change, claimed_by: null, claimed_until: null });
}

/** Old sent and skipped mails; dead ones stay until somebody looks at them. */
export async function purgeOutbox(db: Db, before: number): Promise<number> {
  return db('outbox').whereIn('status', ['sent', 'skipped']).where('updated_at', '<', before).delete();
}
