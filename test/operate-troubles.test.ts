import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { run } from '../cli/run.js';
import type { LogFields } from '../src/core/logger.js';
import { contextLogger } from '../src/platform/context-logger.js';
import { startApp, type TestApp } from './support/app.js';
import { testDatabase, testEngine } from './support/databases.js';
import { temporaryFolder } from './support/folders.js';
import { startReceiver } from './support/receiver.js';
import { startSmtp } from './support/smtp.js';
import { trackedSite } from './support/tracker.js';

// What an operator sees of trouble: in answers, in the log, and in the commands.

async function cli(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const seen = { out: '', err: '' };
  const terminal = {
    out: (text: string) => void (seen.out += text),
    err: (text: string) => void (seen.err += text),
    live: false,
  };
  return { code: await run(argv, terminal, new AbortController().signal), ...seen };
}

const newFile = () => {
  const connection = `${temporaryFolder()}/program.sqlite`;
  return { connection, database: { client: 'better-sqlite3', connection } as const };
};

/** What happens in a file of SQLite is the same in every run; once is enough. */
const inFiles = testEngine() === 'sqlite' ? describe : (): void => {};

/** The lines that the default logger writes meanwhile. */
async function linesOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  const lines: string[] = [];
  stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
  try {
    await work();
  } finally {
    stderr.write = write;
  }
  return lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a line of the default log', () => {
  it('has the time, and the request and route that failed', async () => {
    const t = await startApp({ logger: undefined });
    await t.records.affiliate({ user_id: 2 });
    t.host.users.find = async () => {
      throw new Error('no directory');
    };
    let id = '';
    const lines = await linesOf(async () => {
      const { headers } = await t.admin.get('/affiliates').expect(500);
      id = String(headers['x-request-id']);
    });
    expect(id).not.toBe('');
    expect(lines).toContainEqual(
      expect.objectContaining({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: 'error',
        message: 'request failed',
        request_id: id,
        route: 'affiliates.list',
      }),
    );
  });

  it('has the request of a click and of an order that failed', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const site = trackedSite(t.app);
    const hookFails = async (): Promise<never> => {
      throw new Error('of the host');
    };
    const untap = t.service.hooks.addFilter('visit_dedup_window', hookFails);
    await site.open(`/shoes?ref=${alice.id}`, { 'X-Request-Id': 'page-00000001' }).expect(200);
    const tracked = { __aff_id__: String(alice.id), url: 'https://shop.test/shoes' };
    const answer = await site.track(tracked).expect(200);
    untap();
    t.service.hooks.addAction('referral_created', hookFails);
    const order = { provider: 'shop', affiliate: alice.id, order: { subtotal: '100.00' } };
    const req = { headers: { 'x-request-id': 'order-00000001' } } as unknown as IncomingMessage;
    await t.service.conversions.record(req, { ...order, reference: 'A1' });
    await t.service.conversions.record(null, { ...order, reference: 'A2' });
    const lines = t.log.filter(({ level }) => level === 'error').map(({ fields }) => fields);
    expect(lines.map((fields) => [fields?.['request_id'], fields?.['route']])).toEqual([
      ['page-00000001', 'tracking.page'],
      [answer.headers['x-request-id'], 'tracking.click'],
      ['order-00000001', 'conversions.record'],
      [expect.stringMatching(/^[\da-f-]{36}$/), 'conversions.record'],
    ]);
  });

  it('names every request of a group of clicks that could not be stored', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const site = trackedSite(t.app);
    const tracked = { __aff_id__: String(alice.id), url: 'https://shop.test/shoes' };
    const keys = `${t.app.options.tablePrefix}visit_keys`;
    await t.app.db.knex.schema.renameTable(keys, 'visit_keys_away');
    const answer = await site.track(tracked).expect(200);
    const other = await site.track(tracked, { 'X-Request-Id': 'track-0000001' }).expect(200);
    await t.app.db.knex.schema.renameTable('visit_keys_away', keys);
    const first = answer.headers['x-request-id'];
    expect([first, other.headers['x-request-id']]).toEqual([
      expect.stringMatching(/^[\da-f-]{36}$/),
      'track-0000001',
    ]);
    const lines = t.log.filter(({ message }) => message === 'clicks could not be stored');
    expect(lines.map(({ fields }) => fields?.['request_ids'])).toEqual([[first], ['track-0000001']]);
  });

  it('is written ten times in ten seconds at most; the next one has the number of the others', () => {
    const clock = { time: 0, now: () => clock.time };
    const lines: (LogFields | undefined)[] = [];
    const nothing = (): void => {};
    const write = (_message: string, fields?: LogFields): void => void lines.push(fields);
    const logger = { debug: nothing, info: nothing, warn: nothing, error: write };
    const log = contextLogger({ logger, clock, current: () => undefined });
    for (let n = 0; n < 14; n += 1) log.error('the database does not respond');
    log.error('another line');
    clock.time = 10_000;
    log.error('the database does not respond');
    expect(lines).toEqual([...Array.from({ length: 11 }, () => ({})), { repeated_before: 4 }]);
  });

  it('is written for what waited for a lock for more than a second', async () => {
    const { database } = testEngine() === 'sqlite' ? newFile() : await serverDatabase(); // memory has one connection
    const t = await startApp({ database, shared: true });
    const alice = await t.records.affiliate({ user_id: 2 });
    const held = t.app.transaction(async (trx) => {
      await trx('affiliates').where({ id: alice.id }).update({ note: 'held' });
      await sleep(1300);
    });
    await sleep(100);
    await t.admin.patch(`/affiliates/${alice.id}`).send({ note: 'waited' }).expect(200);
    await held;
    expect(t.log.filter(({ message }) => message === 'A transaction took long.')).toContainEqual({
      level: 'warn',
      message: 'A transaction took long.',
      fields: expect.objectContaining({ route: 'affiliates.update', request_id: expect.any(String) }),
    });
    await t.close();
  });
});

