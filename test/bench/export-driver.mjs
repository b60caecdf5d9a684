// The rows of a visits export by nothing but a driver's cursor and the CSV writer; the text goes nowhere.
import { createObjectCsvStringifier } from 'csv-writer';

const COLUMNS = [
  'id',
  'affiliate_id',
  'url',
  'referrer',
  'utm_campaign',
  'utm_medium',
  'utm_source',
  'created_at',
];
const SQL = `select ${COLUMNS.join(', ')} from fa_visits order by id desc`;
const PAGE = 1000;
const { client, connection } = JSON.parse(process.argv[2]);

const CURSORS = {
  async *'better-sqlite3'() {
    const { default: Sqlite } = await import('better-sqlite3');
    yield* new Sqlite(connection, { readonly: true }).prepare(SQL).iterate();
  },
  async *pg() {
    const { default: pg } = await import('pg');
    const db = new pg.Client(connection);
    await db.connect();
    await db.query(`begin; declare exported cursor for ${SQL}`);
    for (;;) {
      const { rows } = await db.query(`fetch ${PAGE} from exported`);
      if (rows.length === 0) break;
      yield* rows;
    }
    await db.end();
  },
  async *mysql2() {
    const { default: mysql } = await import('mysql2');
    const db = mysql.createConnection(connection);
    yield* db.query(SQL).stream({ highWaterMark: PAGE });
    db.end();
  },
};

const writer = createObjectCsvStringifier({ header: COLUMNS.map((id) => ({ id, title: id })) });
const began = performance.now();
let rows = 0;
let bytes = 0;
let page = [];
const write = () => {
  bytes += Buffer.byteLength(writer.stringifyRecords(page));
  rows += page.length;
  page = [];
};
for await (const row of CURSORS[client]()) if (page.push(row) === PAGE) write();
if (page.length > 0) write();
process.send({ rows, bytes, seconds: (performance.now() - began) / 1000 }, () => process.exit(0));
