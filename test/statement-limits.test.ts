import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import createKnex, { type Knex } from 'knex';
import express from 'express';
import request from 'supertest';
import type { TableName } from '../adapters/database/tables.js';
import { startApp, type TestApp } from './support/app.js';
import { rawRows, testDatabase, testEngine } from './support/databases.js';
import { BROWSER, NAVIGATION } from './support/tracker.js';

// Statements that wait for something held by another connection, seen from outside (docs/reliability.md §4).
// SQLite has no second writer to wait for; what takes long there is in database/threads.test.ts.

const engine = testEngine();
const isPostgres = engine === 'postgres';

if (engine !== 'sqlite') {
  let t: TestApp;
  let other: Knex;
  let affiliate: { id: number };
  beforeEach(async () => {
    const { client, connection, pool } = await testDatabase();
    // Waiting for a lock has a shorter limit of its own on PostgreSQL; without it, the statement's is met.
    t = await startApp({
      database: {
        client,
        connection: isPostgres ? { connectionString: connection, lock_timeout: 0 } : connection,
        pool,
      },
    });
    affiliate = await t.records.affiliate();
    other = createKnex({ client, connection, pool: { min: 0, max: 1 } });
  });
  afterEach(() => other.destroy());

  /** Holds a table so that nobody else reads it; the returned function lets go. */
  async function hold(table: TableName): Promise<() => Promise<unknown>> {
    const name = t.app.db.name(table);
    if (isPostgres) await other.raw('begin');
    await other.raw(isPostgres ? `lock table ${name} in access exclusive mode` : `lock tables ${name} write`);
    return async () => other.raw(isPostgres ? 'rollback' : 'unlock tables');
  }

  /**
   * The statements the server still works on, but those of this question and of the
   * connection that holds the lock.
   */
  const listed = async (): Promise<unknown[]> => {
    const rows = await rawRows(
      other,
      isPostgres
        ? "select query as sql_text from pg_stat_activity where datname = current_database() and state <> 'idle' " +
            'and pid <> pg_backend_pid()'
        : 'select info as sql_text from information_schema.processlist where db = database() ' +
            "and command <> 'Sleep' and id <> connection_id()",
    );
    return rows.map((row) => row['sql_text']);
  };
  /** A server that is busy lists a canceled statement for a moment after its client has the answer. */
  const running = async (): Promise<unknown[]> => {
    const until = performance.now() + 1000;
    let found = await listed();
    while (found.length > 0 && performance.now() < until) found = await listed();
    return found;
  };

  async function timed<T>(work: PromiseLike<T>): Promise<{ readonly answer: T; readonly seconds: number }> {
    const started = performance.now();
    const answer = await work;
    return { answer, seconds: (performance.now() - started) / 1000 };
  }

  const click = () =>
    request(t.server)
      .post(`${t.service.basePath}/track`)
      .set({ 'User-Agent': BROWSER, Origin: 'https://shop.test' })
      .type('form')
      .send({ __aff_id__: String(affiliate.id), url: 'https://shop.test/' });

  describe('what meets a table held by another connection', () => {
    it('is given up after two seconds when it is a click, which is counted again once the table is free', async () => {
      const release = await hold('visits');
      const { answer, seconds } = await timed(click().expect(200));

      expect([answer.body.message, await running()]).toEqual(['no', []]);
      expect(seconds).toBeGreaterThan(1.9);
      expect(seconds).toBeLessThan(5);
      await release();
      expect((await click().expect(200)).body.message).toBe('success');
    });

    it('is a redirect link answered 503 after two seconds', async () => {
      await t.admin.post('/settings/links').send({ slug: 'summer', affiliate_id: affiliate.id }).expect(200);
      const release = await hold('redirect_links');
      const { answer, seconds } = await timed(
        request(t.server).get('/go/summer').set(NAVIGATION).expect(503),
      );

      expect([answer.body.code, answer.headers['retry-after'], await running()]).toEqual(['busy', '1', []]);
      expect(seconds).toBeLessThan(5);
      await release();
    });

    it("lets the host's page be served in time", async () => {
      const release = await hold('visits');
      expect(
        (await timed(request(t.server).get(`/?ref=${affiliate.id}`).set(NAVIGATION).expect(200))).seconds,
      ).toBeLessThan(1.9);
      await release();
      await t.service.tracking.flush();
    });

    it('is given up after ten seconds when it is a list', async () => {
      const release = await hold('visits');
      const searched = t.admin
        .get('/visits?search=spring')
        .expect(422)
        .then(({ body }) => body.code);
      const { answer, seconds } = await timed(t.admin.get('/visits').expect(503));

      expect(await searched).toBe('search_too_slow');
      expect([answer.body.code, answer.headers['retry-after'], await running()]).toEqual(['busy', '1', []]);
      expect(seconds).toBeGreaterThan(9.5);
      expect(seconds).toBeLessThan(15);
      await release();
      await t.admin.get('/visits').expect(200);
    }, 30_000);
  });

  describe('the limit of a statement', () => {
    const LIMIT = isPostgres
      ? "extract(epoch from current_setting('statement_timeout')::interval)"
      : '@@max_statement_time';
    const asked = async (): Promise<number> =>
      Number((await t.app.db.raw(`select ${LIMIT} as seconds`))[0]?.['seconds']);

    it('is that of the request it belongs to, asked from the hooks along the way', async () => {
      const seen: Record<string, number> = {};
      const note = (name: string) => async (): Promise<void> => {
        seen[name] ??= await asked();
      };
      t.service.hooks.addFilter('data_export_limit', async (limit) => {
        await note('list')();
        return limit;
      });
      t.service.hooks.addFilter('dashboard_stats', async (stats) => {
        await note('report')();
        return stats;
      });
      t.service.hooks.addFilter('cookie_expiration_days', async (days) => {
        await note('click')();
        return days;
      });
      t.service.hooks.addAction('before_create_affiliate_group', note('write'));
      await t.admin.get('/visits/export?format=json').expect(200);
      await t.admin.get('/reports/commerce-reports/fla').expect(200);
      await click().expect(200);
      await t.records.group();
      const pages = express()
        .use(t.service.tracker)
        .use((_req, res) => {
          void note('page behind the tracker')().then(() => res.send('page'));
        });
      await request(pages).get(`/?ref=${affiliate.id}`).set(NAVIGATION).expect(200);

      expect(seen).toEqual({ list: 10, report: 30, click: 2, write: 30, 'page behind the tracker': 30 });
    });

    it('of a payout run is 300 s', async () => {
      await t.records.referral({ affiliate_id: affiliate.id });
      const sent: string[] = [];
      const client = t.app.db.knex.client as {
        _query(connection: unknown, query: { sql: string }): Promise<unknown>;
      };
      const query = client._query.bind(client);
      client._query = (connection, statement) => {
        sent.push(statement.sql);
        return query(connection, statement);
      };
      await t.records.payout();

      const limits = sent
        .map((sql) => /(?:statement_timeout|max_statement_time) = (\d+)/.exec(sql)?.[1])
        .filter((limit) => limit !== undefined);
      expect(limits.map((limit) => Number(limit) / (isPostgres ? 1000 : 1))).toContain(300);
    });
  });
}

if (engine === 'sqlite')
  it('is not for SQLite', () => {
    expect(engine).toBe('sqlite');
  });
