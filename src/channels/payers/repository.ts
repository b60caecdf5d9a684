import { countOf, findRecord, lockRecord } from '../../records/list.js';
import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import {
  attempts,
  batches,
  findings,
  paymentDetails,
  type Attempt,
  type Batch,
  type Finding,
  type DetailsRow,
} from './record.js';
import { OPEN_PAYMENTS, type FindingKind, type PaymentState } from './types.js';

const CHUNK = 500;

export const isOpen = (state: PaymentState): boolean => (OPEN_PAYMENTS as readonly string[]).includes(state);

export async function insertBatch(
  trx: Db,
  batch: Pick<
    Batch,
    'payout_id' | 'method' | 'batch_key' | 'state' | 'sandbox' | 'next_at' | 'created_at'
  > & {
    readonly ref?: string;
    readonly created_by: number | null;
  },
): Promise<number> {
  return trx.dialect.insert(trx, 'payout_batches', {
    ...batch,
    sandbox: Number(batch.sandbox),
    updated_at: batch.created_at,
  });
}

export async function insertAttempts(
  trx: Db,
  rows: readonly Omit<Attempt, 'id' | 'updated_at'>[],
): Promise<void> {
  await trx.dialect.insertRows(
    trx,
    'payout_attempts',
    rows.map((row) => ({
      ...row,
      booked: Number(row.booked),
      sandbox: Number(row.sandbox),
      updated_at: row.created_at,
    })),
  );
}

export const findBatch = (db: Db, id: number): Promise<Batch | null> => findRecord(db, batches, { id });

export const batchByKey = (db: Db, key: string): Promise<Batch | null> =>
  findRecord(db, batches, { batch_key: key });

