import { chunks } from '../../core/chunks.js';
import { countOf } from '../../records/list.js';
import { readJson } from '../../core/json.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import { freshState, noCounts } from './state.js';
import type { ImportRemark, ImportRun, RunStage, RunState } from './types.js';
import type { Stage, StageCounts } from '../../core/imports/stages.js';

type Value = string | number | boolean | null;

const CHUNK = 500;
const INSERT_LENGTH = 1950; // longer statements are not cached as prepared ones
const CASES = 100; // the database reads the branches of a CASE one after the other

const toRun = (row: Row): ImportRun => ({
  source: String(row['source']),
  stage: String(row['stage']) as RunStage,
  revision: Number(row['revision']),
  state: readJson<RunState>(row['state'], freshState(noCounts())),
  created_at: Number(row['created_at']),
  updated_at: Number(row['updated_at']),
});

export async function findRun(db: Db, source: string): Promise<ImportRun | null> {
  const row: Row | undefined = await db('import_runs').first().where({ source });
  return row ? toRun(row) : null;
}

export async function listRuns(db: Db): Promise<ImportRun[]> {
  const rows: Row[] = await db('import_runs').select().orderBy('source');
  return rows.map(toRun);
}

export async function listUnfinished(db: Db): Promise<ImportRun[]> {
  const rows: Row[] = await db('import_runs').select().whereNot({ stage: 'completed' }).orderBy('source');
  return rows.map(toRun);
}

/** Starts a run, or starts the same one again. */
export async function putRun(db: Db, run: Omit<ImportRun, 'revision'>): Promise<void> {
  const row = { ...run, state: JSON.stringify(run.state), revision: run.updated_at };
  await db.dialect.upsert(
    db,
    'import_runs',
    [row],
    ['source'],
    ['stage', 'state', 'revision', 'created_at', 'updated_at'],
  );
}

/** Updates the run if it is as seen; false when another process changed it meanwhile. */
export async function moveRun(
  db: Db,
  seen: ImportRun,
  stage: RunStage,
  state: RunState,
  now: number,
): Promise<boolean> {
  return (
    (await db('import_runs')
      .where({ source: seen.source, revision: seen.revision })
      .update({ stage, state: JSON.stringify(state), revision: seen.revision + 1, updated_at: now })) === 1
  );
}

/**
 * Changes only the run's flags, so that a running batch does not lose its figures; the batch then sees
 * another revision and stops.
 */
export async function setFlags(
  db: Db,
  source: string,
  flags: Partial<Pick<RunState, 'cancelled' | 'error'>>,
  now: number,
): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const run = await findRun(db, source);
    if (run === null || (await moveRun(db, run, run.stage, { ...run.state, ...flags }, now))) return;
  }
}

/** Skipped rows are read again. */
export async function forgetSkips(db: Db, source: string): Promise<void> {
  await db('import_rows').where({ source, outcome: 'skipped' }).delete();
}

export async function putRemarks(
  db: Db,
  source: string,
  remarks: readonly ImportRemark[],
  now: number,
): Promise<void> {
  const rows = remarks.map((remark) => ({ source, ...remark, created_at: now }));
  const changed = ['outcome', 'reason', 'affiliate', 'amount', 'currency', 'detail'];
  await db.dialect.upsert(db, 'import_rows', rows, ['source', 'stage', 'source_id'], changed);
}

export async function listRemarks(
  db: Db,
  source: string,
  after: number,
  limit: number,
): Promise<(ImportRemark & { readonly id: number })[]> {
  const rows: Row[] = await db('import_rows')
    .select('id', 'stage', 'source_id', 'outcome', 'reason', 'affiliate', 'amount', 'currency', 'detail')
    .where({ source })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => ({
    id: Number(row['id']),
    stage: String(row['stage']) as Stage,
    source_id: String(row['source_id']),
    outcome: String(row['outcome']) as ImportRemark['outcome'],
    reason: String(row['reason']),
    affiliate: textOf(row['affiliate']),
    amount: textOf(row['amount']),
    currency: textOf(row['currency']),
    detail: textOf(row['detail']),
  }));
}

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

/** The tables of rows that are imported one to one. */
const TABLES = {
  affiliates: 'affiliates',
  referrals: 'referrals',
  visits: 'visits',
  customers: 'customers',
  creatives: 'creatives',
} as const satisfies Partial<Record<Stage, TableName>>;

