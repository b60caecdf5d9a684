import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { DatabaseOption } from '../../src/index.js';
import { dump } from '../imports/dump.js';
import { killUntilDone, live } from '../imports/kills.js';
import { affiliateWp } from '../imports/fixtures.js';
import { buildSite } from '../imports/old-site.js';
import { startApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const target = (name: string): DatabaseOption => ({
  client: 'better-sqlite3',
  connection: join(folder, `${name}.sqlite`),
});
const result = async (database: DatabaseOption): Promise<unknown> => {
  const t = await startApp({ database, keep: true });
  return dump(t.app.db);
};

const KILLS = Number(process.env['TEST_KILLS'] ?? 5); // each one is a process of its own

it('gives the same result however often it is killed on the way', async () => {
  const site = await buildSite(
    'sqlite',
    'kills',
    { affiliates: 150, referrals: 2000, visits: 3000 },
    affiliateWp,
  );
  const whole = await live(site, 'affiliate_wp', target('whole'), null);
  expect(whole).toMatchObject({ killed: false, violations: [] });
  const kills = await killUntilDone(site, 'affiliate_wp', target('killed'), {
    kills: KILLS,
    statements: whole.statements,
  });
  expect(kills).toBe(KILLS);
  expect(await result(target('killed'))).toEqual(await result(target('whole')));
  await site.drop();
}, 300_000);
