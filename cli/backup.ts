import { createRequire } from 'node:module';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { sqliteDriverPath } from '../adapters/database/sqlite-driver.js';
import { connectionOf } from '../adapters/database/source.js';
import { required, usage, type Flags } from './arguments.js';
import { refuseMissingFile, withService } from './open.js';
import { printResult, type Terminal } from './print.js';

interface Driver {
  new (path: string, options: object): { backup(to: string): Promise<unknown>; close(): void };
}

/** Copies a database file of SQLite while the program runs. */
export async function backup(flags: Flags, terminal: Terminal): Promise<number> {
  const { client, connection } = connectionOf(required(flags, 'database'));
  const path = required(flags, 'file');
  if (client !== 'better-sqlite3')
    usage(
      client === 'pg'
        ? 'backup copies SQLite files. For PostgreSQL use `pg_dump --format=custom`.'
        : 'backup copies SQLite files. For MySQL and MariaDB use `mariadb-dump --single-transaction`.',
    );
  refuseMissingFile(flags, { migrate: false });
  if (resolve(path) === resolve(connection)) usage('--file is the database itself. Set another file.');
  const Database = createRequire(import.meta.url)(sqliteDriverPath()) as Driver;
  const source = new Database(connection, { readonly: true, fileMustExist: true });
  const part = `${path}.part`;
  try {
    await source.backup(part);
    // what a reader of an earlier copy left behind would be applied to this one
    for (const end of ['-wal', '-shm']) await rm(`${path}${end}`, { force: true });
    await rename(part, path);
    terminal.err(`${path}: copy complete. After restoring it, run \`affiliate-service after-restore\`.\n`);
    return 0;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** Prepares a restored database before the host starts. */
export function afterRestore(flags: Flags, terminal: Terminal): Promise<number> {
  return withService(flags, terminal, async ({ app }) => {
    const report = await app.system.afterRestore(await waitingMessages(flags, terminal));
    printResult(flags, terminal, report, [
      ['figure', 'value'],
      ['last row written', report.backup_at ?? 'none'],
      ['last payout', report.last_payout_id],
      ['last payment', report.last_transaction_id],
      ['waiting messages', report.waiting],
      ['of these skipped', report.skipped],
    ]);
    terminal.err(
      `Payouts with an ID above ${report.last_payout_id} and payments with an ID above ${report.last_transaction_id} ` +
        'were made after the backup. Check webhooks, mails and payment files for them before you pay again.\n',
    );
    return 0;
  });
}

async function waitingMessages(flags: Flags, terminal: Terminal): Promise<'send' | 'skip'> {
  const { outbox } = flags;
  if (outbox === 'send' || outbox === 'skip') return outbox;
  if (outbox !== undefined) usage('--outbox must be send or skip.');
  if (!terminal.ask)
    usage(
      '--outbox is missing. Set it to send or skip, for the mails and webhooks that were waiting in the backup.',
    );
  const reply = await terminal.ask(
    'Mails and webhooks that were waiting in the backup were probably sent after it. Send them again? (y/N) ',
  );
  return /^y/iu.test(reply.trim()) ? 'send' : 'skip';
}
