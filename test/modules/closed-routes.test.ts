import { describe, expect, it } from '@jest/globals';
import { testEngine } from '../support/databases.js';
import { startApp } from '../support/app.js';
import { startCommerce } from '../support/commerce.js';
import { startShop } from '../support/shop.js';
import { NAVIGATION, setCookie, trackedSite } from '../support/tracker.js';
import { referralsOf } from '../support/lists.js';

describe('names that look like ids', () => {
  it('never take over the links of an id, in any format', async () => {
    const t = await startApp();
    const alice = (await t.records.affiliate({ user_id: 2 })) as { id: number };
    t.host.addUser({ id: 70, login: String(alice.id), email: 'number@shop.test' });
    t.host.addUser({ id: 71, login: '4711', email: 'more@shop.test' });
    const mallory = (await t.records.affiliate({ user_id: 70 })) as { id: number };
    const numeric = (await t.records.affiliate({ user_id: 71 })) as { id: number };
    const valueOf = async (id: number) => t.service.tracking.valueOf((await t.service.affiliates.find(id))!);
    const whose = async (value: string) => (await t.service.tracking.resolveParam(value))?.id ?? null;
    for (const format of ['id', 'username', 'hash'] as const) {
      await t.app.settings.saveReferralConfig({ referral_format: format });
      expect(await whose(String(alice.id))).toBe(alice.id);
      expect(await whose('4711')).toBeNull();
      for (const { id } of [alice, mallory, numeric]) expect(await whose((await valueOf(id))!)).toBe(id);
    }
    await t.app.settings.saveReferralConfig({ referral_format: 'username' });
    expect([await valueOf(alice.id), await valueOf(mallory.id), await valueOf(numeric.id)]).toEqual([
      'alice',
      String(mallory.id),
      String(numeric.id),
    ]);
    await t.admin.delete(`/affiliates/${alice.id}`).expect(200);
    expect(await whose(String(alice.id))).toBeNull();
  });

  it('nor the token of another affiliate', async () => {
    const t = await startApp();
    await t.app.settings.saveReferralConfig({ referral_format: 'hash' });
    const alice = (await t.records.affiliate({ user_id: 2 })) as { id: number };
    const token = (await t.service.tracking.valueOf((await t.service.affiliates.find(alice.id))!))!;
    t.host.addUser({ id: 70, login: token, email: 'token@shop.test' });
    const mallory = (await t.records.affiliate({ user_id: 70 })) as { id: number };
    // A stored value that did not go through the checks of link names.
    await t.app.db('affiliates').where({ id: mallory.id }).update({ custom_param: token });
    for (const format of ['username', 'hash', 'custom', 'id'] as const) {
      await t.app.settings.saveReferralConfig({ referral_format: format });
      expect((await t.service.tracking.resolveParam(token))?.id).toBe(alice.id);
    }
  });
});

describe('the path form', () => {
  it('is no link below paths of the host, and a page that is called like one stays', async () => {
    const t = await startApp({ tracking: { noPathLinks: ['/admin', 'api/private/'] } });
    const alice = (await t.records.affiliate({ user_id: 2 })) as { id: number };
    const site = trackedSite(t.app);
    for (const path of [
      `/admin/users/ref/${alice.id}`,
      `/ADMIN/ref/${alice.id}`,
      `/%61dmin/ref/${alice.id}`,
      `//admin//users/ref/${alice.id}`,
      `/x/../admin/ref/${alice.id}`,
      `/api/private/ref/${alice.id}`,
      `/wp-json/affiliate-service/v2/affiliates/ref/${alice.id}`,
    ]) {
      const answer = await site.open(path);
      expect([decodeURIComponent(answer.text).includes('/ref/'), setCookie(answer)]).toEqual([true, null]);
    }
    expect((await site.open(`/administration/ref/${alice.id}`)).text).toBe('/administration');
    Object.assign(t.host.pages, { existsByPath: async (path: string) => path === `/team/ref/${alice.id}` });
    const page = await site.open(`/team/ref/${alice.id}`);
    expect([page.text, setCookie(page) !== null]).toEqual([`/team/ref/${alice.id}`, true]);
    Object.assign(t.host.pages, {
      existsByPath: async () => {
        throw new Error('pages down');
      },
    });
    expect((await site.open(`/shop/ref/${alice.id}`)).text).toBe(`/shop/ref/${alice.id}`);
  });
});

