import type { Db } from '../src/database/db.js';

/** Integer ids for hosts whose user ids are text; kept in the table `host_users` of the service's database. */
export interface HostUserIds {
  /** The integer id of a host id; made on first use and never changed. */
  idOf(hostId: string): Promise<number>;
  /** Integer ids of those host ids that have one, in one query per thousand. */
  idsOf(hostIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Host ids of integer ids. */
  hostIdsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

const CHUNK = 1000;

/** `db` is asked for at each call, since an adapter is made before the service that has the database. */
export function hostUserIds(db: () => Db, now: () => number): HostUserIds {
  const idsOf = async (hostIds: readonly string[]): Promise<Map<string, number>> => {
    const rows = await select(db(), 'host_id', hostIds);
    return new Map(rows.map((row) => [row.host_id, Number(row.id)]));
  };
  return {
    idsOf,
    async idOf(hostId) {
      if (hostId === '' || hostId.length > 191) throw new Error('A host user id needs 1 to 191 characters.');
      const known = (await idsOf([hostId])).get(hostId);
      if (known !== undefined) return known;
      const made = await db().dialect.insertIfAbsent(
        db(),
        'host_users',
        { host_id: hostId, created_at: now() },
        ['host_id'],
      );
      // null: another call made it in between.
      return (
        made ??
        (await idsOf([hostId])).get(hostId) ??
        Promise.reject(new Error('The user id could not be stored.'))
      );
    },
    async hostIdsOf(ids) {
      const rows = await select(db(), 'id', ids);
      return new Map(rows.map((row) => [Number(row.id), row.host_id]));
    },
  };
}

interface Row {
  readonly id: number | string;
  readonly host_id: string;
}

async function select(
  db: Db,
  column: 'id' | 'host_id',
  values: readonly (string | number)[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < values.length; start += CHUNK) {
    const found: Row[] = await db('host_users')
      .select(['id', 'host_id'])
      .whereIn(column, values.slice(start, start + CHUNK));
    rows.push(...found);
  }
  return rows;
}
