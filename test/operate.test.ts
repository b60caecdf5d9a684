import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import createKnex from 'knex';
import request from 'supertest';
import { MemoryMailer } from '../adapters/mailer.js';
import { run } from '../cli/run.js';
import { MOVED } from '../src/channels/imports/move.js';
import { applySteps, type SchemaStep } from '../src/platform/database/migrate.js';
import { STEPS } from '../src/platform/database/migrations/index.js';
import { TABLES } from '../adapters/database/tables.js';
import { startApp, type TestApp } from './support/app.js';
import { emptyDatabase, testDatabase, testEngine } from './support/databases.js';
import { temporaryFolder } from './support/folders.js';
import { startReceiver } from './support/receiver.js';
import { BROWSER, cookieOf, trackedSite, type Headers } from './support/tracker.js';

// What an operator does once a year: grow, back up, restore, rotate secrets, watch.

/** What happens in a file of SQLite is the same in every run; once is enough. */
const inFiles = testEngine() === 'sqlite' ? describe : (): void => {};

const SECRET = 'a secret that is long enough for the tests';
const file = (name: string): string => join(temporaryFolder(), name);

async function cli(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const seen = { out: '', err: '' };
  const code = await run(
    argv,
    {
      out: (text) => void (seen.out += text),
      err: (text) => void (seen.err += text),
      live: false,
    },
    new AbortController().signal,
  );
  return { code, ...seen };
}

const sqlite = (path: string) => ({ client: 'better-sqlite3', connection: path }) as const;
const order = (reference: string, token: string | null) =>
  ({
    provider: 'shop',
    reference,
    type: 'sale',
    status: 'unpaid',
    order: { subtotal: '100.00' },
    ...(token === null ? {} : { token }),
  }) as const;

/** A program in a file, with a visitor, a key, a webhook, a payout and an unpaid commission. */
async function livedIn(
  path: string,
): Promise<{ t: TestApp; cookie: string; key: string; affiliate: number }> {
  const t = await startApp({
    database: sqlite(path),
    shared: true,
    rate: 10,
    events: { allowPrivateNetworks: true },
  });
  const alice = await t.records.affiliate({ user_id: 2, custom_param: 'ally' });
  await t.records.referral({ affiliate_id: alice.id, amount: '12.34' });
  await t.records.payout();
  await t.records.referral({ affiliate_id: alice.id, amount: '7.00' });
  const cookie = cookieOf(await trackedSite(t.app).open('/?ref=ally').expect(200));
  await t.service.tracking.flush?.();
  const { body } = await t.admin
    .post('/settings/api-keys')
    .send({ name: 'Shop', rights: ['read_all_affiliates'] })
    .expect(200);
  const receiver = await startReceiver();
  await t.admin
    .post('/settings/webhooks')
    .send({ url: receiver.url, events: ['*'], confirm: true })
    .expect(200);
  await receiver.close();
  return { t, cookie, key: String(body.token ?? body.key ?? body.secret), affiliate: alice.id };
}

async function emptyTarget(): Promise<string> {
  const target = await testDatabase({ purpose: 'move', shared: true });
  if (testEngine() !== 'sqlite') {
    const knex = createKnex({ client: target.client, connection: target.connection });
    const t = await startApp({ database: target, keep: true, shared: true });
    await emptyDatabase(knex, 'fa_');
    await t.close();
    await knex.destroy();
  }
  return target.connection;
}

