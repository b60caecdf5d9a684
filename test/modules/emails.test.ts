import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { consoleApp, portalApp } from '../../console/server/index.js';
import { codeKeys, TEMPLATES } from '../../src/channels/emails/templates.js';
import { exampleValues } from '../../src/channels/emails/examples.js';
import { EMAIL_KEYS, NOTICE_KEYS, type CodeGroup } from '../../src/channels/emails/types.js';
import { mailValues } from '../../src/channels/emails/values.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { startSmtp, type SmtpSink } from '../support/smtp.js';
import { referralsOf } from '../support/lists.js';
import { outboxOf } from '../support/outbox.js';
import { storedText } from '../support/rows.js';

let smtp: SmtpSink;
beforeAll(async () => {
  smtp = await startSmtp();
});
afterAll(() => smtp.close());
beforeEach(() => {
  smtp.mails.length = 0;
  smtp.refuse = null;
  smtp.forget = false;
});

const start = (options: TestOptions = {}): Promise<TestApp> =>
  startApp({ rate: 10, smtp: { host: '127.0.0.1', port: smtp.port, from: 'shop@shop.test' }, ...options });
const CONFIG = '/settings/email-config';
const EMAILS = '/settings/email-config/emails';
const subjects = (): string[] =>
  smtp.mails.map(({ to, source }) => `${to.join(',')}: ${/^Subject: (.*)$/m.exec(source)?.[1]?.trim()}`);

async function deliver(t: TestApp, afterMs = 5000): Promise<number> {
  t.clock.advance(afterMs);
  return t.service.emails.deliverDue();
}

