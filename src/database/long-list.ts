import type { Knex } from 'knex';
import type { Db, Row } from './db.js';
import type { TableName } from './tables.js';

/** A list of any length whose number of rows is known without counting them. */
export interface LongList {
  /** What is remembered about the list is kept under this name. */
  readonly name: string;
  readonly table: TableName;
  /** The rows of the list; empty for all of the table. Who takes a row out of a list without removing it tells `removed` all the same. */
  readonly where: Readonly<Record<string, number | string>>;
  /** Without the rows with one of these values. An index on (where …, id, column) reads the list in order. */
  readonly except?: { readonly column: string; readonly values: readonly string[] };
  /** SQL of a number that grows whenever a column of the order or of the conditions changes in a row, where that can happen. */
  readonly moved?: string;
  /** SQL of the exact number of rows, from counters that change together with the rows wherever there may be many. */
  readonly total: { readonly text: string; readonly bindings: readonly number[] };
}

export interface ListOrder {
  readonly column: string;
  /** Nulls come last in both directions. */
  readonly nullable: boolean;
  readonly direction: 'asc' | 'desc';
  /** There is an index on the list's conditions, the column and the id, and a row keeps both or its list says when not: only then are places remembered. */
  readonly indexed: boolean;
}

type Direction = ListOrder['direction'];
type Query = Knex.QueryBuilder;

/** The rows with or without a value, or all of them, walked in one direction by (column, id). */
interface Walk {
  readonly list: LongList;
  readonly column: string;
  readonly nulls: boolean | null;
  readonly direction: Direction;
}

/** A row, and how many settled rows the walk meets before it. */
interface Place {
  readonly value: string | number;
  readonly id: number;
  readonly position: number;
}

/** What is known of the rows up to an id. It holds as long as none was removed and no writer that was late brought one more. */
interface Memory {
  readonly upTo: number;
  readonly settled: number;
  readonly removed: number;
  readonly places: Map<string, Place[]>;
  readonly nulls: Map<string, number>;
}

interface Known extends Memory {
  readonly seen: Census;
}
interface Slice {
  readonly size: number;
  readonly offset: number;
  readonly limit: number;
  readonly memory: Known | null;
  readonly indexed: boolean;
}
/** `tail` and `tailNulls`: rows above the remembered id, and those of them without a value. */
interface Census {
  readonly total: number;
  readonly removed: number;
  readonly tail: number;
  readonly tailNulls: number;
}

const NEAR = 2000; // rows that are walked without looking for a place
const STEPS = 1000; // places remembered for a walk over a whole list
const LATE = 300; // newest rows left out of what is remembered: rows with lower ids may still be on their way
const MAX_TAIL = 10_000;
const MAX_LISTS = 50;

/**
 * Pages of long lists that cost about the same however deep they lie. A place every thousandth of the way is remembered in this process
 * and checked against the database at each use, so that a page is right whatever was written or removed since, by whomever.
 */
export class LongLists {
  readonly #memories = new Map<string, Memory>();

  constructor(private readonly db: Db) {}

  /** Rows that were removed in this transaction: places behind them are no longer what they were. */
  async removed(trx: Db, table: TableName, rows: number): Promise<void> {
    if (rows > 0)
      await trx.dialect.addTo(
        trx,
        'removed_rows',
        [{ table_name: table, removed: rows }],
        ['table_name'],
        ['removed'],
      );
  }

  async total(list: LongList): Promise<number> {
    return (await census(this.db, list, 'id', null)).total;
  }

  /** The ids of a page and the number of rows on all pages. */
  async page(
    list: LongList,
    order: ListOrder,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<{ ids: number[]; total: number }> {
    const known = offset > NEAR && !this.db.inTransaction ? (this.#memories.get(list.name) ?? null) : null;
    const column = list.where[order.column] === undefined ? order.column : 'id';
    const nullable = order.nullable && column !== 'id';
    const seen = await census(this.db, list, column, known?.upTo ?? null);
    const { total } = seen;
    if (offset >= total) return { ids: [], total };
    const walk: Walk = { list, column, nulls: nullable ? false : null, direction: order.direction };
    const near = Math.min(offset, total - offset - limit) <= NEAR;
    const memory = near || !order.indexed ? null : await this.#memory(walk, known, seen);
    const ids = nullable
      ? await this.#nullsLast(walk, { offset, limit, size: total, memory, indexed: order.indexed })
      : await this.#slice(walk, { offset, limit, size: total, memory, indexed: order.indexed });
    return { ids, total };
  }

  /** What is remembered, if it still holds; else a beginning. Nothing that a transaction may take back is remembered. */
  async #memory({ list, column }: Walk, known: Memory | null, seen: Census): Promise<Known | null> {
    if (
      known &&
      known.removed === seen.removed &&
      known.settled === seen.total - seen.tail &&
      seen.tail <= MAX_TAIL
    )
      return { ...known, seen };
    if (this.db.inTransaction) return null;
    // Of the whole table: the rows after it are few whatever the list, also where a planner reads them all to find those of the list.
    const last: Row | undefined = await this.db(list.table).first('id').orderBy('id', 'desc').offset(LATE);
    const upTo = Number(last?.['id'] ?? 0);
    const now = await census(this.db, list, column, upTo);
    const memory: Memory = {
      upTo,
      settled: now.total - now.tail,
      removed: now.removed,
      places: new Map(),
      nulls: new Map(),
    };
    this.#memories.delete(list.name);
    this.#memories.set(list.name, memory);
    if (this.#memories.size > MAX_LISTS) this.#memories.delete(this.#memories.keys().next().value!);
    return { ...memory, seen: now };
  }

  async #nullsLast(walk: Walk, slice: Slice): Promise<number[]> {
    const edge = await this.#edge(walk, slice);
    if (edge) return edge;
    const { offset, limit, memory } = slice;
    const empty = await this.#countNulls({ ...walk, nulls: true }, memory);
    const size = slice.size - empty;
    const first = offset < size ? await this.#slice(walk, { ...slice, size }) : [];
    if (first.length === limit || empty === 0) return first;
    return [
      ...first,
      ...(await this.#slice(
        { ...walk, nulls: true },
        { ...slice, size: empty, offset: Math.max(0, offset - size), limit: limit - first.length },
      )),
    ];
  }

