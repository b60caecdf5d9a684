import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { stripe } from '../../adapters/index.js';
import { consoleApp } from '../../console/server/index.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { startCommerce } from '../support/commerce.js';
import { startSmtp, type SmtpSink } from '../support/smtp.js';

const DAY = 86_400_000;
let smtp: SmtpSink;
beforeAll(async () => {
  smtp = await startSmtp();
});
afterAll(() => smtp.close());
beforeEach(() => {
  smtp.mails.length = 0;
  smtp.refuse = null;
});

const start = (options: TestOptions = {}): Promise<TestApp> =>
  startApp({ rate: 10, smtp: { host: '127.0.0.1', port: smtp.port, from: 'shop@shop.test' }, ...options });

interface Step {
  readonly key: string;
  readonly state: string;
  readonly at: string | null;
  readonly facts: Record<string, string>;
}
const guide = async (t: TestApp): Promise<{ steps: Step[]; done: number; total: number }> =>
  (await t.admin.get('/guide').expect(200)).body;
const stateOf = async (t: TestApp, key: string): Promise<string | undefined> =>
  (await guide(t)).steps.find((step) => step.key === key)?.state;
const factsOf = async (t: TestApp, key: string): Promise<Record<string, string> | undefined> =>
  (await guide(t)).steps.find((step) => step.key === key)?.facts;

/** The key in the link of the newest test mail. */
const keyOf = (): string =>
  /guide\?mail=(?:3D)?(\w+)/.exec(
    smtp.mails
      .at(-1)
      ?.source.replaceAll(/=\r?\n/g, '')
      .replaceAll('=3D', '=') ?? '',
  )?.[1] ?? '';