describe('move', () => {
  it('moves every table, or says which one describes the database itself', () => {
    const moved = new Set(MOVED.map(({ name }) => name));
    expect(TABLES.filter((table) => !moved.has(table))).toEqual(['job_leases', 'schema_steps']);
  });

  it('lets cookies, API keys and webhooks of the old database go on working', async () => {
    const path = file('program.sqlite');
    const { t, cookie, key, affiliate } = await livedIn(path);
    const before = await t.service.affiliates.get(affiliate);
    await t.close();
    const target = await emptyTarget();

    const dry = await cli('move', '--database', path, '--to', target, '--dry-run');
    expect([dry.code, dry.err]).toEqual([0, expect.stringContaining('Nothing was moved')]);
    expect(dry.out).toMatch(/^sum +currency +amount\n(?:.*\n)*earned +USD +19\.34\n/);
    const tried = await cli('move', '--database', path, '--to', target, '--as-copy', '--dry-run', '--json');
    expect([tried.code, tried.err]).toEqual([0, expect.stringContaining('Nothing was moved')]);
    const names = (JSON.parse(tried.out) as { tables: { table: string }[] }).tables.map((each) => each.table);
    expect(names).toContain('affiliates');
    expect(names).not.toContain('api_keys');
    expect((await cli('doctor', '--database', target)).out).toMatch(/affiliates +0/);
    const moved = await cli('move', '--database', path, '--to', target, '--json');
    expect([moved.code, moved.err]).toEqual([0, expect.stringContaining('same `secret`')]);
    const { sums } = JSON.parse(moved.out) as { sums: { minor: number; moved: number }[] };
    expect(sums.length).toBeGreaterThan(0);
    expect(sums.map((sum) => sum.moved)).toEqual(sums.map(({ minor }) => minor));

    const to = await startApp({
      database: { ...(await testDatabase({ purpose: 'move', shared: true })), connection: target },
      keep: true,
    });
    expect(await to.service.affiliates.get(affiliate)).toEqual(before);
    const token = await to.service.checkoutToken({ headers: { cookie } } as never);
    expect(token).not.toBeNull();
    const result = await to.service.conversions.record({ headers: { cookie } } as never, order('A-1', null));
    expect(result).toMatchObject({ created: true });
    expect((await to.service.conversions.find('shop', { reference: 'A-1' }))?.affiliate_id).toBe(affiliate);
    await request(to.server)
      .get(`${to.service.basePath}/affiliates`)
      .set('Authorization', `Bearer ${key}`)
      .expect(200);
    const [endpoint] = await to.service.webhooks.endpoints();
    expect(await to.service.webhooks.secret(endpoint?.id ?? 0)).toMatch(/^whsec_/);

    for (const more of [[], ['--dry-run'], ['--as-copy']]) {
      const again = await cli('move', '--database', path, '--to', target, ...more);
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('This program is not empty.')]);
    }
  });

  it('moves nothing while the old program takes orders', async () => {
    const path = file('busy.sqlite');
    const { t, affiliate } = await livedIn(path);
    const target = await emptyTarget();
    const work = cli('move', '--database', path, '--to', target);
    await sellWhile(t, affiliate, work);
    expect(await work).toMatchObject({ code: 1, err: expect.stringContaining('Stop the host') });
    await t.close();
    const doctor = await cli('doctor', '--database', target);
    expect(doctor.out).toMatch(/referrals +0/);
  });

  it('makes a staging copy with an identity of its own, which sends no mail until it goes live', async () => {
    const path = file('live.sqlite');
    const { t, cookie } = await livedIn(path);
    await t.close();
    const copy = file('staging.sqlite');
    expect(await cli('move', '--database', path, '--to', copy, '--as-copy')).toMatchObject({ code: 0 });
    const mailer = new MemoryMailer();
    const staging = await startApp({ database: sqlite(copy), keep: true, shared: true, mailer });
    expect(await staging.service.checkoutToken({ headers: { cookie } } as never)).toBeNull();
    expect(await staging.service.apiKeys.list()).toEqual([]);
    expect((await staging.service.risks()).map(({ code }) => code)).toContain('program_copy');
    await staging.records.affiliate({ user_id: 3, status: 'pending' });
    await staging.service.emails.deliverDue();
    expect(mailer.mailbox).toEqual([]);
    await staging.close();
    expect(await cli('go-live', '--database', copy)).toMatchObject({ code: 0 });
    const live = await startApp({ database: sqlite(copy), keep: true, shared: true, mailer });
    await live.records.affiliate({ user_id: 4, status: 'pending' });
    await live.service.emails.deliverDue();
    expect(mailer.mailbox.length).toBeGreaterThan(0);
    await live.close();
  });
});

/** Commissions come in until the command has ended. */
async function sellWhile(t: TestApp, affiliate: number, work: Promise<unknown>): Promise<void> {
  const state = { isDone: false };
  void work.finally(() => (state.isDone = true));
  for (let n = 1; !state.isDone; n += 1)
    await t.records.referral({
      affiliate_id: affiliate,
      amount: '1.00',
      provider: 'shop',
      provider_id: `B-${n}`,
    });
}

