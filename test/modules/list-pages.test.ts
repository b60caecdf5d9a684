import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn } from '../support/payouts.js';

// Behind the middle a list is read from its end; the pages together must still be the list, nulls last.

async function pagesOf(t: TestApp, list: 'visits' | 'referrals', query: string): Promise<{ whole: number[]; paged: number[] }> {
  const ids = async (page: string): Promise<number[]> =>
    (await t.admin.get(`/${list}?${query}&${page}`).expect(200)).body[list].data.map((row: { id: number }) => row.id);
  const whole = await ids('per_page=200');
  const paged: number[] = [];
  for (let page = 1; page <= Math.ceil(whole.length / 3); page++) paged.push(...await ids(`per_page=3&page=${page}`));
  return { whole, paged };
}

it('shows every visit on exactly one page, whichever end it is read from', async () => {
  const t = await startApp();
  const { id } = await affiliate(t, 2);
  for (let at = 0; at < 10; at++) await t.records.visit({ affiliate_id: id, utm_campaign: at % 3 === 0 ? null : `c${at % 2}`, url: `https://shop.test/${at % 4}` });

  for (const column of ['id', 'created_at', 'affiliate_id', 'utm_campaign', 'utm_source', 'url']) {
    for (const type of ['ASC', 'DESC']) {
      const { whole, paged } = await pagesOf(t, 'visits', `order_by=${column}&order_type=${type}`);
      expect(whole).toHaveLength(10);
      expect(paged).toEqual(whole);
    }
  }
  const { whole } = await pagesOf(t, 'visits', 'order_by=utm_campaign&order_type=DESC');
  expect(whole.slice(-4)).toEqual([10, 7, 4, 1]);
});

it('shows every referral on exactly one page, whichever end it is read from', async () => {
  const t = await startApp();
  const { id } = await affiliate(t, 2);
  for (let at = 0; at < 10; at++) await earn(t, id, 100 + at % 3, at % 2 === 0 ? { provider: 'shop', provider_id: String(at % 4) } : {});

  for (const column of ['id', 'created_at', 'amount', 'order_total', 'status', 'provider', 'provider_id', 'affiliate_id']) {
    for (const type of ['ASC', 'DESC']) {
      const { whole, paged } = await pagesOf(t, 'referrals', `order_by=${column}&order_type=${type}`);
      expect(whole).toHaveLength(10);
      expect(paged).toEqual(whole);
    }
  }
});
