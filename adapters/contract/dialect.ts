import { rejects, strictEqual } from 'node:assert/strict';
import type { Db, FailureKind } from '../database/dialect.js';
import type { TestApi } from './test-api.js';

/** An empty database with the schema applied, on the dialect under test. */
export interface DialectSubject {
  readonly db: Db;
  readonly transaction: <T>(work: (trx: Db) => Promise<T>) => Promise<T>;
}

type Subject = () => DialectSubject;

/** The rules for every Dialect. Each test calls `subject`, which must return empty tables. */
export function dialectContract(api: TestApi, name: string, subject: Subject): void {
  api.describe(`dialect: ${name}`, () => {
    writes(api, subject);
    conflicts(api, subject);
    concurrency(api, subject);
    reading(api, subject);
    failures(api, subject);
  });
}

// Compared as text: rows of a native driver have other prototypes when the test runner isolates tests.
const sameData = (actual: unknown, expected: unknown): void => {
  strictEqual(JSON.stringify(actual), JSON.stringify(expected));
};

const meta = (name: string, value: string | null = null): Record<string, string | number | null> => ({
  object_type: 'contract',
  object_id: 0,
  meta_key: name,
  name_key: name,
  value,
  created_at: 1,
  updated_at: 1,
});
const META_KEY = ['object_type', 'object_id', 'name_key'];

const insertMeta = ({ db }: DialectSubject, name: string, value: string | null = null): Promise<number> =>
  db.dialect.insert(db, 'meta', meta(name, value));
const names = async (rows: PromiseLike<{ name_key: string }[]>): Promise<string[]> =>
  (await rows).map((row) => row.name_key);

function writes(api: TestApi, subject: Subject): void {
  api.it('returns the id of an inserted row', async () => {
    const at = subject();
    const ids = [await insertMeta(at, 'one'), await insertMeta(at, 'two')];

    const rows: { id: string | number }[] = await at.db('meta').select('id').orderBy('name_key');

    sameData(
      rows.map(({ id }) => Number(id)),
      ids,
    );
  });

  api.it('inserts many rows and returns their ids in the same order', async () => {
    const { db, transaction } = subject();
    const given = Array.from({ length: 301 }, (_, at) =>
      at === 1 ? { ...meta(`row ${at}`), value: 'only here' } : meta(`row ${300 - at} ${at}`),
    );

    const ids = await transaction((trx) => trx.dialect.insertMany(trx, 'meta', given));
    const rows: { id: string | number; name_key: string; value: string | null }[] = await db('meta').select(
      'id',
      'name_key',
      'value',
    );

    const found = new Map(rows.map((row) => [Number(row.id), row]));
    sameData(
      ids.map((id) => [found.get(id)?.name_key, found.get(id)?.value]),
      given.map((row) => [row['name_key'], row['value']]),
    );
    sameData(await db.dialect.insertMany(db, 'meta', []), []);
  });

  api.it('keeps integers of 15 digits, long text, empty text and null', async () => {
    const at = subject();
    const long = 'ä€😀'.repeat(30_000);
    await at
      .db('meta')
      .insert([
        { ...meta('long', long), created_at: 999_999_999_999_999 },
        { ...meta('empty', ''), created_at: -999_999_999_999_999 },
        meta('null'),
      ]);

    const rows: { value: string | null; created_at: string | number }[] = await at
      .db('meta')
      .select('value', 'created_at')
      .orderBy('name_key');

    sameData(
      rows.map((row) => [row.value, Number(row.created_at)]),
      [
        ['', -999_999_999_999_999],
        [long, 999_999_999_999_999],
        [null, 1],
      ],
    );
  });

  api.it('counts the rows a statement affected, and returns those of a raw query', async () => {
    const { db } = subject();
    await db('meta').insert([meta('a'), meta('b')]);

    const affected = await db.execute(`update ${db.name('meta')} set updated_at = ? where name_key = ?`, [
      7,
      'a',
    ]);
    const rows = await db.raw(`select name_key from ${db.name('meta')} where updated_at = ?`, [7]);

    strictEqual(affected, 1);
    sameData(
      rows.map((row) => ({ ...row })),
      [{ name_key: 'a' }],
    );
  });
}

