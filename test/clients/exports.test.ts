import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';

const EXPORTS = [
  ['/affiliates/export', 'affiliates'],
  ['/referrals/export', 'referrals'],
  ['/visits/export', 'visits'],
  ['/payouts/1/transactions-export', 'transactions'],
] as const;
const NAVIGATION = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function filled(): Promise<TestApp> {
  const t = await startApp();
  const { id } = await t.records.affiliate({ user_id: 2 });
  await t.records.visit({ affiliate_id: id });
  await t.records.referral({ affiliate_id: id });
  await t.records.payout();
  return t;
}

describe.each(EXPORTS)('%s', (path, name) => {
  it.each([
    ['a script of the existing client', '?query_timestamp=1768489200000', { Accept: '*/*' }, 'json'],
    ['a script that marks itself', '', { Accept: '*/*', 'X-Requested-With': 'XMLHttpRequest' }, 'json'],
    ['a caller that names JSON', '', { Accept: 'application/json' }, 'json'],
    ['a browser', '', { Accept: NAVIGATION }, 'csv'],
    ['a caller without wishes', '', { Accept: '*/*' }, 'csv'],
    ['a caller without the header', '', {}, 'csv'],
    ['a script that wants the file', '?query_timestamp=1&format=csv', { Accept: '*/*' }, 'csv'],
    ['a script that names CSV', '?query_timestamp=1', { Accept: 'text/csv' }, 'csv'],
    ['a script that names both', '', { Accept: 'text/csv, application/json' }, 'json'],
    ['a link that wants rows', '?format=json', { Accept: NAVIGATION }, 'json'],
  ] as const)('for %s', async (_who, query, headers, form) => {
    const t = await filled();
    const answer = await request(t.server)
      .get(t.service.basePath + path + query)
      .set({ ...t.headers(1), ...headers })
      .expect(200);
    if (form === 'csv') {
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(answer.headers['x-export-total']).toBe('1');
    } else {
      expect(answer.body).toMatchObject({ limited: false, total: 1 });
      expect(answer.body[name]).toHaveLength(1);
    }
  });
});