  /** A page at the beginning with values only, or at the end with nulls only, needs no count of either. */
  async #edge(walk: Walk, { offset, limit, size }: Slice): Promise<number[] | null> {
    const rows = Math.min(limit, size - offset);
    const behind = size - offset - rows;
    if (Math.min(offset, behind) > NEAR) return null;
    const found =
      offset <= behind
        ? await walkFrom(this.db, walk, null, { offset, limit: rows })
        : (
            await walkFrom(this.db, { ...walk, nulls: true, direction: opposite(walk.direction) }, null, {
              offset: behind,
              limit: rows,
            })
          ).toReversed();
    return found.length === rows ? found.map(({ id }) => id) : null;
  }

  async #countNulls(walk: Walk, memory: Known | null): Promise<number> {
    if (!memory) return count(rowsOf(this.db, walk));
    const settled =
      memory.nulls.get(walk.column) ?? (await count(rowsOf(this.db, walk).where('id', '<=', memory.upTo)));
    memory.nulls.set(walk.column, settled);
    return settled + memory.seen.tailNulls;
  }

  /** From the nearer end; far from both, from the last remembered place on the way. */
  async #slice(walk: Walk, { size, offset, limit, memory, indexed }: Slice): Promise<number[]> {
    const rows = Math.max(0, Math.min(limit, size - offset));
    const backwards = offset > size / 2;
    const way: Walk = backwards ? { ...walk, direction: opposite(walk.direction) } : walk;
    const distance = backwards ? size - offset - rows : offset;
    const from = memory && indexed && distance > NEAR ? await this.#placeBefore(way, distance, memory) : null;
    const found = await walkFrom(this.db, way, from, {
      offset: distance - (from?.position ?? 0),
      limit: rows,
    });
    const ids = found.map(({ id }) => id);
    return backwards ? ids.toReversed() : ids;
  }

  /** The last place at or before this distance, with its position as it is now. */
  async #placeBefore(walk: Walk, distance: number, memory: Known): Promise<Place | null> {
    const reach = distance - memory.seen.tail; // a place moves on by at most the rows that came later
    const place = (await this.#places(walk, reach, memory)).findLast(({ position }) => position <= reach);
    if (!place || memory.seen.tail === 0) return place ?? null;
    return { ...place, position: place.position + (await tailBefore(this.db, walk, place, memory.upTo)) };
  }

  /** Remembers places up to this position, each found from the one before. */
  async #places(walk: Walk, reach: number, memory: Known): Promise<readonly Place[]> {
    const key = `${walk.column} ${walk.direction} ${walk.nulls}`;
    const step = Math.max(NEAR / 2, Math.ceil(memory.settled / STEPS));
    let places = memory.places.get(key) ?? [];
    for (let last = places.at(-1) ?? null; (last?.position ?? 0) + step <= reach;) {
      const [next] = await walkFrom(this.db, walk, last, { offset: step, limit: 1, upTo: memory.upTo });
      if (!next) break;
      last = { ...next, position: (last?.position ?? 0) + step };
      places = [...places, last];
      if (places.length > (memory.places.get(key)?.length ?? 0)) memory.places.set(key, places);
    }
    return places;
  }
}

const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc');
const byId = (walk: Walk): boolean => walk.column === 'id' || walk.nulls === true;

function all(db: Db, { table, where, except }: LongList): Query {
  const query = db(table).where(where);
  // Every id is above 0. Without a bound SQLite, once it knows the sizes of its indexes, reads one of the other column and sorts.
  return except ? query.whereNotIn(except.column, except.values).where('id', '>', 0) : query;
}

function rowsOf(db: Db, { list, column, nulls }: Walk): Query {
  const query = all(db, list);
  if (nulls === true) query.whereNull(column);
  if (nulls === false) query.whereNotNull(column);
  return query;
}

