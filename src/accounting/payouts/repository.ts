import { chunks } from '../../core/chunks.js';
import { minor, type Minor } from '../../core/money.js';
import type { Db, Row } from '../../platform/database/db.js';
import { rowsOf, countOf, findRecord } from '../../records/list.js';
import { detailsSql } from './queries.js';
import { payouts, transactions } from './record.js';
import type {
  LeftOut,
  PayableGroup,
  PaymentDetails,
  Payout,
  PayoutCounts,
  PayoutStatus,
  PayoutTransaction,
  TransactionStatus,
} from './types.js';

const CHUNK = 1000;
const id = (value: unknown): number | null => (value === null ? null : Number(value));

export async function findPayouts(db: Db, ids: readonly number[]): Promise<Payout[]> {
  return (await rowsOf(db, payouts, ids)).map(payouts.fromRow);
}

export async function findPayout(db: Db, payoutId: number): Promise<Payout | null> {
  return (await findPayouts(db, [payoutId]))[0] ?? null;
}

export async function insertPayout(
  db: Db,
  payout: Omit<Payout, 'id'>,
  keyMakerId: number | null,
): Promise<number> {
  return db.dialect.insert(db, 'payouts', {
    ...payout,
    key_maker_id: keyMakerId,
    highest_total_minor: payout.total_amount_minor,
    settings: JSON.stringify(payout.settings),
  });
}

/** Removes a draft that has no transactions. */
export async function deletePayout(db: Db, payoutId: number): Promise<void> {
  await db('payouts').where({ id: payoutId }).delete();
}

/** What each affiliate gets by a payout. */
export async function payableOf(
  db: Db,
  payoutId: number,
): Promise<Pick<PayableGroup, 'affiliate_id' | 'referral_count' | 'amount_minor'>[]> {
  const rows = await db.raw(
    'select t.affiliate_id, t.total_amount_minor as total, (select count(*) ' +
      `from ${db.name('payout_items')} i where i.transaction_id = t.id) as n ` +
      `from ${db.name('payout_transactions')} t where t.payout_id = ? order by t.affiliate_id`,
    [payoutId],
  );
  return rows.map((row) => ({
    affiliate_id: Number(row['affiliate_id']),
    referral_count: Number(row['n']),
    amount_minor: minor(Number(row['total'])),
  }));
}

export async function updatePayout(
  db: Db,
  payoutId: number,
  changes: Readonly<Record<string, string | number>>,
): Promise<number> {
  return db('payouts').where({ id: payoutId }).update(changes);
}

/** A payout before its transactions were counted again, and after. */
export interface PayoutChange {
  readonly before: Payout;
  readonly payout: Payout;
}

/**
 * Computes total and status of a payout from its transactions. A separate statement locks the row first: the
 * figures must be read after another writer of this payout has committed, and a single statement would still
 * see its older snapshot. A draft remains a draft until it is closed.
 */
export async function recompute(
  db: Db,
  payoutId: number,
  now: number,
  { closes = false }: { readonly closes?: boolean } = {},
): Promise<PayoutChange> {
  const [before]: Row[] = await db.dialect.forUpdate(
    db('payouts').select(payouts.columns).where({ id: payoutId }),
  );
  const [row] = await db.raw(
    'select coalesce(sum(total_amount_minor), 0) as total, coalesce(sum(case ' +
      "when status = 'processing' then 1 else 0 end), 0) as open " +
      `from ${db.name('payout_transactions')} where payout_id = ?`,
    [payoutId],
  );
  const closed: PayoutStatus = Number(row?.['open'] ?? 0) > 0 ? 'processing' : 'paid';
  const status = before?.['status'] === 'draft' && !closes ? 'draft' : closed;
  const total = Number(row?.['total'] ?? 0);
  await db.execute(
    // the highest total is stored for the approval by a second user
    `update ${db.name('payouts')} set highest_total_minor = case ` +
      'when highest_total_minor > total_amount_minor then highest_total_minor else total_amount_minor end ' +
      'where id = ?',
    [payoutId],
  );
  await db('payouts').where({ id: payoutId }).update({ total_amount_minor: total, status, updated_at: now });
  const stored: Row = await db('payouts').first(payouts.columns).where({ id: payoutId });
  return { before: payouts.fromRow(before ?? stored), payout: payouts.fromRow(stored) };
}

