import type { LogFields, Logger } from '../../src/core/logger.js';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { testDatabase, type TestDatabaseOptions } from '../support/databases.js';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}
export interface TestLog extends Logger {
  readonly lines: LogLine[];
}

export function testLog(): TestLog {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A database with its schema, on the engine of this run. */
export async function openTestDatabase(
  options: TestDatabaseOptions = {},
  log: Logger = testLog(),
): Promise<Database> {
  const database = createDatabase({
    database: await testDatabase(options),
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log,
  });
  await database.prepare();
  return database;
}

export const metaRow = (
  name: string,
  value: string | null = null,
): Record<string, string | number | null> => ({
  object_type: 'test',
  object_id: 0,
  meta_key: name,
  name_key: name,
  value,
  created_at: 1,
  updated_at: 1,
});
