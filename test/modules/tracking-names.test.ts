import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { configure } from '../support/shop.js';
import { startApp, type TestApp } from '../support/app.js';
import { cookieOf, cookieParts, trackedSite } from '../support/tracker.js';
import { storedText } from '../support/rows.js';

// docs/tracking.md §1: what ever credited one affiliate never credits another one.

let t: TestApp;
let alice: { id: number };

beforeEach(async () => {
  t = await startApp();
  await configure(t, { referral_format: 'username' });
  alice = await t.records.affiliate({ user_id: 2 });
});

/** Another address for each visitor, so that nobody is a known one. */
let visitors = 0;
const click = async (value: string): Promise<string> =>
  cookieOf(
    await trackedSite(t.app).open(`/?ref=${encodeURIComponent(value)}`, {
      'X-Forwarded-For': `203.0.113.${(visitors += 1)}`,
    }),
  );
const credited = async (cookie: string): Promise<number | null> =>
  (await t.service.tracking.attribution({ headers: { cookie } } as IncomingMessage))?.affiliate.id ?? null;
const creditedBy = async (value: string): Promise<number | null> => credited(await click(value));

/** The host gives the user another login, and the old one to user 6. */
function rename(): void {
  t.host.removeUser(2);
  t.host.addUser({ id: 2, login: 'alicia', email: 'alice@shop.test', display_name: 'Alice' });
  t.host.addUser({ id: 6, login: 'alice', email: 'new@shop.test', display_name: 'New' });
  t.clock.advance(3_600_000);
}
const portalOf = async (user: number) => (await t.as(user).get('/portal/links').expect(200)).body;

describe('a login that is given again', () => {
  it('credits the affiliate it credited first, by old links and old cookies', async () => {
    const before = await click('alice');
    expect(cookieParts(before)[0]).toBe(String(alice.id));
    rename();
    const other = await t.records.affiliate({ user_id: 6 });
    expect(await credited(before)).toBe(alice.id);
    expect([await creditedBy('alice'), await creditedBy('ALICE'), await creditedBy('alicia')]).toEqual([
      alice.id,
      alice.id,
      alice.id,
    ]);
    expect(await portalOf(6)).toMatchObject({
      link: `https://shop.test/?ref=${other.id}`,
      login_taken: 'alice',
    });
    expect(await creditedBy(String(other.id))).toBe(other.id);
    const own = await portalOf(2);
    expect([own.link, own.login_taken]).toEqual(['https://shop.test/?ref=alicia', undefined]);
  });

  it('counts as credited when it was shown in a link', async () => {
    rename();
    expect((await portalOf(2)).link).toBe('https://shop.test/?ref=alicia');
    t.host.removeUser(2);
    t.host.addUser({ id: 2, login: 'ali', email: 'alice@shop.test', display_name: 'Alice' });
    t.host.addUser({ id: 7, login: 'alicia', email: 'seven@shop.test', display_name: 'Seven' });
    await t.records.affiliate({ user_id: 7 });
    expect(await creditedBy('alicia')).toBe(alice.id);
  });

  it('moves in a merge', async () => {
    const bob = await t.records.affiliate({ user_id: 3 });
    await t.service.affiliates.merge(bob.id, alice.id);
    rename();
    await t.records.affiliate({ user_id: 6 });
    expect(await creditedBy('alice')).toBe(bob.id);
  });

  it('credits nobody when its affiliate was deleted, until the same user has an account again', async () => {
    await t.admin.delete(`/affiliates/${alice.id}`).expect(200);
    expect(await storedText(t, 'affiliate_names')).not.toContain('alice');
    const again = await t.records.affiliate({ user_id: 2 });
    expect(await creditedBy('alice')).toBe(again.id);
    await t.admin.delete(`/affiliates/${again.id}`).expect(200);
    rename();
    await t.records.affiliate({ user_id: 6 });
    expect(await creditedBy('alice')).toBeNull();
  });
});