describe('a server that ends transactions which stand still', () => {
  if (testEngine() !== 'postgres') {
    it('is PostgreSQL', () => {
      expect(testEngine()).not.toBe('postgres');
    });
    return;
  }
  it('is tried again, and answered 503 when it goes on (25P03)', async () => {
    const own = await testDatabase({ purpose: 'idle', shared: true });
    const connection = { connectionString: own.connection, idle_in_transaction_session_timeout: 50 };
    const t = await startApp({ database: { ...own, connection } as never, shared: true });
    const alice = await t.records.affiliate({ user_id: 2 });
    // the process stands still inside the transaction, wherever that asks for the time
    const now = t.clock.now.bind(t.clock);
    let stops = 0;
    t.clock.now = () => {
      if (stops > 0) {
        stops -= 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
      }
      return now();
    };
    const change = (note: string) => t.admin.patch(`/affiliates/${alice.id}`).send({ note });
    stops = Infinity;
    const { body, headers } = await change('never').expect(503);
    expect([body.code, headers['retry-after']]).toEqual(['busy', expect.any(String)]);
    stops = 0;
    await change('later').expect(200);
    expect(await t.service.affiliates.get(alice.id)).toMatchObject({ note: 'later' });
    await t.close();
  }, 60_000);
});

inFiles('mails that failed for good', () => {
  it('show in doctor and risks, and are sent again in bulk', async () => {
    const { connection, database } = newFile();
    const smtp = await startSmtp();
    const options = {
      database,
      keep: true,
      shared: true,
      smtp: { host: '127.0.0.1', port: smtp.port, from: 's@shop.test' },
    };
    const t = await startApp(options);
    smtp.refuse = 550;
    await t.records.affiliate({ user_id: 2, status: 'pending' });
    t.clock.advance(60_000);
    await t.service.emails.deliverDue();
    await t.close();

    expect(await cli('outbox', '--database', connection)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/mail +dead +2/),
    });
    const doctor = await cli('doctor', '--database', connection);
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining('warning mails_failed')]);
    expect(await cli('outbox', '--database', connection, '--retry-dead')).toMatchObject({
      code: 0,
      err: expect.stringContaining('2 messages are queued again'),
    });
    smtp.refuse = null;
    const again = await startApp(options);
    again.clock.time = Date.now() + 1000;
    expect(await again.service.emails.deliverDue()).toBe(2);
    await again.service.emails.bounced('alice@shop.test');
    await again.close();
    const after = await cli('doctor', '--database', connection);
    expect([after.code, after.out]).toEqual([0, expect.stringContaining('warning mails_bounced')]);
    await smtp.close();
  });
});

