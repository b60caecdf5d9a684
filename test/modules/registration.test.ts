import { describe, expect, it } from '@jest/globals';
import request, { type Test } from 'supertest';
import { HookVeto } from '../../src/index.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { auditOf, listed } from '../support/lists.js';
import { outboxOf } from '../support/outbox.js';
import { storedText } from '../support/rows.js';

const GUEST = {
  full_name: 'Eve Mary Stone',
  email: 'Eve@shop.test',
  username: 'EveStone',
  password: 'pass <b>word</b>',
  conf_password: 'pass <b>word</b>',
  note: 'On my <i>blog</i>',
  url: 'https://eve.test',
  terms_condition: 'yes',
  payment_email: 'pay@eve.test',
};
const USER = { note: 'On my blog', terms_condition: 'on', payment_email: 'pay@alice.test' };

const direct = (options: TestOptions = {}): Promise<TestApp> =>
  startApp({ ...options, registration: { verifyEmail: false, ...options.registration } });
const register = (t: TestApp, more: object = {}, userId = 0): Test =>
  t
    .as(userId)
    .post('/registration')
    .send({ ...(userId === 0 ? GUEST : USER), ...more });
const codeOf = (t: TestApp): string => /\b\d{6}\b/.exec(t.host.mailbox.at(-1)?.text ?? '')?.[0] ?? '';
const verify = (t: TestApp, reference: string, code: string): Test =>
  t.anonymous.post('/registration/verify').send({ reference, code });
const wrong = (code: string): string => (code === '000000' ? '000001' : '000000');
const saveFields = (t: TestApp, fields: object[], settings: object = {}) =>
  t.admin.post('/settings/registration-fields').send({ fields, settings }).expect(200);
const affiliateOf = async (t: TestApp, login: string) => {
  const user = await t.host.users.findByLogin(login);
  return user && t.app.affiliates.findByUser(user.id);
};

