import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { SECRET, sign } from '../support/commerce.js';
import { standardProvider } from '../../adapters/index.js';
import { connectChild, plain, signed, TRUSTED } from '../support/sites.js';

// What a stranger may not find out by trying: "unknown" and "wrong" get one answer for the same work
// (docs/reliability.md §5). Work is counted in statements, which a clock would only guess at;
// comparisons themselves are held to core/constant-time.ts by architecture.test.ts.

interface Observed {
  readonly status: number;
  readonly body: unknown;
  readonly headers: string[];
  readonly statements: string[];
}

async function observed(t: TestApp, ask: () => PromiseLike<Response>): Promise<Observed> {
  const statements: string[] = [];
  const listen = ({ sql }: { sql: string }): void => {
    statements.push(sql);
  };
  t.app.db.knex.on('query', listen);
  try {
    const { status, body, headers } = await ask();
    return { status, body, headers: Object.keys(headers).toSorted(), statements };
  } finally {
    t.app.db.knex.removeListener('query', listen);
  }
}

/**
 * Both ways to be refused look alike; asked twice each, so that what is read once
 * per process counts for neither.
 */
async function expectAlike(
  t: TestApp,
  one: () => PromiseLike<Response>,
  other: () => PromiseLike<Response>,
): Promise<Observed> {
  for (const ask of [one, other]) await ask();
  const [first, second] = [await observed(t, one), await observed(t, other)];
  expect(first).toEqual(second);
  return first;
}

const NOBODY = '987654';
const token = (): string => randomBytes(24).toString('hex');

it("a site's number that is taken, from one that is not", async () => {
  const t = await startApp(TRUSTED);
  const child = await connectChild(t);
  for (const path of ['/connected-sites/config', '/connected-sites/visits']) {
    const plainly = await expectAlike(
      t,
      () => plain(t, child, 'get', path, { token: token() }).ok(() => true),
      () => plain(t, child, 'get', path, { token: token(), siteId: NOBODY }).ok(() => true),
    );
    const signedly = await expectAlike(
      t,
      () => signed(t, child, 'get', path, undefined, { token: token() }).ok(() => true),
      () => signed(t, child, 'get', path, undefined, { token: token(), siteId: NOBODY }).ok(() => true),
    );
    for (const { status } of [plainly, signedly]) expect([401, 404]).toContain(status);
  }
});

it('a site that was disconnected, from one that never was', async () => {
  const t = await startApp();
  const child = await connectChild(t);
  await t.admin
    .post('/settings/connected-sites-config/disconnect')
    .send({ site_id: child.site_id })
    .expect(200);

  await expectAlike(
    t,
    () => signed(t, child, 'get', '/connected-sites/config').ok(() => true),
    () => signed(t, child, 'get', '/connected-sites/config', undefined, { siteId: NOBODY }).ok(() => true),
  );
});

it("a shop's signature that is wrong in its first byte, from one wrong in its last, and from none of the right length", async () => {
  const t = await startApp({ providers: [standardProvider({ key: 'demo', secrets: [SECRET] })] });
  await t.admin
    .post('/settings/integration/update-status')
    .send({ integration: 'demo', is_enabled: 'yes' })
    .expect(200);
  const seconds = Math.floor(t.clock.now() / 1000);
  const right = sign('m', seconds, '{}');
  const flip = (at: number): string =>
    right.slice(0, at) + (right[at] === 'A' ? 'B' : 'A') + right.slice(at + 1);
  const ask = (signature: string) => () =>
    request(t.server)
      .post(`${t.service.basePath}/webhooks/demo`)
      .type('json')
      .send('{}')
      .ok(() => true)
      .set({ 'webhook-id': 'm', 'webhook-timestamp': String(seconds), 'webhook-signature': signature });

  const { status } = await expectAlike(t, ask(flip(3)), ask(flip(40)));
  await expectAlike(t, ask(flip(3)), ask('v1,AAAA'));
  expect(status).toBe(400);
});

it('a nonce of another user, from one that is made up', async () => {
  const t = await startApp();
  const { Cookie = '' } = t.headers(2);
  const ask = (nonce: string) => () =>
    request(t.server)
      .get(`${t.service.basePath}/portal/stats`)
      .set({ Cookie, 'X-WP-Nonce': nonce })
      .ok(() => true);

  expect((await expectAlike(t, ask(t.headers(3)['X-WP-Nonce'] ?? ''), ask('f'.repeat(32)))).status).toBe(403);
});

it('a record of somebody else, from one that is not there', async () => {
  const t = await startApp();
  const affiliate = await t.records.affiliate({ user_id: 3 });
  const { id } = await t.records.referral({ affiliate_id: affiliate.id });
  for (const path of ['/affiliates', '/referrals', '/payouts', '/creatives/creatives', '/settings/links']) {
    for (const user of [0, 2])
      await expectAlike(
        t,
        () =>
          t
            .as(user)
            .get(`${path}/${id}`)
            .ok(() => true),
        () =>
          t
            .as(user)
            .get(`${path}/999999`)
            .ok(() => true),
      );
  }
});

it('an address that has an application waiting, from one that has none', async () => {
  const t = await startApp();
  const form = (email: string) => ({
    full_name: 'Eve Stone',
    email,
    username: email.split('@')[0],
    password: 'long enough',
    conf_password: 'long enough',
    note: 'x',
    terms_condition: 'yes',
    payment_email: 'pay@eve.test',
    url: 'https://eve.test',
  });
  const apply = async (email: string): Promise<Observed> => {
    const { body, ...rest } = await observed(t, () =>
      t.anonymous
        .post('/registration')
        .send(form(email))
        .ok(() => true),
    );
    return { ...rest, body: Object.keys(body as object).toSorted() };
  };
  await apply('warm@eve.test');
  const first = await apply('ellen@eve.test');
  const again = await apply('ellen@eve.test');
  expect([first.status, again]).toEqual([200, first]);
});

it('a code for a reference that does not exist, from one that has expired', async () => {
  const t = await startApp();
  const { body } = await t.anonymous
    .post('/registration')
    .send({
      full_name: 'Eve Stone',
      email: 'eve@eve.test',
      username: 'evestone',
      password: 'long enough',
      conf_password: 'long enough',
      note: 'x',
      terms_condition: 'yes',
      payment_email: 'pay@eve.test',
      url: 'https://eve.test',
    })
    .expect(200);
  t.clock.advance(3_600_000);
  const verify = (reference: string) => () =>
    t.anonymous
      .post('/registration/verify')
      .send({ reference, code: '000000' })
      .ok(() => true);

  await expectAlike(t, verify(body.reference), verify('x'.repeat(40)));
});

it('a login of the memory host, from one nobody has', async () => {
  const t = await startApp();
  await t.host.users.create?.({ login: 'known', email: 'known@shop.test', password: 'right one' } as never);

  expect([
    t.host.checkPassword('known', 'wrong'),
    t.host.checkPassword('nobody', 'wrong'),
    t.host.checkPassword('known', 'right one')?.login,
  ]).toEqual([null, null, 'known']);
});