describe('notifications reach a real SMTP server', () => {
  it('go to admin and applicant, then for the approval, the sale and the payout, each once', async () => {
    const t = await start();
    await t.admin
      .post(CONFIG)
      .send({
        settings: {
          admin_email: 'boss@shop.test, , boss@shop.test',
          send_from_email: 'program@shop.test',
          send_from_name: 'The Shop',
        },
      })
      .expect(200);
    const alice = await t.records.affiliate({ status: 'pending' });
    await deliver(t);
    expect(subjects().toSorted()).toEqual([
      'alice@shop.test: Your application at Shop is in review',
      'boss@shop.test: New affiliate on Shop',
    ]);

    smtp.mails.length = 0;
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'active' }).expect(200);
    await deliver(t);
    expect(subjects()).toEqual(['alice@shop.test: Welcome to the affiliate program of Shop']);
    expect(smtp.mails[0]).toMatchObject({ from: 'program@shop.test' });

    smtp.mails.length = 0;
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '1',
      status: 'unpaid',
      order: { subtotal: '100.00' },
      affiliate: alice.id,
    });
    await deliver(t, 4000);
    expect(subjects()).toEqual([]);
    await deliver(t, 1000);
    expect(subjects()).toEqual([
      'alice@shop.test: You earned a commission at Shop',
      'boss@shop.test: New affiliate sale: $ 10.00',
    ]);

    smtp.mails.length = 0;
    const payout = await t.records.payout();
    await t.admin
      .patch(`/payouts/${payout.id}/transactions/bulk-action`)
      .send({ status: 'paid' })
      .expect(200);
    await deliver(t, 299_000);
    expect(subjects()).toEqual([]);
    await deliver(t, 1000);
    await deliver(t);
    expect(subjects()).toEqual(['alice@shop.test: Your payout from Shop']);
  });

  it('names the payee and the day of the payment, also after later changes', async () => {
    const t = await start();
    const alice = await t.records.affiliate({ status: 'active', payment_email: 'mine@bank.test' });
    await t.records.referral({ affiliate_id: alice.id, amount: 5 });
    const payout = await t.records.payout();
    t.clock.advance(9 * 86_400_000);
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);
    await t.admin.patch(`/affiliates/${alice.id}`).send({ payment_email: 'thief@evil.test' }).expect(200);
    await deliver(t, 300_000);
    const text = smtp.mails.find(({ source }) => source.includes('Subject: Your payout'))?.source ?? '';
    expect(text).toContain('mine@bank.test');
    expect(text).toContain('24 Jan 2026');
    expect(text).not.toContain('thief@evil.test');
  });

  it('mails an approval again after a minute, but not for two toggles in one', async () => {
    const t = await start();
    const alice = await t.records.affiliate({ status: 'active' });
    for (const status of ['inactive', 'active'])
      await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status }).expect(200);
    await deliver(t);
    expect(subjects().filter((line) => line.includes('Welcome'))).toHaveLength(1);
    t.clock.advance(60_000);
    for (const status of ['inactive', 'active'])
      await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status }).expect(200);
    await deliver(t);
    expect(subjects().filter((line) => line.includes('Welcome'))).toHaveLength(2);
  });

  it('counts the minute from the approval, not from the clock', async () => {
    const t = await start();
    t.clock.advance(59_000);
    const alice = await t.records.affiliate({ status: 'active' });
    const approvals = async (): Promise<number> =>
      (await outboxOf(t)).filter(({ kind }) => kind === 'account_approved_to_affiliate').length;
    for (const [wait, mails] of [
      [2000, 1],
      [57_000, 1],
      [1000, 2],
      [59_000, 2],
    ] as const) {
      t.clock.advance(wait);
      for (const status of ['inactive', 'active'])
        await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status }).expect(200);
      expect([wait, await approvals()]).toEqual([wait, mails]);
    }
  });

  it.each([
    [
      'the affiliate opted out',
      async (t: TestApp, id: number) => {
        await t.app.affiliates.changes.saveProfile(id, { disable_new_ref_email: 'yes' });
      },
      ['admin'],
    ],
    [
      'the mail is switched off',
      async (t: TestApp) => {
        await t.admin
          .patch(EMAILS)
          .send({ email_key: 'new_sale_to_affiliate', data: { active: 'no' } })
          .expect(200);
      },
      ['admin'],
    ],
    [
      'the host user is gone',
      async (t: TestApp) => {
        t.host.removeUser(2);
      },
      [],
    ],
  ])('sends no sale mail to the affiliate when %s', async (_name, prepare, expected) => {
    const t = await start();
    const alice = await t.records.affiliate();
    await deliver(t);
    smtp.mails.length = 0;
    await prepare(t, alice.id);
    await t.records.referral({ affiliate_id: alice.id });
    await deliver(t);
    expect(subjects().map((line) => line.split('@')[0])).toEqual(expected);
  });

  it('tries again with growing pauses for three days', async () => {
    const t = await start();
    await t.records.affiliate({ status: 'pending' });
    smtp.refuse = 451;
    const hour = 3_600_000;
    const pauses = [0, 60_000, 300_000, 1_800_000, 2 * hour, 6 * hour, ...Array<number>(6).fill(12 * hour)];
    for (const pause of pauses) expect(await deliver(t, pause)).toBe(0);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(72 * hour);
    expect(await outboxOf(t)).toMatchObject([
      { status: 'dead', attempts: pauses.length },
      { status: 'dead', attempts: pauses.length },
    ]);
    expect((await t.service.risks()).map(({ code }) => code)).toContain('mails_failed');
    expect(await t.app.system.retryDead()).toBe(2);
    smtp.refuse = null;
    smtp.forget = false;
    expect(await deliver(t, 1000)).toBe(2);
  });

  it('has one id on every attempt, and is marked as auto-generated', async () => {
    const t = await start();
    await t.records.affiliate({ status: 'active' });
    smtp.forget = true;
    await deliver(t, 60_000);
    smtp.forget = false;
    await deliver(t, 60_000);
    const header = (name: string): unknown[] =>
      smtp.mails
        .filter(({ to }) => to.includes('alice@shop.test'))
        .map(({ source }) => new RegExp(`^${name}: (.*)\r?$`, 'im').exec(source)?.[1]);
    const [first, second, ...more] = header('Message-ID');
    expect([second, more]).toEqual([first, []]);
    expect(first).toMatch(/^<\d+\.\w{16}@shop\.test>/);
    expect(header('Auto-Submitted').map((value) => String(value).trim())).toEqual([
      'auto-generated',
      'auto-generated',
    ]);
  });

  it('is not retried when the server rejects it permanently, and its response is shown', async () => {
    const t = await start();
    await t.records.affiliate({ status: 'active' });
    smtp.refuse = 550;
    await deliver(t, 60_000);
    const entries = await outboxOf(t);
    expect(entries).not.toEqual([]);
    const dead = { status: 'dead', last_error: 'refused', answer: expect.stringContaining('550') };
    for (const entry of entries) expect(entry).toMatchObject(dead);
    await t.app.db('outbox').update({ answer: `550 no\r\n${'x'.repeat(600)}` });
    expect((await outboxOf(t))[0]?.answer).toBe(`550 no ${'x'.repeat(493)}`);
    await t.app.db('outbox').update({ channel: 'webhook:1' });
    expect((await outboxOf(t))[0]?.answer).toBeNull();
  });

  it('trusts a relay whose certificate is given, and no other', async () => {
    const folder = temporaryFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const certified = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost';
    const named = `-addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`;
    const made = spawnSync('openssl', `${certified} ${named}`.split(' '));
    expect([made.status, String(made.error ?? '')]).toEqual([0, '']);
    const [pem, ca] = [readFileSync(key, 'utf8'), readFileSync(cert, 'utf8')];
    const relay = await startSmtp({ key: pem, cert: ca });
    for (const tls of [{}, { tls: { ca } }]) {
      const t = await start({
        smtp: { host: 'localhost', port: relay.port, from: 'shop@shop.test', ...tls },
      });
      await t.records.affiliate({ status: 'active' });
      expect([tls, (await deliver(t)) > 0]).toEqual([tls, tls.tls !== undefined]);
    }
    expect(relay.mails.length).toBeGreaterThan(0);
    await relay.close();
  });

  it('is skipped for an address that bounced, until the address is allowed again', async () => {
    const t = await start();
    await t.service.emails.bounced(' Alice@Shop.test ');
    const alice = await t.records.affiliate({ status: 'active' });
    await deliver(t, 60_000);
    expect(subjects().filter((line) => line.startsWith('alice@'))).toEqual([]);
    const { body } = await t.admin.get('/system/outbox?status=skipped').expect(200);
    expect(body.entries.data).toMatchObject([{ recipient: `affiliate:${alice.id}`, last_error: 'bounced' }]);
    expect(await storedText(t, 'bounced_addresses')).not.toMatch(/alice/i);
    const risky = async (): Promise<string[]> => (await t.service.risks()).map(({ code }) => code);
    expect(await risky()).toContain('mails_bounced');
    t.clock.advance(31 * 86_400_000);
    expect(await risky()).not.toContain('mails_bounced');

    await t.service.emails.allow('alice@shop.test');
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' });
    t.clock.advance(120_000);
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'active' });
    await deliver(t, 60_000);
    expect(subjects().filter((line) => line.startsWith('alice@'))).not.toEqual([]);
    await expect(t.service.emails.bounced('nobody')).rejects.toMatchObject({ code: 'invalid_email' });
  });

  it('delivers once when two workers look at the same moment, and by the job', async () => {
    const t = await start();
    for (const user of [2, 3, 4]) await t.records.affiliate({ user_id: user });
    t.clock.advance(5000);
    await Promise.all([
      t.service.emails.deliverDue(),
      t.service.emails.deliverDue(),
      t.service.jobs.runDue(),
    ]);
    expect(subjects()).toHaveLength(6);
  });

  it('keeps no mail when the change is refused', async () => {
    const t = await start();
    await t.records.affiliate();
    const before = await outboxOf(t);
    await t.admin
      .post('/affiliates')
      .send({ user_id: 2, status: 'active', rate_type: 'default', payment_email: 'a@b.test' })
      .expect(422);
    expect(await outboxOf(t)).toEqual(before);
  });
});

