import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { connectChild } from '../support/sites.js';
import { auditOf } from '../support/lists.js';
import { rowsIn } from '../support/rows.js';

const LISTED = '/connected-sitesconnected-sites-config';
const GUIDE = '/settings/connected-sites-config';
const issue = (t: TestApp, body: object, form = GUIDE) => t.admin.post(`${form}/issue`).send(body);
const codeOf = async (t: TestApp, body: object): Promise<unknown[]> => {
  const { status, body: answer } = await issue(t, body);
  return [status, answer.code ?? answer.new_site?.site_url];
};

describe.each([LISTED, GUIDE])('%s', (form) => {
  it('is off and empty at first', async () => {
    const t = await startApp();
    expect((await t.admin.get(form).expect(200)).body).toEqual({ config: { status: 'no', sites: [] } });
  });

  it('is switched on and off, sites stay', async () => {
    const t = await startApp();
    await issue(t, { site_url: 'https://store.test' }, form).expect(200);
    for (const status of ['yes', 'no']) {
      const { body } = await t.admin.patch(form).send({ status }).expect(200);
      expect(body).toMatchObject({
        message: expect.any(String),
        config: { status, sites: [{ site_url: 'https://store.test' }] },
      });
      expect((await t.admin.get(form)).body.config.status).toBe(status);
    }
  });

  it('issues, updates and disconnects', async () => {
    const t = await startApp();
    const { body, headers } = await issue(
      t,
      { site_url: 'https://store.test', site_title: 'Store' },
      form,
    ).expect(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      site_id: expect.stringMatching(/^[1-9]\d{5}$/),
      server_token: expect.stringMatching(/^[A-Za-z0-9]{12}$/),
      param_key: 'ref',
      cookie_duration: 30,
      primary_url: 'https://shop.test',
      message: 'Site connected.',
      rotated: false,
      connect_config: expect.any(String),
      new_site: {
        site_id: body.site_id,
        site_url: 'https://store.test',
        site_title: 'Store',
        status: 'active',
        logo: '',
        description: '',
        subtitle: '',
      },
    });
    expect(JSON.parse(body.connect_config)).toEqual({
      site_id: body.site_id,
      server_token: body.server_token,
      site_url: 'https://store.test',
      primary_url: 'https://shop.test',
      api_url: 'https://shop.test/wp-json/affiliate-service/v2',
      param_key: 'ref',
      cookie_duration: 30,
      credit_last_referrer: 'yes',
    });

    const { body: updated } = await t.admin
      .patch(`${form}/update`)
      .send({ site_id: Number(body.site_id), site_title: 'New', status: 'inactive' })
      .expect(200);
    expect(updated).toMatchObject({
      message: expect.any(String),
      site: { site_id: body.site_id, site_title: 'New', status: 'inactive' },
    });

    await t.admin.post(`${form}/disconnect`).send({ site_id: body.site_id }).expect(200);
    expect((await t.admin.get(form)).body.config.sites).toEqual([]);
    await t.admin.post(`${form}/disconnect`).send({ site_id: body.site_id }).expect(404);
  });
});

it('shows every field of a site but its token', async () => {
  const t = await startApp();
  const { body } = await issue(t, { site_url: 'https://store.test/' });
  const { sites } = (await t.admin.get(LISTED)).body.config;
  expect(sites).toEqual([
    {
      site_id: body.site_id,
      site_url: 'https://store.test',
      site_title: 'store.test',
      param_key: 'ref',
      cookie_duration: 30,
      credit_last_referrer: 'yes',
      status: 'active',
      logo: '',
      description: '',
      subtitle: '',
      created_at: '2026-01-15T15:00:00+00:00',
      token_issued_at: '2026-01-15T15:00:00+00:00',
      last_seen_at: null,
    },
  ]);
});