describe('export-program', () => {
  it('writes one moment of a program that goes on', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate();
    await t.records.referral({ affiliate_id: alice.id, amount: '5.00' });
    const lines: string[] = [];
    for await (const line of t.service.imports.exportProgram()) {
      lines.push(line);
      // in memory there is one connection, which the export holds
      if (lines.length === 3 && testEngine() !== 'sqlite')
        await t.records.referral({ affiliate_id: alice.id, amount: '6.00' });
    }
    expect(lines.filter((line) => line.startsWith('["referrals"'))).toHaveLength(1);
  });

  it('writes one moment of a SQLite file while orders come in, and its copy balances', async () => {
    const path = file('busy.sqlite');
    const { t, affiliate } = await livedIn(path);
    const written = file('busy.jsonl');
    const work = cli('export-program', '--database', path, '--file', written);
    await sellWhile(t, affiliate, work);
    expect(await work).toMatchObject({ code: 0 });
    await t.close();

    const copy = file('busy-copy.sqlite');
    expect(await cli('import-program', '--database', copy, '--file', written)).toMatchObject({ code: 0 });
    const imported = await startApp({ database: sqlite(copy), keep: true, shared: true });
    expect(await imported.service.verify()).toEqual([]);
    await imported.close();
  });

  it('is refused when its books do not balance', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate();
    await t.records.referral({ affiliate_id: alice.id, amount: '5.00' });
    const lines: string[] = [];
    for await (const line of t.service.imports.exportProgram())
      lines.push(
        line.startsWith('["referrals"')
          ? line
              .replace('"amount_minor":500', '"amount_minor":900')
              .replace('"amount_minor":"500"', '"amount_minor":"900"')
          : line,
      );
    await emptyDatabase(t.app.db.knex, t.app.options.tablePrefix);
    t.clock.advance(5000);
    await expect(
      t.service.imports.importProgram(
        (async function* () {
          yield* lines;
        })(),
      ),
    ).rejects.toMatchObject({
      code: 'import_file_invalid',
      message: expect.stringContaining('do not balance'),
    });
    expect(await t.app.db('affiliates').select('id')).toEqual([]);
  });
});

describe('backup and restore', () => {
  it('copies a file under load; after a restore no id is given twice and waiting mails are decided on', async () => {
    const path = file('shop.sqlite');
    const { t, affiliate } = await livedIn(path);
    await t.records.affiliate({ user_id: 3, status: 'pending' });
    const copy = file('backup.sqlite');
    const work = cli('backup', '--database', path, '--file', copy);
    await sellWhile(t, affiliate, work);
    expect(await work).toMatchObject({ code: 0 });
    const later = await t.records.referral({
      affiliate_id: affiliate,
      amount: '3.00',
      provider: 'shop',
      provider_id: 'L-1',
    });
    await t.close();

    expect(await cli('after-restore', '--database', copy)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--outbox'),
    });
    const done = await cli('after-restore', '--database', copy, '--outbox', 'skip', '--json');
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({ last_payout_id: 1, waiting: expect.any(Number) });
    const restored = await startApp({ database: sqlite(copy), keep: true, shared: true });
    const next = await restored.records.referral({
      affiliate_id: affiliate,
      amount: '4.00',
      provider: 'shop',
      provider_id: 'L-2',
    });
    expect(next.id).toBeGreaterThan(later.id + 900_000);
    expect(
      await restored.app.db('outbox').where({ status: 'pending' }).where('id', '<', 1000).select('id'),
    ).toEqual([]);
    expect(await restored.service.verify()).toEqual([]);
    await restored.close();
  });

  it('gives ids after a gap on every database', async () => {
    const t = await startApp();
    const first = await t.records.affiliate({ user_id: 2 });
    await t.app.system.afterRestore('send');
    expect((await t.records.affiliate({ user_id: 3 })).id).toBeGreaterThanOrEqual(first.id + 1_000_000);
    await t.app.system.afterRestore('send');
    const { body } = await t.admin.get('/audit?search=system.restored').expect(200);
    expect(JSON.stringify(body)).toContain('system.restored');
  });

  it('names the tools of servers', async () => {
    const { code, err } = await cli('backup', '--database', 'postgres://x', '--file', file('x'));
    expect([code, err]).toEqual([2, expect.stringContaining('pg_dump')]);
  });

  it.each(['doctor', 'reconcile', 'outbox', 'go-live', 'backup'])(
    '%s makes no database where none is',
    async (command) => {
      const path = file('typo.sqlite');
      expect(await cli(command, '--database', path, '--file', file('copy.sqlite'))).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /^The file of --database does not exist\.\n\naffiliate-service [\w-]+ --help\n$/,
        ),
      });
      expect(existsSync(path)).toBe(false);
    },
  );

  it('copies a file neither onto itself nor below what is left of an earlier copy', async () => {
    const path = file('own.sqlite');
    const { t } = await livedIn(path);
    expect(await cli('backup', '--database', path, '--file', path)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Set another file.'),
    });
    const copy = file('again.sqlite');
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    expect(await cli('backup', '--database', path, '--file', copy)).toMatchObject({ code: 0 });
    expect(existsSync(`${copy}-wal`)).toBe(false);
    await t.close();
  });

  it('says in one line that a server cannot be reached', async () => {
    const { code, out } = await cli('doctor', '--database', 'postgres://127.0.0.1:1/shop');
    expect([code, out]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(out.trim().split('\n').length).toBeLessThan(4);
    expect(out).not.toMatch(/\n\s+at /u);
    const { err } = await cli('outbox', '--database', 'postgres://127.0.0.1:1/shop');
    expect(err).toMatch(/\nA database cannot be reached \(ECONNREFUSED\)\. .*\n$/u);
    expect(err).not.toContain('try again');
    expect(await cli('doctor', '--database', 'oracle://db/shop')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--database is mysql://…, postgres://… or a SQLite file.'),
    });
  });
});

