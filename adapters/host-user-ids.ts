import type { Db } from './database/dialect.js';
import type { HostIdTable, HostLibrary } from './host.js';

/**
 * Integers for text ids, for adapters written by hand: put `connect` into the adapter as it is. Until a
 * service is created with the adapter, the ids are in memory only, which is enough for the contract suite.
 */
export interface HostUserIds extends HostIdTable {
  connect(library: HostLibrary): () => void;
}

const CHUNK = 1000;
const MAX = 191;

/** `const ids = hostUserIds(); const host: HostAdapter = { …, connect: ids.connect }` */
export const hostUserIds = (): HostUserIds => connectable((library) => library.userIds);

/** Like `hostUserIds`, for pages. An adapter that needs both connects both. */
export const hostPageIds = (): HostUserIds => connectable((library) => library.pageIds);

function connectable(pick: (library: HostLibrary) => HostIdTable): HostUserIds {
  const provisional = memoryIds();
  const state: { connected: HostIdTable | null } = { connected: null };
  const table = (): HostIdTable => state.connected ?? provisional;
  return {
    idOf: async (hostId) => table().idOf(hostId),
    idsOf: async (hostIds) => table().idsOf(hostIds),
    hostIdsOf: async (ids) => table().hostIdsOf(ids),
    connect(library) {
      if (state.connected !== null)
        throw new TypeError(
          'This host belongs to another running service. Make a host for each service, or close the other one first.',
        );
      const mine = pick(library);
      state.connected = mine;
      return () => {
        if (state.connected === mine) state.connected = null;
      };
    },
  };
}

function memoryIds(): HostIdTable {
  const known = new Map<string, number>();
  const idOf = (hostId: string): number => {
    const id = known.get(checked(hostId)) ?? known.size + 1;
    known.set(hostId, id);
    return id;
  };
  return {
    idOf: async (hostId) => idOf(hostId),
    idsOf: async (hostIds) => new Map(hostIds.map((hostId) => [hostId, idOf(hostId)])),
    hostIdsOf: async (ids) =>
      new Map([...known].filter(([, id]) => ids.includes(id)).map(([hostId, id]) => [id, hostId])),
  };
}

/** Ids stored in the service's database. `db` is asked for at each call. */
export function storedIds(db: () => Db, table: 'host_users' | 'host_pages', now: () => number): HostIdTable {
  const known = async (hostIds: readonly string[]): Promise<Map<string, number>> => {
    const rows = await select(db(), table, 'host_id', hostIds);
    return new Map(rows.map((row) => [row.host_id, Number(row.id)]));
  };
  const idsOf = async (hostIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const wanted = [...new Set(hostIds)].map(checked);
    const found = await known(wanted);
    const missing = wanted.filter((hostId) => !found.has(hostId));
    if (missing.length === 0) return found;
    for (let start = 0; start < missing.length; start += CHUNK) {
      const rows = missing
        .slice(start, start + CHUNK)
        .map((hostId) => ({ host_id: hostId, created_at: now() }));
      // Another process may add some of them at the same time; its ids are used.
      await db().dialect.upsert(db(), table, rows, ['host_id'], ['host_id']);
    }
    return new Map([...found, ...(await known(missing))]);
  };
  return {
    idsOf,
    async idOf(hostId) {
      const id = (await idsOf([hostId])).get(hostId);
      if (id === undefined) throw new Error('The id could not be stored.');
      return id;
    },
    async hostIdsOf(ids) {
      const rows = await select(db(), table, 'id', ids);
      return new Map(rows.map((row) => [Number(row.id), row.host_id]));
    },
  };
}

function checked(hostId: string): string {
  if (typeof hostId !== 'string' || hostId === '' || hostId.length > MAX)
    throw new TypeError(`An id of the host needs 1 to ${MAX} characters.`);
  return hostId;
}

interface Row {
  readonly id: number | string;
  readonly host_id: string;
}

async function select(
  db: Db,
  table: 'host_users' | 'host_pages',
  column: 'id' | 'host_id',
  values: readonly (string | number)[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < values.length; start += CHUNK) {
    const found: Row[] = await db(table)
      .select(['id', 'host_id'])
      .whereIn(column, values.slice(start, start + CHUNK));
    rows.push(...found);
  }
  return rows;
}