it.each([[{}], [{ status: '' }], [{ status: 'maybe' }], [{ status: 'active' }]])(
  'refuses the status %j',
  async (body) => {
    const t = await startApp();
    expect((await t.admin.patch(GUIDE).send(body).expect(422)).body.code).toBe('validation_failed');
  },
);

/** One service for the rows of a table that do not disturb each other. */
function shared(): () => TestApp {
  let t: TestApp;
  beforeAll(async () => {
    t = await startApp({ shared: true });
  });
  afterAll(() => t.close());
  return () => t;
}

describe('update', () => {
  const app = shared();

  it.each([
    ['site_title', ' A <b>title</b>', 'A <b>title</b>'],
    ['site_title', 'x'.repeat(191), 'x'.repeat(191)],
    ['site_title', '', null],
    ['site_title', 'x'.repeat(192), null],
    ['param_key', 'aff_id-x', 'aff_id-x'],
    ['param_key', '', null],
    ['param_key', 'a b', null],
    ['param_key', 'a1', null],
    ['param_key', 'x'.repeat(51), null],
    ['cookie_duration', '45', 45],
    ['cookie_duration', 3650, 3650],
    ['cookie_duration', 0, null],
    ['cookie_duration', 3651, null],
    ['cookie_duration', 'x', null],
    ['credit_last_referrer', 'no', 'no'],
    ['credit_last_referrer', 'perhaps', null],
    ['status', 'inactive', 'inactive'],
    ['status', 'gone', null],
    ['logo', 'https://store.test/logo.png', 'https://store.test/logo.png'],
    ['logo', '', ''],
    ['logo', 'javascript:alert(1)', null],
    ['logo', `https://store.test/${'x'.repeat(2048)}`, null],
    ['description', '<p>Hi<script>x</script></p>', '<p>Hi</p>'],
    ['description', 'x'.repeat(5001), null],
    ['subtitle', 'Cheap', 'Cheap'],
    ['subtitle', 'x'.repeat(192), null],
    ['status', ['active'], null],
    ['site_title', { a: 1 }, null],
  ])('%s (%#)', async (name, sent, stored) => {
    const t = app();
    const { site_id } = await connectChild(t);
    const { status, body } = await t.admin.patch(`${GUIDE}/update`).send({ site_id, data: { [name]: sent } });
    if (stored === null)
      expect([status, body.code, Object.keys(body.errors)]).toEqual([422, 'validation_failed', [name]]);
    else expect([status, body.site?.[name]]).toEqual([200, stored]);
  });

  it('takes the whole site as the app posts it, form-encoded, and ignores what never changes', async () => {
    const t = await startApp();
    const { site_id } = await connectChild(t);
    const [site] = (await t.admin.get(GUIDE)).body.config.sites;
    const data = {
      ...site,
      site_url: 'https://evil.test',
      server_token: 'abcdefabcdef',
      created_at: 'x',
      site_title: 'Changed',
      unknown: '1',
    };
    const form = Object.entries(data)
      .map(([key, value]) => `data[${key}]=${encodeURIComponent(String(value ?? ''))}`)
      .join('&');
    const { body } = await t.admin
      .post(`${GUIDE}/update`)
      .set('X-HTTP-Method-Override', 'PATCH')
      .type('form')
      .send(`site_id=${site_id}&${form}`)
      .expect(200);
    expect(body.site).toEqual({ ...site, site_title: 'Changed' });
  });

  it.each(['update', 'disconnect'])(
    '%s answers 404 to an unknown site and 422 without one',
    async (action) => {
      const t = await startApp();
      const send = (body: object) =>
        (action === 'update' ? t.admin.patch(`${GUIDE}/update`) : t.admin.post(`${GUIDE}/disconnect`)).send(
          body,
        );
      expect((await send({ site_id: '123456' }).expect(404)).body.code).toBe('site_not_found');
      expect((await send({}).expect(422)).body.code).toBe('validation_failed');
    },
  );
});

