import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { startApp, type TestApp } from '../support/app.js';
import { cookieOf, cookieParts, trackedSite } from '../support/tracker.js';
import { startBeside } from '../support/same-database.js';

let t: TestApp;
let alice: { id: number };
let bob: { id: number };

beforeEach(async () => {
  t = await startApp();
  alice = await t.records.affiliate({ user_id: 2 });
  bob = await t.records.affiliate({ user_id: 3 });
});

const clicked = async (app: TestApp, id: number): Promise<string> =>
  cookieOf(await trackedSite(app.app).open(`/?ref=${id}`).expect(200));
const encode = (parts: readonly unknown[]): string => `f_aff=${encodeURIComponent(parts.join('|'))}`;
const credited = (cookie: string, app: TestApp = t): ReturnType<TestApp['app']['tracking']['attribution']> =>
  app.app.tracking.attribution({ headers: { cookie } } as IncomingMessage);

describe('the attribution of a request', () => {
  it('is the affiliate, the visit and the time of the cookie', async () => {
    const cookie = await clicked(t, alice.id);

    expect(await credited(`other=1; ${cookie}; more=2`)).toMatchObject({
      affiliate: { id: alice.id },
      visit_id: Number(cookieParts(cookie)[1]),
      param: String(alice.id),
      clicked_at: Date.UTC(2026, 0, 15, 15),
    });
  });

  it('is nothing without a cookie', async () => {
    expect(await credited('')).toBeNull();
  });

  it('ends with the life of the cookie, however long the browser keeps it', async () => {
    const cookie = await clicked(t, alice.id);

    t.clock.time += 30 * 86_400_000;
    expect(await credited(cookie)).not.toBeNull();
    t.clock.time += 1000;
    expect(await credited(cookie)).toBeNull();
  });

  it('lives as long as extensions say', async () => {
    t.service.hooks.addFilter('cookie_expiration_days', () => 1);
    const cookie = await clicked(t, alice.id);

    t.clock.time += 86_400_000 + 1000;

    expect(await credited(cookie)).toBeNull();
  });

  it('does not credit an affiliate who became inactive', async () => {
    const cookie = await clicked(t, alice.id);
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200);

    expect(await credited(cookie)).toBeNull();
  });

  it('drops a visit that was purged, and keeps the affiliate', async () => {
    const cookie = await clicked(t, alice.id);
    await t.app.visits.purgeBefore(t.clock.time + 1);

    expect(await credited(cookie)).toMatchObject({ affiliate: { id: alice.id }, visit_id: null });
  });
});

describe('forged cookies', () => {
  it.each<[string, (parts: string[]) => unknown[]]>([
    ['another affiliate', ([, ...rest]) => [bob.id, ...rest]],
    ['another visit', ([param, , ...rest]) => [param, 999, ...rest]],
    ['a later time', ([param, visit, issued, sign]) => [param, visit, Number(issued) + 1, sign]],
    ['no signature', ([param, visit, issued]) => [param, visit, issued, '']],
    ['a shorter signature', ([param, visit, issued, sign = '']) => [param, visit, issued, sign.slice(1)]],
    ['another signature', ([param, visit, issued]) => [param, visit, issued, 'f'.repeat(64)]],
    ['two parts', ([param, visit]) => [param, visit]],
    ['three parts', ([param, visit, issued]) => [param, visit, issued]],
    ['five parts', (parts) => [...parts, 'x']],
    ['the JSON of an old script', () => [JSON.stringify({ fa_id: alice.id, visit_id: 1 })]],
    ['nothing', () => []],
    ['a long text', () => ['x'.repeat(5000)]],
  ])('with %s credit nobody', async (_name, change) => {
    const parts = cookieParts(await clicked(t, alice.id));

    expect(await credited(encode(change(parts)))).toBeNull();
  });

  it('credit nobody in ten thousand mutations', async () => {
    const cookie = await clicked(t, alice.id);
    const value = decodeURIComponent(cookie.slice('f_aff='.length));
    let random = 42;
    const next = (below: number): number => {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      return random % below;
    };
    const wins: string[] = [];
    for (let round = 0; round < 10_000; round++) {
      const at = next(value.length);
      const mutant = value.slice(0, at) + String.fromCharCode(33 + next(94)) + value.slice(at + 1 + next(3));
      if (mutant !== value && (await credited(encode([mutant]))) !== null) wins.push(mutant);
    }
    expect(wins).toEqual([]);
  });

  it('of another installation credit nobody', async () => {
    const other = await startApp({ secret: 'another-secret-of-another-site-0123' });
    const affiliate = await other.records.affiliate({ user_id: 2 });
    const cookie = await clicked(other, affiliate.id);

    expect(await credited(cookie)).toBeNull();
  });

  it('from the future credit nobody', async () => {
    const cookie = await clicked(t, alice.id);
    t.clock.time -= 3_600_000;

    expect(await credited(cookie)).toBeNull();
  });
});

it('accepts unsigned cookies of another system only with the option', async () => {
  const moved = await startApp({ tracking: { cookie: { acceptUnsigned: true } } });
  const affiliate = await moved.records.affiliate({ user_id: 2 });
  const other = await moved.records.affiliate({ user_id: 3 });
  const visit = await moved.records.visit({ affiliate_id: other.id });

  expect(await credited(encode([affiliate.id, '']), moved)).toMatchObject({
    affiliate: { id: affiliate.id },
    visit_id: null,
    clicked_at: null,
  });
  expect(await credited(encode([affiliate.id, visit.id]), moved)).toMatchObject({ visit_id: null });
  expect(await credited(encode([other.id, visit.id]), moved)).toMatchObject({ visit_id: visit.id });
});

it('writes name and domain of the cookie as configured', async () => {
  const named = await startApp({ tracking: { cookie: { name: 'partner', domain: 'shop.test' } } });
  const affiliate = await named.records.affiliate({ user_id: 2 });

  const answer = await trackedSite(named.app).open(`/?ref=${affiliate.id}`);

  expect(String(answer.headers['set-cookie'])).toMatch(
    /^partner=[^;]+; Max-Age=2592000; Domain=shop\.test; Path=\/; Secure; SameSite=Lax$/,
  );
});

describe('cookies of another product (docs/tracking.md §2)', () => {
  const whose = async (t: TestApp, cookie: string) =>
    (await t.service.tracking.attribution({ headers: { cookie } } as never))?.affiliate.id ?? null;

  it('credit the affiliate that was imported under their number, and only where unsigned cookies count', async () => {
    const t = await startApp({ tracking: { cookie: { acceptUnsigned: true } } });
    const affiliate = (await t.records.affiliate()) as { id: number };
    // an import in which the number 12 was taken
    await t.app.db('affiliates').where({ id: affiliate.id }).update({ source_key: 'affiliate_wp:12' });
    const pair = (ref: string, visit = '34'): string => `affwp_ref=${ref}; affwp_ref_visit_id=${visit}`;
    expect(await whose(t, pair('12'))).toBe(affiliate.id);
    expect(await whose(t, pair('alice'))).toBe(affiliate.id);
    expect(await whose(t, pair(String(affiliate.id)))).toBeNull();
    expect(await whose(t, 'affwp_ref=12')).toBeNull();
    expect(await whose(t, pair('12', 'x'))).toBeNull();
    expect(await whose(t, `f_aff=forged|1|1|x; ${pair('12')}`)).toBeNull();

    const strict = await startBeside(t);
    expect(await whose(strict, pair('12'))).toBeNull();
    expect(await whose(strict, 'f_aff=affiliate_wp%3A12%7C1')).toBeNull();
  });
});