describe('smart codes (docs/settings.md §2.2)', () => {
  async function rendered(body: string, prepare?: (t: TestApp) => void): Promise<string> {
    const t = await startApp({ rate: 10 });
    prepare?.(t);
    const alice = await t.records.affiliate({ note: 'x' });
    await t.admin.patch(`/affiliates/${alice.id}`).send({ note: 'a <b>& c' }).expect(200);
    const { id } = await t.records.referral({
      affiliate_id: alice.id,
      amount: 1234.5,
      description: '"quoted"',
    });
    await t.admin
      .patch(EMAILS)
      .send({ email_key: 'new_sale_to_affiliate', data: { is_default_body: 'no', email_body: body } })
      .expect(200);
    await t.service.emails.sendTest('new_sale_to_affiliate', 'test@shop.test', {
      affiliate_id: alice.id,
      referral_id: id,
    });
    return /<div class="content"[^>]*>([\s\S]*?)<\/div>\s*<div class="footer"/.exec(
      t.host.mailbox.at(-1)!.html,
    )![1]!;
  }

  it.each([
    ['{{user.display_name}}', 'Alice Doe'],
    ['{{referral.amount_formatted}}', '$ 1,234.50'],
    ['{{transaction.amount_formatted}}', '$ 1,234.50'],
    ['{{referral.description}}', '&quot;quoted&quot;'],
    ['{{affiliate.unpaid_earning_formatted}}', '$ 1,234.50'],
    ['{{affiliate.referrals}}', '1'],
    ['{{user.user_pass|none}}', 'none'],
    ['{{user.nothing|friend|ucfirst}}', 'Friend'],
    ['{{user.first_name||strtoupper}}', 'ALICE'],
    ['{{user.first_name||strtolower}}', 'alice'],
    ['{{user.display_name||concat_first|Dear }}', 'DearAlice Doe'],
    ['{{user.first_name||show_if|yes}}', 'yes'],
    ['{{site.name_with_url}}', '<a href="https://shop.test">Shop</a>'],
    ['<a href="##site.url##">x</a>', '<a href="https://shop.test">x</a>'],
    ['<a href="{{site.url}}">x</a>', '<a href="https://shop.test">x</a>'],
    ['<a href="{{user.display_name}}">x</a>', ''],
    ['##affiliate.note##', ''],
    ['{{weather.today}}', '{{weather.today}}'],
    ['{{nonsense}}', '{{nonsense}}'],
  ])('turns %s into %s', async (code, expected) => {
    const html = await rendered(`<p>${code}</p>`);
    expect(html.replace(/^<p>|<\/p>$/g, '').replaceAll(/ (target|rel)="[^"]*"/g, '')).toBe(expected);
  });

  it('asks extensions about groups and codes it does not know', async () => {
    const html = await rendered('<p>{{weather.today|dry}} {{nonsense}} [mark]</p>', (t) => {
      t.service.hooks.addFilter(
        'smartcode_group_callback_weather',
        (_whole, key, fallback) => `${key}:${fallback}`,
      );
      t.service.hooks.addFilter('smartcode_fallback', () => 'fallback');
      t.service.hooks.addFilter('parse_smart_codes', (text) => text.replace('[mark]', 'marked'));
    });
    expect(html).toBe('<p>today:dry fallback marked</p>');
  });

  it('writes text beside HTML and never lets a value become a header', async () => {
    const t = await start();
    const alice = await t.records.affiliate();
    await t.admin
      .patch(EMAILS)
      .send({ email_key: 'new_sale_to_admin', data: { subject: 'Sale {{referral.description}}' } })
      .expect(200);
    // Forms and imports clean such a description.
    await t.app.db('referrals').insert({
      affiliate_id: null,
      status: 'rejected',
      amount_minor: 0,
      type: 'sale',
      description: 'x\r\nBcc: evil@x.test',
      created_at: 1,
      updated_at: 1,
    });
    await t.service.ledger.reconcile();
    const [{ id }] = await referralsOf(t);
    await t.service.emails.sendTest('new_sale_to_admin', 'boss@shop.test', {
      affiliate_id: alice.id,
      referral_id: id,
    });
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]!.to).toEqual(['boss@shop.test']);
    expect(smtp.mails[0]!.source.split(/\r?\n\r?\n/)[0]).not.toMatch(/^Bcc:/m);
    expect(smtp.mails[0]!.source).toMatch(/Content-Type: text\/plain[\s\S]*Content-Type: text\/html/);
  });
});