describe('watching', () => {
  it('answers probes without a sign-in, and says nothing of the program', async () => {
    const t = await startApp();
    expect(await t.service.health()).toMatchObject({ status: 'ready', jobs: 'unknown' });
    await t.service.jobs.runDue();
    t.clock.advance(5000);
    const health = `${t.service.basePath}/health`;
    const { body } = await request(t.server).get(health).expect(200);
    expect(body).toEqual({
      status: 'ready',
      database: 'ok',
      schema: 'current',
      jobs: 'ok',
      checked_at: expect.any(String),
    });
    await request(t.server).get(`${health}/live`).expect(200, { status: 'live' });
    await request(t.server).post(health).expect(404);
    t.clock.advance(2 * 3_600_000);
    expect(await t.service.health()).toMatchObject({ status: 'ready', jobs: 'late' });
    await t.app.db('schema_steps').insert({ id: '999-later', applied_at: 1 });
    t.clock.advance(5000);
    expect(await t.service.health()).toMatchObject({ schema: 'newer' });
    await t.app.db('schema_steps').where({ id: '999-later' }).delete();
  });

  it('answers 503 after the service was closed', async () => {
    const t = await startApp({ shared: true });
    await t.service.close();
    await request(t.server).get(`${t.service.basePath}/health`).expect(503);
    await request(t.server).get(`${t.service.basePath}/health/live`).expect(200);
    await t.close();
  });

  it('counts clicks, commissions, skips and queues', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    await t.records.visit({ affiliate_id: alice.id });
    await t.records.referral({ affiliate_id: alice.id, amount: '5.00' });
    await t.service.conversions.record(null, order('N-1', null));
    const metrics = await t.service.metrics();
    expect(metrics).toMatchObject({ commissions: 1, affiliates: 1 });
    expect(metrics.queues.map(({ queue }) => queue)).toEqual(['mail', 'webhook', 'shop']);
    expect(metrics.queues[0]?.waiting).toBeGreaterThan(0);
    const text = await t.service.metrics('prometheus');
    expect(text).toContain('affiliate_commissions_total 1\n');
    expect(text).toContain('affiliate_queue_waiting{queue="mail"}');
    expect(metrics).toMatchObject({ skipped: { orders: { no_affiliate: 1 } } });
    expect(text).toContain('affiliate_orders_skipped_total{reason="no_affiliate"} 1\n');
    expect(
      text.split('\n').every((line) => /^(?:#.*|affiliate_\w+(?:\{\w+="[^"]*"\})? -?\d+|)$/.test(line)),
    ).toBe(true);
  });

  it('counts visitors as clicks, and what failed for good or waits in each queue', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    await trackedSite(t.app).open(`/?ref=${alice.id}`).expect(200);
    await trackedSite(t.app).open(`/?ref=${alice.id}`, { 'User-Agent': 'Googlebot/2.1' }).expect(200);
    await t.service.tracking.flush();
    await t.records.affiliate({ user_id: 3, status: 'pending' });
    const [first] = await t.app.db('outbox').select('id').where({ channel: 'mail' });
    await t.app.db('outbox').where(first).update({ status: 'dead' });
    const waiting = (await t.app.db('outbox').where({ channel: 'mail', status: 'pending' })).length;
    t.clock.advance(90_000);
    const { queues, ...metrics } = await t.service.metrics();
    expect(metrics).toMatchObject({ clicks: 1, skipped: { clicks: { bot: 1 } } });
    expect(queues[0]).toEqual({ queue: 'mail', waiting, failed: 1, oldest_seconds: 90 });
    const text = await t.service.metrics('prometheus');
    for (const line of [
      'affiliate_clicks_total 1',
      'affiliate_clicks_skipped_total{reason="bot"} 1',
      'affiliate_queue_failed{queue="mail"} 1',
      'affiliate_queue_oldest_seconds{queue="mail"} 90',
    ])
      expect(text.split('\n')).toContain(line);
  });

  it('hands spans and figures to OpenTelemetry, without what was sent', async () => {
    const spans: { name: string; attributes: object; within: string | undefined }[] = [];
    const figures = new Map<string, () => Promise<unknown>>();
    const running = new AsyncLocalStorage<string>();
    const gauge = (name: string) => ({
      addCallback: (callback: (result: { observe(value: number): void }) => unknown) =>
        void figures.set(name, async () => {
          let seen = 0;
          await callback({ observe: (value) => void (seen += value) });
          return seen;
        }),
    });
    const span = { setAttribute() {}, recordException() {}, setStatus() {}, end() {} };
    const t = await startApp({
      rate: 10,
      openTelemetry: {
        trace: {
          getTracer: () => ({
            startActiveSpan: <T>(
              name: string,
              { attributes }: { attributes: object },
              work: (of: typeof span) => T,
            ): T => {
              spans.push({ name, attributes, within: running.getStore() });
              return running.run(name, () => work(span));
            },
          }),
        },
        metrics: { getMeter: () => ({ createObservableGauge: gauge, createObservableCounter: gauge }) },
      },
    });
    const alice = await t.records.affiliate({ user_id: 2 });
    await t.service.conversions.record(null, { ...order('N-1', null), affiliate: alice.id });
    await t.admin.get('/affiliates').expect(200);
    t.clock.advance(10_000);
    await t.service.emails.deliverDue();

    const of = (name: string) => spans.filter((each) => each.name === name);
    expect(of('affiliate.order')[0]?.attributes).toEqual({ provider: 'shop' });
    expect(of('affiliate.request').at(-1)?.attributes).toMatchObject({ route: 'affiliates.list' });
    expect(of('affiliate.delivery').length).toBeGreaterThan(0);
    expect(of('affiliate.statement').map(({ within }) => within)).toContain('affiliate.transaction');
    expect(of('affiliate.statement').map(({ within }) => within)).not.toContain('affiliate.statement');
    expect(JSON.stringify(spans)).not.toMatch(/alice|N-1|@/);
    expect(await figures.get('affiliate.commissions')?.()).toBe(1);
    expect(figures.has('affiliate.queue.oldest_seconds')).toBe(true);
  });

  it('does not wait for a day when the clock was a day ahead', async () => {
    const t = await startApp();
    await t.service.jobs.runDue();
    t.clock.advance(86_400_000);
    await t.service.jobs.runDue();
    t.clock.advance(-86_400_000 + 7_200_000);
    expect((await t.service.risks()).map(({ code }) => code)).toContain('clock_ahead');
    const ran = await t.service.jobs.runDue();
    expect(ran.map(({ name }) => name)).toContain('purge-expired');
  });

  it('logs the same line a few times, then how often it came', async () => {
    const t = await startApp();
    for (let n = 0; n < 50; n++) t.app.log.warn('the same line');
    expect(t.log.filter(({ message }) => message === 'the same line')).toHaveLength(10);
  });
});

