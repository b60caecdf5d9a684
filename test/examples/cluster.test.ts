import { spawnSync } from 'node:child_process';
import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createKnex from 'knex';
import { dropTables, testDatabase, testEngine } from '../support/databases.js';
import type { Wire } from '../support/records.js';
import { startExample, type RunningExample } from './start-example.mjs';

const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Accept: 'text/html,application/json',
};

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Wire;
  readonly worker: string;
}

/** Over a connection of its own, so that any worker may get it. */
function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: object } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method, agent: new Agent(), headers: { ...BROWSER, 'Content-Type': 'application/json', ...headers } },
      (answer) => {
        let text = '';
        answer
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part;
          })
          .on('end', () => {
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: /^[[{]/.test(text) ? JSON.parse(text) : text,
              worker: String(answer.headers['x-worker']),
            });
          });
      },
    );
    call.on('error', reject);
    call.end(body === undefined ? '' : JSON.stringify(body));
  });
}

describe('examples/cluster', () => {
  it('says what it needs when no database server is named', () => {
    const script = fileURLToPath(new URL('../../examples/cluster/dist/server.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script], {
      encoding: 'utf8',
      env: { ...process.env, POSTGRES_URL: '', MYSQL_URL: '' },
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('set POSTGRES_URL=postgres://… or MYSQL_URL=mysql://…'),
    ]);
  });
});

// The others are about a database server.
if (testEngine() !== 'sqlite') {
  describe('examples/cluster on a server', () => {
    let example: RunningExample;
    let orders: { readonly reference: string; readonly id: number }[] = [];
    beforeAll(async () => {
      const { client, connection } = await testDatabase({ purpose: 'example', shared: true });
      const knex = createKnex({ client, connection });
      await dropTables(knex, 'fa_');
      await knex.destroy();
      example = await startExample('cluster', {
        [testEngine() === 'postgres' ? 'POSTGRES_URL' : 'MYSQL_URL']: connection,
        WORKERS: '3',
        POOL: '3',
      });
    });
    afterAll(async () => {
      await example.stop('SIGKILL');
    });

    const at = (path: string): string => example.url + path;
    /** Asks until a worker other than these answers. */
    async function elsewhere(ask: () => Promise<Answer>, not: readonly string[] = []): Promise<Answer> {
      for (;;) {
        const answer = await ask();
        if (!not.includes(answer.worker)) return answer;
      }
    }
    async function buy(cookie?: string): Promise<Answer> {
      const answer = await send(at('/buy'), {
        method: 'POST',
        body: { reference: crypto.randomUUID() },
        ...(cookie && { headers: { Cookie: cookie } }),
      });
      if (answer.body.referral)
        orders = [...orders, { reference: answer.body.reference, id: answer.body.referral.id }];
      return answer;
    }

    it('credits the click of one worker to the order of another', async () => {
      const click = await elsewhere(() => send(at('/?ref=1')));
      const cookie = String(click.headers['set-cookie']).split(';')[0];
      const sale = await elsewhere(() => buy(cookie), [click.worker]);

      expect(sale.body.referral).toMatchObject({ affiliate_id: 1, amount: 10, status: 'unpaid' });
      expect(sale.body.referral.visit_id).toBe(Number(decodeURIComponent(cookie ?? '').split('|')[1]));
    });

    it('takes the session and the nonce of one worker in the others', async () => {
      const {
        body: { cookie, nonce },
        worker,
      } = await send(at('/sign-in/admin'));
      const list = (token: string): Promise<Answer> =>
        send(at('/wp-json/affiliate-service/v2/affiliates'), {
          headers: { Cookie: cookie, 'X-WP-Nonce': token },
        });
      const there = await elsewhere(() => list(nonce), [worker]);

      expect([there.status, there.body.affiliates.total]).toEqual([200, 1]);
      expect((await elsewhere(() => list('wrong'), [worker])).status).toBe(403);
    });

    it('replaces a worker that is killed, and loses no order it has answered', async () => {
      const click = await send(at('/?ref=1'), { headers: { 'X-Forwarded-For': '198.51.100.7' } });
      const cookie = String(click.headers['set-cookie']).split(';')[0];
      const buying = Array.from({ length: 30 }, () => buy(cookie).catch(() => null));
      await Promise.race(buying);
      process.kill(Number(click.worker), 'SIGKILL');
      await Promise.all(buying);
      while (!example.output().includes('ended (SIGKILL), starting another'))
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });

      const seen = new Set<string>();
      // three again
      while (seen.size < 3) seen.add((await elsewhere(() => send(at('/')), [click.worker])).worker);
      expect((await send(at('/books'))).body).toEqual({ violations: [] });
    });

    it('answers accepted requests when it is asked to stop, and ends in order', async () => {
      const click = await send(at('/?ref=1'), { headers: { 'X-Forwarded-For': '198.51.100.8' } });
      const cookie = String(click.headers['set-cookie']).split(';')[0];
      const buying = Array.from({ length: 12 }, () => buy(cookie).catch(() => null));
      await Promise.race(buying);
      expect(await example.stop()).toBe(0);
      await Promise.all(buying);

      const { client, connection } = await testDatabase({ purpose: 'example', shared: true });
      const knex = createKnex({ client, connection });
      const rows: { id: number | string; provider_id: string }[] = await knex('fa_referrals').select(
        'id',
        'provider_id',
      );
      const leases: { owner: string | null }[] = await knex('fa_job_leases').select('owner');
      await knex.destroy();
      const stored = new Map(rows.map((row) => [row.provider_id, Number(row.id)]));
      expect(orders.length).toBeGreaterThan(1);
      expect(orders.filter(({ reference, id }) => stored.get(reference) !== id)).toEqual([]);
      // of the worker that was killed, at most
      expect(leases.filter(({ owner }) => owner !== null).length).toBeLessThanOrEqual(1);
    });
  });
}