describe('e-mail configuration (docs/settings.md §2.1)', () => {
  it('merges what is sent, keeps an explicit blank, and normalizes', async () => {
    const { admin } = await startApp();
    const first = (await admin.get(CONFIG).expect(200)).body.settings;
    expect(first).toMatchObject({
      body_bg: '#f3f4f6',
      template: 'default',
      disable_powered_by: 'no',
      summary_email_day: 'daily',
      admin_email: expect.any(String),
    });
    const { body } = await admin
      .post(CONFIG)
      .send({
        settings: {
          email_footer: '',
          body_bg: '#abc',
          template: 'evil',
          unknown: 1,
          disable_powered_by: true,
        },
      })
      .expect(200);
    expect(body.settings).toEqual({ ...first, email_footer: '', body_bg: '#abc', disable_powered_by: 'yes' });
    expect((await admin.get(CONFIG)).body.settings).toEqual(body.settings);
  });

  it.each([
    [{ body_bg: 'url(x)' }, 'validation_failed'],
    [{ logo: 'javascript:alert(1)' }, 'validation_failed'],
    [{ font_family: 'a;}' }, 'validation_failed'],
    [{ send_from_name: 'a\r\nBcc: x@y.test' }, 'validation_failed'],
    [{ summary_email_day: 'someday' }, 'validation_failed'],
    [{ send_from_email: 'nobody' }, 'invalid_email'],
    [{ reply_to_email: 'a b@c.test' }, 'invalid_email'],
  ])('refuses %j', async (settings, code) => {
    const { admin } = await startApp();
    expect((await admin.post(CONFIG).send({ settings }).expect(422)).body.code).toBe(code);
  });

  it('passes reading and saving through the filters', async () => {
    const { admin, service } = await startApp();
    service.hooks.addFilter('update_email_config', (config) => ({
      ...config,
      footer_content_color: '#111111',
    }));
    service.hooks.addFilter('get_email_config', (config) => ({ ...config, font_family: 'Georgia' }));
    const { body } = await admin.post(CONFIG).send({ settings: {} }).expect(200);
    expect(body.settings).toMatchObject({ footer_content_color: '#111111', font_family: 'Georgia' });
  });
});