export const findTransaction = (
  db: Db,
  payoutId: number,
  transactionId: number,
): Promise<PayoutTransaction | null> =>
  findRecord(db, transactions, {
    id: transactionId,
    payout_id: payoutId,
  });

export const findTransactionById = (db: Db, transactionId: number): Promise<PayoutTransaction | null> =>
  findRecord(db, transactions, { id: transactionId });

export async function lockTransaction(
  db: Db,
  payoutId: number,
  transactionId: number,
): Promise<PayoutTransaction | null> {
  const [row]: Row[] = await db.dialect.forUpdate(
    db('payout_transactions').select(transactions.columns).where({ id: transactionId, payout_id: payoutId }),
  );
  return row ? transactions.fromRow(row) : null;
}

/** Changes the status of transactions of a payout; the number of changed rows shows who won a race. */
export async function moveTransactions(
  db: Db,
  payoutId: number,
  ids: readonly number[],
  move: { from: TransactionStatus; to: TransactionStatus; now: number },
): Promise<number> {
  let moved = 0;
  for (const chunk of chunks(ids, CHUNK)) {
    moved += await db('payout_transactions')
      .where({ payout_id: payoutId, status: move.from })
      .whereIn('id', chunk)
      .update({ status: move.to, updated_at: move.now });
  }
  return moved;
}

export async function countProcessing(db: Db, payoutId: number): Promise<number> {
  return countOf(db('payout_transactions').where({ payout_id: payoutId, status: 'processing' }));
}

/**
 * Open transactions of a payout by the payment details of their affiliates, and the first ones that lack
 * some.
 */
export interface OpenByDetails {
  readonly groups: readonly {
    readonly payment_email: boolean;
    readonly bank_details: boolean;
    readonly count: number;
    readonly amount_minor: Minor;
  }[];
  readonly without: readonly (Pick<LeftOut, 'transaction_id' | 'affiliate_id' | 'amount_minor'> &
    Readonly<Record<PaymentDetails, boolean>>)[];
}

const WITHOUT_MAX = 1000;

export async function openByDetails(db: Db, payoutId: number): Promise<OpenByDetails> {
  const [email, bank] = (['payment_email', 'bank_details'] as const).map(
    (kind) => `case when ${detailsSql(kind)} then 1 else 0 end`,
  );
  const from =
    `from ${db.name('payout_transactions')} t left join ${db.name('affiliates')} a on a.id = t.affiliate_id ` +
    "where t.payout_id = ? and t.status = 'processing'";
  const groups = await db.raw(
    'select email, bank, count(*) as n, sum(total) as total ' +
      `from (select ${email} as email, ${bank} as bank, t.total_amount_minor as total ${from}) x ` +
      'group by email, bank',
    [payoutId],
  );
  const without = await db.raw(
    'select id, affiliate_id, total, email, bank ' +
      `from (select t.id, t.affiliate_id, t.total_amount_minor as total, ${email} as email, ` +
      `${bank} as bank ${from}) x ` +
      `where email = 0 or bank = 0 order by id limit ${WITHOUT_MAX}`,
    [payoutId],
  );
  const changedDetails = (row: Row): Record<PaymentDetails, boolean> => ({
    payment_email: Number(row['email']) === 1,
    bank_details: Number(row['bank']) === 1,
  });
  return {
    groups: groups.map((row) => ({
      ...changedDetails(row),
      count: Number(row['n']),
      amount_minor: minor(Number(row['total'])),
    })),
    without: without.map((row) => ({
      ...changedDetails(row),
      transaction_id: Number(row['id']),
      affiliate_id: id(row['affiliate_id']),
      amount_minor: minor(Number(row['total'])),
    })),
  };
}

/** Those of these transactions whose affiliate lacks this kind of details or was deleted. */
export async function openWithoutDetails(
  db: Db,
  transactionIds: readonly number[],
  details: PaymentDetails,
): Promise<number[]> {
  const found: number[] = [];
  for (const ids of chunks(transactionIds, CHUNK)) {
    const rows = await db.raw(
      `select t.id from ${db.name('payout_transactions')} t ` +
        `left join ${db.name('affiliates')} a on a.id = t.affiliate_id ` +
        `where t.id in (${ids.map(() => '?').join(', ')}) and case when ${detailsSql(details)} then 1 else 0 end = 0`,
      ids,
    );
    found.push(...rows.map((row) => Number(row['id'])));
  }
  return found;
}