export async function batchesByIds(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Batch>> {
  const rows: Row[] = await db('payout_batches').select(batches.columns).whereIn('id', ids);
  return new Map(rows.map((row) => batches.fromRow(row)).map((batch) => [batch.id, batch]));
}

/** Batches that are due, the longest waiting first. */
export async function dueBatches(db: Db, now: number, limit: number): Promise<number[]> {
  const rows: Row[] = await db('payout_batches')
    .select('id')
    .where('next_at', '<=', now)
    .orderBy(['next_at', 'id'])
    .limit(limit);
  return rows.map((row) => Number(row['id']));
}

export async function isBatchDue(db: Db, now: number): Promise<boolean> {
  return (await db('payout_batches').first('id').where('next_at', '<=', now)) !== undefined;
}

/** Takes the call of a batch; false when another process has it, or it is not due. */
export async function lockBatch(
  trx: Db,
  id: number,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<boolean> {
  const taken = await trx('payout_batches')
    .where({ id })
    .where('next_at', '<=', now)
    .update({
      state: 'calling',
      call_until: until,
      next_at: until,
      calls: trx.knex.raw('calls + 1'),
      called_at: trx.knex.raw('coalesce(called_at, ?)', [now]),
      updated_at: now,
    });
  return taken === 1;
}

export async function updateBatch(
  db: Db,
  id: number,
  changes: Partial<Pick<Batch, 'state' | 'ref' | 'call_until' | 'next_at'>> & { readonly updated_at: number },
): Promise<void> {
  await db('payout_batches').where({ id }).update(changes);
}

/** Everything of a batch but what was called off before the first call. */
export async function attemptsOfBatch(db: Db, batchId: number): Promise<Attempt[]> {
  const rows: Row[] = await db('payout_attempts')
    .select(attempts.columns)
    .where({ batch_id: batchId })
    .whereRaw("coalesce(code, '') <> 'called_off'")
    .orderBy('id');
  return rows.map((row) => attempts.fromRow(row));
}

/** Payments of an earlier call that did not come back. */
export async function markUnknown(db: Db, batchId: number, now: number): Promise<void> {
  await db('payout_attempts')
    .where({ batch_id: batchId, state: 'prepared' })
    .update({ state: 'unknown', updated_at: now });
}

export const findAttempt = (db: Db, id: number): Promise<Attempt | null> => findRecord(db, attempts, { id });

export const lockAttempt = (trx: Db, id: number): Promise<Attempt | null> =>
  lockRecord(trx, attempts, { id });

export async function updateAttempt(
  db: Db,
  id: number,
  changes: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  await db('payout_attempts').where({ id }).update(changes);
}

export async function attemptsByKeys(db: Db, keys: readonly string[]): Promise<Attempt[]> {
  const found: Attempt[] = [];
  for (const chunk of chunks(keys, CHUNK)) {
    const rows: Row[] = await db('payout_attempts').select(attempts.columns).whereIn('attempt_key', chunk);
    found.push(...rows.map((row) => attempts.fromRow(row)));
  }
  return found;
}

/** Live payments that a bank's file names so. */
export async function attemptsByRefs(db: Db, method: string, refs: readonly string[]): Promise<Attempt[]> {
  const found: Attempt[] = [];
  for (const chunk of chunks(refs, CHUNK)) {
    const rows: Row[] = await db('payout_attempts')
      .select(attempts.columns)
      .where({ method, sandbox: 0 })
      .whereIn('ref', chunk);
    found.push(...rows.map((row) => attempts.fromRow(row)));
  }
  return found;
}

/** The live payment of a transaction that is underway or paid. */
export async function sentOf(db: Db, transactionId: number): Promise<Attempt | null> {
  const row: Row | undefined = await db('payout_attempts')
    .first(attempts.columns)
    .where({ transaction_id: transactionId, sandbox: 0 })
    .whereIn('state', [...OPEN_PAYMENTS, 'paid'])
    .orderBy('try', 'desc');
  return row ? attempts.fromRow(row) : null;
}

/** Payments whose payer is to be asked. */
export async function dueAttempts(db: Db, now: number, limit: number): Promise<Attempt[]> {
  const rows: Row[] = await db('payout_attempts')
    .select(attempts.columns)
    .where('next_at', '<=', now)
    .orderBy(['next_at', 'id'])
    .limit(limit);
  return rows.map((row) => attempts.fromRow(row));
}

export async function isAttemptDue(db: Db, now: number): Promise<boolean> {
  return (
    (await db('payout_attempts').first('id').where('next_at', '<=', now)) !== undefined ||
    (await db('payout_attempts').first('id').where({ booked: 0 })) !== undefined
  );
}

export async function unbooked(db: Db, afterId: number, limit: number): Promise<Attempt[]> {
  const rows: Row[] = await db('payout_attempts')
    .select(attempts.columns)
    .where({ booked: 0 })
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => attempts.fromRow(row));
}

/** The payer reported news of these payments or batches. */
export async function askSoon(db: Db, method: string, refs: readonly string[], now: number): Promise<void> {
  const named: Row[] = await db('payout_batches')
    .select('id')
    .where({ method })
    .where((either) => void either.whereIn('ref', refs).orWhereIn('batch_key', refs));
  const ids = named.map((row) => Number(row['id']));
  await db('payout_attempts')
    .where({ method })
    .whereNotIn('state', ['failed', 'returned', 'canceled', 'prepared'])
    .where((any) => void any.whereIn('ref', refs).orWhereIn('attempt_key', refs).orWhereIn('batch_id', ids))
    .update({ next_at: now });
}

/** The highest try of each transaction, sandbox or not. */
export async function triesOf(
  db: Db,
  transactionIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows: Row[] = await db('payout_attempts')
    .select('transaction_id')
    .max({ n: 'try' })
    .whereIn('transaction_id', transactionIds)
    .groupBy('transaction_id');
  return new Map(rows.map((row) => [Number(row['transaction_id']), Number(row['n'])]));
}

/** Those that have a payment underway, or a paid one, in the same world (live or sandbox). */
export async function sentAmong(
  db: Db,
  transactionIds: readonly number[],
  sandbox: boolean,
): Promise<ReadonlySet<number>> {
  const rows: Row[] = await db('payout_attempts')
    .select('transaction_id')
    .where({ sandbox: Number(sandbox) })
    .whereIn('transaction_id', transactionIds)
    .whereIn('state', [...OPEN_PAYMENTS, 'paid']);
  return new Set(rows.map((row) => Number(row['transaction_id'])));
}

export interface OpenTransaction {
  readonly id: number;
  readonly affiliate_id: number | null;
  readonly amount_minor: number;
  readonly currency: string | null;
}

const openOf = (row: Row): OpenTransaction => ({
  id: Number(row['id']),
  affiliate_id: row['affiliate_id'] === null ? null : Number(row['affiliate_id']),
  amount_minor: Number(row['total_amount_minor']),
  currency: row['currency'] === null ? null : String(row['currency']),
});

/** Open transactions of a payout that this method pays: by the affiliate's choice, else by the payout's method. */
export async function openFor(
  db: Db,
  payoutId: number,
  method: string,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<OpenTransaction[]> {
  const rows = await db.raw(
    `select t.id, t.affiliate_id, t.total_amount_minor, t.currency from ${db.name('payout_transactions')} t ` +
      `left join ${db.name('payment_details')} d on d.affiliate_id = t.affiliate_id and d.chosen = 1 ` +
      "where t.payout_id = ? and t.status = 'processing' and t.id > ? and coalesce(d.method, t.payout_method) = ? " +
      `order by t.id limit ${limit}`,
    [payoutId, afterId, method],
  );
  return rows.map(openOf);
}

/** The methods that pay the open transactions of a payout, with how many each pays. */
export async function methodsOfOpen(db: Db, payoutId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db.raw(
    'select x.method, count(*) as n from (select coalesce(d.method, t.payout_method) as method ' +
      `from ${db.name('payout_transactions')} t ` +
      `left join ${db.name('payment_details')} d on d.affiliate_id = t.affiliate_id and d.chosen = 1 ` +
      "where t.payout_id = ? and t.status = 'processing') x group by x.method order by x.method",
    [payoutId],
  );
  return new Map(rows.map((row) => [String(row['method']), Number(row['n'])]));
}

/** The transactions with these ids that are still open, locked. */
export async function lockOpen(
  trx: Db,
  payoutId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, OpenTransaction>> {
  const rows: Row[] = await trx.dialect.forUpdate(
    trx('payout_transactions')
      .select(['id', 'affiliate_id', 'total_amount_minor', 'currency'])
      .where({ payout_id: payoutId, status: 'processing' })
      .whereIn('id', ids)
      .orderBy('id'),
  );
  return new Map(rows.map((row) => [Number(row['id']), openOf(row)]));
}

export async function detailsOf(
  db: Db,
  affiliateIds: readonly number[],
  method: string,
): Promise<ReadonlyMap<number, DetailsRow>> {
  const rows: Row[] = await db('payment_details')
    .select(paymentDetails.columns)
    .where({ method })
    .whereIn('affiliate_id', affiliateIds);
  return new Map(rows.map((row) => paymentDetails.fromRow(row)).map((row) => [row.affiliate_id, row]));
}

export async function detailsOfAffiliate(db: Db, affiliateId: number): Promise<DetailsRow[]> {
  const rows: Row[] = await db('payment_details')
    .select(paymentDetails.columns)
    .where({ affiliate_id: affiliateId })
    .orderBy('method');
  return rows.map((row) => paymentDetails.fromRow(row));
}

export async function saveDetails(trx: Db, row: Omit<DetailsRow, 'chosen'>, now: number): Promise<void> {
  await trx.dialect.upsert(
    trx,
    'payment_details',
    [{ ...row, chosen: 0, created_at: now, updated_at: now }],
    ['affiliate_id', 'method'],
    ['sealed', 'label', 'state', 'reason', 'mark', 'updated_at'],
  );
}

/** Whose details these are. */
export async function detailsByMarks(
  db: Db,
  method: string,
  marks: readonly string[],
): Promise<{ affiliate_id: number; mark: string }[]> {
  const rows: Row[] = await db('payment_details')
    .select('affiliate_id', 'mark')
    .where({ method })
    .whereIn('mark', marks);
  return rows.map((row) => ({ affiliate_id: Number(row['affiliate_id']), mark: String(row['mark']) }));
}

/** Stores whether details can be used, unless they were changed since. */
export async function storeVerdict(
  trx: Db,
  row: Pick<DetailsRow, 'affiliate_id' | 'method' | 'state' | 'reason'> & { readonly mark: string },
  now: number,
): Promise<void> {
  const { affiliate_id, method, mark, state, reason } = row;
  await trx.dialect.insertIfAbsent(
    trx,
    'payment_details',
    {
      affiliate_id,
      method,
      sealed: null,
      label: '',
      state: 'ok',
      reason: null,
      mark,
      chosen: 0,
      created_at: now,
      updated_at: now,
    },
    ['affiliate_id', 'method'],
  );
  await trx('payment_details')
    .where({ affiliate_id, method })
    .where((same) => void same.where({ mark }).orWhereNull('mark'))
    .update({ state, reason, mark, updated_at: now });
}

/** Details of the profile were changed: what failed before may work now, and what is known is about others. */
export async function freshDetails(
  trx: Db,
  affiliateId: number,
  methods: readonly string[],
  now: number,
): Promise<void> {
  await trx('payment_details')
    .where({ affiliate_id: affiliateId })
    .whereIn('method', methods)
    .update({ state: 'ok', reason: null, mark: null, updated_at: now });
}

export async function chooseMethod(
  trx: Db,
  affiliateId: number,
  method: string | null,
  now: number,
): Promise<void> {
  await trx('payment_details').where({ affiliate_id: affiliateId }).update({ chosen: 0, updated_at: now });
  if (method === null) return;
  const row = {
    affiliate_id: affiliateId,
    method,
    sealed: null,
    label: '',
    state: 'ok',
    reason: null,
    mark: null,
    chosen: 1,
    created_at: now,
    updated_at: now,
  };
  await trx.dialect.upsert(
    trx,
    'payment_details',
    [row],
    ['affiliate_id', 'method'],
    ['chosen', 'updated_at'],
  );
}

/** The details of both accounts of a merge: those of the remaining account do not change, others move. */
export async function mergeDetails(trx: Db, from: number, into: number): Promise<void> {
  const kept: Row[] = await trx('payment_details').select('method').where({ affiliate_id: into });
  const methods = kept.map((row) => String(row['method']));
  const hasChoice =
    (await trx('payment_details').first('id').where({ affiliate_id: into, chosen: 1 })) !== undefined;
  await trx('payment_details').where({ affiliate_id: from }).whereIn('method', methods).delete();
  await trx('payment_details')
    .where({ affiliate_id: from })
    .update({ affiliate_id: into, ...(hasChoice && { chosen: 0 }) });
  await trx('payout_attempts').where({ affiliate_id: from }).update({ affiliate_id: into });
}

/** Details of payments that ended before this time are needed no more. */
export async function forgetSent(db: Db, before: number): Promise<void> {
  await db('payout_attempts')
    .whereIn('state', ['paid', 'failed', 'returned', 'canceled'])
    .where('updated_at', '<', before)
    .whereNotNull('sealed')
    .update({ sealed: null });
}

export interface AttemptFilter {
  readonly payoutId?: number;
  readonly affiliateId?: number;
  readonly transactionIds?: readonly number[];
  readonly states?: readonly PaymentState[];
}

export async function pageOfAttempts(
  db: Db,
  filter: AttemptFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly Attempt[]; readonly total: number }> {
  const matching = (): ReturnType<Db> => {
    const query = db('payout_attempts');
    if (filter.payoutId !== undefined) query.where({ payout_id: filter.payoutId });
    if (filter.affiliateId !== undefined) query.where({ affiliate_id: filter.affiliateId });
    if (filter.transactionIds !== undefined) query.whereIn('transaction_id', filter.transactionIds);
    if (filter.states !== undefined) query.whereIn('state', filter.states);
    return query;
  };
  const total = await countOf(matching());
  const rows: Row[] = await matching()
    .select(attempts.columns)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  return { rows: rows.map((row) => attempts.fromRow(row)), total };
}

/** How many payments of a payout are in each state, and their sum. */
export async function statesOf(
  db: Db,
  payoutId: number,
): Promise<
  readonly { state: PaymentState; sandbox: boolean; count: number; amount_minor: number; method: string }[]
> {
  const rows = await db.raw(
    `select method, state, sandbox, count(*) as n, sum(sent_minor) as total from ${db.name('payout_attempts')} ` +
      'where payout_id = ? group by method, state, sandbox order by method, state',
    [payoutId],
  );
  return rows.map((row) => ({
    method: String(row['method']),
    state: String(row['state']) as PaymentState, // written by this module alone
    sandbox: Number(row['sandbox']) === 1,
    count: Number(row['n']),
    amount_minor: Number(row['total']),
  }));
}

/** The attempts of a payout in the order of their ids, for a comparison with the payer. */
export async function attemptsAfter(
  db: Db,
  payoutId: number,
  afterId: number,
  limit: number,
): Promise<Attempt[]> {
  const rows: Row[] = await db('payout_attempts')
    .select(attempts.columns)
    .where({ payout_id: payoutId })
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => attempts.fromRow(row));
}

export async function batchesOfPayout(
  db: Db,
  payoutId: number,
  afterId: number,
  limit: number,
): Promise<Batch[]> {
  const rows: Row[] = await db('payout_batches')
    .select(batches.columns)
    .where({ payout_id: payoutId })
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => batches.fromRow(row));
}

/** Payouts with payments that were sent since then. */
export async function payoutsSentSince(
  db: Db,
  since: number,
  afterId: number,
  limit: number,
): Promise<number[]> {
  const rows: Row[] = await db('payout_batches')
    .distinct('payout_id')
    .where('created_at', '>=', since)
    .where('payout_id', '>', afterId)
    .orderBy('payout_id')
    .limit(limit);
  return rows.map((row) => Number(row['payout_id']));
}

export async function insertFinding(
  db: Db,
  finding: Omit<Finding, 'id' | 'kind'> & { readonly kind: FindingKind; readonly finding_key: string },
): Promise<void> {
  await db.dialect.insertIfAbsent(db, 'payment_findings', { ...finding }, ['finding_key']);
}

export async function openFindings(db: Db, payoutId: number | null, limit: number): Promise<Finding[]> {
  const query = db('payment_findings').select(findings.columns).whereNull('settled_at');
  if (payoutId !== null) query.where({ payout_id: payoutId });
  const rows: Row[] = await query.orderBy('id', 'desc').limit(limit);
  return rows.map((row) => findings.fromRow(row));
}

export async function settleFinding(
  trx: Db,
  id: number,
  by: { readonly settled_at: number; readonly settled_by: number | null; readonly note: string },
): Promise<boolean> {
  return (await trx('payment_findings').where({ id }).whereNull('settled_at').update(by)) === 1;
}

/** Is the finding no longer true? What matches now needs no person. */
export async function closeFindings(
  db: Db,
  attemptIds: readonly number[],
  kinds: readonly FindingKind[],
  now: number,
): Promise<void> {
  if (attemptIds.length === 0) return;
  await db('payment_findings')
    .whereIn('attempt_id', attemptIds)
    .whereIn('kind', kinds)
    .whereNull('settled_at')
    .update({ settled_at: now, note: 'matches now' });
}

const SEALED_PAGE = 500;

type SealedTable = 'payment_details' | 'payout_attempts' | 'payout_payee_forms';

export interface SealedRow {
  readonly id: number;
  readonly method: string;
  readonly sealed: string;
}

/** The rows with a sealed text after this id, at most a page. */
export async function sealedAfter(db: Db, table: SealedTable, after: number): Promise<SealedRow[]> {
  const rows: Row[] = await db(table)
    .select('id', 'method', 'sealed')
    .where('id', '>', after)
    .whereNotNull('sealed')
    .orderBy('id')
    .limit(SEALED_PAGE);
  return rows.map((row) => ({
    id: Number(row['id']),
    method: String(row['method']),
    sealed: String(row['sealed']),
  }));
}

/** Only while the row holds the text that was read. */
export async function reseal(
  db: Db,
  table: SealedTable,
  { id, sealed }: Pick<SealedRow, 'id' | 'sealed'>,
  fresh: Readonly<Record<string, string>>,
): Promise<void> {
  await db(table).where({ id, sealed }).update(fresh);
}

/** Marks of details that are in the profile, after this id, at most a page. */
export async function profileMarksAfter(
  db: Db,
  after: number,
): Promise<{ id: number; affiliate_id: number; method: string; mark: string }[]> {
  const rows: Row[] = await db('payment_details')
    .select('id', 'affiliate_id', 'method', 'mark')
    .where('id', '>', after)
    .whereNull('sealed')
    .whereNotNull('mark')
    .orderBy('id')
    .limit(SEALED_PAGE);
  return rows.map((row) => ({
    id: Number(row['id']),
    affiliate_id: Number(row['affiliate_id']),
    method: String(row['method']),
    mark: String(row['mark']),
  }));
}

export async function remark(
  db: Db,
  { id, mark, fresh }: { readonly id: number; readonly mark: string; readonly fresh: string },
): Promise<void> {
  await db('payment_details').where({ id, mark }).update({ mark: fresh });
}
