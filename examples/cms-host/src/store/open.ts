import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

export type Sqlite = Database.Database;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL UNIQUE COLLATE NOCASE,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  password TEXT NOT NULL,
  display_name TEXT NOT NULL,
  url TEXT NOT NULL DEFAULT '',
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  role TEXT NOT NULL,
  registered_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS sessions (
  token_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS payer_payments (
  id INTEGER PRIMARY KEY,
  batch TEXT NOT NULL,
  item TEXT NOT NULL,
  receiver TEXT NOT NULL,
  currency TEXT NOT NULL,
  value TEXT NOT NULL,
  state TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS pages (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  content TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS products (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  category TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents > 0)
);
CREATE TABLE IF NOT EXISTS coupons (
  code TEXT PRIMARY KEY COLLATE NOCASE,
  percent INTEGER NOT NULL CHECK (percent BETWEEN 1 AND 100)
);
CREATE TABLE IF NOT EXISTS orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  checkout_key TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  user_id INTEGER,
  email TEXT NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  coupon TEXT,
  payment TEXT NOT NULL,
  status TEXT NOT NULL,
  subtotal_cents INTEGER NOT NULL,
  discount_cents INTEGER NOT NULL,
  refunded_cents INTEGER NOT NULL DEFAULT 0,
  tracking TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  settled_revision INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS orders_unsettled ON orders (id) WHERE settled_revision < revision;
CREATE TABLE IF NOT EXISTS order_items (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  category TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  price_cents INTEGER NOT NULL,
  PRIMARY KEY (order_id, product_id)
);
CREATE TABLE IF NOT EXISTS mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  html TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS secrets (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
`;

/** The CMS's own database. FULL: an order that was answered is on the disk. */
export function openStore(dataDir: string): Sqlite {
  mkdirSync(dataDir, { recursive: true });
  const db = new Database(join(dataDir, 'cms.sqlite'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.exec(SCHEMA);
  keepStatements(db);
  return db;
}

/**
 * Prepares each text once. A statement's memory is SQLite's own and is freed late, by a full collection of
 * garbage: one per use would let the process grow under load.
 */
function keepStatements(db: Sqlite): void {
  const known = new Map<string, unknown>();
  const prepare = db.prepare.bind(db) as (sql: string) => unknown;
  const kept = (sql: string): unknown => {
    const statement = known.get(sql) ?? prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  db.prepare = kept as Sqlite['prepare'];
}

/** A secret made on the first start and kept with the data. */
export function secretOf(db: Sqlite, name: string): string {
  db.prepare('INSERT OR IGNORE INTO secrets (name, value) VALUES (?, ?)').run(
    name,
    randomBytes(32).toString('hex'),
  );
  return (
    db.prepare<[string], { value: string }>('SELECT value FROM secrets WHERE name = ?').get(name)?.value ?? ''
  );
}
