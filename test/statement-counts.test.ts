import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from './support/app.js';

// Each statement is a round trip to a database server, and a message to a thread on SQLite.

const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0 Safari/537.36',
  Accept: 'text/html',
  'Sec-Fetch-Dest': 'document',
};

describe('the number of statements, without begin and commit, of', () => {
  let t: TestApp;
  let affiliateId: number;
  beforeEach(async () => {
    t = await startApp();
    affiliateId = (await t.records.affiliate({ user_id: 2, status: 'active' })).id;
  });

  /** What the second of two like requests sends: the first one fills what is kept in memory. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    await work();
    const seen: string[] = [];
    const note = ({ sql }: { readonly sql: string }): void => {
      if (/^\s*(?:select|insert|update|delete)\b/i.test(sql)) seen.push(sql);
    };
    t.app.db.knex.on('query', note);
    try {
      await work();
    } finally {
      t.app.db.knex.removeListener('query', note);
    }
    return seen;
  }

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

    expect(await statementsOf(known)).toEqual([]);
  });

  it('a click: counter (the lock), repeats, limit of the address, visit, day, key', async () => {
    expect((await statementsOf(click)).length).toBe(isMysql() ? 7 : 6); // MySQL tells no count where it writes it
  });

  it('GET of an affiliate: its row and what it earned in other currencies', async () => {
    expect(await statementsOf(() => Promise.resolve(t.admin.get(`/affiliates/${affiliateId}`)))).toHaveLength(
      2,
    );
  });

  it('POST of a referral: the affiliate before and under the lock, its row and the books, the answer', async () => {
    const post = (): Promise<unknown> =>
      Promise.resolve(
        t.admin
          .post('/referrals')
          .send({ ...referral, affiliate_id: affiliateId })
          .expect(200),
      );

    expect((await statementsOf(post)).length).toBeLessThanOrEqual(12);
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

    expect((await statementsOf(patch)).length).toBeLessThanOrEqual(11);
  });

  it('a conversion of a new buyer: 5 look before the transaction, 14 in it', async () => {
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

    expect((await statementsOf(convert)).length).toBeLessThanOrEqual(20);
  });
});
