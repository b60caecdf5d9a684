import { fail } from '../../errors.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { Deps } from './deps.js';
import { COPIED, filling, insertChecked, refuseBrokenBooks, rowsOf, withoutParent } from './program-copy.js';
import {
  copiedTable,
  countRows,
  highestIds,
  holdsRows,
  PROGRAM_TABLES,
  latestStep,
  moneySums,
  setIds,
  type CopiedTable,
  type MoneySum,
} from './repository.js';

const PAGE = 500;

/** What a copy leaves behind, because it belongs to the installation: its identity, credentials and queues. */
const INSTALLATION: readonly CopiedTable[] = [
  copiedTable('service_identity'),
  copiedTable('host_pages'),
  copiedTable('missing_users', ['user_id']),
  copiedTable('rate_limits', ['limit_key']),
  copiedTable('idempotency_keys', ['scope', 'idem_key']),
  copiedTable('api_keys'),
  copiedTable('connected_sites'),
  copiedTable('former_sites', ['url_key']),
  copiedTable('site_nonces', ['site_id', 'nonce']),
  copiedTable('early_reports'),
  copiedTable('signup_challenges', ['reference']),
  copiedTable('webhook_endpoints'),
  copiedTable('events'),
  copiedTable('event_queue'),
  copiedTable('outbox'),
  copiedTable('bounced_addresses', ['mark']),
  copiedTable('works', ['kind', 'object_id']),
  copiedTable('payout_batches'),
  copiedTable('payout_attempts'),
  copiedTable('payment_details'),
  copiedTable('payout_payee_forms'),
  copiedTable('payment_findings'),
  copiedTable('invitations'),
  copiedTable('messages'),
  copiedTable('message_recipients', ['message_id', 'affiliate_id']),
];

/** Every table but those that describe the database itself: its schema, and leases of running processes. */
export const MOVED: readonly CopiedTable[] = [...COPIED, ...INSTALLATION];

/** Tables in which every change of the program leaves a row with a new id. */
const CHANGED: readonly TableName[] = ['visits', 'orders', 'order_facts', 'audit', 'events', 'outbox'];

export interface MoveReport {
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** Sums of money, with those of the new side after a move; equal, or nothing was moved. */
  readonly sums: readonly (MoneySum & { readonly moved?: number })[];
}

export interface MoveOptions {
  /** Counts and compares only. */
  readonly dryRun: boolean;
  /** A dry run of a staging copy counts only what a copy gets. */
  readonly asCopy?: boolean;
  readonly onTable?: (table: string, rows: number) => void;
}

/**
 * Moves a whole program to an empty database, with its identity, so that cookies, links, tokens and API keys
 * continue to work. One transaction: everything is moved or nothing. The source is only read and must be at
 * rest.
 */
export async function moveProgram(from: Deps, to: Deps, options: MoveOptions): Promise<MoveReport> {
  const snapshot = await from.snapshot();
  const source = snapshot.db;
  try {
    await refuseOtherSchema(source, to.db);
    if (options.dryRun) return await tried(source, to.db, options.asCopy ? COPIED : MOVED);
    return await filling(to, async (trx) => {
      await trx('options').delete(); // a new program may have written some
      await trx('service_identity').delete();
      const tables = await copyTables(source, trx, options);
      await refuseBrokenBooks(to);
      const sums = await sumsOf(source, trx);
      if (sums.some(({ minor, moved }) => minor !== moved)) throw new Error('The sums of money differ.');
      await refuseChangedSource(source, from.db);
      return { tables, sums };
    });
  } finally {
    await snapshot.end();
  }
}

async function copyTables(source: Db, trx: Db, { onTable }: MoveOptions): Promise<MoveReport['tables']> {
  const tables: { table: string; rows: number }[] = [];
  const parents = new Map<number, number>();
  for (const table of MOVED) {
    let rows = 0;
    let page: Row[] = [];
    const store = async (): Promise<void> => {
      if (page.length > 0) await insertChecked(trx, table.name, page);
      page = [];
    };
    for await (const row of rowsOf(source, table)) {
      rows += 1;
      page.push(table.name === 'referrals' ? withoutParent(row, parents) : row);
      if (page.length === PAGE) await store();
    }
    await store();
    onTable?.(table.name, rows);
    tables.push({ table: table.name, rows });
  }
  await setIds(trx, 'referrals', 'parent_id', parents);
  for (const { name, hasId } of MOVED) if (hasId) await trx.dialect.idsInserted(trx, name);
  return tables;
}

async function tried(source: Db, target: Db, wanted: readonly CopiedTable[]): Promise<MoveReport> {
  if (await holdsRows(target, PROGRAM_TABLES)) fail('import_not_empty');
  const tables: { table: string; rows: number }[] = [];
  for (const { name } of wanted) tables.push({ table: name, rows: await countRows(source, name) });
  return { tables, sums: await moneySums(source) };
}

async function sumsOf(from: Db, to: Db): Promise<Required<MoveReport['sums'][number]>[]> {
  const moved = new Map((await moneySums(to)).map((sum) => [`${sum.figure} ${sum.currency}`, sum.minor]));
  return (await moneySums(from)).map((sum) => ({
    ...sum,
    moved: moved.get(`${sum.figure} ${sum.currency}`) ?? 0,
  }));
}

async function refuseOtherSchema(source: Db, target: Db): Promise<void> {
  if ((await latestStep(source)) === (await latestStep(target))) return;
  fail('import_file_invalid', {
    message: 'The two databases have different schemas. Run `affiliate-service schema --apply` on both.',
  });
}

/** Orders and clicks that arrived during the move would be lost with the old database. */
async function refuseChangedSource(snapshot: Db, now: Db): Promise<void> {
  const [then, latest] = [await highestIds(snapshot, CHANGED), await highestIds(now, CHANGED)];
  const changed = CHANGED.filter((_table, at) => then[at] !== latest[at]);
  if (changed.length === 0) return;
  fail('busy', {
    message: `The program changed during the move (${changed.join(', ')}). Stop the host, then move again.`,
  });
}