describe('an own name', () => {
  const named = (id: number, custom_param: string) =>
    t.admin.patch(`/affiliates/${id}`).send({ custom_param });

  it('that is the login of a later affiliate stays with the first one', async () => {
    await named(alice.id, 'bob').expect(200);
    expect(await creditedBy('bob')).toBe(alice.id);
    const bob = await t.records.affiliate({ user_id: 3 });
    expect(await creditedBy('bob')).toBe(alice.id);
    expect(await portalOf(3)).toMatchObject({ link: `https://shop.test/?ref=${bob.id}`, login_taken: 'bob' });
  });

  it('cannot be a name that another affiliate has or had', async () => {
    const bob = await t.records.affiliate({ user_id: 3 });
    await named(bob.id, 'first').expect(200);
    await named(bob.id, 'second').expect(200);
    for (const taken of ['first', 'second', 'bob']) {
      const { body } = await named(alice.id, taken).expect(422);
      expect(body.errors).toEqual({
        custom_param: { taken: 'Another affiliate uses or used this link name.' },
      });
    }
    await t.admin.delete(`/affiliates/${bob.id}`).expect(200);
    await named(alice.id, 'first').expect(422);
  });
});

describe('pasted links', () => {
  it.each([
    '/?ref=1/',
    '/?ref=1.',
    '/?ref=1)',
    '/?ref=alice),',
    '/?a=b&amp;ref=1',
    '/?REF=1',
    '/?a=b&amp;amp;Ref=alice',
    '/?ref=%E2%80%8B1%EF%BB%BF',
    '/?ref=&REF=1',
  ])('%s is read', async (path) => {
    const answer = await trackedSite(t.app).open(path);
    expect(await credited(cookieOf(answer))).toBe(alice.id);
    await t.service.tracking.flush();
    const { body } = await t.admin.get('/visits').expect(200);
    expect(String(body.visits.data[0].url).toLowerCase()).not.toContain('ref=');
  });

  it('name a login with such an end exactly, if there is one', async () => {
    t.host.addUser({ id: 8, login: 'alice.', email: 'dot@shop.test', display_name: 'Dot' });
    const dot = await t.records.affiliate({ user_id: 8 });
    expect(await creditedBy('alice.')).toBe(dot.id);
  });
});

describe('the link variable', () => {
  it.each(['réf', 'a b', 'ref2', 'utm_source', 'visit_id', '-', 'a&b'])('%s is refused', async (name) => {
    const { body } = await t.admin
      .post('/settings/referral-config')
      .send({ referral_config: { referral_variable: name } })
      .expect(422);
    expect(Object.keys(body.errors)).toEqual(['referral_variable']);
    expect(JSON.stringify(body)).not.toContain(name === '-' ? '"-"' : name);
  });

  it('goes on crediting when it is replaced, and the settings say so', async () => {
    await configure(t, { referral_variable: 'via' });
    await configure(t, { referral_variable: 'partner' });
    for (const name of ['ref', 'via', 'partner'])
      expect(await credited(cookieOf(await trackedSite(t.app).open(`/?${name}=alice`)))).toBe(alice.id);
    const { body } = await t.admin.get('/settings/referral-config').expect(200);
    expect(body.former_variables).toEqual(['via', 'ref']);
    expect((await t.service.tracking.trackerVars())['old_params']).toEqual([
      ['via', ''],
      ['ref', ''],
    ]);
    await configure(t, { referral_variable: 'ref' });
    expect((await t.admin.get('/settings/referral-config')).body.former_variables).toEqual([
      'partner',
      'via',
    ]);
  });
});

it('compares coupons however their codes are spelled', async () => {
  await t.service.conversions.bindCoupon('shop', 'Café&10', alice.id);
  for (const [at, code] of ['café&10', 'CAFE\u0301&amp;10', ' café\u200B&#038;10 '].entries()) {
    const { referral } = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: `C-${at}`,
      order: { subtotal: '10.00' },
      coupon: code,
    });
    expect(referral?.affiliate_id).toBe(alice.id);
  }
});