async function count(query: Query): Promise<number> {
  const row = (await query.count({ n: '*' }).first()) as Row | undefined;
  return Number(row?.['n'] ?? 0);
}

/** Values of the conditions of `tailSql`. */
const bindingsOf = ({ where, except }: LongList): (string | number)[] => [
  ...Object.values(where),
  ...(except?.values ?? []),
];

/** The newest rows, read by id: a planner that may choose would take an index of the whole list for them. */
function tailSql(db: Db, list: LongList, column: string): string {
  const conditions = [
    ...Object.keys(list.where).map((name) => `${name} = ? and `),
    ...(list.except
      ? [`${list.except.column} not in (${list.except.values.map(() => '?').join(', ')}) and `]
      : []),
  ].join('');
  return `(select ${column === 'id' ? 'id' : `id, ${column}`} from ${db.name(list.table)} where ${conditions}id > ? order by id limit ${MAX_TAIL + 1}) tail`;
}

/** One statement, so that its figures belong together. */
async function census(db: Db, list: LongList, column: string, upTo: number | null): Promise<Census> {
  const tail =
    upTo === null
      ? ''
      : ` cross join (select count(*) as rows_after, coalesce(sum(case when ${column} is null then 1 else 0 end), 0) as nulls_after from ${tailSql(db, list, column)}) newest`;
  const [row] = await db.raw(
    `select totals.*${tail && ', newest.*'} from (select ${list.total.text} as total, ` +
      `(select coalesce(sum(removed), 0) from ${db.name('removed_rows')} where table_name = ?)${list.moved ? ` + ${list.moved}` : ''} as removed) totals${tail}`,
    [...list.total.bindings, list.table, ...(upTo === null ? [] : [...bindingsOf(list), upTo])],
  );
  return {
    total: Number(row?.['total'] ?? 0),
    removed: Number(row?.['removed'] ?? 0),
    tail: Number(row?.['rows_after'] ?? 0),
    tailNulls: Number(row?.['nulls_after'] ?? 0),
  };
}

/** How many of the newest rows the walk meets before this place. */
async function tailBefore(db: Db, walk: Walk, { value, id }: Place, upTo: number): Promise<number> {
  const { list, column, nulls, direction } = walk;
  const earlier = direction === 'asc' ? '<' : '>';
  const [condition, bindings] = byId(walk)
    ? [`id ${earlier} ?${nulls === true ? ` and ${column} is null` : ''}`, [id]]
    : [`(${column} ${earlier} ? or (${column} = ? and id ${earlier} ?))`, [value, value, id]];
  const [row] = await db.raw(`select count(*) as n from ${tailSql(db, list, column)} where ${condition}`, [
    ...bindingsOf(list),
    upTo,
    ...bindings,
  ]);
  return Number(row?.['n'] ?? 0);
}

interface Stretch {
  readonly offset: number;
  readonly limit: number;
  readonly upTo?: number;
}

/** Rows of a walk, counted from a place or from its beginning. */
async function walkFrom(
  db: Db,
  walk: Walk,
  from: Place | null,
  stretch: Stretch,
): Promise<Omit<Place, 'position'>[]> {
  const select = (rows: Query, limit: number): Query => {
    if (stretch.upTo !== undefined) rows.where('id', '<=', stretch.upTo);
    return inOrder(rows.select({ value: walk.column, id: 'id' }), walk).limit(limit);
  };
  const beyond = walk.direction === 'asc' ? '>' : '<';
  const found: Row[] = await (from === null || byId(walk)
    ? select(
        from === null ? rowsOf(db, walk) : rowsOf(db, walk).where('id', `${beyond}=`, from.id),
        stretch.limit,
      ).offset(stretch.offset)
    : ties(db, walk, stretch, [
        select(
          db.dialect.ofValue(all(db, walk.list), walk.column, from.value).where('id', `${beyond}=`, from.id),
          stretch.offset + stretch.limit,
        ),
        select(all(db, walk.list).where(walk.column, beyond, from.value), stretch.offset + stretch.limit),
      ]));
  return found.map((row) => ({ value: row['value'] as string | number, id: Number(row['id']) }));
}

/** The rest of the rows with this value and those behind it, each along the index: `or` would make some databases read everything. */
function ties(
  db: Db,
  walk: Walk,
  { offset, limit }: Stretch,
  [same, further]: readonly [Query, Query],
): Query {
  const knex = db.knex;
  const both = knex
    .select('value', 'id')
    .from(same.as('same'))
    .unionAll(knex.select('value', 'id').from(further.as('further')));
  return knex
    .select('value', 'id')
    .from(both.as('rest'))
    .orderBy([
      { column: 'value', order: walk.direction },
      { column: 'id', order: walk.direction },
    ])
    .limit(limit)
    .offset(offset);
}

function inOrder(query: Query, { column, direction }: Walk): Query {
  if (column !== 'id') query.orderBy(column, direction);
  return query.orderBy('id', direction);
}
