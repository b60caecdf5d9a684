import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from './support/app.js';
import { order, startCommerce } from './support/commerce.js';

// Every statement costs time. Those that are sent one after the other also wait for a round trip each.
// Statements that do not need each other's answers are sent at once: before a transaction on every database,
// inside one on PostgreSQL and SQLite in a file. The counters of the day are written last, by themselves: other
// transactions then wait for them only while this one commits.

const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0 Safari/537.36',
  Accept: 'text/html',
  'Sec-Fetch-Dest': 'document',
};
const BEGIN_AND_COMMIT = 2;

describe('the number of statements, without begin and commit, of', () => {
  let t: TestApp;
  let affiliateId: number;
  beforeEach(async () => {
    t = await startApp();
    affiliateId = (await t.records.affiliate({ user_id: 2, status: 'active' })).id;
  });

  /**
   * What the second of two like requests sends, and how often it waits for the database (also for begin and
   * commit): the first request fills what is kept in memory.
   */
  async function sentBy(work: () => Promise<unknown>): Promise<{ statements: string[]; waits: number }> {
    await work();
    const statements: string[] = [];
    let waits = 0;
    let waiting = false; // what is sent in one turn is answered later
    const sent = ({ sql }: { readonly sql: string }): void => {
      if (/^\s*(?:select|insert|update|delete)\b/i.test(sql)) statements.push(sql);
      if (waiting) return;
      waits += 1;
      waiting = true;
      process.nextTick(() => {
        waiting = false;
      });
    };
    const { knex } = t.app.db;
    knex.on('query', sent);
    try {
      await work();
    } finally {
      knex.removeListener('query', sent);
    }
    return { statements, waits };
  }

  /** How often a request may wait: each statement for itself where the driver sends one at a time. */
  const atMost = (waits: number): number =>
    t.app.db.dialect.name === 'postgres' ? waits : Number.POSITIVE_INFINITY;

  let visitors = 0;
  const click = async (): Promise<string> => {
    visitors += 1;
    const answer = await request(t.server)
      .get(`/?ref=alice&visitor=${visitors}`)
      .set({ ...BROWSER, 'User-Agent': `${BROWSER['User-Agent']} v${visitors}` });
    return answer.get('Set-Cookie')?.[0]?.split(';')[0] ?? '';
  };
  const referral = { amount: '5.00', status: 'unpaid', type: 'sale', description: 'By hand' };
  const isMysql = (): boolean => t.app.db.dialect.name === 'mysql';

  /** Which statements share a wait also depends on the moment: the fewest waits of three tries. */
  const fewestWaits = async (act: () => Promise<unknown>): ReturnType<typeof sentBy> => {
    const tries = [await sentBy(act), await sentBy(act), await sentBy(act)];
    return tries.reduce((best, each) => (each.waits < best.waits ? each : best));
  };

  it('a known visitor: none', async () => {
    const Cookie = await click();
    expect(Cookie).not.toBe('');
    const known = (): Promise<unknown> =>
      Promise.resolve(
        request(t.server)
          .get('/?ref=alice')
          .set({ ...BROWSER, Cookie })
          .expect(200),
      );

    expect(await sentBy(known)).toEqual({ statements: [], waits: 0 });
  });

  it('a click: counter (the lock), repeats, limit of the address, visit, day, key', async () => {
    const { statements, waits } = await fewestWaits(click);
    expect(statements).toHaveLength(isMysql() ? 7 : 6); // MySQL returns no count where it writes it
    expect(waits).toBeLessThanOrEqual(atMost(6 + BEGIN_AND_COMMIT));
  });

  it('GET of an affiliate: its row, what it earned in other currencies, its coupons', async () => {
    const read = (): Promise<unknown> => Promise.resolve(t.admin.get(`/affiliates/${affiliateId}`));
    expect((await sentBy(read)).statements).toHaveLength(3);
  });

  it('POST of a referral: the affiliate before and under the lock, its row and the books, the answer', async () => {
    const post = (): Promise<unknown> =>
      Promise.resolve(
        t.admin
          .post('/referrals')
          .send({ ...referral, affiliate_id: affiliateId })
          .expect(200),
      );

    const { statements, waits } = await fewestWaits(post);
    expect(statements.length).toBeLessThanOrEqual(12);
    expect(waits).toBeLessThanOrEqual(atMost(6 + BEGIN_AND_COMMIT));
  });

  it('PATCH of a referral: it, its affiliate and order, the row and the books, the answer', async () => {
    const { id } = await t.records.referral({ ...referral, affiliate_id: affiliateId });
    let amount = 5;
    const patch = (): Promise<unknown> =>
      Promise.resolve(
        t.admin
          .patch(`/referrals/${id}`)
          .send({ amount: String((amount += 1)) })
          .expect(200),
      );

    const { statements, waits } = await fewestWaits(patch);
    expect(statements.length).toBeLessThanOrEqual(11);
    expect(waits).toBeLessThanOrEqual(atMost(6 + BEGIN_AND_COMMIT));
  });

  it('a conversion of a new buyer: 6 look before the transaction, 18 in it', async () => {
    const Cookie = await click();
    const convert = (): Promise<unknown> =>
      t.service.conversions.record({ headers: { cookie: Cookie } } as never, {
        provider: 'shop',
        reference: randomUUID(),
        type: 'sale',
        status: 'unpaid',
        order: { subtotal: '100.00' },
        customer: { email: `${randomUUID()}@example.test` },
      });

    const { statements, waits } = await fewestWaits(convert);
    expect(statements.length).toBeLessThanOrEqual(24);
    expect(waits).toBeLessThanOrEqual(atMost(12 + BEGIN_AND_COMMIT));
  });

  it("a shop's order of a new buyer: what the order costs, and the delivery", async () => {
    const shop = await startCommerce();
    t = shop;
    const token = await shop.token();
    const deliver = async (): Promise<void> => {
      const customer = { email: `${randomUUID()}@example.test`, name: 'Jo Buyer' };
      const paid = order({ id: randomUUID(), attribution: { token }, customer });
      await shop.send({ type: 'order.paid', order: paid }).expect(200);
    };

    const { statements } = await sentBy(deliver);
    expect(statements.length).toBeLessThanOrEqual(36);
    // What is due is computed once, before the order is stored, so an order that was just inserted is not read again.
    expect(statements.filter((sql) => /^select.*from [`"]fa_order_facts/i.test(sql))).toEqual([]);
    expect(statements.filter((sql) => /^update [`"]fa_(?:orders|referrals)[`"]/i.test(sql))).toEqual([]);
  });
});
