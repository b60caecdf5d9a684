import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import { int } from '../../core/sql-int.js';
import { frozenPayee } from './payees.js';
import type { Payee, PayeeForm } from './types.js';

const CHUNK = 1000;

/** Stores the payees of these affiliates of a payout; a stored payee does not change. */
export async function freezePayees(db: Db, payoutId: number, affiliateIds: readonly number[]): Promise<void> {
  const payees = db.name('payout_payees');
  const forms = db.name('payout_payee_forms');
  const those =
    `where t.payout_id = ${int(payoutId)} and t.affiliate_id in (${affiliateIds.map(int).join(', ')}) ` +
    'and not exists (select 1 from';
  // the forms first: a transaction with a stored payee already has its forms
  await db.execute(
    `insert into ${forms} (transaction_id, affiliate_id, method, sealed, label, mark) ` +
      'select t.id, t.affiliate_id, d.method, d.sealed, d.label, d.mark ' +
      `from ${db.name('payout_transactions')} t ` +
      `join ${db.name('payment_details')} d on d.affiliate_id = t.affiliate_id and d.sealed is not null ` +
      `${those} ${payees} known where known.transaction_id = t.id)`,
  );
  await db.execute(
    `insert into ${payees} (transaction_id, affiliate_id, payment_email, settings) ` +
      `select t.id, t.affiliate_id, a.payment_email, a.settings from ${db.name('payout_transactions')} t ` +
      `join ${db.name('affiliates')} a on a.id = t.affiliate_id ` +
      `${those} ${payees} known where known.transaction_id = t.id)`,
  );
}

/** The stored payees of these transactions; those of earlier versions have none. */
export async function payeesOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Payee>> {
  const rows = await inChunks(ids, (part) =>
    db('payout_payees').select('transaction_id', 'payment_email', 'settings').whereIn('transaction_id', part),
  );
  return new Map(
    rows.map((row) => [Number(row['transaction_id']), frozenPayee(row['payment_email'], row['settings'])]),
  );
}

/** The details that affiliates entered for one method, as the payout stored them, by transaction. */
export async function formsOf(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly PayeeForm[]>> {
  const rows = await inChunks(ids, (part) =>
    db('payout_payee_forms')
      .select('transaction_id', 'method', 'sealed', 'label', 'mark')
      .whereIn('transaction_id', part),
  );
  return grouped(rows, 'transaction_id');
}

/** The current details, by affiliate. */
export async function formsNow(
  db: Db,
  affiliateIds: readonly number[],
): Promise<ReadonlyMap<number, readonly PayeeForm[]>> {
  const rows = await inChunks(affiliateIds, (part) =>
    db('payment_details')
      .select('affiliate_id', 'method', 'sealed', 'label', 'mark', 'chosen')
      .whereIn('affiliate_id', part),
  );
  return grouped(rows, 'affiliate_id');
}

/** The last transaction of each affiliate that has a stored payee. */
export async function lastPayments(
  db: Db,
  affiliateIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await inChunks(affiliateIds, (part) =>
    db('payout_payees')
      .select('affiliate_id')
      .max({ id: 'transaction_id' })
      .whereIn('affiliate_id', part)
      .groupBy('affiliate_id'),
  );
  return new Map(rows.map((row) => [Number(row['affiliate_id']), Number(row['id'])]));
}

/** Forgets the payee of a transaction, so that `freezePayees` takes the affiliate's current one. */
export async function dropPayee(db: Db, transactionId: number): Promise<void> {
  for (const table of ['payout_payees', 'payout_payee_forms'] as const)
    await db(table).where({ transaction_id: transactionId }).delete();
}

async function inChunks(
  ids: readonly number[],
  read: (part: readonly number[]) => PromiseLike<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const chunk of chunks(ids, CHUNK)) rows.push(...(await read(chunk)));
  return rows;
}

function grouped(rows: readonly Row[], by: string): ReadonlyMap<number, readonly PayeeForm[]> {
  const found = new Map<number, PayeeForm[]>();
  for (const row of rows) {
    const id = Number(row[by]);
    const form = {
      method: String(row['method']),
      sealed: row['sealed'] === null ? null : String(row['sealed']),
      label: String(row['label']),
      mark: row['mark'] === null ? null : String(row['mark']),
      chosen: Number(row['chosen'] ?? 0) === 1,
    };
    found.set(id, [...(found.get(id) ?? []), form]);
  }
  return found;
}