describe('the address of a site', () => {
  const app = shared();

  it.each([
    ['https://Store.Test/', 'https://store.test'],
    ['  https://store.test  ', 'https://store.test'],
    ['https://store.test:443/a//b/../c/', 'https://store.test/a/c'],
    ['https://store.test/shop/index.php', 'https://store.test/shop'],
    ['https://store.test:8443', 'https://store.test:8443'],
    ['https://b\u00fccher.test', 'https://xn--bcher-kva.test'],
    ['https://www.store.test', 'https://www.store.test'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:81', 'http://127.0.0.1:81'],
    ['http://[::1]/x', 'http://[::1]/x'],
    ['http://a.localhost', 'http://a.localhost'],
    [`https://store.test/${'x'.repeat(236)}`, `https://store.test/${'x'.repeat(236)}`],
  ])('is kept in one form (%#)', async (site_url, stored) => {
    expect(await codeOf(app(), { site_url })).toEqual([200, stored]);
  });

  it.each([
    [undefined],
    [''],
    [null],
    [42],
    [['https://store.test']],
    ['store.test'],
    ['//store.test'],
    ['http://store.test'],
    ['ftp://store.test'],
    ['javascript:alert(1)'],
    ['https:store.test'],
    ['https://user@store.test'],
    ['https://user:pw@store.test'],
    ['https://@store.test'],
    ['https://store.test?a=1'],
    ['https://store.test?'],
    ['https://store.test/#x'],
    ['https://store.test\\x'],
    ['https://'],
    ['https://a b.test'],
    ['file:///etc/passwd'],
    [`https://store.test/${'x'.repeat(237)}`],
  ])('is refused in other forms (%#)', async (site_url) => {
    expect(await codeOf(app(), { site_url })).toEqual([422, 'invalid_site_url']);
  });

  it.each(['https://shop.test', 'https://SHOP.test:443/', 'https://shop.test/index.php'])(
    '%s is the primary itself',
    async (site_url) => {
      expect(await codeOf(app(), { site_url })).toEqual([422, 'site_is_primary']);
    },
  );

  it('may be http when the option allows it', async () => {
    expect(
      await codeOf(await startApp({ connectedSites: { allowHttp: true } }), {
        site_url: 'http://store.test',
      }),
    ).toEqual([200, 'http://store.test']);
  });

  it('may be below the URL of another site', async () => {
    const t = await startApp();
    await connectChild(t, 'https://x.test');
    await connectChild(t, 'https://x.test/shop');
    expect((await t.admin.get(GUIDE)).body.config.sites).toHaveLength(2);
  });

  it.each([
    'http://127.0.0.1:1',
    'https://10.0.0.1',
    'https://[fd00::1]',
    'https://localhost',
    'https://2130706433',
  ])('%s is not asked when it must be reachable', async (site_url) => {
    const { body } = await issue(await startApp({ connectedSites: { verifyReachable: true } }), {
      site_url,
    }).expect(422);
    expect(body.code).toBe('invalid_site_url');
  });

  it('is requested on a private network when the option allows it', async () => {
    const t = await startApp({ connectedSites: { verifyReachable: true, allowPrivateNetworks: true } });
    const { port } = t.server.address() as AddressInfo;
    await issue(t, { site_url: `http://127.0.0.1:${port}` }).expect(200);
    await issue(t, { site_url: 'http://127.0.0.1:1' }).expect(422);
  });
});

describe('child_token', () => {
  const app = shared();
  const child = {
    site_url: 'https://child.test',
    site_title: 'Child',
    logo: 'https://child.test/l.png',
    description: '<b>Hi</b><script>x</script>',
    subtitle: 'Sub',
  };
  const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');

  it.each([
    ['JSON', JSON.stringify(child), child],
    ['base64', base64(child), child],
    [
      'other names',
      base64({ url: 'https://child.test', name: 'Child' }),
      { site_title: 'Child', logo: '', description: '', subtitle: '' },
    ],
    [
      'home_url alone',
      JSON.stringify({ home_url: 'https://child.test' }),
      { site_title: 'child.test', logo: '', description: '', subtitle: '' },
    ],
  ])('as %s', async (_name, child_token, { site_title, logo, description, subtitle }) => {
    const t = await startApp();
    const { body } = await issue(t, { child_token }).expect(200);
    expect(body.new_site).toEqual({
      site_id: body.site_id,
      site_url: 'https://child.test',
      site_title,
      status: 'active',
      logo,
      subtitle,
      description: description && '<b>Hi</b>',
    });
  });

  it.each([
    ['nothing readable', '%%%', 'invalid_child_token'],
    ['a number', 7, 'invalid_child_token'],
    ['a list', '[1]', 'invalid_child_token'],
    ['broken JSON', '{"site_url":', 'invalid_child_token'],
    ['too long', base64({ site_url: 'https://child.test', x: 'x'.repeat(8192) }), 'invalid_child_token'],
    ['no address', '{}', 'invalid_site_url'],
    ['a wrong address', '{"site_url":"ftp://x"}', 'invalid_site_url'],
    ['a wrong logo', '{"site_url":"https://child.test","logo":"javascript:1"}', 'validation_failed'],
  ])('refuses %s', async (_name, child_token, code) => {
    expect((await issue(app(), { child_token }).expect(422)).body.code).toBe(code);
  });
});

describe('issuing again', () => {
  it('gives a new token and keeps number and settings', async () => {
    const t = await startApp();
    const first = await connectChild(t, 'https://store.test', { site_title: 'Mine', status: 'inactive' });
    t.clock.advance(60_000);
    const { body } = await issue(t, {
      site_url: 'https://STORE.test/index.html',
      site_title: 'Other',
    }).expect(200);
    expect(body).toMatchObject({
      site_id: first.site_id,
      rotated: true,
      new_site: { site_title: 'Mine', status: 'inactive' },
    });
    expect(body.server_token).not.toBe(first.server_token);
    expect(await t.app.connectedSites.getSite(first.site_id, first.server_token)).toBeNull();
    expect(await t.app.connectedSites.getSite(first.site_id, body.server_token)).toMatchObject({
      site_id: first.site_id,
    });
    expect((await t.admin.get(GUIDE)).body.config.sites).toMatchObject([
      { created_at: '2026-01-15T15:00:00+00:00', token_issued_at: '2026-01-15T15:01:00+00:00' },
    ]);
  });

  it('makes one site of many at once', async () => {
    const t = await startApp();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => issue(t, { site_url: 'https://store.test' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body }) => body.site_id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.rotated)).toHaveLength(1);
    const valid = await Promise.all(
      answers.map(({ body }) => t.app.connectedSites.getSite(body.site_id, body.server_token)),
    );
    expect(valid.filter((site) => site !== null)).toHaveLength(1);
  });

  it('is not replayed by an Idempotency-Key', async () => {
    const t = await startApp();
    const send = () => issue(t, { site_url: 'https://store.test' }).set('Idempotency-Key', 'one').expect(200);
    const [first, second] = [await send(), await send()];
    expect(second.body.server_token).not.toBe(first.body.server_token);
    expect(await rowsIn(t, 'idempotency_keys')).toEqual([0]);
  });

  it('stops at a thousand sites, but not for known ones', async () => {
    const t = await startApp();
    await connectChild(t, 'https://store.test');
    const row = (n: number) => ({
      site_id: String(200_000 + n),
      site_url: `https://s${n}.test`,
      url_key: `s${n}.test`,
      site_title: 's',
      secret: 'k1:',
      param_key: 'ref',
      cookie_duration: 30,
      credit_last_referrer: 'yes',
      status: 'active',
      logo: '',
      description: '',
      subtitle: '',
      created_at: 0,
      token_issued_at: 0,
    });
    // Connecting them one by one would take minutes.
    for (let n = 0; n < 999; n += 50)
      await t.app
        .db('connected_sites')
        .insert(Array.from({ length: Math.min(50, 999 - n) }, (_, i) => row(n + i)));
    expect(await codeOf(t, { site_url: 'https://new.test' })).toEqual([422, 'too_many_sites']);
    expect(await codeOf(t, { site_url: 'https://store.test' })).toEqual([200, 'https://store.test']);
  });
});

