import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { medusa, shopify, standardProvider, stripe, woo } from '../../adapters/index.js';
import { catalog } from '../../hooks/catalog.js';
import { TABLES, type TableName } from '../../adapters/database/tables.js';
import type { Route } from '../../src/platform/http/define-route.js';
import { allRoutes } from '../../src/app/routes.js';
import { inMatchingOrder } from '../../src/platform/http/route-table.js';
import { startApp, type TestApp } from '../support/app.js';
import { addressOf, smallestBody, wrongTypes } from '../support/route-cases.js';
import { connectChild, plain, signed, TRUSTED } from '../support/sites.js';

// Secrets are told once, or never (docs/reliability.md §1, §5):
// every one of them is marked, every route is asked with good and bad input, and what came out is searched:
// answers, log, hooks, audit, mails and the database itself.

const mark = (name: string): string => `zq9secret${name}${'x'.repeat(24)}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const GIVEN = {
  secret: mark('service'),
  previous: mark('former'),
  smtp: mark('smtp'),
  stripe: `whsec_${mark('stripe')}`,
  stripeApi: `rk_${mark('stripeapi')}`,
  woo: mark('woo'),
  wooApi: mark('wooapi'),
  shopify: mark('shopify'),
  standard: `whsec_${base64(mark('standard'))}`,
  license: `${mark('license')}-end`,
  password: mark('password'),
  bearer: mark('bearer'),
};

let t: TestApp;
/** Name → the text nobody may read. */
const secrets = new Map<string, string>(Object.entries(GIVEN));
const heard: string[] = [];
const mounted = inMatchingOrder(allRoutes());
const refusing = (async () => {
  throw new Error('The shop does not answer.');
}) as unknown as typeof fetch;

beforeAll(async () => {
  t = await startApp({
    ...TRUSTED,
    shared: true,
    secret: GIVEN.secret,
    previousSecrets: [GIVEN.previous],
    smtp: { host: '127.0.0.1', port: 1, auth: { user: 'mailer', pass: GIVEN.smtp }, from: 'shop@shop.test' },
    registration: { verifyEmail: false },
    providers: [
      stripe({ secrets: [GIVEN.stripe], mode: 'live', api: { key: GIVEN.stripeApi, fetch: refusing } }),
      woo({
        secrets: [GIVEN.woo],
        stores: ['https://woo.test'],
        api: { fetch: refusing, keyOf: () => ({ key: GIVEN.wooApi, secret: GIVEN.wooApi }) },
      }),
      shopify({ secrets: [GIVEN.shopify] }),
      medusa({ query: refusing as never, events: [] as never }),
      standardProvider({ key: 'demo', secrets: [GIVEN.standard] }),
    ],
  });
  listen();
  for (const user of [1, 2])
    for (const [name, value] of Object.entries(t.headers(user)))
      secrets.set(`${name} of user ${user}`, name === 'Cookie' ? value.slice(value.indexOf('=') + 1) : value);
});
afterAll(() => t.close());

/**
 * Every hook has a tap that notes what it is told; the service itself, which hosts hold anyway, is left out.
 */
function listen(): void {
  const note =
    (name: string) =>
    (...args: unknown[]): unknown => {
      const context = args.at(-1);
      const shown =
        typeof context === 'object' ? [...args.slice(0, -1), { ...context, service: undefined }] : args;
      heard.push(`${name}: ${seen(shown)}`);
      return args[0];
    };
  for (const [name, line] of Object.entries(catalog)) {
    if (name.includes('{')) continue;
    if (line.kind === 'filter') t.service.hooks.addFilter(name as 'user_ip', note(name) as never);
    else
      t.service.hooks.addAction(name as 'visit_created', (...args: unknown[]) => {
        note(name)(...args);
      });
  }
}

const seen = (value: unknown): string =>
  inspect(value, { depth: 12, maxArrayLength: null, maxStringLength: null, breakLength: Infinity });
const forms = (text: string): string[] => [
  text,
  base64(text),
  Buffer.from(text).toString('base64url'),
  Buffer.from(text).toString('hex'),
  encodeURIComponent(text),
];
/** `place: secret` for each secret found. */
function found(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).flatMap(([place, text]) =>
    [...secrets]
      .filter(([, secret]) => forms(secret).some((form) => text.includes(form)))
      .map(([name]) => `${place}: ${name}`),
  );
}

const answers: [string, string][] = [];
const keep = (answer: Response): void => {
  const { method, path } = (answer as unknown as { req: { method: string; path: string } }).req;
  answers.push([`${method} ${path.split('?')[0] ?? ''} → ${answer.status}`, readable(answer)]);
};
/** All of an answer but the nonce for the caller's next request, which is made for no other reader. */
const readable = ({ text, headers }: Response): string =>
  `${text ?? ''} ${JSON.stringify({ ...headers, 'x-wp-nonce': undefined })}`;

/**
 * What a body may carry that is nobody else's to know: the nonce anywhere, and what its own route asks for.
 */
function privateFields({ id }: Route, user: number): Record<string, unknown> {
  return {
    ...(user > 0 && { _wpnonce: t.headers(user)['X-WP-Nonce'] }),
    ...(id.startsWith('registration.') && { password: GIVEN.password, conf_password: GIVEN.password }),
    ...(id.startsWith('license.') && { license_key: GIVEN.license }),
    ...(/^(?:sites|site)\./.test(id) && { server_token: GIVEN.bearer }),
  };
}
const REGISTRATION = {
  full_name: 'Eve Stone',
  email: 'eve@shop.test',
  username: 'evestone',
  note: 'x',
  terms_condition: 'yes',
  payment_email: 'pay@eve.test',
  url: 'https://eve.test',
  password: GIVEN.password,
  conf_password: GIVEN.password,
};

async function askEverything(): Promise<void> {
  for (const { route, path } of mounted) {
    if (route.id === 'sites.issue' || route.id.endsWith('wipe')) continue;
    for (const user of [1, 2, 0]) for (const body of bodiesFor(route)) await ask(route, path, { user, body });
  }
}

function bodiesFor({ method, body }: Route): (object | string)[] {
  return method === 'get' ? [{}] : [{}, smallestBody(body), (body && wrongTypes(body)) ?? {}, '{"a":'];
}

/** Of a row that exists and of one that does not. */
async function ask(
  route: Route,
  path: string,
  { user, body }: { user: number; body: object | string },
): Promise<void> {
  t.clock.advance(500); // below the limits
  for (const id of [1, 999_999]) {
    const nonce = user > 0 ? `?_wpnonce=${t.headers(user)['X-WP-Nonce'] ?? ''}` : '';
    const call = t
      .as(user)
      [route.method](addressOf(path, id) + nonce)
      .set({ Accept: 'application/json', Authorization: `Bearer ${GIVEN.bearer}` })
      .ok(() => true);
    if (route.method === 'get') keep(await call);
    else if (typeof body === 'string') keep(await call.type('json').send(body));
    else keep(await call.type(id === 1 ? 'json' : 'form').send({ ...body, ...privateFields(route, user) }));
  }
}

async function dump(): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const table of TABLES) texts[`table ${table}`] = seen(await t.app.db(table).select());
  return texts;
}

/** As it looks, and as a logger writes it: a stack may be older than its message. */
const logged = (): string => `${seen(t.log)} ${JSON.stringify(t.log, withErrors)}`;
const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? Object.assign({}, value, { message: value.message, cause: value.cause }) : value;

describe('a marked secret', () => {
  it('is where it was put: the search finds it', () => {
    expect(found({ here: `x${GIVEN.smtp}y`, there: base64(GIVEN.license) })).toEqual([
      'here: smtp',
      'there: license',
    ]);
  });

  it('is in no answer, log line, hook, mail or row after every route was asked with good and bad input', async () => {
    const affiliate = await t.records.affiliate({ user_id: 2 });
    await t.records.visit({ affiliate_id: affiliate.id });
    await t.records.referral({ affiliate_id: affiliate.id });
    await t.records.payout();
    keep(await t.admin.post('/settings/license').send({ license_key: GIVEN.license }).expect(200));
    for (const integration of ['stripe', 'woo', 'shopify', 'demo'])
      keep(
        await t.admin
          .post('/settings/integration/update-status')
          .send({ integration, is_enabled: 'yes' })
          .expect(200),
      );
    const signedUp = await t.anonymous.post('/registration').send(REGISTRATION).expect(200);
    answers.push(['POST /registration', signedUp.text]); // its cookie is a sign-in, which the host makes
    const child = await connectChild(t);
    secrets.set('token of the site', child.server_token);
    for (const form of ['get', 'post'] as const) {
      keep(await signed(t, child, form, '/connected-sites/config').ok(() => true));
      keep(await plain(t, child, form, '/connected-sites/config').ok(() => true));
      keep(await plain(t, child, form, '/connected-sites/config', { token: GIVEN.bearer }).ok(() => true));
    }
    for (const key of ['stripe', 'woo', 'shopify', 'demo', 'nothing']) {
      keep(
        await request(t.server)
          .post(`${t.service.basePath}/webhooks/${key}`)
          .set({
            'stripe-signature': `t=1,v1=${GIVEN.bearer}`,
            'webhook-signature': GIVEN.bearer,
            'x-wc-webhook-signature': GIVEN.bearer,
          })
          .type('json')
          .send('{"id":"x"}')
          .ok(() => true),
      );
    }
    await askEverything();
    for (let hours = 0; hours < 50; hours += 1) {
      // mails cannot be delivered: what failed is logged and tried again
      t.clock.advance(3_600_000);
      await t.service.jobs.runDue();
    }

    expect(answers.length).toBeGreaterThan(1000);
    expect(heard.length).toBeGreaterThan(100);
    expect(t.log.some(({ level }) => level === 'warn' || level === 'error')).toBe(true);
    // GET /nonce is asked for a nonce and answers one; nothing else does.
    const shown = answers.filter(([place]) => !/^GET \S*\/nonce\b/.test(place));
    expect(found(Object.fromEntries(shown.map(([place, text], at) => [`${at} ${place}`, text])))).toEqual([]);
    expect(
      found({
        log: logged(),
        mails: seen(t.host.mailbox),
        specification: JSON.stringify(t.service.openapi()),
      }),
    ).toEqual([]);
    expect(
      found(Object.fromEntries(heard.map((text, at) => [`${at} ${text.slice(0, text.indexOf(':'))}`, text]))),
    ).toEqual([]);
    expect(found(await dump())).toEqual([]);
  }, 120_000);

  it.each<[TableName, () => PromiseLike<Response>]>([
    [
      'signup_challenges',
      () =>
        t.anonymous
          .post('/registration')
          .send({ ...REGISTRATION, email: 'ed@shop.test', username: 'edstone' })
          .ok(() => true),
    ],
    [
      'affiliates',
      () =>
        t.anonymous
          .post('/registration')
          .send({ ...REGISTRATION, email: 'ed2@shop.test', username: 'edstone2' })
          .ok(() => true),
    ],
    [
      'options',
      () =>
        t.admin
          .post('/settings/license')
          .send({ license_key: GIVEN.license })
          .ok(() => true),
    ],
    [
      'connected_sites',
      () =>
        t.admin
          .post('/settings/connected-sites-config/issue')
          .send({ site_url: 'https://second.test', server_token: GIVEN.bearer })
          .ok(() => true),
    ],
    [
      'rate_limits',
      () =>
        t.admin
          .get('/affiliates')
          .set('X-WP-Nonce', GIVEN.bearer)
          .ok(() => true),
    ],
    [
      'idempotency_keys',
      () =>
        t.admin
          .post('/settings/license')
          .set('Idempotency-Key', 'x')
          .send({ license_key: GIVEN.license })
          .ok(() => true),
    ],
  ])('is told neither to the caller nor to the log when the table %s is gone', async (table, ask) => {
    const name = t.app.db.name(table);
    t.log.length = 0;
    await t.app.db.knex.schema.renameTable(name, `${name}_gone`);
    try {
      const answer = await ask();
      expect(found({ answer: readable(answer), log: logged() })).toEqual([]);
    } finally {
      await t.app.db.knex.schema.renameTable(`${name}_gone`, name);
    }
  });
});