describe('mails without a mailer', () => {
  it('are skipped, and say why', async () => {
    const t = await startApp();
    Object.assign(t.host, { mail: undefined });
    await t.records.affiliate({ user_id: 2, status: 'pending' });
    t.clock.advance(60_000);
    await t.service.emails.deliverDue();
    const { body } = await t.admin.get('/system/outbox').expect(200);
    const states = body.entries.data.map((each: { status: string; last_error: string }) => [
      each.status,
      each.last_error,
    ]);
    expect(states).toEqual([
      ['skipped', 'no_mailer'],
      ['skipped', 'no_mailer'],
    ]);
  });
});

inFiles('a lost secret', () => {
  it('is named to the administrator and in the log, where a webhook cannot be signed', async () => {
    const { database } = newFile();
    const options = { database, keep: true, shared: true, events: { allowPrivateNetworks: true } };
    const receiver = await startReceiver();
    const first = await startApp(options);
    const endpoint = { url: receiver.url, events: ['*'], confirm: true };
    const { body } = await first.admin.post('/settings/webhooks').send(endpoint).expect(200);
    const { id } = body.webhook;
    await first.close();

    const t = await startApp({
      ...options,
      secret: 'another secret that is long enough',
      secrets: 'replace',
    });
    const shown = await t.admin.get(`/settings/webhooks/${id}/secret`);
    expect([shown.body.code, shown.body.message]).toEqual([
      'webhook_secret_lost',
      expect.stringContaining('`secret`'),
    ]);
    const tested = await t.admin.post(`/settings/webhooks/${id}/test`).expect(200);
    expect(tested.body).toMatchObject({ delivered: false, error: expect.stringContaining('`secret`') });
    await t.records.affiliate({ user_id: 2 });
    t.clock.advance(60_000);
    await t.service.webhooks.lineUp();
    await t.service.webhooks.deliverDue();
    const { body: listed } = await t.admin.get(`/settings/webhooks/${id}/deliveries`).expect(200);
    expect(listed.deliveries.data[0].error).toContain('`secret`');
    expect(t.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'an event could not be delivered' }),
    );
    expect(receiver.received).toEqual([]);
    await t.close();
    await receiver.close();
  });
});

describe('a full disk', () => {
  it('is `busy` for calls from code, too', async () => {
    const t = await startApp();
    if (testEngine() !== 'sqlite') return; // its response is tested in closed-routes.test.ts
    const { knex } = t.app.db;
    const [{ page_count: pages }] = (await knex.raw('pragma page_count')) as [{ page_count: number }];
    await knex.raw(`pragma max_page_count = ${pages}`);
    const failures: unknown[] = [];
    for (let n = 0; n < 60; n += 1)
      await t.service.groups
        .create({ meta_key: `G${n} ${'x'.repeat(150)}`, rate_type: 'percentage', rate: 5 })
        .catch((error: unknown) => failures.push(error));
    await knex.raw('pragma max_page_count = 1073741823');
    expect(failures.length).toBeGreaterThan(0);
    expect(failures[0]).toMatchObject({ code: 'busy', status: 503 });
  });
});

describe('a process that stops', () => {
  it('ends kept-alive connections with its answer', async () => {
    const t = await startApp({ shared: true });
    await t.service.close();
    const { headers } = await request(t.server).get(`${t.service.basePath}/affiliates`).expect(503);
    expect(headers['connection']).toBe('close');
    await t.close();
  });
});

describe('an older process beside a newer schema', () => {
  it('says so in its log, its risks and the commands', async () => {
    const { connection, database } = testEngine() === 'sqlite' ? newFile() : await serverDatabase();
    const first = await startApp({ database, shared: true });
    await first.app.db('schema_steps').insert({ id: '999-later', applied_at: 1 });
    await first.close();
    const t: TestApp = await startApp({ database, keep: true, shared: true, migrate: false });
    expect(t.log).toContainEqual({
      level: 'warn',
      message: expect.stringContaining('newer than this version'),
      fields: { steps: ['999-later'] },
    });
    expect((await t.service.risks()).map(({ code }) => code)).toContain('schema_newer');
    for (const command of ['doctor', 'schema']) {
      const { out, err } = await cli(command, '--database', connection);
      expect([command, out + err]).toEqual([command, expect.stringContaining('newer than this version')]);
      expect(out).not.toContain('up to date');
    }
    await t.app.db('schema_steps').where({ id: '999-later' }).delete();
    await t.close();
  });
});

async function serverDatabase(): Promise<{
  connection: string;
  database: Awaited<ReturnType<typeof testDatabase>>;
}> {
  const database = await testDatabase({ purpose: 'newer', shared: true });
  return { connection: database.connection, database };
}