/** Who made a payout: the user, and the maker of the API key that was used. Empty for code. */
export async function makersOf(db: Db, payoutId: number): Promise<readonly number[]> {
  const row = await db.findByKey('payouts', ['created_by', 'key_maker_id'], { id: payoutId });
  const ids = [row?.['created_by'], row?.['key_maker_id']];
  return [...new Set(ids.flatMap((id) => (id === null || id === undefined ? [] : [Number(id)])))];
}

/** A payout at its highest total. */
export interface MadePayout {
  readonly currency: string | null;
  readonly created_at: number;
  readonly highest_minor: number;
}

/** The payouts that one of these users made, both times included; without users, those of code. */
export async function madeBetween(
  db: Db,
  { makers, from, to }: { makers: readonly number[]; from: number; to: number },
): Promise<MadePayout[]> {
  const marks = makers.map(() => '?').join(', ');
  const whose =
    makers.length === 0
      ? 'created_by is null and key_maker_id is null'
      : `(created_by in (${marks}) or key_maker_id in (${marks}))`;
  const rows = await db.raw(
    'select currency, created_at, case when highest_total_minor > total_amount_minor then highest_total_minor ' +
      `else total_amount_minor end as highest from ${db.name('payouts')} ` +
      `where created_at >= ? and created_at <= ? and ${whose} order by created_at, id`,
    [from, to, ...makers, ...makers],
  );
  return rows.map((row) => ({
    currency: row['currency'] === null ? null : String(row['currency']),
    created_at: Number(row['created_at']),
    highest_minor: Number(row['highest']),
  }));
}

/** Is one of the open transactions of this payout the affiliate's own? */
export async function hasOpenTransaction(db: Db, payoutId: number, affiliateId: number): Promise<boolean> {
  const row: Row | undefined = await db('payout_transactions')
    .first('id')
    .where({ payout_id: payoutId, affiliate_id: affiliateId, status: 'processing' });
  return row !== undefined;
}

/** The three counts of a page of payouts, one grouped query each. */
export async function countsOf(
  db: Db,
  payoutIds: readonly number[],
): Promise<ReadonlyMap<number, PayoutCounts>> {
  if (payoutIds.length === 0) return new Map();
  const marks = payoutIds.map(() => '?').join(', ');
  const [referrals, transactions, tried] = await db.pipeline(
    async (): Promise<Row[]> =>
      db('referrals')
        .select('payout_id')
        .count({ n: '*' })
        .whereIn('payout_id', payoutIds)
        .groupBy('payout_id'),
    () =>
      db.raw(
        `select t.payout_id, count(*) as n, count(a.id) as known from ${db.name('payout_transactions')} t ` +
          `left join ${db.name('affiliates')} a on a.id = t.affiliate_id where t.payout_id in (${marks}) ` +
          'group by t.payout_id',
        [...payoutIds],
      ),
    async (): Promise<Row[]> =>
      db('payout_batches').distinct('payout_id').where({ sandbox: 1 }).whereIn('payout_id', payoutIds),
  );
  const sandboxed = new Set(tried.map((row) => Number(row['payout_id'])));
  return new Map(
    payoutIds.map((payoutId) => [
      payoutId,
      {
        sandbox: sandboxed.has(payoutId),
        referrals_count: pick(referrals, payoutId, 'n'),
        transactions_count: pick(transactions, payoutId, 'n'),
        affiliates_count: pick(transactions, payoutId, 'known'),
      },
    ]),
  );
}

const pick = (rows: readonly Row[], payoutId: number, column: string): number =>
  Number(rows.find((row) => Number(row['payout_id']) === payoutId)?.[column] ?? 0);

export async function countReferralsOf(
  db: Db,
  transactionIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (transactionIds.length === 0) return new Map();
  const rows: Row[] = await db('referrals')
    .select('payout_transaction_id')
    .count({ n: '*' })
    .whereIn('payout_transaction_id', transactionIds)
    .groupBy('payout_transaction_id');
  return new Map(rows.map((row) => [Number(row['payout_transaction_id']), Number(row['n'])]));
}
