import { readJson } from '../../core/json.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { EventType, QueuedEvent, EventData } from './types.js';

/** Writes an event in the transaction of its change. */
export async function queueEvents(trx: Db, events: readonly QueuedEvent[]): Promise<void> {
  const rows = events.map((event) => ({
    ...event,
    data: event.data === null ? null : JSON.stringify(event.data),
    previous: JSON.stringify(event.previous),
  }));
  await trx.dialect.insertRows(trx, 'event_queue', rows);
}

export interface QueuedRows {
  readonly type: EventType;
  readonly objectType: string;
  readonly table: TableName;
  readonly columns: readonly string[];
  /** Our own SQL text after `where`, with its bindings. */
  readonly where: string;
  readonly bindings: readonly (string | number)[];
  readonly previous: EventData;
  readonly now: number;
}

/** Writes an event for each row of a table in one statement, with the row as it is now. */
export async function queueRows(trx: Db, rows: QueuedRows): Promise<void> {
  const { type, objectType, table, columns, where, bindings, previous, now } = rows;
  await trx.execute(
    `insert into ${trx.name('event_queue')} (type, object_type, object_id, previous, created_at, stored_row) ` +
      `select ?, ?, ${trx.dialect.asText('id')}, ?, ${Math.trunc(now)}, ${trx.dialect.jsonObject(columns)} ` +
      `from ${trx.name(table)} where ${where} order by id`,
    [type, objectType, JSON.stringify(previous), ...bindings],
  );
}

/** The types that active endpoints ask for by name. */
export async function requestedTypes(db: Db): Promise<ReadonlySet<string>> {
  const rows: Row[] = await db('webhook_endpoints').select('events').where({ status: 'active' });
  return new Set(rows.flatMap((row) => readJson<string[]>(row['events'], [])));
}
