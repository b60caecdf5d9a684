import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import createKnex from 'knex';
import { startExample, type RunningExample } from './examples/start-example.mjs';
import { Visitor, type Answer } from './examples/visitor.mjs';
import { dropTables, testDatabase } from './support/databases.js';
import { startSmtp } from './support/smtp.js';
import type { Wire } from './support/records.js';

// The examples as a newcomer meets them: built, started as processes of their own, used over HTTP.

const running: RunningExample[] = [];
const folders: string[] = [];

async function start(name: string, env: Readonly<Record<string, string>> = {}): Promise<RunningExample> {
  const example = await startExample(name, env);
  running.push(example);
  return example;
}

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'example-'));
  folders.push(path);
  return path;
};

/** An empty database of the engine this run is about, as the example gets it. */
async function databaseUrl(): Promise<string> {
  const { client, connection } = await testDatabase({ purpose: 'example', shared: true });
  if (client === 'better-sqlite3') return `sqlite:${String(connection)}`;
  const knex = createKnex({ client, connection });
  await dropTables(knex, 'fa_');
  await knex.destroy();
  return String(connection);
}

async function cleanUp(): Promise<void> {
  await Promise.all(running.splice(0).map((example) => example.stop('SIGKILL')));
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** Runs a script of test/examples with node. */
function run(
  name: string,
  { flags = [], args = [] }: { readonly flags?: readonly string[]; readonly args?: readonly string[] },
): { code: number | null; output: string } {
  const file = fileURLToPath(new URL(`examples/${name}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, file, ...args], {
    encoding: 'utf8',
  });
  return { code: status, output: stdout + stderr };
}

/** What a process prints arrives a moment later. */
async function eventually(find: () => string | undefined, steps = 100): Promise<string> {
  for (let step = 0; step < steps; step++) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  throw new Error('It was not printed.');
}

const LAMP = {
  items: [{ id: 1, quantity: 1 }],
  email: 'jo@example.test',
  first_name: 'Jo',
  last_name: 'Doe',
};

describe('examples/cms-host', () => {
  let env: Readonly<Record<string, string>>;
  let host: RunningExample;
  let buyer: Visitor;
  let admin: Visitor;

  beforeAll(async () => {
    env = { DATA_DIR: folder(), DATABASE_URL: await databaseUrl() };
    host = await start('cms-host', env);
    [buyer, admin] = [new Visitor(host.url), new Visitor(host.url)];
    await admin.signIn('admin');
  });
  afterAll(cleanUp);

  /** The commission of an order, which the shopper does not see. */
  const commissionOf = async (orderId: number) =>
    (await admin.rest('GET', '/referrals?per_page=200')).body.referrals.data.find(
      (each: { provider_id: string | number }) => Number(each.provider_id) === orderId,
    );
  const buy = (body: object): Promise<Answer> => buyer.post('/cart/checkout', { ...LAMP, ...body });
  const aliceSees = async (): Promise<object> => {
    const alice = new Visitor(host.url);
    await alice.signIn('alice');
    const { figures, outlook } = (await alice.rest('GET', '/portal/overview')).body;
    return {
      clicks: figures.now.clicks,
      orders: figures.now.orders,
      ready: outlook.ready,
      underway: outlook.on_its_way,
      paid: outlook.paid,
    };
  };

  it('earns alice 10.00 from 100.00, pays it out, and knows it after a restart', async () => {
    expect((await buyer.open('/?ref=alice')).headers.getSetCookie().join()).toContain('f_aff=1%7C');
    const bought = await buy({ checkout_key: 'journey' });
    expect(bought).toMatchObject({
      status: 200,
      body: { order_id: 1, total: 100 },
    });
    expect(JSON.stringify(bought.body)).not.toMatch(/referral|affiliate|commission/);
    const earned = await commissionOf(1);
    expect(earned).toMatchObject({ amount: 10, status: 'unpaid' });
    expect(await aliceSees()).toEqual({ clicks: 1, orders: 1, ready: 10, underway: 0, paid: 0 });

    const config = { title: 'January', description: 'Commissions' };
    expect((await admin.rest('POST', '/payouts/validate-payout-config', { config })).body).toMatchObject({
      payable_total_amount: 10,
    });
    const { payout } = (await admin.rest('POST', '/payouts/process-payout', { config })).body;
    expect(payout).toMatchObject({ total_amount: 10, status: 'processing' });
    expect(await aliceSees()).toMatchObject({ ready: 0, underway: 10, paid: 0 });
    const { transactions } = (await admin.rest('GET', `/payouts/${payout.id}/transactions`)).body;
    await admin.rest('PATCH', `/payouts/${payout.id}/transactions/${transactions.data[0].id}`, {
      status: 'paid',
    });
    expect(await aliceSees()).toMatchObject({ ready: 0, underway: 0, paid: 10 });

    expect(await host.stop('SIGTERM')).toBe(0);
    host = await start('cms-host', env);
    buyer.at(host.url);
    admin.at(host.url);
    expect(await aliceSees()).toEqual({ clicks: 1, orders: 1, ready: 0, underway: 0, paid: 10 });
    expect((await buy({ checkout_key: 'journey' })).body).toMatchObject({
      order_id: 1,
    });
    expect((await commissionOf(1)).id).toBe(earned.id);
  });

  it('keeps the key of a form to the shopper who sent it', async () => {
    const { body: own } = await buy({ checkout_key: 'mine' });
    const stranger = new Visitor(host.url);
    await stranger.open('/');
    const { body: other } = await stranger.post('/cart/checkout', { ...LAMP, checkout_key: 'mine' });
    expect(other.order_id).not.toBe(own.order_id);
    expect((await stranger.get('/orders/mine')).status).toBe(404);
    expect((await buy({ checkout_key: 'mine' })).body.order_id).toBe(own.order_id);
  });

  it('makes one order and one referral of a form that is sent twice at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => buy({ checkout_key: 'twice' })));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await commissionOf(answers[0]?.body.order_id)).toMatchObject({ amount: 10 });
  });

  it('makes one payout of 16 calls at once', async () => {
    await buy({ checkout_key: 'for the payout' });
    const config = { title: 'Once', description: 'Once' };
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => admin.rest('POST', '/payouts/process-payout', { config })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
  });

  it('holds the commission of an invoice back until the order is completed', async () => {
    const { body: order } = await buy({ payment: 'invoice' });
    expect((await commissionOf(order.order_id)).status).toBe('pending');
    expect((await admin.post(`/admin/orders/${order.order_id}/complete`, {})).body).toMatchObject({
      status: 'completed',
      referral: { status: 'unpaid' },
    });
  });

  it('takes commission back with a refund, in part or in full', async () => {
    const { body: order } = await buy({});
    const refund = (body: object): Promise<Answer> =>
      admin.post(`/admin/orders/${order.order_id}/refund`, body);
    expect((await refund({ amount: '25.00' })).body).toMatchObject({
      refunded: 25,
      referral: { amount: 7.5, status: 'unpaid' },
    });
    expect(await refund({ amount: '75.01' })).toMatchObject({
      status: 422,
      body: { code: 'refund_invalid' },
    });
    expect((await refund({})).body).toMatchObject({
      refunded: 100,
      status: 'refunded',
      referral: { status: 'rejected' },
    });
  });

  it('takes ten percent off with the coupon before the commission', async () => {
    const { body: order } = await buy({ coupon: 'welcome10' });
    expect(order).toMatchObject({ total: 90 });
    expect(order).not.toHaveProperty('referral'); // the shopper sees nothing of the commission
    const { data } = (await admin.rest('GET', '/referrals')).body.referrals;
    expect(data[0]).toMatchObject({ provider_id: order.order_id, amount: 9 });
  });

  it.each([
    [{ items: [] }, 'cart_empty'],
    [{ items: [{ id: 99, quantity: 1 }] }, 'product_unknown'],
    [{ items: [{ id: 1, quantity: -1 }] }, 'quantity_invalid'],
    [{ items: 'all' }, 'cart_empty'],
    [{ email: 'nobody' }, 'email_invalid'],
    [{ coupon: 'NONE' }, 'coupon_unknown'],
    [{ payment: 'gold' }, 'payment_invalid'],
  ])('refuses %j with %s', async (wrong, code) => {
    expect(await buy(wrong)).toMatchObject({ status: 422, body: { code } });
  });

  it('sells through forms, and escapes what people type', async () => {
    const guest = new Visitor(host.url);
    await guest.form('/cart/add', { id: '2', quantity: '2' });
    expect((await guest.open('/cart')).text).toContain('$37.00');
    const { first_name, last_name, email } = { ...LAMP, first_name: '<script>alert(1)</script>' };
    const placed = await guest.form('/cart/checkout', { first_name, last_name, email });
    expect(placed.status).toBe(303);
    const thanks = (await guest.open(placed.headers.get('location') ?? '')).text;
    expect(thanks).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(thanks).not.toContain('<script>alert');
    expect((await guest.open('/cart')).text).toContain('Nothing in it yet');
  });

  it('takes guests as affiliates with the code from the mail, and users without', async () => {
    const guest = new Visitor(host.url);
    const form = { note: 'On my blog', terms_condition: 'yes', payment_email: 'pay@example.test' };
    const apply = (body: object): Promise<Answer> =>
      guest.rest('POST', '/registration', { ...form, ...body });
    expect((await apply({ full_name: '<i>Eve</i> "&', username: 'al' })).body.errors).toMatchObject({
      email: { required: expect.any(String) as unknown },
    });
    const account = {
      full_name: 'Eve Stone',
      email: 'eve@example.test',
      username: 'evestone',
      password: 'a password',
      conf_password: 'a password',
    };
    const { reference } = (await apply(account)).body;
    const code = await eventually(
      () => /Mail to eve@example\.test[\s\S]*?\b(\d{6})\b/.exec(host.output())?.[1],
    );
    expect((await guest.open('/mails')).text).toContain('eve@example.test');
    const confirm = (typed: string): Promise<Answer> =>
      guest.rest('POST', '/registration/verify', { reference, code: typed });
    expect((await confirm(code === '000000' ? '111111' : '000000')).body.code).toBe('verification_failed');
    expect((await confirm(code)).body.status).toBe('pending');
    await guest.takeNonce();
    const state = async (who: Visitor): Promise<string> =>
      (await who.rest('GET', '/registration/state')).body.state;
    expect(await state(guest)).toBe('pending');
    const { affiliates } = (await admin.rest('GET', '/affiliates')).body;
    await admin.rest('PATCH', `/affiliates/${affiliates.data[0].id}/status`, { status: 'active' });
    expect(await state(guest)).toBe('active');

    const bob = new Visitor(host.url);
    await bob.signIn('bob');
    expect((await bob.rest('POST', '/registration', form)).body.status).toBe('pending');
    expect(await state(bob)).toBe('pending');
  });

  it('mails a new affiliate over SMTP once approved, and pays for the clicks of the new link', async () => {
    const smtp = await startSmtp();
    try {
      const shop = await start('cms-host', { DATA_DIR: folder(), SMTP_URL: `smtp://127.0.0.1:${smtp.port}` });
      const bob = new Visitor(shop.url);
      await bob.signIn('bob');
      await bob.rest('POST', '/registration', {
        note: 'On my blog',
        terms_condition: 'yes',
        payment_email: 'bob@example.test',
      });
      const boss = new Visitor(shop.url);
      await boss.signIn('admin');
      const { data } = (await boss.rest('GET', '/affiliates?status=pending')).body.affiliates;
      await boss.rest('PATCH', `/affiliates/${data[0].id}/status`, { status: 'active' });
      const subject = await eventually(
        () => smtp.mails.map(({ source }) => /^Subject: (Welcome.*)$/m.exec(source)?.[1]).find(Boolean),
        400,
      );
      expect(subject).toContain('affiliate program');

      const buyer = new Visitor(shop.url);
      await buyer.open('/?ref=bob');
      const { body: order } = await buyer.post('/cart/checkout', LAMP);
      const { data: rows } = (await boss.rest('GET', '/referrals')).body.referrals;
      expect(rows[0]).toMatchObject({
        provider_id: order.order_id,
        affiliate_id: data[0].id,
        status: 'unpaid',
      });
    } finally {
      await smtp.close();
    }
  });

  it('sends a payment by a press, and the payer decides what becomes of it', async () => {
    await buy({ checkout_key: 'for the payer' });
    const config = { title: 'By press', description: 'Sent', payout_method: 'paypal' };
    const { payout } = (await admin.rest('POST', '/payouts/process-payout', { config })).body;
    const { plan } = (await admin.rest('GET', `/payouts/${payout.id}/send?method=paypal`)).body;
    expect(plan).toMatchObject({ count: 1, amount: payout.total_amount });
    await admin.rest('POST', `/payouts/${payout.id}/send`, {
      method: 'paypal',
      count: 1,
      amount: plan.amount,
    });
    const state = async (): Promise<string> =>
      (await admin.rest('GET', `/payouts/${payout.id}/payments`)).body.payments.data[0].state;
    for (let step = 0; step < 300 && (await state()) === 'prepared'; step++)
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    expect(await state()).toBe('submitted');
    expect((await admin.open('/admin/payer')).text).toContain(String(plan.amount.toFixed(2)));

    await admin.post('/admin/payer/1', { state: 'ONHOLD' });
    expect(await state()).toBe('held');
    await admin.post('/admin/payer/1', { state: 'SUCCESS' });
    expect(await state()).toBe('paid');
    await admin.post('/admin/payer/1', { state: 'RETURNED' });
    expect(await state()).toBe('returned');
    expect((await admin.rest('GET', `/payouts/${payout.id}/transactions`)).body.transactions.data).toEqual(
      [],
    );
  });

  it('lets in who may come in', async () => {
    const guest = new Visitor(host.url);
    expect((await guest.post('/login', { login: 'alice', password: 'wrong' })).status).toBe(401);
    expect((await guest.get('/nonce')).status).toBe(401);
    expect((await guest.open('/admin/orders')).headers.get('location')).toBe('/login?next=%2Fadmin%2Forders');
    expect((await guest.open('/affiliate-admin/')).headers.get('location')).toBe(
      '/login?next=%2Faffiliate-admin%2F',
    );
    expect((await guest.rest('GET', '/affiliates')).status).toBe(401);
    await guest.signIn('bob');
    expect((await guest.open('/admin/orders')).status).toBe(403);
    expect((await guest.open('/affiliate-admin/')).status).toBe(403);
    expect((await guest.post('/admin/orders/1/refund', {})).status).toBe(403);
    expect((await guest.rest('GET', '/affiliates')).status).toBe(403);
    expect((await guest.post('/logout', {}, { Origin: 'https://elsewhere.test' })).status).toBe(403);
    expect((await guest.post('/logout', {})).status).toBe(200);
    expect((await guest.get('/nonce')).status).toBe(401);
  });

  it.each([
    '/',
    '/products/1',
    '/pages/about',
    '/cart',
    '/login',
    '/mails',
    '/partners/',
    '/docs',
    '/docs/swagger/swagger-ui-bundle.js',
    '/assets/style.css',
    '/favicon.ico',
  ])('serves %s', async (path) => {
    expect((await buyer.open(path)).status).toBe(200);
  });

  it.each(['/admin/orders', '/affiliate-admin/', '/partners/'])(
    'shows the administrator %s',
    async (path) => {
      const { status, text } = await admin.open(path);
      expect(status).toBe(200);
      expect(text).not.toMatch(/undefined|\[object|NaN/);
    },
  );

  it.each(['/products/99', '/products/x', '/pages/none', '/orders/none', '/nothing'])(
    'has no %s',
    async (path) => {
      expect((await buyer.open(path)).status).toBe(404);
    },
  );

  it('publishes the document of the interface', async () => {
    expect((await buyer.get('/openapi.json')).body).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/) as unknown,
    });
  });

  it('has sound books at the end', async () => {
    expect((await admin.get('/admin/verify')).body).toEqual({ violations: [], unsettled_orders: [] });
  });
});