function conflicts(api: TestApi, subject: Subject): void {
  api.it('inserts a row once, and goes on in the same transaction', async () => {
    const { db, transaction } = subject();
    const ids = await transaction(async (trx) => [
      await trx.dialect.insertIfAbsent(trx, 'meta', meta('once'), META_KEY),
      await trx.dialect.insertIfAbsent(trx, 'meta', meta('once', 'other'), META_KEY),
      await trx.dialect.insertIfAbsent(trx, 'visit_keys', { visit_key: 'k', visit_id: 1, created_at: 1 }, [
        'visit_key',
      ]),
      await trx.dialect.insertIfAbsent(trx, 'visit_keys', { visit_key: 'k', visit_id: 2, created_at: 1 }, [
        'visit_key',
      ]),
      await trx.dialect.insertIfAbsent(trx, 'meta', meta('after'), META_KEY),
    ]);

    sameData(
      ids.map((id) => typeof id),
      ['number', 'object', 'number', 'object', 'number'],
    );
    sameData(await names(db('meta').select('name_key').whereNull('value').orderBy('id')), ['once', 'after']);
  });

  api.it('does not take another unique key for the one that was named', async () => {
    const { db } = subject();
    const site = {
      site_id: 'a',
      site_url: 'u',
      url_key: 'x',
      site_title: 't',
      secret: 's',
      param_key: 'p',
      cookie_duration: 1,
      credit_last_referrer: 'no',
      status: 'ok',
      created_at: 1,
      token_issued_at: 1,
    };
    await db.dialect.insertIfAbsent(db, 'connected_sites', site, ['site_id']);

    await rejects(
      db.dialect.insertIfAbsent(db, 'connected_sites', { ...site, site_id: 'b' }, ['site_id']),
      (error) => db.dialect.failure(error) === 'unique',
    );
  });

  api.it('overwrites the named columns of known rows', async () => {
    const { db } = subject();
    await db.dialect.upsert(db, 'meta', [meta('a', 'old'), meta('b', 'old')], META_KEY, ['value']);

    await db.dialect.upsert(
      db,
      'meta',
      [{ ...meta('b', 'first'), updated_at: 9 }, { ...meta('b', 'last'), updated_at: 9 }, meta('c', 'new')],
      META_KEY,
      ['value'],
    );

    const rows: { value: string; updated_at: string | number }[] = await db('meta')
      .select('value', 'updated_at')
      .orderBy('name_key');
    sameData(
      rows.map((row) => [row.value, Number(row.updated_at)]),
      [
        ['old', 1],
        ['last', 1],
        ['new', 1],
      ],
    );
  });

  api.it('adds onto counters, also below zero, twice in one call and over many rows', async () => {
    const { db } = subject();
    const rows = Array.from({ length: 600 }, (_, day) => ({ scope: 'a:1', day, visits: 2, referrals: -1 }));
    await db.dialect.addTo(db, 'daily_stats', rows, ['scope', 'day'], ['visits', 'referrals']);

    await db.dialect.addTo(
      db,
      'daily_stats',
      [...rows.slice(0, 1), ...rows],
      ['scope', 'day'],
      ['visits', 'referrals'],
    );

    const [sum]: { visits: string; referrals: string }[] = await db('daily_stats').sum({
      visits: 'visits',
      referrals: 'referrals',
    });
    sameData([Number(sum?.visits), Number(sum?.referrals)], [2402, -1201]);
  });
}