/** The rows of a table that a source brought. */
const ofSource = (db: Db, table: TableName, source: string): ReturnType<Db> =>
  db(table).where('source_key', 'like', `${source}:%`);

/**
 * Number of imported rows of a source, by all runs. `groups`: source group → our group, which stores no key
 * of the source.
 */
export async function countImported(
  db: Db,
  source: string,
  groups: Readonly<Record<string, number>>,
): Promise<StageCounts> {
  // read from the index: `;` follows `:`
  const inIndex = (table: TableName): ReturnType<Db> =>
    db(table).where('source_key', '>=', `${source}:`).where('source_key', '<', `${source};`);
  const counts = await Promise.all(
    Object.entries(TABLES).map(async ([stage, table]) => [stage, await countOf(inIndex(table))]),
  );
  // A payment in several currencies counts as one of the source.
  const [payments]: Row[] = await inIndex('payout_transactions').select(
    db.knex.raw("count(distinct replace(source_key, currency, '')) as n"),
  );
  const stored = new Set(
    (await rowsBy(db, 'meta', 'id', Object.values(groups), ['id'])).map((row) => Number(row['id'])),
  );
  return {
    ...(Object.fromEntries(counts) as Record<keyof typeof TABLES, number>),
    affiliate_groups: Object.values(groups).filter((id) => stored.has(id)).length,
    payouts: Number(payments?.['n']),
  };
}

/** True when one of the tables has rows. */
export async function holdsRows(db: Db, tables: readonly TableName[]): Promise<boolean> {
  for (const table of tables) if ((await db(table).first('id')) !== undefined) return true;
  return false;
}
/** Filled when anything was earned or paid in the program. */
export const MONEY_TABLES = ['referrals', 'ledger_entries', 'payouts'] as const;
/** Filled when the program has affiliates, money or groups. */
export const PROGRAM_TABLES = ['affiliates', 'referrals', 'payouts', 'meta', 'orders'] as const;

export async function countRemarks(
  db: Db,
  source: string,
): Promise<{ outcome: string; reason: string; n: number }[]> {
  const rows: Row[] = await db('import_rows')
    .select('outcome', 'reason')
    .count({ n: '*' })
    .where({ source })
    .groupBy('outcome', 'reason')
    .orderBy(['outcome', 'reason']);
  return rows.map((row) => ({
    outcome: String(row['outcome']),
    reason: String(row['reason']),
    n: Number(row['n']),
  }));
}

/** Reads by ids or keys, in as few statements as the size of an IN list allows. */
async function inChunks<T>(
  values: Iterable<T>,
  read: (chunk: readonly T[]) => PromiseLike<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (const chunk of chunks([...new Set(values)], CHUNK)) found.push(...(await read(chunk)));
  return found;
}

/** Rows by the text in a column. */
export const rowsBy = (
  db: Db,
  table: TableName,
  column: string,
  values: Iterable<string | number>,
  columns: readonly string[],
): Promise<Row[]> =>
  inChunks(values, (chunk) =>
    db(table)
      .select([...columns])
      .whereIn(column, chunk),
  );

/**
 * Which of these numbers cannot be the id of a new affiliate: it exists, or entries that outlive affiliates
 * name it.
 */
export async function takenIds(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const taken = new Set<number>();
  for (const [table, column] of [
    ['affiliates', 'id'],
    ['ledger_entries', 'affiliate_id'],
    ['payout_transactions', 'affiliate_id'],
  ] as const)
    for (const row of await rowsBy(db, table, column, ids, [column])) taken.add(Number(row[column]));
  return taken;
}

/** source_key → id of the rows imported already. */
export async function idsByKey(
  db: Db,
  table: TableName,
  keys: Iterable<string>,
): Promise<Map<string, number>> {
  const wanted = [...keys];
  const rows = await rowsBy(db, table, 'source_key', wanted, ['id', 'source_key']);
  return new Map([
    ...(table === 'affiliates' ? await mergedByKey(db, wanted) : []),
    ...rows.map((row) => [String(row['source_key']), Number(row['id'])] as const),
  ]);
}