describe('a proxy that is not declared', () => {
  const warnings = (log: readonly { readonly message: string }[]): number =>
    log.filter(({ message }) => message.includes('trustProxy')).length;

  it('is logged once', async () => {
    const t = await startApp();
    for (let at = 0; at < 3; at++)
      await trackedSite(t.app).open('/?ref=1', { ...NAVIGATION, 'X-Forwarded-For': `203.0.113.${at}` });
    expect(warnings(t.log)).toBe(1);
  });

  it.each([[false as const], [['127.0.0.1']]])('is not logged with trustProxy %j', async (trustProxy) => {
    const t = await startApp({ tracking: { trustProxy } });
    await trackedSite(t.app).open('/?ref=1', { ...NAVIGATION, 'X-Forwarded-For': '203.0.113.1' });
    expect(warnings(t.log)).toBe(0);
  });
});

describe('values from code', () => {
  it.each<[string, unknown]>([
    ['a text', 'all'],
    ['an object', { object_type: 'product' }],
    ['a hole', [null]],
    ['another kind', [{ object_type: 'shop', object_ids: [1], rate_type: 'percentage', rate_e4: 1 }]],
    [
      'ids that are none',
      [{ object_type: 'product', object_ids: [{}], rate_type: 'percentage', rate_e4: 1 }],
    ],
    ['a rate as text', [{ object_type: 'product', object_ids: [1], rate_type: 'percentage', rate_e4: '50' }]],
    ['a rate below 0', [{ object_type: 'product', object_ids: [1], rate_type: 'fixed', rate_e4: -1 }]],
    [
      'more than all',
      [{ object_type: 'product', object_ids: [1], rate_type: 'percentage', rate_e4: 1_000_001 }],
    ],
  ])('rules that are %s are refused in plain words', async (_name, rules) => {
    const t = await startShop();
    await expect(t.service.conversions.record(null, t.order({ rules } as never))).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { rules: { shape: expect.stringContaining('must be { object_type') } },
    });
  });

  it.each(['Jo <jo@shop.test>', 'jo@a.test, al@b.test', 'jo', 'jo@a.test\nBcc: x@y.test'])(
    'an address of a buyer that is not one mailbox is refused: %j',
    async (email) => {
      const t = await startShop();
      await expect(
        t.service.conversions.record(null, t.order({ customer: { email } })),
      ).rejects.toMatchObject({
        code: 'validation_failed',
        status: 422,
        fields: { 'customer.email': { email: expect.any(String) } },
      });
      expect(await referralsOf(t)).toEqual([]);
    },
  );

  it('the name of an order is kept exactly, or refused', async () => {
    const t = await startShop();
    const recorded = async (more: object): Promise<unknown> =>
      (await t.service.conversions.record(null, t.order(more))).referral?.provider_id;
    for (const reference of ['Nb', 'N<b', 'N<b>', "N'b", 'N\u200Bb', 'N b'])
      expect(await recorded({ reference })).toBe(reference);
    expect(await referralsOf(t)).toHaveLength(6);
    expect(await recorded({ reference: ' N<b>\n' })).toBe('N<b>');
    expect(await referralsOf(t)).toHaveLength(6);
    expect((await t.service.conversions.refund('shop', 'N<b', { refunded_total: 1 })).changed).toBe(true);
    expect((await t.service.conversions.find('shop', 'Nb'))?.provider_id).toBe('Nb');
    for (const bad of ['N\u0000b', 'N\u0007', 'N\nb', 'N\uD800b', 'x'.repeat(192)])
      for (const field of ['reference', 'sub_reference', 'account'])
        await expect(recorded({ [field]: bad })).rejects.toMatchObject({
          code: 'validation_failed',
          fields: { [field]: expect.anything() },
        });
    for (const bad of ['N\u0000b', 'N\uD800b'])
      await expect(t.service.conversions.cancel('shop', bad)).rejects.toMatchObject({
        fields: { reference: { line: expect.any(String) } },
      });
    expect(await referralsOf(t)).toHaveLength(6);
  });

  it('so are the names of refunds and lines', async () => {
    const t = await startShop();
    await t.service.conversions.record(null, t.order({ reference: 'A' }));
    const refund = async (refund_id: string): Promise<boolean> =>
      (await t.service.conversions.refund('shop', 'A', { refund_id, amount: 1 })).changed;
    const long = 'r'.repeat(149);
    expect([await refund(`${long}1`), await refund(`${long}2`), await refund(`${long}1`)]).toEqual([
      true,
      true,
      false,
    ]);
    for (const bad of [`${long}12`, 'r\u0000', 'r\uD800'])
      await expect(refund(bad)).rejects.toMatchObject({ fields: { refund_id: expect.anything() } });
    await expect(
      t.service.conversions.record(
        null,
        t.order({ reference: 'B', items: [{ id: 'p\u0007', subtotal: 1 }] as never }),
      ),
    ).rejects.toMatchObject({ fields: { 'items.0.id': { line: expect.any(String) } } });
  });
});