inFiles('secrets', () => {
  const NEXT = 'another secret that is long enough for it';

  it('seals everything anew at the start, so that the old secret can go', async () => {
    const path = file('rotate.sqlite');
    const { t } = await livedIn(path);
    const [endpoint] = await t.service.webhooks.endpoints();
    const secret = await t.service.webhooks.secret(endpoint?.id ?? 0);
    const captcha = { providers: { turnstile: { site_key: 'site', secret_key: 's3cret' } } };
    await t.admin.post('/settings/captcha').send({ settings: captcha }).expect(200);
    await t.admin.post('/settings/license').send({ license_key: 'ABCD-1234-7F3A' }).expect(200);
    await t.service.connectedSites.issue({ site_url: 'https://blog.test', site_title: 'Blog' });
    const credentials = {
      client_id: 'id',
      client_secret: 's3cret',
      environment: 'sandbox',
      webhook_id: 'WH',
    };
    await t.admin.post('/settings/payers/paypal').send({ credentials }).expect(200);
    await t.close();
    const both = await startApp({
      database: sqlite(path),
      keep: true,
      shared: true,
      secret: NEXT,
      previousSecrets: [SECRET],
    });
    await both.close();
    const alone = await startApp({ database: sqlite(path), keep: true, shared: true, secret: NEXT });
    expect(await alone.service.webhooks.secret(endpoint?.id ?? 0)).toBe(secret);
    const { connectedSites, webhooks, captcha: check, license, payers } = alone.app;
    for (const module of [connectedSites, webhooks, check, license, payers])
      expect(await module.resealSecrets()).toEqual({ renewed: 0, lost: 0 });
    expect((await alone.service.risks()).map(({ code }) => code)).not.toContain('secrets_lost');
    await alone.close();
  });

  it('says that stored secrets are lost', async () => {
    const path = file('lost.sqlite');
    const { t } = await livedIn(path);
    await t.close();
    const lost = await startApp({
      database: sqlite(path),
      keep: true,
      shared: true,
      secret: NEXT,
      secrets: 'replace',
    });
    expect((await lost.service.risks()).map(({ code }) => code)).toContain('secrets_lost');
    expect(lost.log.some(({ message }) => message.startsWith('Stored secrets cannot be decrypted'))).toBe(
      true,
    );
    await lost.close();
  });

  it('accepts nothing that a leaked secret signed', async () => {
    const path = file('leaked.sqlite');
    const { t, cookie } = await livedIn(path);
    await t.close();
    const options = { database: sqlite(path), keep: true, shared: true, secret: NEXT };
    const trusting = await startApp({ ...options, previousSecrets: [SECRET] });
    expect(await trusting.service.checkoutToken({ headers: { cookie } } as never)).not.toBeNull();
    await trusting.close();
    const strict = await startApp({ ...options, previousSecrets: [{ secret: SECRET, decryptOnly: true }] });
    expect(await strict.service.checkoutToken({ headers: { cookie } } as never)).toBeNull();
    expect((await strict.service.risks()).map(({ code }) => code)).not.toContain('secrets_lost');
    await strict.close();
  });
});

