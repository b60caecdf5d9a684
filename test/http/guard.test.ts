import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startHarness, type Harness } from './harness.js';
import { fixtureRoutes } from './routes-fixture.js';

describe('who may pass', () => {
  let t: Harness;
  beforeAll(async () => {
    t = await startHarness(fixtureRoutes);
  });
  afterAll(() => t.close());
  afterEach(() => t.host.revoke(2, 'fa_view_affiliates'));

  const code = (body: { code: string; data: { status: number } }): [string, number] => [
    body.code,
    body.data.status,
  ];

  it('answers 401 without a nonce, whatever the cookie says', async () => {
    const { Cookie = '' } = t.headers(1);
    const { body } = await t.send(0, 'get', '/things').set('Cookie', Cookie).expect(401);
    expect(code(body)).toEqual(['rest_forbidden', 401]);
  });

  it.each([['/things'], ['/nothing'], ['/open']])(
    'answers 403 to a wrong nonce on %s before anything else',
    async (path) => {
      const { body } = await t
        .send(1, 'post', path)
        .set('X-WP-Nonce', 'wrong')
        .type('json')
        .send('{"a":')
        .expect(403);
      expect(code(body)).toEqual(['rest_cookie_invalid_nonce', 403]);
    },
  );

  it('refuses the nonce of another user, and one without a sign-in', async () => {
    await t
      .send(1, 'get', '/things')
      .set('X-WP-Nonce', t.headers(2)['X-WP-Nonce'] ?? '')
      .expect(403);
    await t
      .send(0, 'get', '/things')
      .set('X-WP-Nonce', t.headers(1)['X-WP-Nonce'] ?? '')
      .expect(403);
  });

  it('takes the nonce as parameter of the address or of a form', async () => {
    const { Cookie = '', 'X-WP-Nonce': nonce = '' } = t.headers(1);
    await t.send(0, 'get', `/things?_wpnonce=${nonce}`).set('Cookie', Cookie).expect(200);
    await t
      .send(0, 'post', '/things')
      .set('Cookie', Cookie)
      .type('form')
      .send({ title: 'abc', _wpnonce: nonce })
      .expect(200);
    await t.send(0, 'get', '/things?_wpnonce[]=x').set('Cookie', Cookie).expect(403);
  });

  it('hands a fresh nonce to the signed-in, also with a refusal, and never to others', async () => {
    const { headers } = await t.send(2, 'get', '/things').expect(403);
    await t
      .send(2, 'get', '/thingsmine')
      .set('X-WP-Nonce', headers['x-wp-nonce'] ?? '')
      .expect(200, { user: 2, visits: false });
    expect((await t.send(0, 'get', '/things')).headers['x-wp-nonce']).toBeUndefined();
  });

  it('checks the right before the input and before the id', async () => {
    expect(code((await t.send(2, 'post', '/things').send({ title: [] }).expect(403)).body)).toEqual([
      'rest_forbidden',
      403,
    ]);
    await t.send(0, 'post', '/things').send({ title: [] }).expect(401);
    await t.send(2, 'post', '/things').type('json').send('{').expect(400);
  });

  it('asks for the section right and its level', async () => {
    t.host.grant(2, 'fa_view_affiliates');
    await t.send(2, 'get', '/things/7').expect(200);
    await t.send(2, 'delete', '/things/7').expect(200);
    t.host.revoke(2, 'fa_view_affiliates');
    await t.send(2, 'get', '/things/7').expect(403);
  });

  it('asks a filter once per section and need, with a description of the request', async () => {
    const asked: unknown[] = [];
    const untap = t.app.hooks.addFilter(
      'has_all_affiliate_access',
      (_current, { user, section, need, request }) => {
        asked.push([user.id, section, need, request?.method]);
        return true;
      },
    );
    await t.send(3, 'patch', '/things/7').send({ title: 'abcd' }).expect(200);
    untap();
    expect(asked).toEqual([[3, 'affiliates', 'write', 'PATCH']]);
  });

  it('opens public routes to everybody, with the body kept as it was sent', async () => {
    const { body, headers } = await t
      .send(0, 'post', '/open')
      .type('text/plain')
      .send('{"n": 1}')
      .expect(200);
    expect(body).toEqual({ user: 0, body: { n: 1 }, raw: '{"n": 1}' });
    expect(headers['x-made']).toBe('yes');
    await t
      .send(0, 'post', '/open')
      .send({ n: 'x'.repeat(200) })
      .expect(413);
  });
});

describe('a site route', () => {
  it('is opened by the module of connected sites alone', async () => {
    const connectedSites = { authenticate: async () => ({ site_id: '841920' }) };
    const t = await startHarness(fixtureRoutes, { extra: { connectedSites } });
    await t.send(0, 'post', '/site').expect(200, { site: '841920' });
    await t.close();
  });
});

describe('rate limits', () => {
  it('answers 429 to the 31st wrong nonce in five minutes, and lets good ones pass', async () => {
    const t = await startHarness(fixtureRoutes);
    for (let i = 0; i < 30; i++) await t.send(1, 'get', '/things').set('X-WP-Nonce', 'wrong').expect(403);
    const { headers, body } = await t.send(1, 'get', '/things').set('X-WP-Nonce', 'wrong').expect(429);
    expect([body.code, Number(headers['retry-after']) > 0]).toEqual(['rate_limited', true]);
    await t.send(1, 'get', '/things').expect(200);
    t.clock.time += 5 * 60_000;
    await t.send(1, 'get', '/things').set('X-WP-Nonce', 'wrong').expect(403);
    await t.close();
  });

  it('answers 429 after 1,200 requests of a user in a minute, without a write per request', async () => {
    const t = await startHarness(fixtureRoutes);
    const writes: string[] = [];
    t.app.db.knex.on('query', ({ sql }: { sql: string }) => {
      if (sql.includes('rate_limits')) writes.push(sql);
    });
    await Promise.all(Array.from({ length: 99 }, () => t.send(2, 'get', '/thingsmine').expect(200)));
    expect(writes).toEqual([]);
    const later: number[] = [];
    for (let i = 0; i < 23; i++)
      later.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, async () => (await t.send(2, 'get', '/thingsmine')).status),
        )),
      );
    expect(later.filter((status) => status === 200)).toHaveLength(1101);
    expect(writes.length).toBeLessThan(30);
    await t.close();
  });
});