/** Imported affiliates that were merged into others since: source_key → id of the other. */
export async function mergedByKey(db: Db, keys: Iterable<string>): Promise<Map<string, number>> {
  const rows = await rowsBy(db, 'affiliate_names', 'name', keys, ['space', 'name', 'affiliate_id']);
  return new Map(
    rows
      .filter((row) => row['space'] === 'merged_source')
      .map((row) => [String(row['name']), Number(row['affiliate_id'])]),
  );
}

/** Statements with one text and of a length that is cached as prepared; a column that a row lacks is null. */
export async function insertRows(db: Db, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = `insert into ${db.name(table)} (${columns.join(', ')}) values `;
  const slots = `(${columns.map(() => '?').join(',')})`;
  for (const chunk of chunks(
    rows,
    Math.max(1, Math.floor((INSERT_LENGTH - head.length) / (slots.length + 1))),
  )) {
    await db.execute(
      head + chunk.map(() => slots).join(','),
      chunk.flatMap((row) => columns.map((column) => (row[column] ?? null) as Value)),
    );
  }
}

/** Sets one id column of many rows; the ids are our integers, so they are written into the text. */
export async function setIds(
  db: Db,
  table: TableName,
  column: 'customer_id' | 'visit_id' | 'parent_id',
  pairs: ReadonlyMap<number, number>,
): Promise<void> {
  for (const chunk of chunks([...pairs], CASES))
    await db.execute(
      `update ${db.name(table)} set ${column} = ${caseOf(chunk)} ` +
        `where id in (${listed(chunk.map(([id]) => id))}) and ${column} is null`,
    );
}

/** The value of each row by its id. */
const caseOf = (values: readonly (readonly [id: number, value: number])[]): string =>
  `case id ${values.map(([id, value]) => `when ${whole(id)} then ${whole(value)}`).join(' ')} end`;

/** Writes the paid items of these referrals onto them; the payments stage made both in this transaction. */
export async function settleReferrals(db: Db, ids: readonly number[]): Promise<void> {
  const [referrals, items, transactions] = [
    db.name('referrals'),
    db.name('payout_items'),
    db.name('payout_transactions'),
  ];
  const item = `from ${items} i where i.referral_id = ${referrals}.id`;
  for (const chunk of chunks(ids, CHUNK)) {
    await db.execute(
      `update ${referrals} set status = 'paid', paid_elsewhere = 0, payout_transaction_id = (select ` +
        `i.transaction_id ${item}), ` +
        `payout_id = (select t.payout_id from ${transactions} t, ${items} i where t.id = i.transaction_id ` +
        `and i.referral_id = ${referrals}.id) where id in (${listed(chunk)})`,
    );
  }
}

/** The transactions of these affiliates in these payouts, as `payout:affiliate`. */
export async function payoutMembers(
  db: Db,
  payoutIds: readonly number[],
  affiliateIds: readonly number[],
): Promise<Set<string>> {
  const members = new Set<string>();
  for (const payouts of chunks([...new Set(payoutIds)], CHUNK)) {
    const rows = await inChunks(affiliateIds, (affiliates) =>
      db('payout_transactions')
        .select('payout_id', 'affiliate_id')
        .whereIn('payout_id', payouts)
        .whereIn('affiliate_id', affiliates),
    );
    for (const row of rows) members.add(`${Number(row['payout_id'])}:${Number(row['affiliate_id'])}`);
  }
  return members;
}

/** Adds to the totals of payouts, and sets those with an open payment to `processing`. */
export async function growPayouts(
  db: Db,
  totals: ReadonlyMap<number, number>,
  open: ReadonlySet<number>,
): Promise<void> {
  for (const chunk of chunks([...totals], CASES))
    await db.execute(
      `update ${db.name('payouts')} set total_amount_minor = total_amount_minor + ${caseOf(chunk)} ` +
        `where id in (${listed(chunk.map(([id]) => id))})`,
    );
  for (const chunk of chunks([...open], CHUNK))
    await db('payouts').whereIn('id', chunk).update({ status: 'processing' });
}

export interface CounterDelta {
  total: number;
  unpaid: number;
  referrals: number;
  visits: number;
}
const COUNTERS = {
  total_earnings_minor: 'total',
  unpaid_earnings_minor: 'unpaid',
  referrals: 'referrals',
  visits: 'visits',
} as const;
export const noChange = (): CounterDelta => ({ total: 0, unpaid: 0, referrals: 0, visits: 0 });