describe('notification settings (docs/settings.md §2.2)', () => {
  it('lists the mails and the groups of codes in order', async () => {
    const { admin } = await startApp();
    const { body } = await admin.get(EMAILS).expect(200);
    expect(
      body.emails
        .slice(0, 8)
        .map((mail: { email_key: string; recipient: string; smartcode_groups: string[] }) => [
          mail.email_key,
          mail.recipient,
          mail.smartcode_groups.join(),
        ]),
    ).toEqual([
      ['account_created_to_admin', 'admin', 'affiliate,user,site'],
      ['new_sale_to_admin', 'admin', 'affiliate,user,referral'],
      ['pending_account_created_to_affiliate', 'affiliate', 'affiliate,user,site'],
      ['account_approved_to_affiliate', 'affiliate', 'affiliate,user,site'],
      ['new_sale_to_affiliate', 'affiliate', 'affiliate,user,site,referral'],
      ['payout_to_affiliate', 'affiliate', 'affiliate,user,site,transaction'],
      ['level_changed_to_affiliate', 'affiliate', 'affiliate,user,site'],
      ['rates_changed_to_affiliate', 'affiliate', 'affiliate,user,site'],
    ]);
    expect(body.smartcodes.map(({ key }: { key: string }) => key)).toEqual([
      'affiliate',
      'user',
      'transaction',
      'referral',
      'site',
      'application',
      'payment',
      'invitation',
      'digest',
      'payout',
      'webhook',
      'payment_details',
      'api_key',
      'signup',
      'account',
      'test',
    ]);
    expect(Object.keys(body.smartcodes[4].shortcodes)).toContain('##site.portal_url##');
  });

  it('keeps an own body while the mail is off and drops it for the default', async () => {
    const { admin } = await startApp();
    const save = async (data: object): Promise<Record<string, unknown>> =>
      (await admin.patch(EMAILS).send({ email_key: 'payout_to_affiliate', data }).expect(200)).body.settings;
    expect(
      await save({
        is_default_body: 'no',
        email_body: '<p onclick="x()">Own</p><script>1</script>',
        subject: '',
      }),
    ).toEqual({
      active: 'yes',
      subject: 'Your payout from {{site.name}}',
      is_default_body: 'no',
      email_body: '<p>Own</p>',
    });
    expect(await save({ active: 'no' })).toMatchObject({ active: 'no', email_body: '<p>Own</p>' });
    expect(await save({ is_default_body: 'yes' })).toMatchObject({
      active: 'no',
      is_default_body: 'yes',
      email_body: '',
    });
  });

  it('names the codes of a text that would not be filled in', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('smartcode_group_callback_crm', () => 'own');
    const save = async (email_key: string, subject: string, email_body: string): Promise<string[]> => {
      const data = { subject, email_body, is_default_body: 'no' };
      return (await t.admin.patch(EMAILS).send({ email_key, data }).expect(200)).body.unknown_codes;
    };
    const key = 'new_sale_to_affiliate';
    expect(await save(key, '{{site.nam}}', '<p>{{referral.amount}} {{user.email}} {{order}}</p>')).toEqual([
      '{{site.nam}}',
      '{{referral.amount}}',
      '{{user.email}}',
      '{{order}}',
    ]);
    expect(
      await save(key, '{{site.name}}', '<p>{{crm.tag}} {{crn.tag}} {{transaction.amount_formatted}}</p>'),
    ).toEqual(['{{crn.tag}}']);
    // a mail about an application knows no commission
    expect(
      await save(
        'account_approved_to_affiliate',
        'x',
        '<a href="##referral.edit_url##">{{affiliate.id|-|trim}}</a>',
      ),
    ).toEqual(['##referral.edit_url##']);
    const { body } = await t.admin
      .post(EMAILS)
      .send({ emails: { [key]: { subject: '{{a.b}}' } } })
      .expect(200);
    expect(new Set(body.unknown_codes)).toEqual(new Set(['{{a.b}}', '{{crn.tag}}', '##referral.edit_url##']));
  });

  it('knows every code that is filled in, and that its own texts use', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const { id } = await t.records.referral({ affiliate_id: alice.id, amount: '20.00' });
    await t.records.payout();
    const { values } = await mailValues(t.app, {
      affiliate_id: alice.id,
      referral_id: id,
      transaction_id: 1,
    });
    for (const group of ['affiliate', 'user', 'transaction', 'referral', 'site'] as const)
      expect([group, [...codeKeys(group)].sort()]).toEqual([group, Object.keys(values[group] ?? {}).sort()]);
    for (const key of NOTICE_KEYS)
      for (const [group, filled] of Object.entries(
        await exampleValues(t.app, key, { template: TEMPLATES[key] }),
      ))
        expect([key, [...codeKeys(group as CodeGroup)].sort()]).toEqual([key, Object.keys(filled).sort()]);
    for (const key of EMAIL_KEYS) {
      const { subject, body: email_body } = TEMPLATES[key];
      const settings = { active: 'yes', is_default_body: 'no', subject, email_body } as const;
      expect(await t.app.emails.unknownCodes(key, settings)).toEqual([]);
    }
  });

  it('breaks a long address after its @ where it does not fit', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2, payment_email: 'pay@example.test' });
    await t.records.referral({ affiliate_id: alice.id, amount: '20.00' });
    await t.records.payout();
    const { html, text } = await t.app.emails.preview('payout_to_affiliate', { data: {} }, 'a@b.test');
    expect(html).toContain('>pay@<wbr>example.test</td>');
    expect(text).toContain('pay@example.test');
  });

  it('saves several at once as list or object, or none of them', async () => {
    const { admin } = await startApp();
    await admin
      .post(EMAILS)
      .send({
        emails: [
          { email_key: 'new_sale_to_admin', data: { subject: 'One' } },
          { email_key: 'payout_to_affiliate', settings: { active: 'no' } },
        ],
      })
      .expect(200);
    const { body } = await admin
      .post(EMAILS)
      .send({ emails: { new_sale_to_affiliate: { subject: 'Two' } } })
      .expect(200);
    expect(body.all_settings).toMatchObject({
      new_sale_to_admin: { subject: 'One' },
      payout_to_affiliate: { active: 'no' },
      new_sale_to_affiliate: { subject: 'Two' },
    });
    expect(
      (
        await admin
          .post(EMAILS)
          .send({ emails: { new_sale_to_admin: { subject: 'Three' }, nothing: {} } })
          .expect(422)
      ).body.code,
    ).toBe('invalid_email_key');
    expect((await admin.get(EMAILS)).body.emails[1].settings.subject).toBe('One');
    expect((await admin.patch(EMAILS).send({ email_key: 'nothing', data: {} }).expect(422)).body.code).toBe(
      'invalid_email_key',
    );
  });
});

