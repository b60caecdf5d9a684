import type { Db } from './db.js';
import { missingSteps, type SchemaStep } from './migrate.js';
import type { SchemaTools } from './schema-tools.js';
import type { TableName } from '../../../adapters/database/tables.js';

/** One change of a schema step. */
export interface PlannedChange {
  readonly does: string;
  /** The table that changes; null when the change is about rows of several. */
  readonly table: string | null;
  /** Rows in the table now. */
  readonly rows: number;
  /** `nothing`, or `writes`: other processes cannot write to the table until the change is made. */
  readonly locks: 'nothing' | 'writes';
}

export interface PlannedStep {
  readonly id: string;
  readonly changes: readonly PlannedChange[];
}

/** What the missing steps would do. Each step runs with tools that only write down what it asks for. */
export async function planSteps(steps: readonly SchemaStep[], db: Db): Promise<PlannedStep[]> {
  const isNew = !(await db.knex.schema.hasTable(db.name('schema_steps')));
  const planned: PlannedStep[] = [];
  for (const step of isNew ? steps : await missingSteps(steps, db)) {
    const changes: PlannedChange[] = [];
    await step.up(writingDown(db, changes));
    planned.push({ id: step.id, changes });
  }
  return planned;
}

function writingDown(db: Db, changes: PlannedChange[]): SchemaTools {
  const note = async (does: string, table: TableName, locks: PlannedChange['locks']): Promise<void> => {
    const name = db.name(table);
    changes.push({ does, table: name, rows: await rowsIn(db, name), locks });
  };
  const noteRows = (sql: string): void => {
    const does = /^\s*(?:update|insert into|delete from)\s+\S+/i.exec(sql)?.[0] ?? 'changes rows';
    changes.push({ does, table: null, rows: 0, locks: 'writes' });
  };
  return {
    db: withoutWrites(db, noteRows),
    schema: withoutDrops(db, noteRows),
    name: (table) => db.name(table),
    create: (table) => note('create table', table, 'nothing'),
    // MySQL builds an index while rows are written
    index: (table, columns) =>
      note(
        `create index (${columns.join(', ')})`,
        table,
        db.dialect.transactionalSchema ? 'writes' : 'nothing',
      ),
    column: (table, column) => note(`add column ${column}`, table, 'nothing'),
    key: () => {
      throw new Error('Tables are not built while a plan is made.');
    },
    json: () => {
      throw new Error('Tables are not built while a plan is made.');
    },
  };
}

async function rowsIn(db: Db, name: string): Promise<number> {
  if (!(await db.knex.schema.hasTable(name))) return 0;
  const [row] = await db.raw(`select count(*) as n from ${name}`);
  return Number(row?.['n'] ?? 0);
}

const withoutWrites = (db: Db, note: (sql: string) => void): Db =>
  overriding(db, {
    execute: async (sql: string) => {
      note(sql);
      return 0;
    },
    dialect: overriding(db.dialect, {
      insertIfAbsent: async (_db: Db, table: TableName) => note(`insert into ${db.name(table)}`),
    }),
  });

const withoutDrops = (db: Db, note: (sql: string) => void): Db['knex']['schema'] =>
  overriding(db.knex.schema, {
    hasTable: async (table: string) => db.knex.schema.hasTable(table),
    dropTable: async (table: string) => note(`drop table ${table}`),
  });

/** The object with some members replaced. Its own could not be: they may be read-only. */
const overriding = <T extends object>(of: T, members: object): T =>
  new Proxy({} as T, {
    get: (_nothing, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name) as unknown;
      const found: unknown = Reflect.get(of, name);
      return typeof found === 'function' ? (found.bind(of) as unknown) : found;
    },
  });