/**
 * Uses few statements for many affiliates: those with the same change share one, the others are in a CASE.
 */
export async function addCounters(db: Db, deltas: ReadonlyMap<number, CounterDelta>): Promise<void> {
  for (const [column, key] of Object.entries(COUNTERS)) {
    const add = (delta: string, ids: readonly number[]): Promise<unknown> =>
      db.execute(
        `update ${db.name('affiliates')} set ${column} = ${column} + ${delta} where id in (${listed(ids)})`,
      );
    const same = new Map<number, number[]>();
    for (const [id, { [key]: delta }] of deltas)
      if (delta !== 0) same.set(delta, [...(same.get(delta) ?? []), id]);
    const single: [id: number, delta: number][] = [];
    for (const [delta, ids] of same)
      if (ids.length === 1) single.push([ids[0] ?? 0, delta]);
      else for (const chunk of chunks(ids, CHUNK)) await add(whole(delta), chunk);
    for (const chunk of chunks(single, CASES))
      await add(
        caseOf(chunk),
        chunk.map(([id]) => id),
      );
  }
}

const listed = (ids: readonly number[]): string => ids.map(whole).join(', ');

function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError('Only integers are allowed in SQL text.');
  return String(value);
}

/** What is stored of a source's referrals, by status and currency. */
export async function storedSums(
  db: Db,
  source: string,
): Promise<{ status: string; currency: string; n: number; minor: number }[]> {
  const rows: Row[] = await ofSource(db, 'referrals', source)
    .select('status', 'currency')
    .count({ n: '*' })
    .sum({ minor: 'amount_minor' })
    .groupBy('status', 'currency');
  return rows.map((row) => ({
    status: String(row['status']),
    currency: String(row['currency'] ?? ''),
    n: Number(row['n']),
    minor: Number(row['minor']),
  }));
}

export interface Earnings {
  readonly affiliate_id: number;
  readonly currency: string;
  readonly counted: 'unpaid' | 'processing' | 'paid';
  readonly minor: number;
}

/** What these affiliates are owed and were paid by commissions of the source. */
export async function earningsOf(db: Db, ids: readonly number[], source: string): Promise<Earnings[]> {
  const rows = await inChunks(ids, (chunk) =>
    db.raw(
      "select r.affiliate_id, r.currency, case when r.status = 'unpaid' then 'unpaid' " +
        "when t.status = 'processing' then 'processing' else 'paid' end as counted, " +
        `sum(r.amount_minor) as minor from ${db.name('referrals')} r ` +
        `left join ${db.name('payout_transactions')} t on t.id = r.payout_transaction_id ` +
        `where r.source_key like ? and r.status in ('unpaid', 'paid') ` +
        `and r.affiliate_id in (${listed(chunk)}) group by 1, 2, 3`,
      [`${source}:%`],
    ),
  );
  return rows.map((row) => ({ ...toSum(row), counted: String(row['counted']) as Earnings['counted'] }));
}

const toSum = (row: Row): Omit<Earnings, 'counted'> => ({
  affiliate_id: Number(row['affiliate_id']),
  currency: String(row['currency']),
  minor: Number(row['minor']),
});

/** What these affiliates were paid or are being paid by payments of the source. */
export async function paymentsOf(
  db: Db,
  ids: readonly number[],
  source: string,
): Promise<Omit<Earnings, 'counted'>[]> {
  const rows = await inChunks(ids, (chunk) =>
    ofSource(db, 'payout_transactions', source)
      .select('affiliate_id', 'currency')
      .sum({ minor: 'total_amount_minor' })
      .whereIn('affiliate_id', chunk)
      .groupBy('affiliate_id', 'currency'),
  );
  return rows.map(toSum);
}

/** Affiliate → source key of its latest imported visit. */
export async function latestVisits(
  db: Db,
  ids: readonly number[],
  source: string,
): Promise<Map<number, string>> {
  const latest = await inChunks(ids, (chunk) =>
    ofSource(db, 'visits', source).max('id as id').whereIn('affiliate_id', chunk).groupBy('affiliate_id'),
  );
  const visitIds = latest.map((row) => Number(row['id']));
  const rows = await rowsBy(db, 'visits', 'id', visitIds, ['affiliate_id', 'source_key']);
  return new Map(rows.map((row) => [Number(row['affiliate_id']), String(row['source_key'])]));
}

