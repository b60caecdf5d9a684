import { beforeEach, expect, it } from '@jest/globals';
import type { Affiliate } from '../../src/program/affiliates/types.js';
import { startApp, type TestApp } from '../support/app.js';

let t: TestApp;
let alice: Affiliate;

beforeEach(async () => {
  t = await startApp();
  alice = await t.app.affiliates.get((await t.records.affiliate({ user_id: 2 })).id);
});

const format = (referral_format: string): Promise<unknown> =>
  t.admin.post('/settings/referral-config').send({ referral_config: { referral_format } }).expect(200);

it('builds the default link in the configured format', async () => {
  expect(await t.app.tracking.shareUrlOf(alice)).toBe(`https://shop.test/?ref=${alice.id}`);
  await format('username');
  expect(await t.app.tracking.shareUrlOf(alice)).toBe('https://shop.test/?ref=alice');
  expect(await t.app.tracking.shareUrlOf({ ...alice, user_id: null })).toBe('https://shop.test/?ref=');
});

it('starts where an extension says', async () => {
  t.service.hooks.addFilter('default_share_url', () => 'https://shop.test/start?x=1');

  expect(await t.app.tracking.shareBaseOf(alice)).toBe('https://shop.test/start?x=1');
  expect(await t.app.tracking.shareUrlOf(alice)).toBe(`https://shop.test/start?x=1&ref=${alice.id}`);
});

it.each([
  [undefined, 'https://shop.test/?ref=ID'],
  ['/a/page.html', 'https://shop.test/a/page.html?ref=ID'],
  ['https://shop.test/a/?ref=9&b=1#part', 'https://shop.test/a/?ref=ID&b=1#part'],
  ['https://evil.test/', null],
  ['//evil.test/', null],
  ['http://shop.test/', null],
  ['https://jo:pw@shop.test/', null],
  ['javascript:alert(1)', null],
  ['https://[', null],
])('links to %s as %s', async (page, expected) => {
  expect(await t.app.tracking.buildShareUrl(alice, page)).toBe(
    expected?.replace('ID', String(alice.id)) ?? null,
  );
});

it('links to another site with the parameter of that site', async () => {
  const site = { url: 'https://child.test/shop/', param: 'via' };

  expect(await t.app.tracking.buildShareUrl(alice, undefined, site)).toBe(
    `https://child.test/shop/?via=${alice.id}`,
  );
  expect(await t.app.tracking.buildShareUrl(alice, 'https://child.test/x', site)).toBe(
    `https://child.test/x?via=${alice.id}`,
  );
  expect(await t.app.tracking.buildShareUrl(alice, 'https://shop.test/', site)).toBeNull();
});

it('finds the affiliate of every link it builds, also after the format was changed', async () => {
  const links: string[] = [];
  for (const each of ['id', 'username']) {
    await format(each);
    links.push(new URL(await t.app.tracking.shareUrlOf(alice)).searchParams.get('ref') ?? '');
  }

  for (const value of links) expect((await t.app.tracking.resolveParam(value))?.id).toBe(alice.id);
});

it('gives extensions the last word on a value', async () => {
  t.service.hooks.addFilter('affiliate_by_param', (found, param) =>
    param === 'vip' ? alice : param === 'alice' ? null : found,
  );

  expect((await t.app.tracking.resolveParam('vip'))?.id).toBe(alice.id);
  expect(await t.app.tracking.resolveParam('alice')).toBeNull();
  expect((await t.app.tracking.resolveParam(alice.id))?.id).toBe(alice.id);
});

it.each([null, undefined, '', '0', '-1', '1.5', '1e1', '0x1', {}, ['1'], true])(
  'finds nobody behind %p',
  async (value) => {
    expect(await t.app.tracking.resolveParam(value)).toBeNull();
  },
);
