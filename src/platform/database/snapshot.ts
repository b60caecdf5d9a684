import type { Knex } from 'knex';
import type { OpenedDatabase } from '../../../adapters/database/open.js';
import { openFile } from '../../../adapters/database/source.js';
import type { Logger } from '../../core/logger.js';
import { createDb } from './connection.js';
import type { Db } from './db.js';
import { clientOf } from '../../../adapters/database/knex-internals.js';

/** The database as it was at one moment, for reading. It holds a connection until `end`. */
export interface Snapshot {
  readonly db: Db;
  end(): Promise<void>;
}

export type TakeSnapshot = () => Promise<Snapshot>;

/**
 * Makes `app.snapshot`: later changes of the database are not seen, and writers do not wait for the reader.
 */
export function createSnapshots(opened: OpenedDatabase, log: Logger): TakeSnapshot {
  return () => takeSnapshot(opened, log);
}

async function takeSnapshot(opened: OpenedDatabase, log: Logger): Promise<Snapshot> {
  const file = fileOf(opened);
  const knex = file === null ? opened.knex : openFile(file);
  const destroy = (): Promise<void> => (file === null ? Promise.resolve() : knex.destroy());
  try {
    const trx = await knex.transaction(configOf(opened));
    const { db } = createDb({ ...opened, knex, threads: null }, log).level(trx);
    return {
      db,
      end: async () => {
        await trx.rollback().catch(() => {}); // nothing was written
        await destroy();
      },
    };
  } catch (error) {
    await destroy();
    throw error;
  }
}

/** A file of SQLite is read on a connection of its own, since the pool's only one writes. */
function fileOf({ knex, dialect }: OpenedDatabase): string | null {
  if (dialect.name !== 'sqlite') return null;
  const { connection } = clientOf(knex).config as { connection?: { filename?: unknown } };
  const name = connection?.filename;
  return typeof name === 'string' && !['', ':memory:'].includes(name.trim()) ? name : null;
}

// knex writes `readOnly` in a way that MariaDB refuses; nothing writes on this connection anyway
const configOf = ({ dialect }: OpenedDatabase): Knex.TransactionConfig =>
  dialect.name === 'sqlite' ? {} : { isolationLevel: 'repeatable read' };
