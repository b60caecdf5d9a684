import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Logger } from '../../src/core/logger.js';
import type { Db } from './dialect.js';

/**
 * A setting that can lose acknowledged writes is reported. A setting that can corrupt data, or let a value
 * end its quotes, is refused.
 */
interface Findings {
  readonly risks: string[];
  readonly refusals: string[];
}

/**
 * Checks the settings that decide whether an acknowledged write survives a power cut. It changes none, and
 * returns those that are a risk.
 */
export async function checkDurability(
  db: Db,
  { owned, mode, log }: { readonly owned: boolean; readonly mode: 'strict' | 'warn'; readonly log: Logger },
): Promise<readonly string[]> {
  const check = { sqlite: checkSqlite, postgres: checkPostgres, mysql: checkMysql }[db.dialect.name];
  const { risks, refusals } = await check(db, owned);
  const stopping = mode === 'strict' ? [...refusals, ...risks] : refusals;
  if (stopping.length > 0) throw new Error(`The database settings are not safe: ${stopping.join('; ')}.`);
  for (const risk of risks) log.warn('database setting may lose acknowledged writes', { setting: risk });
  return risks;
}

// older versions can lose a commit when two connections reset the WAL at the same time
const FIXED_WAL = [3, 51, 3] as const;
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
]);

async function checkSqlite(db: Db, owned: boolean): Promise<Findings> {
  const read = async (sql: string): Promise<unknown> =>
    Object.values((await db.readLocal(sql, []))[0] ?? {})[0];
  const findings: Findings = { risks: [], refusals: [] };
  if (!owned && Number(await read('pragma foreign_keys')) !== 1)
    findings.refusals.push('foreign_keys is off');
  const file = await read("select file from pragma_database_list where name = 'main'");
  if (typeof file !== 'string' || file === '') return findings; // a database in memory is never stored
  if (!owned) await checkJournal(read, findings);
  if (isOlder(String(await read('select sqlite_version()')), FIXED_WAL))
    findings.risks.push('SQLite is older than 3.51.3');
  const network = NETWORK_FILE_SYSTEMS.get(await fileSystemOf(file));
  if (network) findings.refusals.push(`the file is on a network file system (${network})`);
  const isWritable = await access(file, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) findings.refusals.push('this process may not write the file');
  return findings;
}

/** Settings of the connection; our own are set by us. */
async function checkJournal(
  read: (sql: string) => Promise<unknown>,
  { risks, refusals }: Findings,
): Promise<void> {
  if (Number(await read('pragma synchronous')) < 2) risks.push('synchronous is below FULL');
  if (['off', 'memory'].includes(String(await read('pragma journal_mode'))))
    refusals.push('journal_mode keeps no journal on disk');
}

function isOlder(version: string, than: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  const at = than.findIndex((part, index) => part !== (parts[index] ?? 0));
  return at >= 0 && (parts[at] ?? 0) < (than[at] ?? 0);
}

async function fileSystemOf(file: string): Promise<number> {
  try {
    return (await statfs(dirname(resolve(file)))).type;
  } catch {
    return 0; // the type of the file system is unknown
  }
}

async function checkPostgres(db: Db): Promise<Findings> {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding'];
  const sql = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
  const [row = {}] = await db.readLocal(sql, []);
  const findings: Findings = { risks: [], refusals: [] };
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
    if (row[name] === 'off') findings.risks.push(`${name} is off`);
  if (row['server_encoding'] !== 'UTF8') findings.refusals.push('the database is not encoded in UTF8');
  return findings;
}

async function checkMysql(db: Db): Promise<Findings> {
  const names = [
    'innodb_flush_log_at_trx_commit',
    'sync_binlog',
    'log_bin',
    'sql_mode',
    'character_set_client',
  ];
  const [row = {}] = await db.readLocal(
    `select ${names.map((name) => `@@${name} as ${name}`).join(', ')}`,
    [],
  );
  const mode = String(row['sql_mode']);
  const findings: Findings = { risks: [], refusals: [] };
  if (Number(row['innodb_flush_log_at_trx_commit']) !== 1)
    findings.risks.push('innodb_flush_log_at_trx_commit is not 1');
  if (Number(row['log_bin']) === 1 && Number(row['sync_binlog']) !== 1)
    findings.risks.push('sync_binlog is not 1');
  if (!/STRICT_(?:TRANS|ALL)_TABLES/.test(mode)) findings.refusals.push('sql_mode is not strict');
  if (mode.includes('NO_BACKSLASH_ESCAPES'))
    findings.refusals.push('sql_mode has NO_BACKSLASH_ESCAPES, which the driver does not quote for');
  if (row['character_set_client'] !== 'utf8mb4') findings.refusals.push('the connection is not utf8mb4');
  return findings;
}