inFiles('a person', () => {
  it('gets everything stored as JSON, and is erased after a preview', async () => {
    const path = file('person.sqlite');
    const { t } = await livedIn(path);
    await t.service.affiliates.update(1, { payment_email: 'ally@pay.test' });
    await t.close();
    const found = await cli('person', '--database', path, '--email', 'ally@pay.test');
    expect([found.code, found.err]).toEqual([
      0,
      expect.stringMatching(/^Without --host, affiliates are found by/u),
    ]);
    const stored = JSON.parse(found.out) as { affiliates: { referrals: unknown[]; payments: unknown[] }[] };
    expect(stored.affiliates[0]?.referrals).toHaveLength(2);
    expect(stored.affiliates[0]?.payments).toHaveLength(1);
    const preview = await cli('person', '--database', path, '--email', 'ally@pay.test', '--erase');
    expect([preview.code, preview.err]).toEqual([1, expect.stringContaining('Nothing was erased')]);
    expect(
      await cli('person', '--database', path, '--email', 'ally@pay.test', '--erase', '--yes'),
    ).toMatchObject({ code: 0 });
    expect(await cli('person', '--database', path, '--email', 'ally@pay.test')).toMatchObject({ code: 1 });
    copyFileSync(path, file('erased.sqlite'));
  });
});

/** The tools of the server that the page names; null where this machine lacks them. */
function dumpTools(
  url: URL,
): { dump(file: string): Promise<void>; restore(file: string): Promise<void> } | null {
  const name = url.pathname.slice(1);
  const at = ['-h', url.hostname, '-P', url.port || '3306', '-u', url.username];
  const isPostgres = testEngine() === 'postgres';
  const tools = isPostgres ? ['pg_dump', 'pg_restore'] : ['mariadb-dump', 'mariadb'];
  if (tools.some((tool) => spawnSync(tool, ['--version']).status !== 0)) return null;
  const [dump = '', restore = ''] = tools;
  return {
    dump: (path) =>
      finished(
        isPostgres
          ? spawn(dump, ['--format=custom', `--file=${path}`, url.href])
          : spawn(dump, [...at, '--single-transaction', `--result-file=${path}`, name]),
      ),
    restore: (path) =>
      finished(
        isPostgres
          ? spawn(restore, ['--clean', '--if-exists', `--dbname=${url.href}`, path])
          : spawn(restore, [...at, '-e', `source ${path}`, name]),
      ),
  };
}