function concurrency(api: TestApi, subject: Subject): void {
  api.it('lets one of several writers insert a key', async () => {
    const { db, transaction } = subject();
    const writer = (value: number): Promise<number | null> =>
      transaction((trx) => trx.dialect.insertIfAbsent(trx, 'meta', meta('race', String(value)), META_KEY));

    const ids = await Promise.all(Array.from({ length: 8 }, (_, value) => writer(value)));

    strictEqual(ids.filter((id) => id !== null).length, 1);
    strictEqual((await names(db('meta').select('name_key'))).length, 1);
  });

  api.it('locks rows by their key, also those that do not exist yet', async () => {
    const { db, transaction } = subject();
    const limit = (
      key: string,
      points: number,
    ): { limit_key: string; points: number; expires_at: number } => ({
      limit_key: key,
      points,
      expires_at: 1,
    });
    await db('rate_limits').insert(limit('b', 5));
    const step = (keys: readonly string[]): Promise<void> =>
      transaction(async (trx) => {
        const rows = await trx.dialect.lockRows(
          trx,
          'rate_limits',
          keys.map((key) => limit(key, 0)),
          'limit_key',
        );
        const added = rows.map((row) => limit(String(row['limit_key']), Number(row['points']) + 1));
        await trx.dialect.upsert(trx, 'rate_limits', added, ['limit_key'], ['points']);
      });

    await Promise.all(Array.from({ length: 20 }, (_, at) => step(at % 2 === 0 ? ['a', 'b'] : ['b', 'a'])));

    const rows: { limit_key: string; points: string | number }[] = await db('rate_limits')
      .select('limit_key', 'points')
      .orderBy('limit_key');
    sameData(
      rows.map((row) => [row.limit_key, Number(row.points)]),
      [
        ['a', 20],
        ['b', 25],
      ],
    );
  });

  api.it(
    'counts hits: together, from nothing where the time is over, the end kept at the limit',
    async () => {
      const { db, transaction } = subject();
      const hit = (
        limit_key: string,
        expires_at: number,
        points = 1,
      ): { limit_key: string; points: number; expires_at: number } => ({ limit_key, points, expires_at });
      await db('rate_limits').insert([hit('fresh', 50, 3), hit('over', 10, 9), hit('full', 40, 5)]);
      const count = (hits: ReturnType<typeof hit>[], now: number): Promise<Record<string, number>> =>
        transaction(async (trx) => {
          const rows = await trx.dialect.countHits(trx, hits, { now, limit: 5 });
          return Object.fromEntries(rows.map((row) => [String(row['limit_key']), Number(row['points'])]));
        });

      sameData(
        await count([hit('new', 99), hit('over', 99), hit('fresh', 99), hit('full', 99), hit('new', 99)], 10),
        { fresh: 4, full: 6, new: 2, over: 1 },
      );
      await Promise.all(Array.from({ length: 20 }, () => count([hit('many', 99)], 10)));

      const rows: { limit_key: string; points: string | number; expires_at: string | number }[] = await db(
        'rate_limits',
      )
        .select('limit_key', 'points', 'expires_at')
        .orderBy('limit_key');
      sameData(
        rows.map((row) => [row.limit_key, Number(row.points), Number(row.expires_at)]),
        [
          ['fresh', 4, 99],
          ['full', 6, 40],
          ['many', 20, 99],
          ['new', 2, 99],
          ['over', 1, 99],
        ],
      );
    },
  );

  api.it('loses no addition and no locked read-and-write', async () => {
    const at = subject();
    const id = await insertMeta(at, 'counter', '0');
    const step = (): Promise<void> =>
      at.transaction(async (trx) => {
        const row = (await trx.dialect.forUpdate(trx('meta').where({ id })).first('value')) as unknown as {
          value: string;
        };
        await trx('meta')
          .where({ id })
          .update({ value: String(Number(row.value) + 1) });
        await trx.dialect.addTo(
          trx,
          'daily_stats',
          [{ scope: 'all:1', day: 1, visits: 1 }],
          ['scope', 'day'],
          ['visits'],
        );
      });

    await Promise.all(Array.from({ length: 20 }, step));

    const row = (await at.db('meta').where({ id }).first('value')) as { value: string };
    const day = (await at.db('daily_stats').first('visits')) as { visits: string | number };
    sameData([row.value, Number(day.visits)], ['20', 20]);
  });
}