describe('the stored key', () => {
  const secrets = async (t: TestApp): Promise<string[]> => t.app.db('connected_sites').pluck('secret');

  it('is wrapped when the host gave a secret', async () => {
    const t = await startApp();
    await connectChild(t);
    expect(await secrets(t)).toEqual([expect.stringMatching(/^s1:/)]);
  });

  it('is derived but not wrapped without one, and the log warns of it', async () => {
    const t = await startApp({ secret: undefined });
    const child = await connectChild(t);
    expect(await secrets(t)).toEqual([expect.stringMatching(/^k1:[0-9a-f]{64}$/)]);
    expect(
      t.log.filter(({ level, message }) => level === 'warn' && /^the key .* unencrypted/.test(message)),
    ).toHaveLength(1);
    expect(await t.app.connectedSites.getSite(child.site_id, child.server_token)).not.toBeNull();
  });

  it('is refused without a secret when the option asks for one', async () => {
    const t = await startApp({ secret: undefined, connectedSites: { requireSecret: true } });
    expect(await codeOf(t, { site_url: 'https://store.test' })).toEqual([422, 'secret_missing']);
  });
});

it('calls hooks for every change', async () => {
  const t = await startApp();
  const heard: unknown[] = [];
  t.service.hooks.addAction('connected_site_connected', (site, rotated) => {
    heard.push(['connected', site.site_title, rotated]);
  });
  t.service.hooks.addAction('connected_site_updated', (site, old) => {
    heard.push(['updated', site.site_title, old.site_title]);
  });
  t.service.hooks.addAction('connected_site_disconnected', (site) => {
    heard.push(['disconnected', site.site_title]);
  });
  const { site_id } = await connectChild(t, 'https://store.test', { site_title: 'Mine' });
  await connectChild(t, 'https://store.test');
  await t.admin.post(`${GUIDE}/disconnect`).send({ site_id }).expect(200);
  expect(heard).toEqual([
    ['connected', 'store.test', false],
    ['updated', 'Mine', 'store.test'],
    ['connected', 'Mine', true],
    ['disconnected', 'Mine'],
  ]);
});