describe('own purchases in other spellings', () => {
  it.each([
    'alice@shop.test',
    'ALICE@SHOP.TEST',
    'alice+x@shop.test',
    '"alice"@shop.test',
    'alice(home)@shop.test',
    'alice@shop.test.',
    'ａｌｉｃｅ@shop.test',
    'al\u200Bice@shop.test',
    'alice@shop。test',
    'alice@sh\u00ADop.test',
  ])('%j earns nothing', async (email) => {
    const t = await startShop();
    const { referral, reason } = await t.service.conversions.record(null, t.order({ customer: { email } }));
    expect([referral === null || referral.status === 'rejected', reason]).toEqual([true, 'self_referral']);
  });

  it.each([
    ['203.0.113.9', '::ffff:203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff::9'],
    ['2001:db8:1:2::1', '2001:DB8:1:2:a:b:c:d'],
  ])('an address seen as %s is known as %s', async (seen, reported) => {
    const t = await startShop({ fraud: { sameAddress: 'reject' } });
    await t.app.fraud.sawAt(t.affiliate.id, seen);
    const { referral, reason } = await t.service.conversions.record(
      null,
      t.order({ customer: { email: 'jo@buyer.test', ip: reported } }),
    );
    expect([referral === null || referral.status === 'rejected', reason]).toEqual([true, 'same_address']);
  });
});

describe('QR codes', () => {
  it('have 500 characters, and 60 a minute', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2 });
    await t.admin
      .post('/settings/features/affiliate_qr_code')
      .send({ is_enabled: 'yes', settings: {} })
      .expect(200);
    const long = `https://shop.test/${'x'.repeat(500)}`;
    await t
      .as(2)
      .get(`/portal/qr-code?url=${encodeURIComponent(long)}`)
      .expect(422);
    const statuses: number[] = [];
    for (let at = 0; at < 61; at++) statuses.push((await t.as(2).get('/portal/qr-code')).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
  });
});

describe('registration', () => {
  const guest = {
    full_name: 'Eve Stone',
    username: 'evestone',
    password: 'pass word',
    conf_password: 'pass word',
    payment_email: 'eve@pay.test',
    note: 'Hello',
    terms_condition: 'yes',
  };

  it('does not reveal who has an account; its owner gets a mail', async () => {
    const t = await startApp();
    const free = await t.anonymous
      .post('/registration')
      .send({ ...guest, email: 'new@shop.test' })
      .expect(200);
    const taken = await t.anonymous
      .post('/registration')
      .send({ ...guest, email: 'ALICE@shop.test' })
      .expect(200);
    const named = await t.anonymous
      .post('/registration')
      .send({ ...guest, username: 'alice', email: 'other@shop.test' })
      .expect(200);
    for (const { body } of [taken, named]) expect(Object.keys(body)).toEqual(Object.keys(free.body));
    const bodyOf = (body: Readonly<Record<string, unknown>>): string =>
      JSON.stringify(body).replaceAll(String(body['reference']), '');
    expect([bodyOf(taken.body), bodyOf(named.body)]).toEqual([bodyOf(free.body), bodyOf(free.body)]);
    const [, notice] = t.host.mailbox;
    expect([notice?.to.toLowerCase(), notice?.subject]).toEqual([
      'alice@shop.test',
      'You already have an account at Shop',
    ]);
    expect(notice?.text).not.toMatch(/\d{6}|Eve/);
    await t.anonymous
      .post('/registration/verify')
      .send({ reference: taken.body.reference, code: '000000' })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('verification_failed'));
  });
});