export async function storedEarnings(
  db: Db,
  source: string,
): Promise<{ stored_total_minor: number; stored_unpaid_minor: number }> {
  const row: Row | undefined = await ofSource(db, 'affiliates', source)
    .sum({ total: 'total_earnings_minor', unpaid: 'unpaid_earnings_minor' })
    .first();
  return {
    stored_total_minor: Number(row?.['total'] ?? 0),
    stored_unpaid_minor: Number(row?.['unpaid'] ?? 0),
  };
}

export async function dataCounts(db: Db): Promise<StageCounts> {
  const groups = await countOf(db('meta').where({ object_type: 'affiliate_group' }));
  const counts: Partial<StageCounts> = { affiliate_groups: groups };
  for (const stage of ['affiliates', 'referrals', 'visits', 'payouts', 'customers', 'creatives'] as const)
    counts[stage] = await countOf(db(stage));
  return counts as StageCounts;
}

/** A table of the copy, read in the order of its primary key. */
export interface CopiedTable {
  readonly name: TableName;
  readonly key: readonly string[];
  readonly hasId: boolean;
}

export const copiedTable = (name: TableName, key: readonly string[] = ['id']): CopiedTable => ({
  name,
  key,
  hasId: key[0] === 'id',
});

const OWN_OPTIONS = /secret|identity|lease|captcha|^payer_/u;
/** True for settings of the program, false for those that bind an installation to its host. */
export const isCopied = (name: string): boolean => !OWN_OPTIONS.test(name);

/** The next rows by key. */
export async function pageOfTable(
  db: Db,
  { name, key }: CopiedTable,
  after: Row | null,
  limit: number,
): Promise<Row[]> {
  const query = db(name)
    .select()
    .orderBy(key.map((column) => ({ column })))
    .limit(limit);
  if (after !== null)
    void query.where((outer) => {
      for (let at = 0; at < key.length; at++)
        void outer.orWhere((inner) => {
          for (const column of key.slice(0, at)) void inner.where(column, after[column] as Value);
          void inner.where(key[at] ?? '', '>', after[key[at] ?? ''] as Value);
        });
    });
  return (await query) as Row[];
}

export async function latestStep(db: Db): Promise<string> {
  const rows: Row[] = await db('schema_steps').select('id').orderBy('id');
  return rows.map((row) => String(row['id'])).join(' ');
}

/** Inserts rows that all have the same columns; column names are quoted, since some are reserved words. */
export async function insertCopied(db: Db, table: TableName, rows: readonly Row[]): Promise<void> {
  for (const chunk of chunks(rows, 100)) await db(table).insert([...chunk]);
}

export async function countRows(db: Db, table: TableName): Promise<number> {
  return countOf(db(table));
}

/** The highest id of each table; 0 for an empty one. */
export async function highestIds(db: Db, tables: readonly TableName[]): Promise<number[]> {
  const ids: number[] = [];
  for (const table of tables) {
    const row: Row | undefined = await db(table).max({ id: 'id' }).first();
    ids.push(Number(row?.['id'] ?? 0));
  }
  return ids;
}

export interface MoneySum {
  readonly figure: string;
  /** '' is the program's own currency. */
  readonly currency: string;
  readonly minor: number;
}

const SUMS: readonly (readonly [figure: string, table: TableName, column: string])[] = [
  ['commissions', 'referrals', 'amount_minor'],
  ['payments', 'payout_transactions', 'total_amount_minor'],
  ['payment items', 'payout_items', 'amount_minor'],
  ['earned', 'ledger_entries', 'total_delta_minor'],
  ['owed', 'ledger_entries', 'unpaid_delta_minor'],
];

/** What is owed and paid, by currency. */
export async function moneySums(db: Db): Promise<MoneySum[]> {
  const sums: MoneySum[] = [];
  for (const [figure, table, column] of SUMS) {
    const rows: Row[] = await db(table)
      .select('currency')
      .sum({ minor: column })
      .groupBy('currency')
      .orderBy('currency');
    for (const row of rows)
      sums.push({
        figure,
        currency: (row['currency'] as string | null) ?? '',
        minor: Number(row['minor'] ?? 0),
      });
  }
  return sums;
}
