// The baselines on SQLite: what a host would run without the service, over better-sqlite3 alone.
// A conversion's statements are those the service sends, taken down once and sent again with the values of
// each new order, all prepared beforehand.
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';

// Ids nobody could take for another value, so that they are found again among the values taken down.
const FIRST_IDS = { fa_customers: 1_000_000_007, fa_referrals: 2_000_000_011, fa_orders: 3_000_000_019 };
const RECENT_MS = 60_000;
const insertInto = (sql) => /^insert into .?(fa_customers|fa_referrals|fa_orders)\b/i.exec(sql)?.[1];

/**
 * The statements of one conversion, as the service's knex tells them;
 * each of their values is made by a function of the new order.
 */
export async function recordConversion({ file, knex, record }) {
  await record(randomUUID(), `${randomUUID()}@example.test`); // fills caches
  withDatabase(file, (db) => {
    for (const [table, id] of Object.entries(FIRST_IDS))
      db.prepare('update sqlite_sequence set seq = ? where name = ?').run(id - 1, table);
  });
  const order = { reference: randomUUID(), email: `${randomUUID()}@example.test` };
  const seen = [];
  const note = ({ sql, bindings }) => seen.push({ sql, values: (bindings ?? []).map(storable) });
  knex.on('query', note);
  const { created } = await record(order.reference, order.email);
  knex.off('query', note);
  if (!created) throw new Error('the conversion to take down was not recorded');
  return seen.map(({ sql, values }) => ({ sql, values: values.map((value) => valueOf(value, order)) }));
}

const storable = (value) => (typeof value === 'boolean' ? Number(value) : value);

function withDatabase(file, work) {
  const db = new Sqlite(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function valueOf(value, { reference, email }) {
  if (typeof value === 'number' && Math.abs(value - Date.now()) < RECENT_MS) return ({ now }) => now;
  if (value === FIRST_IDS.fa_customers) return ({ ids }) => ids.fa_customers;
  if (value === FIRST_IDS.fa_referrals) return ({ ids }) => ids.fa_referrals;
  if (value === FIRST_IDS.fa_orders) return ({ ids }) => ids.fa_orders;
  if (typeof value !== 'string') return () => value;
  if (value.includes(reference)) return (order) => value.replace(reference, order.reference);
  if (value.includes(email)) return (order) => value.replace(email, order.email);
  const id = String(FIRST_IDS.fa_referrals);
  return value.includes(id) ? ({ ids }) => value.replace(id, ids.fa_referrals) : () => value;
}

/** Express handlers over one connection with the settings the service gives its own. */
export function byHandHandlers(file, statements) {
  const db = new Sqlite(file);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON']) db.pragma(pragma);
  const prepared = statements.map(({ sql, values }) => ({
    statement: db.prepare(sql),
    values,
    table: insertInto(sql),
  }));
  const affiliate = db.prepare('select * from fa_affiliates where id = ?');
  return {
    conversion: (_req, res) => {
      const order = {
        now: Date.now(),
        reference: randomUUID(),
        email: `${randomUUID()}@example.test`,
        ids: {},
      };
      for (const { statement, values, table } of prepared) {
        const bound = values.map((make) => make(order));
        const answer = statement.reader ? statement.all(...bound) : statement.run(...bound);
        if (table) order.ids[table] = statement.reader ? answer[0].id : Number(answer.lastInsertRowid);
      }
      res.json({ created: true, reason: null });
    },
    read: (req, res) => {
      res.json(affiliate.get(Number(req.params.id)));
    },
  };
}