describe('a full disk', () => {
  it('is 503 busy, and nothing half-done is stored', async () => {
    const t = await startApp();
    const { dialect, knex } = t.app.db;
    const codes = {
      sqlite: { code: 'SQLITE_FULL' },
      postgres: { code: '53100' },
      mysql: { errno: 1114, code: 'ER_RECORD_FILE_FULL' },
    }[testEngine()];
    expect(dialect.failure(Object.assign(new Error('disk'), codes))).toBe('full');
    if (testEngine() !== 'sqlite') return;
    const [{ page_count: pages }] = (await knex.raw('pragma page_count')) as [{ page_count: number }];
    await knex.raw(`pragma max_page_count = ${pages}`);
    const answers = [];
    for (let at = 0; at < 60; at++)
      answers.push(
        await t.admin
          .post('/groups/groups')
          .send({ meta_key: `G${at} ${'x'.repeat(150)}`, rate_type: 'percentage', rate: 5 }),
      );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([503, 'busy']);
    await knex.raw('pragma max_page_count = 1073741823');
    expect(
      (await t.admin.get('/groups/groups?per_page=200').expect(200)).text.split('"meta_key"').length - 1,
    ).toBe(answers.length - refused.length);
  });
});

describe('what is risky', () => {
  const codes = async (t: Awaited<ReturnType<typeof startApp>>): Promise<string[]> =>
    (await t.service.risks()).map(({ code }) => code);

  it('is answered, logged on start and kept for the doctor', async () => {
    const t = await startApp({
      secret: undefined,
      registration: { verifyEmail: false },
      tracking: { countTools: true, unsignedConversions: true, cookie: { acceptUnsigned: true } },
    });
    expect(await codes(t)).toEqual([
      'default_secret',
      'jobs_off',
      'unproved_addresses',
      'tools_count',
      'unsigned_conversions',
      'unsigned_cookies',
      'views_may_write',
      'self_management',
    ]);
    const warnings = t.log.filter(({ message }) => message === 'risks of this installation');
    expect(warnings.map(({ level }) => level)).toEqual(['warn', 'info']);
    expect(String(warnings[0]?.fields?.['codes'])).toContain('default_secret');
    const next = await startApp({ secret: undefined, keep: true, database: t.app.db.knex });
    // Only `affiliate-service doctor` reads what the last start noted.
    const stored = (await next.app.db('options').first('value').where({ name: 'risks_at_start' })) as {
      value: string;
    };
    expect(JSON.parse(stored.value)).toEqual([
      'default_secret',
      'jobs_off',
      'views_may_write',
      'self_management',
    ]);
  });

  it('is empty when everything is configured', async () => {
    const t = await startApp({
      forbidSelfManagement: true,
      access: { viewCapabilitiesReadOnly: true },
      tracking: { trustProxy: false },
    });
    await t.service.jobs.runDue();
    expect(await t.service.risks()).toEqual([]);
  });

  it('includes an undeclared proxy, a missing mailer, and a provider without recent deliveries', async () => {
    const t = await startCommerce();
    await trackedSite(t.app).open('/?ref=1', { ...NAVIGATION, 'X-Forwarded-For': '203.0.113.1' });
    Object.assign(t.host, { mail: undefined });
    await t.send({ type: 'stock.changed' }).expect(200);
    const now = await codes(t);
    expect(now).toEqual(expect.arrayContaining(['undeclared_proxy', 'mails_undeliverable']));
    t.clock.advance(8 * 86_400_000);
    expect(now.includes('provider_silent')).toBe(false);
    expect(await codes(t)).toContain('provider_silent');
  });
});

it('does not warn of jobs in the first hour of a program', async () => {
  const t = await startApp();
  // The tests share one database, which was made earlier.
  await t.app.db('schema_steps').update({ applied_at: t.clock.now() });
  const codes = async (): Promise<string[]> => (await t.service.risks()).map(({ code }) => code);
  expect(await codes()).not.toContain('jobs_off');
  t.clock.advance(3_600_001);
  expect(await codes()).toContain('jobs_off');
});