describe('a mail before it is sent', () => {
  it('is shown from the newest rows and sent as a test, and nothing is saved', async () => {
    const t = await start();
    const alice = await t.records.affiliate({ status: 'active' });
    await t.records.referral({ affiliate_id: alice.id, amount: 12.5, description: 'A lamp' });
    const text = {
      email_key: 'new_sale_to_affiliate',
      data: {
        subject: 'Well done, {{user.first_name}}',
        is_default_body: 'no',
        email_body: '<p>{{referral.amount_formatted}} for {{referral.description}}<script>x</script></p>',
      },
    };
    const { body } = await t.admin.post(`${CONFIG}/preview`).send(text).expect(200);
    expect(body).toMatchObject({ subject: 'Well done, Alice', html: expect.stringContaining('A lamp') });
    expect(body.html).not.toContain('<script>x');
    expect(smtp.mails).toHaveLength(0);

    await t.admin.post(`${CONFIG}/test`).send(text).expect(200);
    await t.admin
      .post(`${CONFIG}/test`)
      .send({ ...text, to: 'else@shop.test' })
      .expect(200);
    expect(subjects()).toEqual([`${body.to}: Well done, Alice`, 'else@shop.test: Well done, Alice']);
    const { emails } = (await t.admin.get(EMAILS).expect(200)).body as {
      emails: { email_key: string; settings: { is_default_body: string } }[];
    };
    expect(emails.every(({ settings }) => settings.is_default_body === 'yes')).toBe(true);

    await t.admin.post(`${CONFIG}/preview`).send({ email_key: 'no_such_mail' }).expect(422);
    smtp.refuse = 550;
    const refused = await t.admin.post(`${CONFIG}/test`).send(text).expect(502);
    expect(refused.body.code).toBe('mail_not_sent');
  });

  it('give the reason why an application was rejected, which the history shows too', async () => {
    const t = await start();
    const { id } = await t.records.affiliate({ status: 'pending' });
    await deliver(t);
    smtp.mails.length = 0;
    await t.admin
      .patch(`/affiliates/${id}/status`)
      .send({ status: 'inactive', reason: 'Your site sells <b>fakes</b>.' })
      .expect(200);
    await deliver(t);
    expect(subjects()).toEqual(['alice@shop.test: Your application at Shop']);
    expect(smtp.mails[0]?.source.replaceAll('=\r\n', '')).toContain(
      'Your site sells &lt;b&gt;fakes&lt;/b&gt;.',
    );
    const { entries } = (await t.admin.get(`/audit?object_type=affiliate&object_id=${id}`).expect(200))
      .body as { entries: { data: { action: string; after: unknown }[] } };
    expect(entries.data).toContainEqual(
      expect.objectContaining({
        action: 'affiliate.status_reason',
        after: { status: 'inactive', reason: 'Your site sells <b>fakes</b>.' },
      }),
    );
  });
});

