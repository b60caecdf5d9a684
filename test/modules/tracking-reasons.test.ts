import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import {
  SKIP_REASONS as ORDER_REASONS,
  type ConversionInput,
  type SkipReason as OrderReason,
} from '../../src/attribution/conversions/types.js';
import type { FraudRule } from '../../src/attribution/fraud/index.js';
import type { SkipReason as ClickReason } from '../../src/attribution/tracking/index.js';
import { configure, startShop, type Shop } from '../support/shop.js';
import {
  BROWSER,
  cookieOf,
  setCookie,
  trackedSite,
  type Headers,
  type TrackedSite,
} from '../support/tracker.js';

// A reason without a case does not compile: the lists are closed, and every word in them is used
// by something (docs/tracking.md §14).

interface OrderCase {
  /** Headers of the buyer's request. */
  readonly buyer?: Readonly<Record<string, string>>;
  readonly options?: Parameters<typeof startShop>[0];
  readonly config?: object;
  readonly before?: (t: Shop) => Promise<unknown>;
  readonly order?: Partial<ConversionInput>;
}
// rules: tracking-fraud; the second is recorded; the third: commerce-webhooks; the fourth: leads
type CheckedReason = Exclude<
  OrderReason,
  FraudRule | 'currency_mismatch' | 'provider_disabled' | 'lead_known'
>;

const renewal = { subscription: { id: 'S', phase: 'renewal' } } as const;
const first = (t: Shop): Promise<unknown> =>
  t.service.conversions.record(null, t.order({ reference: 'first', subscription: { id: 'S' } }));
/** Orders of nobody are counted by day, not kept one by one. */
const COUNTED = ['no_affiliate', 'no_cookie', 'robot', 'consent'];
const RENEWING = { enable_subscription_renewal: 'yes', renewal_rate: 5 };

const ORDERS: Readonly<Record<CheckedReason, OrderCase>> = {
  duplicate: { before: (t) => t.service.conversions.record(null, t.order()) },
  deleted: {
    before: async (t) => {
      const { referral } = await t.service.conversions.record(null, t.order());
      await t.admin.delete(`/referrals/${referral!.id}`).expect(200);
    },
  },
  no_order_data: {
    before: async (t) => t.service.hooks.addFilter('formatted_order_data_by_shop', () => null),
  },
  no_affiliate: { order: { affiliate: null } },
  no_cookie: { order: { affiliate: null }, buyer: { 'user-agent': BROWSER } },
  robot: { order: { affiliate: null }, buyer: { 'user-agent': 'curl/8.5.0' } },
  consent: {
    order: { affiliate: null },
    buyer: { 'user-agent': BROWSER },
    options: { tracking: { consent: 'required' } },
  },
  affiliate_inactive: {
    before: async (t) =>
      t.admin.patch(`/affiliates/${t.affiliate.id}/status`).send({ status: 'inactive' }).expect(200),
  },
  refused: { before: async (t) => t.service.hooks.addFilter('should_process_referral', () => false) },
  zero_amount: { order: { order: { subtotal: 0 } } },
  upgrade_order: { order: { upgrade_of: '1' } },
  renewals_disabled: { before: first, order: renewal },
  parent_unknown: { config: RENEWING, order: renewal },
  parent_rejected: {
    config: RENEWING,
    before: async (t) => {
      await first(t);
      await t.service.conversions.cancel('shop', 'first', 'manual');
    },
    order: renewal,
  },
  renewal_limit: { config: { ...RENEWING, max_renewal_count: 1 }, before: first, order: renewal },
  renewal_expired: { config: { ...RENEWING, renewal_max_months: 0 }, before: first, order: renewal },
  commission_cap: { config: { commission_cap_amount: 18 }, before: first },
  first_rejected: {
    before: async (t) => {
      await first(t);
      await t.service.conversions.cancel('shop', 'first', 'disputed');
    },
  },
};

describe('an order not credited', () => {
  it.each(Object.entries(ORDERS))(
    'says %s, to the administrator too',
    async (reason, { config, before, order, buyer, options }) => {
      const t = await startShop(options);
      if (config) await configure(t, config);
      await before?.(t);
      const req = buyer ? ({ headers: buyer } as unknown as IncomingMessage) : null;
      const result = await t.service.conversions.record(req, t.order(order));
      expect(result.reason).toBe(reason);
      if (reason === 'duplicate' || reason === 'deleted') return; // credited before
      const { body } = await t.admin.get(`/settings/tracking/skipped?reason=${reason}`).expect(200);
      const kept = body.skipped.data.map(
        ({ provider, provider_id: id }: { provider: string; provider_id: string }) => `${provider} ${id}`,
      );
      expect([kept, body.orders.map(({ hits }: { hits: number }) => hits)]).toEqual(
        COUNTED.includes(reason) ? [[], [1]] : [['shop A-1'], []],
      );
      expect(body.reasons.orders).toEqual(ORDER_REASONS);
    },
  );
});

interface ClickCase {
  readonly page: (site: TrackedSite, t: Shop) => Promise<unknown>;
  readonly options?: Parameters<typeof startShop>[0];
}
const open =
  (headers: Headers, path?: string) =>
  async (site: TrackedSite, t: Shop): Promise<unknown> =>
    site.open(path ?? `/?ref=${t.affiliate.id}`, headers);
const track =
  (fields: Readonly<Record<string, string>>, headers?: Headers) =>
  async (site: TrackedSite, t: Shop): Promise<unknown> =>
    site.track({ __aff_id__: String(t.affiliate.id), url: 'https://shop.test/', ...fields }, headers);
