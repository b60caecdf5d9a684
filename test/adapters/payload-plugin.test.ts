import { afterEach, describe, expect, it } from '@jest/globals';
import { affiliates, affiliatesOf, trackAffiliates, type PayloadLike } from '../../frameworks/cms/payload.js';
import { NAVIGATION } from '../support/tracker.js';

// The plugin against the documented shape of Payload's config; `npm run test:hosts payload-admin` has the real one.
interface Row {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: string;
}
interface Endpoint {
  readonly path: string;
  readonly method: string;
  handler(req: Request & { readonly payload: object }): Promise<Response>;
}

const SITE = 'https://shop.test';
const people: Row[] = [
  { id: 1, email: 'admin@shop.test', name: 'Admin', role: 'admin' },
  { id: 2, email: 'alice@shop.test', name: 'Alice Bell', role: 'customer' },
];

const fakePayload = (): PayloadLike => ({
  secret: 'a secret of the site, which is long enough',
  db: { defaultIDType: 'number' },
  auth: async ({ headers }) => {
    const id = Number(/payload-token=(\d)/.exec(headers.get('cookie') ?? '')?.[1]);
    const user = people.find((each) => each.id === id);
    return { user: user ? { ...user, collection: 'users', _sid: `s${id}` } : null };
  },
  find: async (args: { where: { id?: { in: number[] } } }) => ({
    docs: people.filter(({ id }) => args.where.id?.in.includes(id) ?? true),
  }),
  create: async () => ({}),
  update: async () => ({}),
  sendEmail: async () => ({}),
});

const calls: string[] = [];
const base = {
  collections: [
    { slug: 'users', hooks: { afterDelete: [() => calls.push('own hook')] } },
    { slug: 'pages', fields: [] },
  ],
  endpoints: [{ path: '/own', method: 'get', handler: async () => new Response('own') }],
  admin: { user: 'users', components: { afterNavLinks: ['/own#Link'] } },
  onInit: async () => {
    calls.push('own onInit');
  },
};

/** The config with the plugin, Payload after its start, and its router. */
async function site(more: object = {}): Promise<{
  readonly config: typeof base;
  readonly payload: PayloadLike;
  readonly send: (method: string, path: string, init?: RequestInit) => Promise<Response>;
}> {
  const config = affiliates({
    site: { url: SITE, name: 'Shop', timeZone: 'UTC' },
    isAdministrator: ({ role }) => role === 'admin',
    proxies: 1,
    options: { database: { client: 'better-sqlite3', connection: ':memory:' }, jobs: false },
    ...more,
  })(base);
  const payload = fakePayload();
  await (config.onInit as (payload: PayloadLike) => Promise<void>)(payload);
  const endpoints = config.endpoints as unknown as readonly Endpoint[];
  return {
    config,
    payload,
    send: async (method, path, init = {}) => {
      const below = path
        .split('?')[0]!
        .replace(/^\/api/, '')
        .replace(/\/$/, '');
      const found = endpoints.find(
        (each) =>
          each.method === method.toLowerCase() &&
          new RegExp(`^${each.path.replace('/:path*', '(?:/.*)?')}$`).test(below),
      );
      if (!found) return new Response(null, { status: 404 });
      return found.handler(Object.assign(new Request(SITE + path, { method, ...init }), { payload }));
    },
  };
}

afterEach(async () => {
  calls.length = 0;
  await affiliatesOf().service.close();
});

describe('the plugin of Payload', () => {
  it('keeps what the config has and adds endpoints, a hook, a link and its start', async () => {
    const { config } = await site();
    expect(calls).toEqual(['own onInit']);
    expect(config.endpoints[0]).toBe(base.endpoints[0]);
    expect(config.collections[1]).toBe(base.collections[1]);
    expect(config.collections[0]!.hooks!.afterDelete).toHaveLength(2);
    expect(config.admin).toEqual({
      user: 'users',
      components: {
        afterNavLinks: [
          '/own#Link',
          {
            path: 'affiliate-service/payload/nav#AffiliatesLink',
            serverProps: { href: '/api/affiliate-admin/', label: 'Affiliates' },
          },
        ],
      },
    });
    expect(base.collections[0]!.hooks!.afterDelete).toHaveLength(1);
  });

  it("answers the REST interface and the pages below Payload's API, with its sign-in", async () => {
    const { send } = await site();
    const cookie = 'payload-token=1';
    const headers = { cookie, origin: SITE, 'x-forwarded-for': '203.0.113.7' };
    const { nonce } = (await (await send('GET', '/api/affiliate-service/v2/nonce', { headers })).json()) as {
      nonce: string;
    };
    const made = await send('POST', '/api/affiliate-service/v2/affiliates', {
      headers: { ...headers, 'content-type': 'application/json', 'x-wp-nonce': nonce },
      body: JSON.stringify({
        user_id: 2,
        status: 'active',
        rate_type: 'default',
        payment_email: 'a@shop.test',
      }),
    });
    expect([made.status, (await made.json()) as object]).toEqual([
      200,
      expect.objectContaining({ affiliate: expect.objectContaining({ user_id: 2 }) }),
    ]);
    const page = await send('GET', '/api/affiliate-admin/', { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('"mount":"/api/affiliate-admin"'),
    ]);
    const boot = await send('GET', '/api/partners/boot.json', { headers: { cookie: 'payload-token=2' } });
    expect(await boot.json()).toMatchObject({
      api: '/api/affiliate-service/v2',
      affiliate: { status: 'active' },
    });
    expect((await send('GET', '/api/affiliate-service/v2/affiliates')).status).toBe(401);
    expect(await (await send('GET', '/api/own')).text()).toBe('own');
  });

  it('counts clicks in the proxy, and answers pages that are elsewhere there', async () => {
    const { send, payload } = await site({
      console: { path: '/admin/affiliates' },
      portal: false,
      navLabel: false,
    });
    const { service } = affiliatesOf(payload);
    const { id } = await service.affiliates.create({ user: 2, status: 'active' });
    const open = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      trackAffiliates(
        new Request(SITE + path, { headers: { ...NAVIGATION, ...headers } }),
        () => new Response('page'),
      );
    const visited = await open(`/?ref=${id}`);
    expect(await visited.text()).toBe('page');
    expect(visited.headers.get('set-cookie')).toContain('f_aff=');
    expect((await open('/admin/affiliates/', { cookie: 'payload-token=1' })).status).toBe(200);
    // Next refuses a redirect of a proxy without an origin
    expect((await open('/admin/affiliates/')).headers.get('location')).toBe(
      `${SITE}/admin/login?return_to=%2Fadmin%2Faffiliates%2F`,
    );
    expect((await send('GET', '/api/affiliate-admin/')).status).toBe(404);
  });

  it('tells the program of accounts that are deleted', async () => {
    const { config, payload } = await site();
    const { service } = affiliatesOf(payload);
    const { id } = await service.affiliates.create({
      user: 2,
      status: 'active',
      payment_email: 'a@shop.test',
    });
    const hooks = config.collections[0]!.hooks!.afterDelete as unknown as ((args: object) => unknown)[];
    for (const hook of hooks) await hook({ id: 2, req: { payload } });
    expect(calls).toContain('own hook');
    expect(await service.affiliates.get(id)).toMatchObject({ status: 'inactive', payment_email: null });
  });
});