describe('the guide to the first payout', () => {
  it('ticks nothing because affiliates exist: only sign-up and the secret are there at the start', async () => {
    const t = await start();
    await t.records.affiliate();
    const { steps, done, total } = await guide(t);
    expect(steps.filter(({ state }) => state === 'done').map(({ key }) => key)).toEqual(['signup', 'secret']);
    expect({ done, total }).toEqual({ done: 2, total: 10 });
  });

  it('ticks rate and payment method when a person confirms them', async () => {
    const t = await start();
    expect(await factsOf(t, 'rates')).toEqual({ currency: 'USD', rate: '10', rate_type: 'percentage' });
    await t.admin.post('/guide/confirm').send({ step: 'rates' }).expect(200);
    const { body } = await t.admin.post('/guide/confirm').send({ step: 'payment' }).expect(200);
    expect(body.done).toBe(4);
    await t.admin.post('/guide/confirm').send({ step: 'mail' }).expect(422);
  });

  it('ticks the terms when the consent leads to a page, and sign-up only while it is open', async () => {
    const t = await start();
    expect(await stateOf(t, 'terms')).toBe('open');
    t.service.hooks.addFilter('terms_policy_url', () => 'https://shop.test/terms');
    expect(await stateOf(t, 'terms')).toBe('done');
    expect(await factsOf(t, 'terms')).toEqual({ page: 'https://shop.test/terms' });
    const { fields } = (await t.admin.get('/settings/registration-fields').expect(200)).body;
    await t.admin
      .post('/settings/registration-fields')
      .send({ fields, settings: { enabled: 'no', require_approval: 'yes' } })
      .expect(200);
    expect(await stateOf(t, 'signup')).toBe('open');
  });

  it('ticks the terms with the page that a manager sets, which is used before the page of the filter', async () => {
    const t = await start();
    const set = (inline_label: string): Promise<unknown> =>
      t.admin
        .post('/settings/registration-fields')
        .send({ fields: [{ name: 'terms_condition', inline_label }] })
        .expect(200);
    await set('I agree to the <a href="https://shop.test/a?b=1&amp;c=2">terms and conditions</a>');
    expect(await stateOf(t, 'terms')).toBe('done');
    t.service.hooks.addFilter('terms_policy_url', () => 'https://shop.test/terms');
    expect(await factsOf(t, 'terms')).toEqual({ page: 'https://shop.test/a?b=1&c=2' });
    await set('');
    expect(await factsOf(t, 'terms')).toEqual({ page: 'https://shop.test/terms' });
  });

  it('ticks mails when the link of the newest test mail was opened', async () => {
    const t = await start();
    consoleApp(t.service, { path: '/affiliate-admin' });
    await t.admin.post('/guide/test-mail').expect(200);
    const first = keyOf();
    expect(await factsOf(t, 'mail')).toEqual({ sent: 'yes', contact: 'admin@example.test' });
    await t.admin.post('/guide/test-mail').expect(200);
    expect((await t.admin.post('/guide/mail-opened').send({ key: first }).expect(422)).body.code).toBe(
      'guide_mail_unknown',
    );
    expect(await stateOf(t, 'mail')).toBe('open');
    await t.admin.post('/guide/mail-opened').send({ key: keyOf() }).expect(200);
    expect(await stateOf(t, 'mail')).toBe('done');
  });

  it('asks for an address that affiliates can write to', async () => {
    const t = await start();
    consoleApp(t.service, { path: '/affiliate-admin' });
    const site = t.host.site();
    t.host.site = () => ({ ...site, adminEmail: '' });
    await t.admin.post('/guide/test-mail').expect(200);
    await t.admin.post('/guide/mail-opened').send({ key: keyOf() }).expect(200);
    expect([await stateOf(t, 'mail'), await factsOf(t, 'mail')]).toEqual([
      'open',
      { sent: 'opened', contact: '' },
    ]);
    await t.app.emails.saveConfig({ reply_to_email: 'help@shop.test' });
    expect([await stateOf(t, 'mail'), (await factsOf(t, 'mail'))?.['contact']]).toEqual([
      'done',
      'help@shop.test',
    ]);
  });

  it('sends ten test mails in five minutes, and reports one that cannot be sent', async () => {
    const t = await start();
    smtp.refuse = 550;
    expect((await t.admin.post('/guide/test-mail').expect(502)).body.code).toBe('mail_not_sent');
    smtp.refuse = null;
    for (let sent = 1; sent < 10; sent += 1) await t.admin.post('/guide/test-mail').expect(200);
    await t.admin.post('/guide/test-mail').expect(429);
  });

  it('shares the ten with the test mails of messages and of the settings', async () => {
    const t = await start();
    await t.records.affiliate({ user_id: 2 });
    const message = { subject: 'News', body: '<p>News</p>', audience: {} };
    const tests = [
      () => t.admin.post('/guide/test-mail'),
      () => t.admin.post('/messages/test').send(message),
      () => t.admin.post('/settings/email-config/test').send({ email_key: 'payout_to_affiliate' }),
    ];
    for (let sent = 0; sent < 10; sent += 1) await tests[sent % tests.length]!().expect(200);
    for (const test of tests) await test().expect(429);
    t.clock.advance(300_000);
    for (const test of tests) await test().expect(200);
  });

  it('names the page that asked for the tracker last, and breaks when none does for three days', async () => {
    const t = await start();
    const path = t.app.options.tracking.scriptPath;
    await request(t.server).get(path).set('Referer', 'https://shop.test/products/1?x=secret').expect(200);
    await t.app.transaction(async () => undefined); // the note is written after the answer
    t.clock.advance(2000);
    expect(await stateOf(t, 'tracker')).toBe('done');
    expect((await factsOf(t, 'tracker'))?.['page']).toBe('https://shop.test/products/1');
    t.clock.advance(4 * DAY);
    expect(await stateOf(t, 'tracker')).toBe('broken');
  });

  it('gives a link of an affiliate to try, until a click came', async () => {
    const t = await start();
    expect((await factsOf(t, 'tracker'))?.['link']).toBe('');
    const affiliate = await t.records.affiliate();
    expect((await factsOf(t, 'tracker'))?.['link']).toBe(`https://shop.test/?ref=${affiliate.id}`);
  });

  it('counts no request for the tracker without a page, or from a page of another site', async () => {
    const t = await start({ tracking: { allowedHosts: ['blog.test'] } });
    const path = t.app.options.tracking.scriptPath;
    const askFrom = async (page: string): Promise<void> => {
      await request(t.server).get(path).set('Referer', page).expect(200);
      await t.app.transaction(async () => undefined);
      t.clock.advance(2000);
    };
    for (const page of ['', 'about:blank', 'https://elsewhere.test/', 'https://shop.test.elsewhere.test/'])
      await askFrom(page);
    expect([await stateOf(t, 'tracker'), (await factsOf(t, 'tracker'))?.['page']]).toEqual(['open', '']);
    await askFrom('https://blog.test/post');
    expect((await factsOf(t, 'tracker'))?.['page']).toBe('https://blog.test/post');
  });

  it('ticks the shop with its first order, and breaks while deliveries fail', async () => {
    const t = await startCommerce();
    expect(await stateOf(t, 'shop')).toBe('open');
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '1',
      order: { subtotal: '50.00' },
      affiliate: t.affiliate.id,
    });
    expect(await stateOf(t, 'shop')).toBe('done');
    t.clock.advance(1000);
    await t.send({ type: 'order.paid', order: { currency: 'USD' } }).expect(422);
    expect(await stateOf(t, 'shop')).toBe('broken');
  });

  it('asks to switch on a shop that is given in code and off, also after orders came', async () => {
    const t = await start({ providers: [stripe({ secrets: ['whsec_x_test'] })] });
    const affiliate = await t.records.affiliate();
    const order = { provider: 'shop', reference: '1', order: { subtotal: '50.00' }, affiliate: affiliate.id };
    await t.service.conversions.record(null, order);
    expect([await stateOf(t, 'shop'), await factsOf(t, 'shop')]).toEqual(['open', { off: 'yes' }]);
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'stripe', is_enabled: 'yes' })
      .expect(200);
    expect([await stateOf(t, 'shop'), await factsOf(t, 'shop')]).toEqual(['done', {}]);
  });

  it('reports a test order that earns, and leaves nothing of it in the books', async () => {
    const t = await start();
    expect((await t.admin.post('/guide/test-order').expect(422)).body.code).toBe('guide_no_affiliate');
    expect(await factsOf(t, 'test_order')).toEqual({ total: '100', currency: 'USD' });
    const affiliate = await t.records.affiliate();
    const { body } = await t.admin.post('/guide/test-order').expect(200);
    expect(body).toMatchObject({ commission: '10', currency: 'USD', affiliate_id: affiliate.id });
    expect(await stateOf(t, 'test_order')).toBe('done');
    expect(await stateOf(t, 'shop')).toBe('open');
    expect((await t.admin.get('/referrals').expect(200)).body.referrals.total).toBe(0);
    const { affiliate: after } = (await t.admin.get(`/affiliates/${affiliate.id}`).expect(200)).body;
    expect(after).toMatchObject({ total_earnings: 0, unpaid_earnings: 0, referrals: 0 });
  });

  it.each(['was reported', 'was canceled'])(
    'deletes a test order whose process ended after it %s',
    async (after) => {
      const t = await start();
      const affiliate = await t.records.affiliate();
      await t.records.referral({ affiliate_id: affiliate.id, amount: 30 });
      const killed = (): Promise<never> => Promise.reject(new Error('killed'));
      if (after === 'was reported') jest.spyOn(t.app.conversions, 'cancel').mockImplementationOnce(killed);
      else jest.spyOn(t.app.referrals, 'delete').mockImplementationOnce(killed);
      await t.admin.post('/guide/test-order').expect(500);
      const count = async (): Promise<number> =>
        (await t.admin.get('/referrals').expect(200)).body.referrals.total;
      await t.service.jobs.runDue();
      expect(await count()).toBe(2); // it could still be on its way
      t.clock.advance(3_600_000);
      await t.service.jobs.runDue();
      expect(await count()).toBe(1);
      const { affiliate: left } = (await t.admin.get(`/affiliates/${affiliate.id}`).expect(200)).body;
      expect(left).toMatchObject({ total_earnings: 30, unpaid_earnings: 30, referrals: 1 });
      expect(await stateOf(t, 'test_order')).toBe('open');
    },
  );

  it('is complete with the first payment', async () => {
    const t = await start();
    const affiliate = await t.records.affiliate();
    await t.records.referral({ affiliate_id: affiliate.id, amount: 30 });
    expect(await factsOf(t, 'payout')).toEqual({});
    const payout = await t.records.payout();
    expect([await stateOf(t, 'payout'), await factsOf(t, 'payout')]).toEqual([
      'open',
      { payout: String(payout.id) }, // it waits to be marked paid
    ]);
    await t.admin
      .patch(`/payouts/${payout.id}/transactions/bulk-action`)
      .send({ status: 'paid' })
      .expect(200);
    expect(await stateOf(t, 'payout')).toBe('done');
  });
});
