import { describe, expect, it } from '@jest/globals';
import type { HostMail } from '../../adapters/host.js';
import { startApp, type TestApp } from '../support/app.js';

const EMAILS = '/settings/email-config/emails';
const GUEST = {
  full_name: 'Eve Stone',
  email: 'eve@shop.test',
  username: 'evestone',
  password: 'correct horse',
  conf_password: 'correct horse',
  note: 'My blog',
  url: 'https://eve.test',
  terms_condition: 'yes',
  payment_email: 'pay@eve.test',
};
const REQUIRED = [
  'affiliate_invitation',
  'manager_invitation',
  'test_mail',
  'payment_details_changed',
  'api_key_granted',
  'api_key_changed',
  'signup_code',
  'account_exists',
];

interface Email {
  readonly email_key: string;
  readonly recipient: string;
  readonly group: string;
  readonly required: string;
  readonly smartcode_groups: readonly string[];
  readonly settings: { readonly active: string; readonly subject: string };
}
const listed = async (t: TestApp) =>
  (await t.admin.get(EMAILS).expect(200)).body as {
    emails: Email[];
    smartcodes: { key: string; shortcodes: Record<string, string> }[];
  };
const write = async (t: TestApp, email_key: string, email_body: string, more: object = {}) => {
  const data = { subject: 'Own: {{site.name}}', is_default_body: 'no', email_body, ...more };
  return (await t.admin.patch(EMAILS).send({ email_key, data }).expect(200)).body;
};
const preview = async (t: TestApp, email_key: string) =>
  (await t.admin.post('/settings/email-config/preview').send({ email_key, data: {} }).expect(200)).body;
async function sent(t: TestApp, act: () => PromiseLike<unknown>): Promise<readonly HostMail[]> {
  t.clock.advance(60_000);
  await t.service.emails.deliverDue();
  t.host.mailbox.length = 0;
  await act();
  t.clock.advance(60_000);
  await t.service.emails.deliverDue();
  return t.host.mailbox;
}