describe('the invented program of examples/cms-host', () => {
  afterEach(cleanUp);

  it('has people, clicks over months, commissions in each state, payouts and sound books', async () => {
    const env = { DATA_DIR: folder(), DEMO_DATA: 'yes' };
    const shop = await start('cms-host', env);
    const boss = new Visitor(shop.url);
    await boss.signIn('admin');
    const total = async (path: string): Promise<number> =>
      Object.values((await boss.rest('GET', path)).body as Record<string, { total?: number }>).find(
        (value) => typeof value.total === 'number',
      )?.total ?? 0;
    for (const status of ['pending', 'unpaid', 'paid', 'rejected'])
      expect(await total(`/referrals?status=${status}`)).toBeGreaterThan(0);
    for (const status of ['paid', 'processing'])
      expect(await total(`/payouts?status=${status}`)).toBeGreaterThan(0);
    expect(await total('/affiliates?status=pending')).toBe(3);
    expect(await total('/visits')).toBeGreaterThan(1000);
    expect((await boss.open('/mails')).text).toContain('You earned a commission at Fernway');
    expect((await boss.get('/admin/verify')).body).toEqual({ violations: [], unsettled_orders: [] });
    const mia = new Visitor(shop.url);
    await mia.signIn('manager');
    expect((await mia.open('/affiliate-admin/')).status).toBe(200);
    expect((await mia.rest('GET', '/affiliates')).status).toBe(200);
    expect((await mia.rest('GET', '/payouts')).status).toBe(403);
  });
});