function reading(api: TestApi, subject: Subject): void {
  api.it('compares text by code point: case, accents and trailing blanks count', async () => {
    const at = subject();
    for (const name of ['ab', 'AB', 'äb', 'ab ']) await insertMeta(at, name);

    sameData(await names(at.db('meta').select('name_key').where({ name_key: 'ab' })), ['ab']);
    sameData(await names(at.db('meta').select('name_key').orderBy('name_key')), ['AB', 'ab', 'ab ', 'äb']);
  });

  api.it(
    'finds text that contains another, without regard to case, with every character taken literally',
    async () => {
      const { db } = subject();
      const texts = [
        '100% off',
        '100x off',
        'a_b',
        'aXb',
        'wow!',
        'back\\slash',
        "o'neil",
        'Quiet "Inn"',
        'plain',
      ];
      await db('meta').insert(texts.map((text, at) => meta(String(at), text)));
      const found = async (text: string): Promise<(string | undefined)[]> =>
        (
          await names(
            db.dialect.contains(db('meta').select('name_key'), ['value', 'object_type'], text).orderBy('id'),
          )
        ).map((at) => texts[Number(at)]);

      sameData(await found('100%'), ['100% off']);
      sameData(await found('A_B'), ['a_b']);
      sameData(await found('!'), ['wow!']);
      sameData(await found('k\\S'), ['back\\slash']);
      sameData(await found("O'N"), ["o'neil"]);
      sameData(await found('"inn"'), ['Quiet "Inn"']);
      sameData(await found('pl\0ain'), ['plain']);
      sameData((await found('CONTRACT')).length, texts.length);
    },
  );

  api.it('finds digits inside numbers, in qualified columns too', async () => {
    const at = subject();
    const id = await insertMeta(at, 'number');
    const { db } = at;
    await db('meta').where({ id }).update({ created_at: 123_456 });
    const column = db.dialect.asText(`${db.name('meta')}.created_at`);

    sameData(await names(db.dialect.contains(db('meta').select('name_key'), [column], '345')), ['number']);
    sameData(await names(db.dialect.contains(db('meta').select('name_key'), [column], '999')), []);
  });

  api.it('takes the first characters of a text, however many bytes they have', async () => {
    const { db } = subject();
    await db('meta').insert({ ...meta('start'), value: 'a😀é漢z' });

    const start = (length: number): string => db.dialect.textStart('value', length);
    const [row] = await db.raw(
      `select ${start(3)} as three, ${start(9)} as whole, ${start(3).replaceAll('value', 'null')} as none from ` +
        `${db.name('meta')} where name_key = 'start'`,
    );

    sameData(row, { three: 'a😀é', whole: 'a😀é漢z', none: null });
  });

  api.it('makes a row of each element of a JSON list', async () => {
    const { db } = subject();
    const lists = [
      '[{"id":7,"name":"a","price":1.5},{"id":"x","price":"2"},{"name":"c","price":"2,5"}]',
      'no list',
    ];
    await db('meta').insert(lists.map((value, at) => ({ ...meta(String(at)), value })));

    const { join, of } = db.dialect.jsonRows('m.value', { id: 'text', name: 'text', price: 'number' });
    const rows = await db.raw(
      `select ${of.id} as id, ${of.name} as name, ${of.price} as price from ${db.name('meta')} m ${join}`,
    );

    const [first, second] = rows;
    sameData(rows.length, 3);
    sameData([String(first?.['id']), first?.['name'], Number(first?.['price'])], ['7', 'a', 1.5]);
    sameData([second?.['id'], second?.['name'], Number(second?.['price'])], ['x', null, 2]);
  });

  api.it('divides time into whole slots', async () => {
    const { db } = subject();
    const hour = 3_600_000;
    await db('meta').insert(
      [0, hour - 1, hour, 490_000 * hour + 1].map((at, index) => ({
        ...meta(String(index)),
        created_at: at,
      })),
    );

    const rows = await db.raw(
      `select ${db.dialect.slot('created_at', hour)} as slot, count(*) as n from ${db.name('meta')} group by 1 ` +
        'order by 1',
    );

    sameData(
      rows.map((row) => [Number(row['slot']), Number(row['n'])]),
      [
        [0, 2],
        [1, 1],
        [490_000, 1],
      ],
    );
  });
}

function failures(api: TestApi, subject: Subject): void {
  const item = { referral_id: 1, transaction_id: 99, affiliate_id: 1, amount_minor: 1, currency: 'USD' };
  const payout = { status: 'paid', title: 't', created_at: 1, updated_at: 1 };
  const cases: readonly (readonly [string, FailureKind, (db: Db) => PromiseLike<unknown>])[] = [
    ['a second row with a unique key', 'unique', (db) => db('meta').insert([meta('x'), meta('x')])],
    ['a row that refers to none', 'foreign_key', (db) => db('payout_items').insert(item)],
    [
      'an amount out of bounds',
      'check',
      (db) => db('payouts').insert({ ...payout, total_amount_minor: 1_000_000_000_000_000 }),
    ],
    ['a column that is not there', null, (db) => db('payouts').insert({ ...payout, nonsense: 1 })],
  ];
  for (const [title, kind, run] of cases) {
    api.it(`tells ${title} as ${String(kind)} and stores nothing`, async () => {
      const { db } = subject();
      await rejects(Promise.resolve(run(db)), (error) => db.dialect.failure(error) === kind);

      for (const table of ['meta', 'payout_items', 'payouts'] as const)
        sameData(await db(table).select('*'), []);
    });
  }

  api.it('rolls back to the last byte when the work fails', async () => {
    const { db, transaction } = subject();
    await rejects(
      transaction(async (trx) => {
        await trx('meta').insert(meta('gone'));
        throw new Error('stop');
      }),
      /stop/,
    );

    sameData(await db('meta').select('*'), []);
  });
}