describe('the button of a mail', () => {
  const sources = (to: string): string =>
    smtp.mails
      .filter((mail) => mail.to.includes(to))
      .map(({ source }) => source.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '='))
      .join('\n');

  it('leads to the screen the mail is about, in the mounted pages', async () => {
    const t = await start();
    consoleApp(t.service, { path: '/affiliate-admin' });
    portalApp(t.service, { path: '/partners/' });
    const alice = await t.records.affiliate();
    const { referral } = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '1',
      status: 'unpaid',
      order: { subtotal: '100.00' },
      affiliate: alice.id,
    });
    await deliver(t);
    const payout = await t.records.payout();
    await t.admin
      .patch(`/payouts/${payout.id}/transactions/bulk-action`)
      .send({ status: 'paid' })
      .expect(200);
    await deliver(t, 300_000);

    const [mine, boss] = [sources('alice@shop.test'), sources('admin@example.test')];
    const [payment] = (await t.as(2).get('/portal/payments').expect(200)).body.payments.data;
    expect(mine).toContain('href="https://shop.test/partners/earnings"');
    expect(mine).toContain(`href="https://shop.test/partners/payments/${payment.id}"`);
    expect(boss).toContain(`href="http://localhost/affiliate-admin/affiliates/${alice.id}"`);
    expect(boss).toContain(`href="http://localhost/affiliate-admin/referrals/${referral?.id}"`);
  });

  it('leads to the page chosen for the portal, and to the administration of the host, with the screen behind a #', async () => {
    const t = await start();
    portalApp(t.service, { path: '/partners' });
    t.service.hooks.addFilter('portal_page_url', () => 'https://shop.test/earn/');
    expect(await t.app.settings.portalScreenUrl('/earnings')).toBe('https://shop.test/earn/#/earnings');
    expect(await t.app.settings.consoleUrl('/affiliates/3')).toBe('http://localhost/admin#/affiliates/3');
  });
});