const twice = async (
  site: TrackedSite,
  t: Shop,
  path: (t: Shop) => string,
  headers: (cookie: string) => Headers,
): Promise<void> => {
  const cookie = cookieOf(await site.open(`/?ref=${t.affiliate.id}`));
  await site.open(path(t), headers(cookie));
};

/**
 * One click is being written and one waits while somebody holds the affiliate's row:
 * there is no room for a third.
 */
async function crowd(site: TrackedSite, t: Shop): Promise<void> {
  const click = (agent: string): Promise<unknown> =>
    site
      .open(`/?ref=${t.affiliate.id}`, { 'User-Agent': `${BROWSER} ${agent}` })
      .expect(200)
      .then(() => undefined);
  await click('first'); // from now on a click needs nothing of the database before it is written
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await new Promise<void>((locked, failed) => {
    t.app
      .transaction(async (trx) => {
        await trx.dialect.forUpdate(trx('affiliates').where({ id: t.affiliate.id })).first('id');
        locked();
        await released;
      })
      .catch(failed);
  });
  for (const agent of ['written', 'waiting', 'left out']) await click(agent);
  release();
  await t.service.tracking.flush();
  expect((await t.admin.get('/visits').expect(200)).body.visits.total).toBe(3);
}

const CLICKS: Readonly<Record<ClickReason, ClickCase>> = {
  overload: { options: { tracking: { waitingClicks: 1 } }, page: crowd },
  head: {
    page: async (site, t) => (await import('supertest')).default(site.pages).head(`/?ref=${t.affiliate.id}`),
  },
  prefetch: { page: open({ 'Sec-Purpose': 'prefetch' }) },
  not_document: { page: open({ 'Sec-Fetch-Dest': 'image' }) },
  no_agent: { page: open({ 'User-Agent': '' }) },
  bot: { page: open({ 'User-Agent': 'Googlebot/2.1' }) },
  opt_out: { page: open({ 'No-Track': '1' }) },
  privacy_control: { page: open({ 'Sec-GPC': '1' }) },
  no_consent: { options: { tracking: { consent: 'required' } }, page: open({}) },
  rate_limited: {
    page: async (site) => {
      for (let at = 0; at < 7; at++)
        await Promise.all(Array.from({ length: 50 }, () => site.track({}).then(() => undefined)));
    },
  },
  invalid: { page: track({ url: '' }) },
  foreign_origin: { page: track({}, { Origin: 'https://evil.test' }) },
  foreign_url: { page: track({ url: 'https://evil.test/' }) },
  unknown_affiliate: { page: open({}, '/?ref=nobody') },
  inactive_affiliate: {
    page: async (site, t) => {
      await t.admin.patch(`/affiliates/${t.affiliate.id}/status`).send({ status: 'inactive' });
      await open({})(site, t);
    },
  },
  own_click: { page: async (site, t) => open(t.headers(2))(site, t) },
  banned_referrer: {
    options: { tracking: { bannedReferrers: ['*.spam.test'] } },
    page: open({ Referer: 'https://www.spam.test/x' }),
  },
  banned_address: { options: { tracking: { bannedAddresses: ['127.0.0.0/8'] } }, page: open({}) },
  known_visitor: {
    page: (site, t) =>
      twice(
        site,
        t,
        () => `/?ref=${t.affiliate.id}`,
        (Cookie) => ({ Cookie }),
      ),
  },
  first_click_wins: {
    page: async (site, t) => {
      await configure(t, { credit_last_referrer: 'no' });
      const other = (await t.records.affiliate({ user_id: 3 })) as { id: number };
      await twice(
        site,
        t,
        () => `/?ref=${other.id}`,
        (Cookie) => ({ Cookie }),
      );
    },
  },
  repeated: {
    page: (site, t) =>
      twice(
        site,
        t,
        () => `/?ref=${t.affiliate.id}`,
        () => ({}),
      ),
  },
  throttled: {
    options: { tracking: { affiliateClicksPerHour: 1 } },
    page: (site, t) =>
      twice(
        site,
        t,
        () => `/?ref=${t.affiliate.id}`,
        () => ({ 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0' }),
      ),
  },
  failed: {
    page: async (site, t) => {
      // a database that fails while the click is stored
      await t.app.db.knex.schema.renameTable(`${t.app.options.tablePrefix}visit_keys`, 'visit_keys_away');
      await open({})(site, t);
      await t.app.db.knex.schema.renameTable('visit_keys_away', `${t.app.options.tablePrefix}visit_keys`);
    },
  },
};

describe('a click not counted', () => {
  it.each(Object.entries(CLICKS))('says %s', async (reason, { page, options }) => {
    const t = await startShop(options);
    await page(trackedSite(t.app), t);
    const { body } = await t.admin.get(`/settings/tracking/skipped?reason=${reason}`).expect(200);
    expect(body.clicks).toEqual([{ day: '2026-01-15', reason, hits: expect.any(Number) }]);
    expect(body.reasons.clicks).toContain(reason);
  });
});

it('counts nothing against an honest click', async () => {
  const t = await startShop({
    tracking: { bannedReferrers: ['spam.test'], bannedAddresses: ['203.0.113.0/24', '2001:db8::/32'] },
  });
  expect(
    setCookie(await trackedSite(t.app).open(`/?ref=${t.affiliate.id}`, { Referer: 'https://notspam.test/' })),
  ).not.toBeNull();
  expect((await t.admin.get('/settings/tracking/skipped').expect(200)).body.clicks).toEqual([]);
});