it('records the user in the audit log', async () => {
  const t = await startApp();
  const { site_id } = await connectChild(t, 'https://store.test', { site_title: 'Mine' });
  await connectChild(t, 'https://store.test');
  await t.admin.post(`${GUIDE}/disconnect`).send({ site_id }).expect(200);
  const rows = (await auditOf(t)).filter(({ action }) => action.startsWith('connected_site.'));
  expect(rows.map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['connected_site.connected', 1],
    ['connected_site.updated', 1],
    ['connected_site.token_rotated', 1],
    ['connected_site.disconnected', 1],
  ]);
});

it('reports whether a connected site responds', async () => {
  const t = await startApp({ connectedSites: { allowPrivateNetworks: true } });
  const { port } = t.server.address() as AddressInfo;
  const { site_id } = (await issue(t, { site_url: `http://127.0.0.1:${port}` }).expect(200)).body;
  const test = (id: string) => t.admin.post(`${GUIDE}/test`).send({ site_id: id });
  expect((await test(site_id).expect(200)).body).toEqual({ reachable: true });
  const silent = (await issue(t, { site_url: 'http://127.0.0.1:1' }).expect(200)).body;
  expect((await test(silent.site_id).expect(200)).body).toEqual({ reachable: false });
  await test('999999').expect(404);
});