async function finished(child: ChildProcess): Promise<void> {
  let stderr = '';
  child.stderr?.on('data', (text) => (stderr += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
}

async function allEvents(
  service: TestApp['service'],
): Promise<Awaited<ReturnType<typeof service.webhooks.list>>> {
  const events = await service.webhooks.list();
  for (let page = events; page.length > 0; events.push(...page))
    page = await service.webhooks.list(Number(events.at(-1)?.id ?? 0));
  return events;
}

type Buy = (service: TestApp['service'], reference: string) => Promise<unknown>;

async function deliverAll(t: TestApp): Promise<void> {
  t.clock.advance(60_000);
  await t.service.webhooks.lineUp();
  await t.service.webhooks.deliverDue();
}

/** The shop sends everything again: each order is there once. */
async function sendAgain(restored: TestApp, during: number, buy: Buy): Promise<void> {
  const references = [
    'A-0',
    'A-4',
    ...Array.from({ length: during }, (_, n) => `B-${n}`),
    'C-0',
    'C-1',
    'C-2',
  ];
  for (const reference of references) await buy(restored.service, reference);
  const rows = await restored.app.db('referrals').whereNotNull('provider_id').select('provider_id', 'id');
  expect(new Set(rows.map((row: { provider_id: unknown }) => String(row.provider_id))).size).toBe(
    rows.length,
  );
  expect(rows).toHaveLength(5 + during + 3);
}

/** Receivers know no id of what they are sent now. */
async function expectNewEvents(
  restored: TestApp,
  before: Awaited<ReturnType<typeof allEvents>>,
  seenIds: readonly string[],
): Promise<void> {
  const later = await restored.service.webhooks.list(Math.max(...before.map(({ id }) => Number(id))));
  expect(later.length).toBeGreaterThan(0);
  const ids = later.map(({ webhook_id: id }) => id);
  expect(ids.filter((id) => seenIds.includes(id))).toEqual([]);
}

describe('a dump of a server', () => {
  if (testEngine() === 'sqlite') {
    it('is not what a file of SQLite needs', () => {
      expect(testEngine()).toBe('sqlite');
    });
    return;
  }
  it('made under load and restored pays nothing twice and gives no event id again', async () => {
    const database = await testDatabase({ purpose: 'dump', shared: true });
    const tools = dumpTools(new URL(database.connection));
    if (tools === null) return expect(process.env['TEST_TOOLS']).not.toBe('yes'); // it has the server only
    const options = { database, shared: true, rate: 10, events: { allowPrivateNetworks: true } };
    const t = await startApp(options);
    const alice = await t.records.affiliate({ user_id: 2 });
    const receiver = await startReceiver();
    const endpoint = { url: receiver.url, events: ['*'], confirm: true };
    await t.admin.post('/settings/webhooks').send(endpoint).expect(200);
    const buy = (service: TestApp['service'], reference: string) =>
      service.conversions.record(null, { ...order(reference, null), affiliate: alice.id });
    for (let n = 0; n < 5; n += 1) await buy(t.service, `A-${n}`);
    await t.records.payout();

    const [dump, state] = [file('dump'), { isDone: false }];
    const made = tools.dump(dump).then(() => (state.isDone = true));
    let during = 0;
    for (; !state.isDone && during < 50; during += 1) await buy(t.service, `B-${during}`);
    await made;
    for (let n = 0; n < 3; n += 1) await buy(t.service, `C-${n}`);
    await t.records.payout();
    await deliverAll(t);
    const before = await allEvents(t.service);
    const seenIds = receiver.received.map(({ headers }) => String(headers['webhook-id']));
    await t.close();

    await tools.restore(dump);
    const done = await cli('after-restore', '--database', database.connection, '--outbox', 'skip', '--json');
    expect([done.code, done.err]).toEqual([0, expect.any(String)]);
    const { last_payout_id: lastPayout } = JSON.parse(done.out) as { last_payout_id: number };
    const restored = await startApp({ ...options, keep: true });
    expect(await restored.service.verify()).toEqual([]);
    // what the receivers were told names the payout that is missing
    const payouts = before
      .filter(({ type }) => type === 'payout.created')
      .map(({ data }) => Number(data['id']));
    expect([payouts.filter((id) => id > lastPayout).length, payouts, lastPayout]).toEqual([
      1,
      payouts,
      lastPayout,
    ]);

    await sendAgain(restored, during, buy);
    const again = await restored.records.payout();
    expect(again.id).toBeGreaterThan(Math.max(...payouts) + 900_000);
    await deliverAll(restored);
    await expectNewEvents(restored, before, seenIds);
    expect(await restored.service.verify()).toEqual([]);
    await restored.close();
    await receiver.close();
  }, 300_000);
});

/** A network that forwards until it swallows every packet. */
async function network(to: URL): Promise<{ url: string; swallow(is: boolean): void; close(): void }> {
  let swallows = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connectTo(Number(to.port), to.hostname);
    sockets.add(near).add(far);
    near.on('data', (data) => swallows || far.write(data));
    far.on('data', (data) => swallows || near.write(data));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(to.href);
  url.port = String((server.address() as AddressInfo).port);
  url.hostname = '127.0.0.1';
  return {
    url: url.href,
    swallow: (is) => {
      swallows = is;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a rolling deploy', () => {
  it('lets a process of the version before go on with orders beside a schema that has grown', async () => {
    const database = await testDatabase({ purpose: 'deploy', shared: true });
    const t = await startApp({ database, shared: true, rate: 10 });
    const alice = await t.records.affiliate();
    const later: SchemaStep = {
      id: '901-later',
      up: async ({ column, index }) => {
        for (const name of ['orders', 'referrals', 'visits', 'outbox'] as const) {
          await column(name, 'later', "varchar(20) not null default 'later'");
          await index(name, ['later', 'id']);
        }
      },
    };
    const { db, transaction, log } = t.app;
    await applySteps([...STEPS, later], { db, transaction, log, migrate: true });

    await t.service.conversions.record(null, { ...order('A-1', null), affiliate: alice.id });
    await t.service.conversions.refund('shop', 'A-1', { refund_id: 'r1', amount: '40.00' });
    await t.records.visit({ affiliate_id: alice.id });
    expect((await t.service.affiliates.get(alice.id)).unpaid_earnings_minor).toBe(600);
    t.clock.advance(10_000);
    expect(await t.service.health()).toMatchObject({ status: 'ready', schema: 'newer' });
    expect((await t.service.risks()).map(({ code }) => code)).toContain('schema_newer');
    expect(await t.service.verify()).toEqual([]);
    await db('schema_steps').where({ id: later.id }).delete();
    await t.close();
  });
});

describe('a network that swallows packets', () => {
  if (testEngine() === 'sqlite') {
    it('does not exist between a process and its file', () => {
      expect(testEngine()).toBe('sqlite');
    });
    return;
  }
  it('gives visitors the cookie of an affiliate whom their link named before, and of nobody else', async () => {
    const own = await testDatabase({ purpose: 'move', shared: true });
    const net = await network(new URL(own.connection));
    const t = await startApp({ database: { ...own, connection: net.url }, shared: true });
    const site = trackedSite(t.app);
    const [alice, bob] = [
      await t.records.affiliate({ user_id: 2 }),
      await t.records.affiliate({ user_id: 3 }),
    ];
    const known = cookieOf(await site.open(`/?ref=${alice.id}`).expect(200));
    await t.service.tracking.flush?.();
    net.swallow(true);
    t.clock.advance(5000);

    const other = { 'User-Agent': `${BROWSER} other` };
    const cookie = async (path: string, headers: Headers = {}): Promise<string> =>
      cookieOf(await site.open(path, headers).expect(200));
    expect(await cookie(`/?ref=${alice.id}`, other)).toMatch(new RegExp(`^f_aff=${alice.id}%7C%7C`));
    expect(await cookie(`/ref/${alice.id}`, other)).toMatch(/^f_aff=/);
    expect(await cookie(`/?ref=${alice.id}`, { Cookie: known })).toBe('');
    expect(await cookie(`/?ref=${bob.id}`)).toBe('');
    expect(await cookie(`/?ref=${alice.id}`, { 'Sec-GPC': '1' })).toBe('');
    net.swallow(false);
    await t.close();
    net.close();
  }, 120_000);

  it('is noticed within the limit of a statement; the service answers again and closes', async () => {
    const own = await testDatabase({ purpose: 'move', shared: true });
    const net = await network(new URL(own.connection));
    const t = await startApp({ database: { ...own, connection: net.url }, shared: true });
    await t.app.limited('tracking', () => t.app.db('affiliates').select('id'));
    net.swallow(true);
    setTimeout(() => {
      net.swallow(false);
    }, 4500);
    // the statement in flight is given up after its limit, and repeated on a new connection
    expect(await t.app.limited('tracking', () => t.app.db('affiliates').select('id'))).toEqual([]);
    await t.close();
    net.close();
  }, 120_000);

  it('answers 503 meanwhile, serves again afterwards, and closes while packets are lost', async () => {
    const own = await testDatabase({ purpose: 'move', shared: true });
    const net = await network(new URL(own.connection));
    const t = await startApp({ database: { ...own, connection: net.url }, shared: true });
    const alice = await t.records.affiliate({ user_id: 2 });
    const list = () => t.admin.get(`/affiliates/${alice.id}`);
    const write = (note: string) => t.admin.patch(`/affiliates/${alice.id}`).send({ note });
    await list().expect(200);

    net.swallow(true);
    const search = t.admin.get('/affiliates?search=ally');
    const during = await Promise.all([list(), write('lost'), search, list(), write('lost')]);
    const refused = during.map(({ status, body }) => [status, body.code]);
    for (const answer of refused)
      expect([
        [503, 'busy'],
        [503, 'outcome_unknown'],
      ]).toContainEqual(answer);
    t.clock.advance(5000);
    expect(await t.service.health()).toMatchObject({ status: 'database_away' });
    net.swallow(false);
    t.clock.advance(5000);

    await write('afterwards').expect(200);
    expect((await list().expect(200)).body.affiliate.note).toBe('afterwards');
    expect(await t.service.health()).toMatchObject({ status: 'ready' });
    net.swallow(true);
    const began = Date.now();
    await Promise.all([list(), t.close().then(() => undefined)]).catch(() => undefined); // its answer is cut off
    expect(Date.now() - began).toBeLessThan(60_000);
    net.close();
  }, 240_000);
});
