import { expect } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { standardProvider } from '../../adapters/commerce/index.js';
import type { AffiliateService } from '../../src/index.js';
import { openService } from '../../src/service/service.js';
import { order, SECRET, sign } from './commerce.js';
import { testDatabase, emptyDatabase } from './databases.js';
import { SmallCms } from './small-cms.js';
import { NAVIGATION } from './tracker.js';
import type { App } from '../../src/app/app.js';

/**
 * A site made with some framework: the service mounted, a page under every address, `POST /buy` with JSON.
 */
export interface Site {
  send(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void> | void;
}
/** What the pages of a site answer with; a host's own cookie shows that the service's does not replace it. */
export const PAGE = { text: (path: string): string => `<p>page ${path}</p>`, cookie: 'theme=dark; path=/' };

export interface Shop {
  readonly cms: SmallCms;
  readonly service: AffiliateService;
  readonly app: App;
  /** Errors the service logged. */
  readonly problems: readonly string[];
  buy(req: IncomingMessage, body: unknown): Promise<object>;
}

/** A service inside the small CMS, its database that of this run. */
export async function startShop(): Promise<Shop> {
  const cms = new SmallCms();
  const problems: string[] = [];
  const { service, app } = openService(cms.host(), {
    database: await testDatabase(),
    secret: 'a secret that is long enough for the tests',
    jobs: false,
    providers: [standardProvider({ key: 'demo', secrets: [SECRET] })],
    logger: {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (message, fields) => void problems.push(`${message} ${String(fields?.['error'])}`),
    },
  });
  await service.ready();
  await emptyDatabase(app.db.knex, app.options.tablePrefix);
  // the start may have met rows of another test file, signed with that file's secret
  problems.length = 0;
  // what the start read of an earlier test's settings is remembered for a second
  await service.settings.saveReferralConfig({ rate: 20 });
  return {
    cms,
    service,
    app,
    problems,
    buy: async (req, body) => {
      const { reference } = body as { reference: string };
      const { referral, created, reason } = await service.conversions.record(req, {
        provider: 'shop',
        reference,
        status: 'unpaid',
        order: { subtotal: '100.00' },
        customer: { email: 'jo@shop.test' },
      });
      return { amount: referral?.amount ?? null, created, reason };
    },
  };
}

/** From a link to a commission that is paid, with the host's own sign-in, over this site. */
export async function mainJourney(site: Site, { cms, service }: Shop): Promise<void> {
  const base = service.basePath;
  const admin = cms.signIn('usr-anna');
  const nonce = await answer<{ nonce: string }>(site.send(`${base}/nonce`, { headers: { cookie: admin } }));
  const asAdmin = (method: string, path: string, body?: unknown): Promise<Response> =>
    site.send(base + path, {
      method,
      headers: { cookie: admin, 'x-wp-nonce': nonce.nonce, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  const { users } = await answer<{ users: { ID: number }[] }>(
    asAdmin('GET', '/settings/options/users?search=ben'),
  );
  const { affiliate } = await answer<{ affiliate: { id: number } }>(
    asAdmin('POST', '/affiliates', {
      user_id: users[0]?.ID,
      status: 'active',
      rate_type: 'default',
      payment_email: 'ben@bank.test',
    }),
  );

  const bought = await clickAndBuy(site, affiliate.id);
  await interfaceAnswers(site, { base, admin, asAdmin, bought });
  await answer(
    asAdmin('POST', '/settings/integration/update-status', { integration: 'demo', is_enabled: 'yes' }),
  );
  await webhook(site, base, await service.checkoutToken({ headers: { cookie: bought } } as IncomingMessage));

  await answer(
    asAdmin('POST', '/payouts/process-payout', { config: { title: 'January', description: 'Run' } }),
  );
  const { payouts } = await answer<{ payouts: { data: { id: number }[] } }>(asAdmin('GET', '/payouts'));
  await answer(
    asAdmin('PATCH', `/payouts/${payouts.data[0]?.id}/transactions/bulk-action`, { action: 'mark_as_paid' }),
  );
  const { data } = await answer<{ referrals: { data: { status: string; amount: number }[] } }>(
    asAdmin('GET', '/referrals'),
  ).then(({ referrals }) => referrals);
  expect(data.map(({ status }) => status)).toEqual(['paid', 'paid']);
  expect(await service.verify()).toEqual([]);
}

/** A link in both forms, then an order; answers the visitor's cookie. */
async function clickAndBuy(site: Site, affiliateId: number): Promise<string> {
  const page = await site.send(`/shop?ref=${affiliateId}`, { headers: NAVIGATION });
  expect([page.status, await page.text()]).toEqual([200, PAGE.text('/shop')]);
  expect(page.headers.get('cache-control')).toContain('no-store');
  const cookies = page.headers.getSetCookie();
  expect(cookies).toContain(PAGE.cookie);
  const ours = cookies.filter((cookie) => cookie !== PAGE.cookie);
  expect(ours).toHaveLength(1);

  const path = await site.send(`/shop/ref/${affiliateId}`, { headers: NAVIGATION, redirect: 'manual' });
  if (path.status === 302) expect(path.headers.get('location')).toBe('/shop');
  else expect([path.status, await path.text()]).toEqual([200, PAGE.text('/shop')]);

  const cookie = ours[0]?.split(';')[0] ?? '';
  const buy = (): Promise<object> =>
    answer(
      site.send('/buy', {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', 'user-agent': NAVIGATION['User-Agent'] },
        body: JSON.stringify({ reference: 'A-1' }),
      }),
    );
  expect(await buy()).toEqual({ amount: 20, created: true, reason: null });
  expect(await buy()).toEqual({ amount: 20, created: false, reason: 'duplicate' });
  return cookie;
}

interface Addresses {
  readonly base: string;
  readonly admin: string;
  readonly bought: string;
  readonly asAdmin: (method: string, path: string, body?: unknown) => Promise<Response>;
}

/** What the interface answers beside records: files, refusals, scripts, and the host's pages around it. */
async function interfaceAnswers(site: Site, { base, admin, asAdmin }: Addresses): Promise<void> {
  const csv = await asAdmin('GET', '/referrals/export');
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
  expect((await csv.text()).trim().split('\n')).toHaveLength(2);

  const refused = await site.send(`${base}/affiliates`, { headers: { cookie: admin } });
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    401,
    'rest_forbidden',
  ]);
  const unknown = await asAdmin('GET', '/no/such/route');
  expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([404, 'rest_no_route']);
  const malformed = await site.send(`${base}/affiliates`, {
    method: 'POST',
    headers: { cookie: admin, 'content-type': 'application/json' },
    body: '{',
  });
  expect([malformed.status, ((await malformed.json()) as { code: string }).code]).toEqual([
    400,
    'rest_invalid_json',
  ]);
  const head = await site.send(`${base}/nonce`, { method: 'HEAD', headers: { cookie: admin } });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const neighbor = await site.send(`${base}x/affiliates`, { headers: NAVIGATION });
  expect([neighbor.status, await neighbor.text()]).toEqual([200, PAGE.text(`${base}x/affiliates`)]);
}

/** A signature covers the bytes, so they have to arrive as they were sent. */
async function webhook(site: Site, base: string, token: string | null): Promise<void> {
  const text = JSON.stringify(
    { type: 'order.paid', at: Date.now(), order: order({ id: 'B-1', attribution: { token } }) },
    null,
    1,
  );
  const seconds = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'm1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': sign('m1', seconds, text),
  };
  const { status } = await site.send(`${base}/webhooks/demo`, { method: 'POST', headers, body: text });
  expect(status).toBe(200);
}

async function answer<T extends object>(sent: Promise<Response>): Promise<T> {
  const response = await sent;
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  return JSON.parse(text) as T;
}