describe('reliability of examples/cms-host', () => {
  it('loses nothing when it is killed at random moments', () => {
    const { code, output } = run('kill-loop.mjs', { args: ['3'] });
    expect(output).toContain('lost: 0, doubled: 0, broken invariants: 0');
    expect(code).toBe(0);
  });

  it('passes the suite for host adapters', () => {
    const { code, output } = run('host-contract.mjs', { flags: ['--test', '--test-reporter=tap'] });
    expect(output).toMatch(/# pass \d+\n# fail 0/);
    expect(code).toBe(0);
  });
});

describe('the SQLite driver', () => {
  it('survives 200,000 statements that are made and dropped while memory is collected', () => {
    const { code, output } = run('many-statements.mjs', { flags: ['--expose-gc'] });
    expect(output).toMatch(/made 200\d{3} statements, 0 violations/);
    expect(code).toBe(0);
  });
});

describe('examples/minimal-express', () => {
  afterEach(cleanUp);

  it('has at most 40 lines and credits the affiliate', async () => {
    const source = readFileSync(
      new URL('../examples/minimal-express/src/server.ts', import.meta.url),
      'utf8',
    );
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    const visitor = new Visitor((await start('minimal-express')).url);
    await visitor.open('/?ref=1');
    expect((await visitor.form('/buy', {})).text).toBe('Thank you. Affiliate 1 earned 10.');
    expect((await new Visitor(visitor.url).form('/buy', {})).text).toBe('Thank you.');
  });
});

describe('examples/extension', () => {
  afterEach(cleanUp);

  async function startExtension(): Promise<{
    readonly url: string;
    readonly call: (method: string, path: string, body?: object) => Promise<Wire>;
    readonly get: (path: string, user?: number) => Promise<Response>;
  }> {
    const example = await start('extension');
    const [cookie, nonce] = [
      /Cookie: ([^']+)/.exec(example.output())?.[1] ?? '',
      /X-WP-Nonce: ([^']+)/.exec(example.output())?.[1] ?? '',
    ];
    return {
      url: example.url,
      call: async (method, path, body) => {
        const answer = await fetch(`${example.url}/wp-json/affiliate-service/v2${path}`, {
          method,
          headers: { Cookie: cookie, 'X-WP-Nonce': nonce, 'Content-Type': 'application/json' },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        return { status: answer.status, ...((await answer.json()) as object) };
      },
      get: async (path, user = 1) => {
        const signed = await fetch(`${example.url}/sign-in/${user}`, { redirect: 'manual' });
        const own = (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
        return fetch(example.url + path, { headers: { Cookie: own } });
      },
    };
  }
  const FORM = { meta_key: 'Partners', rate_type: 'percentage', rate: 15, status: 'active' };
  const ALICE = { user_id: 2, status: 'active', rate_type: 'default', payment_email: 'alice@example.test' };

  it('keeps its own fields of groups and affiliates, and moves members away before a group is deleted', async () => {
    const { call } = await startExtension();
    const group = (await call('POST', '/groups/groups', { ...FORM, tier: 'gold' })).data;
    expect(group.value).toMatchObject({ tier: 'gold', rate: 15 });
    expect((await call('POST', '/groups/groups', { ...FORM, meta_key: 'Others' })).data.value.tier).toBe(
      'bronze',
    );
    expect(await call('POST', '/groups/groups', { ...FORM, meta_key: 'More', tier: 'lead' })).toMatchObject({
      status: 422,
      errors: { tier: { in: 'The value must be one of: bronze, silver, gold.' } },
    });
    expect((await call('PATCH', `/groups/groups/${group.id}`, { ...FORM, tier: 'silver' })).status).toBe(200);
    expect((await call('GET', `/groups/groups/${group.id}`)).group.value.tier).toBe('silver');

    const { affiliate } = await call('POST', '/affiliates', {
      ...ALICE,
      rate_type: 'group',
      group_id: group.id,
      custom_fields: { card_number: 'L-2' },
    });
    expect(affiliate.custom_fields).toEqual({ card_number: 'L-2' });
    const patch = (custom_fields: object): Promise<Wire> =>
      call('PATCH', `/affiliates/${affiliate.id}`, { custom_fields });
    expect((await patch({ card_number: 'L-3' })).affiliate.custom_fields).toEqual({ card_number: 'L-3' });
    expect(await patch({ card_nummer: 'L-4' })).toMatchObject({
      status: 422,
      errors: { 'custom_fields.card_nummer': { unknown: 'No extension has a field with this name.' } },
    });

    expect((await call('DELETE', `/groups/groups/${group.id}`)).status).toBe(200);
    const moved = (await call('GET', `/affiliates/${affiliate.id}`)).affiliate;
    expect(moved.group.meta_key).toBe('Everyone');
    expect(moved.custom_fields).toEqual({ card_number: 'L-3' });
    expect(await call('DELETE', `/groups/groups/${moved.group_id}`)).toMatchObject({
      status: 422,
      message: 'The fallback group stays.',
    });
  });

  it('sends a mail of its own once, whose text can be changed and tried', async () => {
    const { call, get } = await startExtension();
    const { affiliate } = await call('POST', '/affiliates', ALICE);
    const key = 'points_to_affiliate';
    const { emails, smartcodes } = await call('GET', '/settings/email-config/emails');
    expect(emails.at(-1)).toMatchObject({ email_key: key, title: 'Points reached', recipient: 'affiliate' });
    expect(smartcodes.at(-1)).toEqual({
      key,
      title: 'Points reached',
      shortcodes: { '{{mail.points}}': 'Points' },
    });
    const data = { subject: '{{mail.points}} points, {{user.display_name}} {{mail.stars}}' };
    const saved = await call('PATCH', '/settings/email-config/emails', { email_key: key, data });
    expect(saved.unknown_codes).toEqual(['{{mail.stars}}']);
    await call('PATCH', '/settings/email-config/emails', {
      email_key: key,
      data: { subject: '{{mail.points}} points, {{user.user_login}}' },
    });
    const preview = await call('POST', '/settings/email-config/preview', { email_key: key, data: {} });
    expect(preview).toMatchObject({
      subject: '120 points, alice',
      html: expect.stringContaining('120 points'),
    });

    for (const amount of [8, 4.5, 6])
      expect(
        await call('POST', '/referrals', {
          affiliate_id: affiliate.id,
          amount,
          status: 'unpaid',
          type: 'sale',
        }),
      ).toMatchObject({ status: 200 });
    const mine = async (): Promise<{ to: string; subject: string }[]> =>
      ((await (await get('/loyalty/mails')).json()) as { to: string; subject: string }[]).filter(
        ({ subject }) => subject.includes(' points, '),
      );
    for (const end = Date.now() + 90_000; (await mine()).length === 0 && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await mine()).toEqual([{ to: 'alice@example.test', subject: '12 points, alice' }]);
  });

  it('pays by its own method, which is passed who is paid', async () => {
    const { call, get } = await startExtension();
    const { affiliate } = await call('POST', '/affiliates', ALICE);
    await call('POST', '/referrals', {
      affiliate_id: affiliate.id,
      amount: 12,
      status: 'unpaid',
      type: 'sale',
    });
    const { methods } = await call('GET', '/payouts/methods');
    expect(methods.map((method: Wire) => method.key)).toContain('voucher');
    const form = { title: 'May', description: 'Vouchers of May', payout_method: 'voucher', min_payout: 0 };
    const { payout } = await call('POST', '/payouts/process-payout', { config: form });
    await call('PATCH', `/payouts/${payout.id}/transactions/bulk-action`, { action: 'paid' });
    const given = await (await get('/loyalty/vouchers')).json();
    expect(given).toEqual([
      { number: expect.stringMatching(/^T\d+$/), email: 'alice@example.test', amount: '12.00' },
    ]);
  });

  it('has a provider, an import source, a card, and pages for those who may see them', async () => {
    const { call, url } = await startExtension();
    const { affiliate } = await call('POST', '/affiliates', ALICE);
    expect((await call('GET', '/settings/integrations')).integrations).toMatchObject({
      till: { title: 'Tills' },
    });
    const { migrators } = await call('GET', '/settings/migrations');
    expect(JSON.stringify(migrators)).toContain('Former loyalty program');
    const { widgets } = (await call('GET', `/affiliates/${affiliate.id}`)).affiliate;
    expect(widgets).toEqual([{ title: 'Loyalty', content: '<p>Points: <strong>0</strong></p>' }]);

    const boot = async (path: string, user: number, language = 'en'): Promise<Wire> => {
      const signed = await fetch(`${url}/sign-in/${user}`, { redirect: 'manual' });
      const cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const headers = { Cookie: cookie, 'Accept-Language': language };
      return (await (await fetch(`${url}${path}/boot.json`, { headers })).json()) as Wire;
    };
    const own = await boot('/affiliate-admin', 1, 'de');
    const module = expect.stringMatching(/^modules\/[0-9a-f]{20}\.js$/);
    expect(own.pages).toEqual([
      { title: 'Punkte', path: 'points', module },
      { title: 'Tills', path: 'tills', url: '/loyalty/tills' },
    ]);
    expect(own.fields.groups[0]).toMatchObject({ name: 'tier', label: 'Stufe', type: 'select' });
    expect((await boot('/affiliate-admin', 3)).pages).toEqual([]);
    expect((await boot('/partners', 2)).pages).toEqual([{ title: 'Points', path: 'points', module }]);
    expect((await boot('/partners', 3)).pages).toEqual([]);
    const script = await fetch(`${url}/affiliate-admin/${own.pages[0].module}`);
    expect(script.headers.get('content-type')).toContain('javascript');
    expect(await script.text()).toContain('export async function draw(');
    expect((await fetch(`${url}/affiliate-admin/modules/other.js`)).status).toBe(404);
  });
});
