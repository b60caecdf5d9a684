import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createKnex, { type Knex } from 'knex';
import { SITE_HEADERS, siteKey, siteSignature } from '../../src/core/site-signature.js';
import { createDatabase } from '../../src/platform/database/index.js';
import { emptyDatabase, testDatabase, testEngine } from '../support/databases.js';
import { sessionOf, type Order, type Outcome, type Start } from './worker.js';
import type { Wire } from '../support/records.js';

// Four processes on one database, each asked over HTTP.
// CLUSTER_CLICKS and CLUSTER_PROCESSES give the figures of a longer run.
const PROCESSES = Number(process.env['CLUSTER_PROCESSES'] ?? 4);
const CLICKS = Number(process.env['CLUSTER_CLICKS'] ?? 120);
const VISITORS = CLICKS / 12;
const START = Date.UTC(2026, 0, 15, 15);
const DAY = 86_400_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Wire;
}
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly text?: string;
}

class Process {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  #orders = 0;
  url = '';
  nonce = '';

  constructor(start: Start) {
    this.#child = fork(new URL('worker.ts', import.meta.url), [JSON.stringify(start)], {
      execArgv: ['--no-warnings', '--import', new URL('../support/ts-loader.mjs', import.meta.url).href],
    });
    this.#child.on('message', ({ id, value }: Outcome) => {
      this.#waiting.get(id)?.(value);
    });
  }

  async up(): Promise<void> {
    this.url = (await new Promise<unknown>((resolve) => {
      this.#waiting.set(0, resolve);
    })) as string;
  }

  ask(order: { readonly do: Order['do']; readonly time?: number }): Promise<unknown> {
    const id = ++this.#orders;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ ...order, id });
    });
  }

  async send(
    path: string,
    {
      method = 'GET',
      headers = {},
      body,
      text = body === undefined ? undefined : JSON.stringify(body),
    }: Sent = {},
  ): Promise<Answer> {
    const answer = await fetch(path.startsWith('/nonce') ? new URL(path, this.url) : this.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const content = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: /^[[{]/.test(content) ? JSON.parse(content) : content,
    };
  }

  /** As the administrator, with a nonce that the first process issued. */
  admin(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
    return this.send(path, {
      method,
      ...(body && { body }),
      headers: { Cookie: sessionOf(1), 'X-WP-Nonce': this.nonce, ...headers },
    });
  }

  click(visitor: string, address: string, param = '1'): Promise<Answer> {
    const headers = {
      'X-Forwarded-For': address,
      'User-Agent': `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 ${visitor}`,
      Origin: 'https://shop.test',
    };
    return this.send('/track', {
      method: 'POST',
      headers,
      body: { __aff_id__: param, url: 'https://shop.test/?ref=1' },
    });
  }

  async end(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}

let all: Process[];
let knex: Knex;
const at = (index: number): Process => all[index % PROCESSES]!;
const each = <T>(work: (process: Process, index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(all.map(work));
const rows = async (table: string): Promise<number> =>
  Number((await knex(`fa_${table}`).count({ n: '*' }).first())?.['n']);

beforeAll(async () => {
  const database = await testDatabase({ purpose: 'cluster', shared: true });
  const maker = createDatabase({
    database,
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log: quiet,
  });
  await maker.prepare();
  await emptyDatabase(maker.knex, 'fa_');
  await maker.close();
  knex = createKnex({
    client: database.client,
    connection: testEngine() === 'sqlite' ? { filename: database.connection } : database.connection,
    useNullAsDefault: true,
  });
  all = Array.from(
    { length: PROCESSES },
    () => new Process({ database: { ...database, pool: { min: 0, max: 3 } }, time: START }),
  );
  await each((process) => process.up());
  const { body } = await at(0).send('/nonce', { headers: { Cookie: sessionOf(1) } });
  for (const process of all) process.nonce = body.nonce;
  for (const user_id of [2, 3])
    await at(0).admin('/affiliates', {
      method: 'POST',
      body: { user_id, status: 'active', rate_type: 'default', payment_email: `u${user_id}@shop.test` },
    });
}, 120_000);
afterAll(async () => {
  await each((process) => process.end());
  await knex.destroy();
});

describe('several processes on one database', () => {
  it('count a visitor once, whichever of them hears of the click', async () => {
    const clicks = Array.from({ length: CLICKS }, (_, n) => ({
      visitor: n % VISITORS,
      process: at(Math.floor(n / VISITORS)),
    }));
    const answers = await Promise.all(
      clicks.map(async ({ visitor, process }) => ({
        visitor,
        ...(await process.click('', `10.1.${visitor >> 8}.${visitor & 255}`)).body,
      })),
    );

    expect(answers.filter(({ message }) => message !== 'success')).toEqual([]);
    const visitOf = new Map(answers.map(({ visitor, visit_id }) => [visitor, visit_id]));
    expect(answers.filter(({ visitor, visit_id }) => visit_id !== visitOf.get(visitor))).toEqual([]);
    expect([new Set(visitOf.values()).size, await rows('visits')]).toEqual([VISITORS, VISITORS]);
    expect(Number((await knex('fa_affiliates').first('visits').where({ id: 1 }))?.['visits'])).toBe(VISITORS);
  });

  it('let a hundred new visits of one address in, together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 110 }, (_, n) => at(n).click(`v${n}`, '192.0.2.1', '2')),
    );

    const times = (message: string): number => answers.filter(({ body }) => body.message === message).length;
    expect([times('success'), times('throttled')]).toEqual([100, 10]);
  });

  it('take the nonce of one of them in the others, and refuse a wrong one', async () => {
    expect((await each((process) => process.admin('/affiliates'))).map(({ status }) => status)).toEqual(
      all.map(() => 200),
    );
    expect((await at(2).admin('/affiliates', { headers: { 'X-WP-Nonce': 'wrong' } })).status).toBe(403);
  });

  it('see a changed setting within a second', async () => {
    const rates = (): Promise<number[]> =>
      each(async (process) => (await process.admin('/settings/referral-config')).body.config.rate);
    expect(new Set(await rates()).size).toBe(1);
    await at(0).admin('/settings/referral-config', {
      method: 'POST',
      body: { referral_config: { rate: 35 } },
    });

    await each((process) => process.ask({ do: 'time', time: START + 1000 }));

    expect(await rates()).toEqual(all.map(() => 35));
  });

  it('do an idempotent request once, sent to all at the same time and again later', async () => {
    const send = (process: Process): Promise<Answer> =>
      process.admin('/referrals', {
        method: 'POST',
        headers: { 'Idempotency-Key': 'one order' },
        body: { affiliate_id: 1, amount: 12, status: 'unpaid', type: 'sale', description: 'By hand' },
      });
    const answers = [...(await each(send)), await send(at(3))];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => answers[0]?.status));
    expect(new Set(answers.map(({ body }) => body.referral.id)).size).toBe(1);
    expect(await rows('referrals')).toBe(1);
  });

  it('know a site connected by one of them, and a signed request that another has taken', async () => {
    await at(0).admin('/settings/connected-sites-config', { method: 'PATCH', body: { status: 'yes' } });
    const { body: site } = await at(0).admin('/settings/connected-sites-config/issue', {
      method: 'POST',
      body: { site_url: 'https://store.test' },
    });
    await each((process) => process.ask({ do: 'time', time: START + 2000 }));
    const [path, timestamp, nonce] = [
      '/connected-sites/handshake',
      String(Math.floor((START + 2000) / 1000)),
      randomBytes(16).toString('base64url'),
    ];
    const signature = siteSignature(siteKey(site.site_id, site.server_token), {
      method: 'GET',
      path,
      timestamp,
      nonce,
      body: '',
    });
    const headers = {
      [SITE_HEADERS.siteId]: site.site_id,
      [SITE_HEADERS.timestamp]: timestamp,
      [SITE_HEADERS.nonce]: nonce,
      [SITE_HEADERS.signature]: signature,
    };

    expect((await at(1).send(path, { headers })).status).toBe(200);
    expect(await at(2).send(path, { headers })).toMatchObject({
      status: 401,
      body: { code: 'signature_replayed' },
    });
  });

  it('run each job that is due once, and send each mail once', async () => {
    const runs = async (): Promise<string[]> =>
      (await each((process) => process.ask({ do: 'jobs' }) as Promise<{ name: string; result: string }[]>))
        .flat()
        .map(({ name }) => name)
        .toSorted();
    const recurring = (names: readonly string[]): string[] =>
      names.filter(
        (name) =>
          !['deliver-mails', 'shop-events', 'line-up-events', 'deliver-events', 'long-work'].includes(name),
      );
    const first = recurring(await runs());
    expect(first.length).toBeGreaterThan(5);
    expect(new Set(first).size).toBe(first.length);
    expect(recurring(await runs())).toEqual([]); // nothing is due yet

    await each((process) => process.ask({ do: 'time', time: START + DAY + 60_000 }));
    expect(recurring(await runs())).toEqual(first);

    await runs(); // what another process was sending a moment ago
    const sent = (await each((process) => process.ask({ do: 'mails' }) as Promise<string[]>)).flat();
    const [row] = await knex('fa_outbox').where({ status: 'sent' }).count({ n: '*' });
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBe(Number(row?.['n']));
  });

  it('keep sound books', async () => {
    expect(await at(1).ask({ do: 'verify' })).toEqual([]);
    await each((process) => process.ask({ do: 'close' }));
  });
});