describe('the list of mails', () => {
  it('has every kind, the earlier ones first, and marks those that cannot be switched off', async () => {
    const t = await startApp();
    const { emails } = await listed(t);
    expect(emails.slice(8).map(({ email_key, group }) => [email_key, group])).toEqual([
      ['application_rejected', 'affiliate'],
      ['payment_failed', 'affiliate'],
      ['payment_returned', 'affiliate'],
      ['affiliate_invitation', 'affiliate'],
      ['digest', 'admin'],
      ['payout_waits', 'admin'],
      ['endpoint_disabled', 'admin'],
      ['manager_invitation', 'admin'],
      ['test_mail', 'admin'],
      ['payment_details_changed', 'security'],
      ['api_key_granted', 'security'],
      ['api_key_changed', 'security'],
      ['signup_code', 'security'],
      ['account_exists', 'security'],
    ]);
    expect(emails.filter(({ required }) => required === 'yes').map(({ email_key }) => email_key)).toEqual(
      REQUIRED,
    );
    for (const { group, recipient } of emails) expect([recipient, 'security']).toContain(group);
  });

  it('offers codes that each mail fills in, in the preview too', async () => {
    const t = await startApp({ rate: 10 });
    const { id } = await t.records.affiliate({ status: 'active' });
    await t.records.referral({ affiliate_id: id, amount: 20 });
    await t.records.payout();
    const { emails, smartcodes } = await listed(t);
    for (const { email_key: key, smartcode_groups: groups } of emails) {
      const codes = smartcodes
        .filter(({ key: group }) => groups.includes(group))
        .flatMap(({ shortcodes }) => Object.keys(shortcodes));
      const saved = await write(t, key, codes.map((code) => `<p>${code}</p>`).join(''));
      expect([key, codes.length > 0, saved.unknown_codes]).toEqual([key, true, []]);
      const { subject, html, text } = await preview(t, key);
      expect([key, subject]).toEqual([key, 'Own: Shop']);
      expect([key, `${html} ${text}`.match(/\{\{|##|undefined/gu)]).toEqual([key, null]);
    }
  });

  it.each(['de', 'es', 'fr', 'ar'])('has its own texts in the language of the site: %s', async (language) => {
    const t = await startApp();
    await t.records.affiliate({ status: 'active' });
    const english = new Map<string, string>();
    for (const { email_key: key } of (await listed(t)).emails)
      english.set(key, (await preview(t, key)).subject);
    const site = { ...t.host.site(), language };
    Object.assign(t.host, { site: () => site });
    for (const [key, subject] of english) {
      const mail = await preview(t, key);
      expect([key, mail.subject]).not.toEqual([key, subject]);
      expect([key, /Hello|If you|was created|affiliate program of|Your site/u.exec(mail.text)]).toEqual([
        key,
        null,
      ]);
    }
  });
});

/** Where the button of each mail leads; mails without a button are left out. */
const BUTTONS = {
  account_created_to_admin: '/admin#/affiliates/1',
  new_sale_to_admin: '/admin#/referrals/1',
  pending_account_created_to_affiliate: '/',
  account_approved_to_affiliate: '/',
  new_sale_to_affiliate: '/#/earnings',
  payout_to_affiliate: '/#/payments/1',
  level_changed_to_affiliate: '/#/terms',
  rates_changed_to_affiliate: '/#/terms',
  payment_failed: '/#/settings',
  payment_returned: '/#/settings',
  affiliate_invitation: '/#/?invitation=example',
  digest: '/admin',
  payout_waits: '/admin#/payouts/1',
  endpoint_disabled: '/admin#/settings/webhooks',
  manager_invitation: '/#/?invitation=example',
  payment_details_changed: '/#/settings',
  api_key_granted: '/admin#/settings/keys',
  api_key_changed: '/admin#/settings/keys',
};

describe('the preview of a mail', () => {
  it('is complete for an affiliate without a user, and names codes without a value', async () => {
    const t = await startApp();
    await t.app.db('affiliates').insert({
      user_id: null,
      status: 'pending',
      rate_type: 'default',
      custom_fields: '{}',
      settings: '{}',
      created_at: t.clock.now(),
      updated_at: t.clock.now(),
    });
    const { text } = await preview(t, 'account_created_to_admin');
    expect(text).toContain('Alex Example');
    expect(text).toContain('An application waits for your decision.');
    expect(text).not.toContain('{{');
    const data = {
      is_default_body: 'no',
      email_body: '<p>{{user.first_nam}} {{affiliate.group}} {{oops</p>',
    };
    const { body } = await t.admin
      .post('/settings/email-config/preview')
      .send({ email_key: 'account_created_to_admin', data })
      .expect(200);
    expect(body.unknown_codes).toEqual(['{{user.first_nam}}', '{{oops']);
  });

  it('leads to the screen that the mail is about', async () => {
    const t = await startApp({ rate: 10 });
    const { id } = await t.records.affiliate({ status: 'active' });
    await t.records.referral({ affiliate_id: id, amount: 20 });
    await t.records.payout();
    const buttons: [string, string][] = [];
    for (const { email_key: key } of (await listed(t)).emails) {
      const { html } = (await preview(t, key)) as { html: string };
      const [, href] = /<a style="[^"]*" class="button" href="https?:\/\/[^/]*([^"]*)"/u.exec(html) ?? [];
      if (href !== undefined) buttons.push([key, href]);
    }
    expect(Object.fromEntries(buttons)).toEqual(BUTTONS);
  });

  it('explains in its footer why the reader gets it', async () => {
    const t = await startApp();
    await t.records.affiliate({ status: 'pending' });
    const footer = async (key: string): Promise<string> => (await preview(t, key)).text.split('\n--\n')[1];
    for (const key of ['pending_account_created_to_affiliate', 'application_rejected'])
      expect(await footer(key)).toContain('because you applied to the affiliate program');
    expect(await footer('account_approved_to_affiliate')).toContain('because you take part');
    expect(await footer('digest')).toContain('because you run');
  });

  it('has the values of new rates and the status of an account, in the language of the site', async () => {
    const t = await startApp();
    await t.records.affiliate({ status: 'pending', note: 'My blog.' });
    const site = { ...t.host.site(), language: 'ar', loginUrl: 'https://shop.test/login' };
    Object.assign(t.host, { site: () => site });
    const { text: rates } = await preview(t, 'rates_changed_to_affiliate');
    expect(rates).toContain('15\u200e%\u200e');
    const { html, text } = await preview(t, 'account_created_to_admin');
    expect(text).toContain('قيد الانتظار');
    expect(html).toContain('\u2068My blog.\u2069');
    const { html: bare } = await preview(t, 'account_exists');
    expect(bare).toMatch(/^<div lang="ar" dir="rtl" style="[^"]*font-family: /u);
    expect(bare).toContain('<a href="https://shop.test/login">https://shop.test/login</a>');
  });
});

describe('a mail that had a fixed text', () => {
  it('goes out with the own text, and not at all when it is switched off', async () => {
    const t = await startApp();
    await write(t, 'application_rejected', '<p>{{user.first_name}}, no: {{application.reason}}</p>');
    const { id } = await t.records.affiliate({ status: 'pending' });
    const reject = () =>
      t.admin
        .patch(`/affiliates/${id}/status`)
        .send({ status: 'inactive', reason: 'Sells <b>fakes</b>.' })
        .expect(200);
    const [mail, ...more] = await sent(t, reject);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ to: 'alice@shop.test', subject: 'Own: Shop' });
    expect(mail?.html).toContain('<p>Alice, no: Sells &lt;b&gt;fakes&lt;/b&gt;.</p>');

    await t.admin
      .patch(EMAILS)
      .send({ email_key: 'application_rejected', data: { active: 'no' } })
      .expect(200);
    await t.admin.patch(`/affiliates/${id}/status`).send({ status: 'pending' }).expect(200);
    expect(await sent(t, reject)).toEqual([]);
  });

  it('is the summary with its figures as one block', async () => {
    const t = await startApp({ rate: 10 });
    await t.admin
      .post('/settings/email-config')
      .send({ settings: { admin_email: 'boss@shop.test' } })
      .expect(200);
    await write(t, 'digest', '<h2>News of {{digest.period}}</h2>{{digest.figures}}', {
      subject: 'News of {{digest.period}}',
    });
    const { id } = await t.records.affiliate({ status: 'active' });
    await t.records.referral({ affiliate_id: id, amount: 20 });
    const [mail] = await sent(t, async () => {
      t.clock.advance(86_400_000);
      await t.service.jobs.runDue();
    });
    expect(mail).toMatchObject({ to: 'boss@shop.test', subject: 'News of 15 Jan 2026' });
    expect(mail?.text).toContain('News of 15 Jan 2026');
    expect(mail?.text).toContain('Commissions ready to pay or in the waiting period: $ 20.00');
    expect(mail?.headers?.['List-Unsubscribe']).toMatch(/\/settings\/mails>$/u);
    expect(mail?.text).not.toContain('What happened');

    await t.admin
      .patch(EMAILS)
      .send({ email_key: 'digest', data: { active: 'no' } })
      .expect(200);
    const later = await sent(t, async () => {
      await t.records.referral({ affiliate_id: id, amount: 20 });
      await t.service.emails.deliverDue();
      t.host.mailbox.length = 0;
      t.clock.advance(86_400_000);
      await t.service.jobs.runDue();
    });
    expect(later.filter(({ subject }) => subject.startsWith('News of'))).toEqual([]);
  });
});

describe('a mail that is always sent', () => {
  it('refuses to be switched off, alone and among others, and keeps its wording', async () => {
    const t = await startApp();
    for (const key of REQUIRED) {
      const off = await t.admin
        .patch(EMAILS)
        .send({ email_key: key, data: { subject: 'Off', active: 'no' } })
        .expect(422);
      expect([key, off.body.code]).toEqual([key, 'email_required']);
    }
    const both = { payout_to_affiliate: { subject: 'Two' }, api_key_granted: { active: 'no' } };
    expect((await t.admin.post(EMAILS).send({ emails: both }).expect(422)).body.code).toBe('email_required');
    const { emails } = await listed(t);
    expect(emails.filter(({ settings: { subject } }) => ['Off', 'Two'].includes(subject))).toEqual([]);
    expect(emails.every(({ settings }) => settings.active === 'yes')).toBe(true);

    const { settings } = await write(t, 'api_key_granted', '<p>A key: {{api_key.name}}</p>', {
      active: 'yes',
    });
    expect(settings).toMatchObject({ active: 'yes', email_body: '<p>A key: {{api_key.name}}</p>' });
  });

  it('names the API key even where the own text does not', async () => {
    const t = await startApp();
    const make = () =>
      t.admin
        .post('/settings/api-keys')
        .send({ name: 'CRM', rights: ['read_settings'] })
        .expect(200);
    await write(t, 'api_key_granted', '<p>Look at your CRM.</p>');
    const [silent] = await sent(t, make);
    expect(silent?.text).toMatch(/^Look at your CRM\.\s+On .* the API key “CRM” was created/u);

    await write(t, 'api_key_granted', '<p>{{user.user_login}} has {{api_key.name}}</p>');
    const [named] = await sent(t, make);
    expect(named?.text).toContain('has CRM');
    expect(named?.text).not.toContain('the API key');
  });

  it('reports changed payment details, and sends no text of a user to the earlier address', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ status: 'active', payment_email: 'old@bank.test' });
    await write(t, 'payment_details_changed', '<p>{{payment_details.greeting}} {{user.display_name}}</p>');
    const mails = await sent(t, () =>
      t.admin.patch(`/affiliates/${id}`).send({ payment_email: 'new@bank.test' }).expect(200),
    );
    const textTo = (to: string): string => mails.find((mail) => mail.to === to)?.text ?? '';
    expect(mails.map(({ to }) => to).toSorted()).toEqual(['alice@shop.test', 'old@bank.test']);
    expect(textTo('alice@shop.test')).toContain('Hello Alice Doe,');
    expect(textTo('old@bank.test')).toMatch(/^Hello,/u);
    expect(textTo('old@bank.test')).not.toContain('Alice');
    for (const { text } of mails)
      expect(text).toMatch(/On 15 Jan 2026.* the payment details of your affiliate account at Shop/u);
  });

  it('has the link of an invitation and its own footer with any text', async () => {
    const t = await startApp();
    await write(t, 'affiliate_invitation', '<p>Come in. {{invitation.note}}</p>');
    const [mail] = await sent(t, () =>
      t.admin
        .post('/invitations')
        .send({ emails: ['eve@shop.test'], note: 'Met at the fair' })
        .expect(200),
    );
    expect(mail).toMatchObject({ to: 'eve@shop.test', subject: 'Own: Shop' });
    expect(mail?.text).toMatch(/^Come in\. Met at the fair/u);
    expect(mail?.text).toMatch(/invitation=\d+\.[0-9a-f]{64}/u);
    expect(mail?.text).toContain('A manager of the affiliate program of Shop entered this address.');

    await write(t, 'affiliate_invitation', '<p><a href="##invitation.url##">Join</a></p>');
    const [linked] = await sent(t, () =>
      t.admin
        .post('/invitations')
        .send({ emails: ['jo@shop.test'] })
        .expect(200),
    );
    expect(linked?.text.match(/invitation=\d/gu)).toHaveLength(1);
  });

  it('has the link of the guide', async () => {
    const t = await startApp();
    await write(t, 'test_mail', '<p>Still alive.</p>');
    const [mail] = await sent(t, () => t.admin.post('/guide/test-mail').expect(200));
    expect(mail).toMatchObject({ to: 'admin@shop.test', subject: 'Own: Shop' });
    expect(mail?.text).toMatch(/^Still alive\.\s+The mail has arrived: http.*guide\?mail=\w{40}$/u);
  });

  it('has the code of a sign-up, and a text of its own for the owner of an account', async () => {
    const t = await startApp();
    await write(t, 'signup_code', '<p>Welcome to {{site.name}}.</p>');
    await write(t, 'account_exists', '<p>You are here already. {{account.advice}}</p>');
    const [mail] = await sent(t, () => t.anonymous.post('/registration').send(GUEST).expect(200));
    expect(mail).toMatchObject({ to: 'eve@shop.test', subject: 'Own: Shop' });
    expect(mail?.text).toMatch(/^Welcome to Shop\.\s+\d{6}$/u);
    expect(mail?.html).not.toContain('<html');

    await t.records.affiliate({ user_id: 2 });
    const [notice] = await sent(t, () =>
      t.anonymous
        .post('/registration')
        .send({ ...GUEST, username: 'eve2', email: 'alice@shop.test' })
        .expect(200),
    );
    expect(notice).toMatchObject({ to: 'alice@shop.test', subject: 'Own: Shop' });
    expect(notice?.text).toMatch(/^You are here already\. If it was you, sign in/u);
  });
});