describe('guests (docs/tracking.md §12)', () => {
  it('become a user and an affiliate with the code from the mail, and are signed in', async () => {
    const t = await startApp();
    const first = await register(t).expect(200);
    expect(first.body).toMatchObject({
      status: 'code_sent',
      reference: expect.stringMatching(/^\w{40}$/),
      expires_in: 600,
    });
    expect(first.body.verifcation_html).toContain(first.body.reference);
    expect(t.host.mailbox).toMatchObject([
      { to: 'Eve@shop.test', subject: 'Your verification code for Shop' },
    ]);
    expect(JSON.stringify(first.body)).not.toContain(codeOf(t));
    expect(await t.host.users.findByLogin('evestone')).toBeNull();

    const { body, headers } = await verify(t, first.body.reference, ` ${codeOf(t)} `).expect(200);
    expect(body).toEqual({
      message: expect.any(String),
      status: 'pending',
      success_html: expect.stringContaining('approval'),
      redirect_url: 'https://shop.test/',
    });
    expect(t.host.checkPassword('evestone', GUEST.password)).toMatchObject({
      email: 'Eve@shop.test',
      first_name: 'Eve',
      last_name: 'Mary Stone',
    });
    expect(await affiliateOf(t, 'evestone')).toMatchObject({
      status: 'pending',
      rate_type: 'default',
      payment_email: 'pay@eve.test',
      note: 'On my <i>blog</i>',
      custom_fields: { url: 'https://eve.test' },
    });
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    expect(await t.host.currentUser({ headers: { cookie } } as never)).toMatchObject({ login: 'evestone' });
    expect(await storedText(t, 'signup_challenges')).toBe('[[]]');
  });

  it('may send the code the way the form of the origin does', async () => {
    const t = await startApp();
    const { body } = await t.anonymous.post('/registration').type('form').send(GUEST).expect(200);
    const sent = { ...GUEST, __two_fa_signed_token: body.reference, _email_verification_code: codeOf(t) };
    expect((await t.anonymous.post('/registration').type('form').send(sent).expect(200)).body.status).toBe(
      'pending',
    );
  });

  it.each<[string, object, string, string]>([
    ['no name', { full_name: '  ' }, 'full_name', 'required'],
    ['a long name', { full_name: 'x'.repeat(101) }, 'full_name', 'max'],
    ['no address', { email: '' }, 'email', 'required'],
    ['a wrong address', { email: 'eve@' }, 'email', 'email'],
    ['an address that is used', { email: 'ALICE@shop.test' }, 'email', 'unique'],
    ['no username', { username: '' }, 'username', 'required'],
    ['a short username', { username: 'abc' }, 'username', 'min'],
    ['a username that would be changed', { username: 'anna.b' }, 'username', 'format'],
    ['a long username', { username: 'x'.repeat(61) }, 'username', 'max'],
    ['a username that is used', { username: 'ALICE', email: 'new@shop.test' }, 'username', 'unique'],
    ['a reserved username', { username: 'Support' }, 'username', 'reserved'],
    ['a username like an id', { username: '1234' }, 'username', 'reserved'],
    ['no password', { password: '', conf_password: '' }, 'password', 'required'],
    ['two empty passwords', { password: '', conf_password: '' }, 'conf_password', 'required'],
    ['a password that is no text', { password: 123_456, conf_password: 123_456 }, 'password', 'required'],
    ['a short password', { password: '12345', conf_password: '12345' }, 'password', 'min'],
    ['a long password', { password: 'x'.repeat(51), conf_password: 'x'.repeat(51) }, 'password', 'max'],
    ['two passwords', { conf_password: 'other one' }, 'conf_password', 'same'],
    ['no note', { note: ' ' }, 'note', 'required'],
    ['no consent', { terms_condition: 'no' }, 'terms_condition', 'required'],
    ['an odd consent', { terms_condition: 'perhaps' }, 'terms_condition', 'in'],
    ['a wrong website', { url: 'javascript:alert(1)' }, 'url', 'url'],
    ['no payment address', { payment_email: undefined }, 'payment_email', 'required'],
    ['a wrong payment address', { payment_email: 'x' }, 'payment_email', 'email'],
  ])('are refused with %s', async (_title, more, field, rule) => {
    const t = await direct();
    const { body } = await register(t, more).expect(422);
    expect(body).toMatchObject({
      code: 'validation_failed',
      message: expect.any(String),
      errors: { [field]: { [rule]: expect.any(String) } },
    });
    expect(await listed(t, '/affiliates')).toEqual([]);
  });

  it('get all that is wrong at once', async () => {
    const t = await direct();
    const { body } = await t.anonymous.post('/registration').send({}).expect(422);
    expect(Object.keys(body.errors).toSorted()).toEqual([
      'conf_password',
      'email',
      'full_name',
      'note',
      'password',
      'payment_email',
      'terms_condition',
      'username',
    ]);
  });

  it('give bank details where the program pays so, and answers to the fields of the administrator', async () => {
    const t = await direct();
    await t.app.settings.saveReferralConfig({ payout_method: 'bank_transfer' });
    await saveFields(t, [
      { type: 'multiselect', label: 'Where', options: ['Web', 'Mail'], required: 'yes' },
      { type: 'number', label: 'Reach' },
      { name: 'note', enabled: 'no' },
    ]);
    const sent = {
      payment_email: undefined,
      note: undefined,
      bank_details: 'IBAN\nX',
      custom_where: ['Mail'],
      custom_reach: '12',
    };
    expect((await register(t, { ...sent, custom_where: ['Radio'] }).expect(422)).body.errors).toHaveProperty(
      'custom_where.in',
    );
    await register(t, sent).expect(200);
    expect(await affiliateOf(t, 'evestone')).toMatchObject({
      payment_email: null,
      note: null,
      settings: { bank_details: 'IBAN\nX' },
      custom_fields: { custom_where: ['Mail'], custom_reach: 12, url: 'https://eve.test' },
    });
  });

  it('are refused when programs fill in the bait, when sign-up is closed, and where the host makes no users', async () => {
    const t = await direct();
    expect((await register(t, { hp_website: 'https://spam.test' }).expect(422)).body.code).toBe(
      'registration_refused',
    );
    await saveFields(t, [], { enabled: 'no' });
    expect((await register(t).expect(422)).body.code).toBe('registration_closed');
    expect((await verify(t, 'x', '1').expect(422)).body.code).toBe('registration_closed');
    await saveFields(t, [], { enabled: 'yes' });
    Object.assign(t.host.users, { create: undefined });
    expect((await register(t).expect(422)).body.code).toBe('registration_unsupported');
    expect((await t.anonymous.get('/registration/state')).body.registration).toBe('unsupported');
  });

  it('do not sign up from a form on another site', async () => {
    const t = await direct();
    for (const header of [
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      await register(t).set(header).expect(403);
    }
    await register(t).set('Origin', 'https://shop.test').expect(200);
  });

  it('become one user when they send the form twice at once', async () => {
    const t = await direct();
    const answers = await Promise.all([register(t), register(t)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
    expect(await listed(t, '/affiliates')).toHaveLength(1);
  });

  it('stay signed up when the host cannot sign them in', async () => {
    const t = await direct();
    t.host.users.signIn = async () => {
      throw new Error('no session');
    };
    await register(t).expect(200);
    expect(t.log.map(({ message }) => message)).toContain('the host could not sign the new user in');
  });
});

describe('the code', () => {
  const start = async (t: TestApp): Promise<{ reference: string; code: string }> => ({
    reference: (await register(t).expect(200)).body.reference,
    code: codeOf(t),
  });

  it('opens once', async () => {
    const t = await startApp();
    const { reference, code } = await start(t);
    const answers = await Promise.all([verify(t, reference, code), verify(t, reference, code)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
    expect((await verify(t, reference, code).expect(422)).body.code).toBe('verification_expired');
  });

  it('can be guessed five times', async () => {
    const t = await startApp();
    const { reference, code } = await start(t);
    for (let i = 0; i < 5; i++)
      expect((await verify(t, reference, wrong(code)).expect(422)).body).toMatchObject({
        code: 'verification_failed',
        errors: { code: { wrong: 'The code is wrong.' } }, // at its field
      });
    expect((await verify(t, reference, code).expect(429)).body.code).toBe('verification_blocked');
  });

  it('expires after ten minutes and fits its own sign-up only', async () => {
    const t = await startApp();
    const first = await start(t);
    const { reference } = (await register(t, { email: 'other@shop.test', username: 'other' }).expect(200))
      .body;
    if (codeOf(t) !== first.code)
      expect((await verify(t, reference, first.code).expect(422)).body.code).toBe('verification_failed');
    expect((await verify(t, 'x'.repeat(40), first.code).expect(422)).body.code).toBe('verification_expired');
    t.clock.advance(600_000);
    expect((await verify(t, first.reference, first.code).expect(422)).body.code).toBe('verification_expired');
  });

  it('is sent again after 30 seconds, with another one in place of the first', async () => {
    const t = await startApp();
    const { reference, code } = await start(t);
    const again = (): Test => t.anonymous.post('/registration/send-again').send({ reference });
    const early = await again().expect(429);
    expect(early.headers['retry-after']).toBe('30');
    t.clock.advance(30_000);
    expect((await again().expect(200)).body).toMatchObject({
      status: 'code_sent',
      reference,
      expires_in: 600,
    });
    const fresh = codeOf(t);
    expect(t.host.mailbox).toHaveLength(2);
    if (fresh !== code) await verify(t, reference, code).expect(422);
    t.clock.advance(590_000); // the time of the new one counts
    await verify(t, reference, fresh).expect(200);
    expect((await again().expect(422)).body.code).toBe('verification_expired');
  });

  it('stays good when the mail with another one cannot be sent', async () => {
    let isDown = false;
    let sent = '';
    const t = await startApp({
      mailer: {
        send: async ({ text = '' }) => {
          if (isDown) throw new Error('smtp down');
          sent = text;
        },
      },
    });
    const { reference } = (await register(t).expect(200)).body;
    const code = /\d{6}/.exec(sent)?.[0] ?? '';
    t.clock.advance(30_000);
    isDown = true;
    await t.anonymous.post('/registration/send-again').send({ reference }).expect(502);
    await verify(t, reference, code).expect(200);
  });

  it('leaves neither password nor code nor address readable in the database and the log', async () => {
    const t = await startApp();
    const { reference, code } = await start(t);
    await verify(t, reference, wrong(code)).expect(422);
    const tables = await storedText(t, 'signup_challenges', 'rate_limits', 'outbox');
    const stored = tables + JSON.stringify(t.log);
    for (const secret of [reference, code, 'pass <b>word', GUEST.email, 'evestone'])
      expect(stored.includes(secret)).toBe(false);
  });

  it('does not help when the name was taken meanwhile', async () => {
    const t = await startApp();
    const { reference, code } = await start(t);
    t.host.addUser({ login: 'evestone', email: 'first@shop.test' });
    expect((await verify(t, reference, code).expect(422)).body.errors).toHaveProperty('username.unique');
    expect(await listed(t, '/affiliates')).toEqual([]);
  });

  it('is not waited for when the mail could not be sent', async () => {
    const t = await startApp({
      mailer: {
        send: async () => {
          throw new Error('smtp down');
        },
      },
    });
    expect((await register(t).expect(502)).body.code).toBe('mail_not_sent');
    expect(await storedText(t, 'signup_challenges')).toBe('[[]]');
  });
});

describe('limits', () => {
  it('allows five sign-ups per e-mail in an hour', async () => {
    const t = await startApp();
    for (let i = 0; i < 5; i++) await register(t).expect(200);
    const { headers, body } = await register(t).expect(429);
    expect(body.code).toBe('rate_limited');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    t.clock.advance(3_600_000);
    await register(t).expect(200);
  });

  it('counts per address, also who only tries which e-mails are used', async () => {
    const t = await startApp({ registration: { perFiveMinutes: 3 } });
    for (let i = 0; i < 3; i++)
      await register(t, { email: `alice${i === 0 ? '' : i}@shop.test` }).expect(200);
    await register(t, { email: 'alice@shop.test' }).expect(429);
    await register(t, { email: 'not an address' }).expect(422);
    await register(t, {}, 2).expect(429);
  });
});

describe('signed-in users', () => {
  it('apply with the fields that are not about an account', async () => {
    const t = await startApp();
    const { body: form } = await t.as(2).get('/registration/form').expect(200);
    expect(form).toMatchObject({ enabled: 'yes', supported: 'yes', honeypot: 'hp_website' });
    expect(
      form.fields
        .map(({ name, value, readonly, required }: Record<string, string>) => [
          name,
          value,
          readonly,
          required,
        ])
        .slice(0, 3),
    ).toEqual([
      ['full_name', 'Alice Doe', 'no', 'yes'],
      ['email', 'alice@shop.test', 'yes', 'no'],
      ['raw_html', '', 'no', 'no'],
    ]);
    const { body, headers } = await register(t, { email: 'other@shop.test', username: 'other' }, 2).expect(
      200,
    );
    expect(body.status).toBe('pending');
    expect(headers['set-cookie']).toBeUndefined();
    expect(await t.app.affiliates.findByUser(2)).toMatchObject({
      status: 'pending',
      note: 'On my blog',
      payment_email: 'pay@alice.test',
    });
    expect((await auditOf(t, 'action=affiliate.created')).map((entry) => entry.actor_id)).toEqual([2]);
  });

  it('are refused like guests', async () => {
    const t = await startApp();
    expect((await register(t, { note: '', full_name: '' }, 2).expect(422)).body.errors).toMatchObject({
      note: { required: expect.any(String) },
      full_name: { required: expect.any(String) },
    });
    expect((await register(t, { hp_website: 'x' }, 2).expect(422)).body.code).toBe('registration_refused');
    await saveFields(t, [], { enabled: 'no' });
    expect((await register(t, {}, 2).expect(422)).body.code).toBe('registration_closed');
  });

  it('are sent on when they are affiliates already, also twice at once', async () => {
    const t = await startApp();
    const answers = await Promise.all([register(t, {}, 2), register(t, {}, 2)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await listed(t, '/affiliates')).toHaveLength(1);
    await saveFields(t, [], { enabled: 'no' });
    expect((await t.as(2).post('/registration').send({}).expect(200)).body).toMatchObject({
      status: 'pending',
      redirect_url: 'https://shop.test/',
    });
    expect((await t.as(2).get('/registration/form').expect(200)).body).toMatchObject({
      status: 'pending',
      redirect_url: 'https://shop.test/',
      fields: [],
    });
  });

  it.each<[string, Record<string, string>, number]>([
    ['the own origin', { Origin: 'https://shop.test' }, 200],
    ['a page of the site', { 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['nothing that shows where it comes from', {}, 401],
    ['another origin', { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'same-origin' }, 403],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ])('without nonce and with %s: %j → %i', async (_title, headers, status) => {
    const t = await startApp();
    const { cookie } = t.host.signIn(2);
    await request(t.server)
      .post(`${t.service.basePath}/registration`)
      .set({ Cookie: cookie, ...headers })
      .send(USER)
      .expect(status);
    expect((await t.app.affiliates.findByUser(2)) === null).toBe(status !== 200);
  });

  it('are guests for readers who send no nonce', async () => {
    const t = await startApp();
    const { body } = await request(t.server)
      .get(`${t.service.basePath}/registration/state`)
      .set('Cookie', t.host.signIn(2).cookie)
      .expect(200);
    expect(body.state).toBe('guest');
  });

  it('may be managers who may not change their own affiliate data', async () => {
    const t = await startApp({ forbidSelfManagement: true });
    await register(t, {}, 3).expect(200);
    expect(await t.app.affiliates.findByUser(3)).toMatchObject({ status: 'pending' });
  });
});

describe('approval and its mails', () => {
  it.each<[string, boolean, string]>([
    ['yes', false, 'pending'],
    ['no', false, 'active'],
    ['yes', true, 'active'],
    ['no', true, 'active'],
  ])('require_approval %s and auto_approve %s → %s', async (approval, auto, status) => {
    const t = await startApp();
    await saveFields(t, [], { require_approval: approval });
    const seen: unknown[] = [];
    t.service.hooks.addFilter('auth/auto_approve_affiliates', (value, user) => {
      seen.push(value, user?.id);
      return auto;
    });
    const announced: string[] = [];
    t.service.hooks.addAction('affiliate_created', () => {
      announced.push('created');
    });
    t.service.hooks.addAction('affiliate_status_to_active', () => {
      announced.push('active');
    });
    expect((await register(t, {}, 2).expect(200)).body.status).toBe(status);
    expect(seen).toEqual([false, 2]);
    expect(announced).toEqual(status === 'active' ? ['created', 'active'] : ['created']);
  });

  it.each<[string, number, string | null]>([
    ['guest', 0, null],
    ['none', 5, null],
    ['pending', 2, 'pending'],
    ['active', 2, 'active'],
    ['inactive', 2, 'inactive'],
    ['inactive', 2, 'rejected'],
  ])('says %s to user %i whose status is %s', async (state, userId, status) => {
    const t = await startApp();
    if (status) {
      const { id } = await t.records.affiliate({
        user_id: 2,
        status: status === 'rejected' ? 'active' : status,
      });
      if (status === 'rejected') await t.app.db('affiliates').where({ id }).update({ status }); // only of imports
    }
    const { body } = await t.as(userId).get('/registration/state').expect(200);
    expect(body).toEqual({
      state,
      registration: 'open',
      message: expect.any(String),
      redirect_url: status ? 'https://shop.test/' : null,
    });
  });

  it('queues the mails of a new affiliate', async () => {
    const t = await startApp();
    await register(t, {}, 2).expect(200);
    expect((await outboxOf(t)).map(({ kind }) => String(kind)).toSorted()).toEqual([
      'account_created_to_admin',
      'pending_account_created_to_affiliate',
    ]);
  });
});

describe('hooks (hooks/README.md)', () => {
  it('auth/signup_fields: what is asked depends on the visitor', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('auth/signup_fields', (fields, user) => [
      ...fields.filter((field) => (field as { name: string }).name !== 'note'),
      ...(user ? [{ name: 'badge', type: 'text', label: 'Badge', required: 'yes' }] : []),
    ]);
    expect((await register(t, { note: undefined }, 2).expect(422)).body.errors).toHaveProperty(
      'badge.required',
    );
    await register(t, { note: undefined, badge: 'B7' }, 2).expect(200);
    expect(await t.app.affiliates.findByUser(2)).toMatchObject({ custom_fields: { badge: 'B7' } });
    await register(t, { note: undefined }).expect(200);
  });

  it('auth/pre_registration_errors: a captcha refuses, sees no password, and is not asked with the code', async () => {
    const t = await startApp();
    const seen: string[] = [];
    t.service.hooks.addFilter('auth/pre_registration_errors', (errors, data, asked) => {
      seen.push(JSON.stringify([data, asked]));
      const { submitted } = asked as { submitted: Record<string, unknown> };
      return submitted['captcha'] === 'ok'
        ? errors
        : { message: 'No robots.', errors: { captcha: 'Tick the box.' } };
    });
    const { body } = await register(t).expect(422);
    expect(body).toMatchObject({
      code: 'registration_refused',
      message: 'No robots.',
      errors: { captcha: { invalid: 'Tick the box.' } },
    });
    const { reference } = (await register(t, { captcha: 'ok' }).expect(200)).body;
    await verify(t, reference, codeOf(t)).expect(200);
    expect(seen).toHaveLength(2);
    expect(seen.join('')).toContain('evestone');
    expect(seen.join('')).not.toContain('word</b>');
  });

  it('auth/custom_field_values: adds and refuses values', async () => {
    const t = await startApp();
    const untap = t.service.hooks.addFilter('auth/custom_field_values', (values, fields, submitted) => ({
      ...values,
      count: fields.length,
      ref: submitted['ref'],
    }));
    await register(t, { ref: 'x' }, 2).expect(200);
    expect(await t.app.affiliates.findByUser(2)).toMatchObject({ custom_fields: { ref: 'x', count: 5 } });
    untap();
    t.service.hooks.addFilter('auth/custom_field_values', () => {
      throw new HookVeto('Not from here.');
    });
    expect((await register(t, {}, 3).expect(422)).body).toMatchObject({
      code: 'hook_aborted',
      message: 'Not from here.',
    });
  });

  it('auth/signup_verification_mail_subject and _email_body: write the mail', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('auth/signup_verification_mail_subject', () => 'Dein\r\nCode');
    t.service.hooks.addFilter(
      'auth/signup_verification_email_body',
      (_html, code, data) => `<p>${String(data['full_name'])} &amp; Co</p><b>${code}</b>`,
    );
    await register(t).expect(200);
    expect(t.host.mailbox).toMatchObject([
      {
        subject: 'Dein Code',
        html: expect.stringContaining('<b>'),
        text: `Eve Mary Stone & Co\n${codeOf(t)}`,
      },
    ]);
  });

  it('auth/max_verification_attempts: fewer guesses', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('auth/max_verification_attempts', () => 1);
    const { reference } = (await register(t).expect(200)).body;
    await verify(t, reference, wrong(codeOf(t))).expect(422);
    await verify(t, reference, codeOf(t)).expect(429);
  });

  it.each([
    ['https://shop.test/welcome', 'https://shop.test/welcome'],
    ['/welcome?a=1', '/welcome?a=1'],
    ['javascript:alert(1)', 'https://shop.test/'],
    ['//evil.test', 'https://shop.test/'],
  ])('auth/after_signup_redirect_url: %s leads to %s', async (answer, expected) => {
    const t = await direct();
    const seen: unknown[] = [];
    t.service.hooks.addFilter('auth/after_signup_redirect_url', (url, user, submitted) => {
      seen.push(url, user?.login, JSON.stringify(submitted).includes('word</b>'));
      return answer;
    });
    expect((await register(t).expect(200)).body.redirect_url).toBe(expected);
    expect(seen).toEqual(['https://shop.test/', 'evestone', false]);
  });

  it('reserved_usernames: more of them', async () => {
    const t = await direct();
    t.service.hooks.addFilter('reserved_usernames', (names) => [...names, 'EveStone']);
    expect((await register(t).expect(422)).body.errors).toHaveProperty('username.reserved');
  });
});
