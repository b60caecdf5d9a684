import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { auditOf } from '../support/lists.js';

/** The keyed hash of a personal value in the audit log. */
const HASHED: unknown = expect.stringMatching(/^hash:[0-9a-f]{16}$/);
const FORM = { user_id: 2, status: 'pending', rate_type: 'default', payment_email: 'alice@pay.test' };

describe('creating an affiliate', () => {
  it('answers the whole record with the derived keys of the list', async () => {
    const { admin } = await startApp();

    const { body } = await admin
      .post('/affiliates')
      .send({ ...FORM, status: 'active', rate_type: 'percentage', rate: '12.50', note: 'a\nb <b>c</b>' })
      .expect(200);

    expect(body.message).toEqual(expect.any(String));
    expect(body.affiliate).toMatchObject({
      user_id: 2,
      contact_id: null,
      group_id: null,
      rate: 12.5,
      rate_type: 'percentage',
      total_earnings: 0,
      unpaid_earnings: 0,
      referrals: 0,
      visits: 0,
      lead_counts: 0,
      custom_param: null,
      payment_email: 'alice@pay.test',
      status: 'active',
      settings: { disable_new_ref_email: 'no', bank_details: '' },
      custom_fields: [],
      note: 'a\nb <b>c</b>',
      created_at: '2026-01-15T15:00:00+00:00',
      updated_at: '2026-01-15T15:00:00+00:00',
      bank_details: '',
      group: null,
      rate_details: { type: 'percentage', rate: 12.5, is_custom: 'yes', human_readable: '12.5% (custom)' },
    });
    expect(body.affiliate.user).toMatchObject({ ID: 2, user_login: 'alice' });
    expect(body.affiliate.user_details).toMatchObject({
      affiliate_id: body.affiliate.id,
      user_name: 'alice',
    });
  });

  it.each([
    [
      'nothing at all',
      {},
      { user_id: 'required', status: 'required', rate_type: 'required', payment_email: 'required' },
    ],
    ['an unknown user', { ...FORM, user_id: 999 }, { user_id: 'exists' }],
    ['a user that is no number', { ...FORM, user_id: 'x' }, { user_id: 'numeric' }],
    ['another status', { ...FORM, status: 'rejected' }, { status: 'in' }],
    ['another rate type', { ...FORM, rate_type: 'fixed' }, { rate_type: 'in' }],
    ['flat without a rate', { ...FORM, rate_type: 'flat' }, { rate: 'required_if' }],
    ['flat with a blank rate', { ...FORM, rate_type: 'flat', rate: '' }, { rate: 'required_if' }],
    ['a negative rate', { ...FORM, rate_type: 'flat', rate: -1 }, { rate: 'min' }],
    ['more than 100 percent', { ...FORM, rate_type: 'percentage', rate: '100.0001' }, { rate: 'max' }],
    ['five decimals', { ...FORM, rate_type: 'percentage', rate: '1.00001' }, { rate: 'numeric' }],
    ['a rate beyond all money', { ...FORM, rate_type: 'flat', rate: 1e308 }, { rate: 'max' }],
    ['NaN', { ...FORM, rate_type: 'percentage', rate: 'NaN' }, { rate: 'numeric' }],
    ['a list as rate', { ...FORM, rate_type: 'percentage', rate: [5] }, { rate: 'numeric' }],
    ['group without a group', { ...FORM, rate_type: 'group' }, { group_id: 'required_if' }],
    ['no payment e-mail', { ...FORM, payment_email: '' }, { payment_email: 'required' }],
    ['a bad payment e-mail', { ...FORM, payment_email: 'nobody' }, { payment_email: 'email' }],
    ['a note that is too long', { ...FORM, note: 'x'.repeat(10_001) }, { note: 'max' }],
  ])('refuses %s', async (_what, form, rules) => {
    const { admin } = await startApp();

    const { body } = await admin.post('/affiliates').send(form).expect(422);

    expect(body.code).toBe('validation_failed');
    for (const [field, rule] of Object.entries(rules)) expect(body.errors[field]).toHaveProperty(rule);
  });

  it('ignores a rate that the rate type does not use', async () => {
    const { admin } = await startApp();
    const { body } = await admin
      .post('/affiliates')
      .send({ ...FORM, rate: '' })
      .expect(200);
    expect(body.affiliate).toMatchObject({
      rate: null,
      rate_details: { is_default: 'yes', type: 'percentage', rate: 20, human_readable: '20% (default)' },
    });
  });

  it('refuses an unknown group and a user that is an affiliate already', async () => {
    const { admin } = await startApp();
    await admin
      .post('/affiliates')
      .send({ ...FORM, rate_type: 'group', group_id: 99 })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('group_not_found'));
    await admin.post('/affiliates').send(FORM).expect(200);
    await admin
      .post('/affiliates')
      .send({ ...FORM, note: 'again' })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('affiliate_exists'));
  });

  it('lets one of several racing requests win', async () => {
    const { admin } = await startApp();

    const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post('/affiliates').send(FORM)));

    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
      200, 422, 422, 422, 422, 422,
    ]);
  });

  it('asks for bank details when affiliates are paid by bank transfer', async () => {
    const { admin } = await startApp();
    await admin
      .post('/settings/referral-config')
      .send({ referral_config: { payout_method: 'bank_transfer' } })
      .expect(200);
    const { payment_email: _, ...form } = FORM;

    await admin
      .post('/affiliates')
      .send(form)
      .expect(422)
      .expect(({ body }) => expect(body.errors.bank_details).toHaveProperty('required'));
    const { body } = await admin
      .post('/affiliates')
      .send({ ...form, bank_details: 'IBAN 1\nBIC 2' })
      .expect(200);

    expect(body.affiliate).toMatchObject({
      payment_email: null,
      bank_details: 'IBAN 1\nBIC 2',
      settings: { bank_details: 'IBAN 1\nBIC 2' },
    });
  });

  it.each([
    ['pending', ['affiliate_created']],
    ['inactive', ['affiliate_created']],
    ['active', ['affiliate_created', 'affiliate_status_to_active ""']],
  ])('calls the listeners of a new %s affiliate in order', async (status, expected) => {
    const { admin, service } = await startApp();
    const seen: string[] = [];
    service.hooks.addAction('affiliate_created', (affiliate, user) => {
      seen.push(`affiliate_created${affiliate.id > 0 && user?.id === 2 ? '' : ' wrong'}`);
    });
    service.hooks.addAction('affiliate_status_to_active', (_affiliate, previous) => {
      seen.push(`affiliate_status_to_active "${previous}"`);
    });

    await admin
      .post('/affiliates')
      .send({ ...FORM, status })
      .expect(200);

    expect(seen).toEqual(expected);
  });
});

describe('updating an affiliate', () => {
  it('keeps what the body does not name', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({
      user_id: 2,
      payment_email: 'a@b.test',
      note: 'keep',
      rate_type: 'flat',
      rate: 5,
    });

    const { body } = await admin.patch(`/affiliates/${id}`).send({ rate: '7.25' }).expect(200);

    expect(body.affiliate).toMatchObject({
      payment_email: 'a@b.test',
      note: 'keep',
      rate_type: 'flat',
      rate: 7.25,
      rate_details: { type: 'flat', rate: 7.25, is_custom: 'yes', human_readable: '$ 7.25 (custom)' },
    });
  });

  it('accepts the whole fetched record, form-encoded', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2, payment_email: 'a@b.test' });
    const {
      body: { affiliate },
    } = await admin.get(`/affiliates/${id}`).expect(200);
    const flat = Object.entries(affiliate as Record<string, unknown>)
      .filter(([, value]) => typeof value !== 'object' || value === null)
      .map(
        ([key, value]) =>
          `${key}=${encodeURIComponent(value === null ? '' : String(value as string | number))}`,
      );

    const { body } = await admin
      .patch(`/affiliates/${id}`)
      .type('form')
      .send(`${flat.join('&')}&user[ID]=1&user_id=3&total_earnings=999&referrals=9&settings[bank_details]=x`)
      .expect(200);

    expect(body.affiliate).toMatchObject({ user_id: 2, total_earnings: 0, referrals: 0, bank_details: '' });
  });

  it('changes nothing when the app of the plugin sends back an untouched form', async () => {
    const t = await startApp({ compat: 'fluent-affiliate' });
    const group = await t.records.group();
    const { id } = await t.records.affiliate({
      user_id: 2,
      rate_type: 'percentage',
      rate: '12.5',
      group_id: group.id,
      note: 'a "note" & more\nin two lines',
      custom_param: 'ally',
      payment_email: 'a@b.test',
    });
    const read = async (): Promise<Record<string, unknown>> =>
      (await t.admin.get(`/affiliates/${id}`).expect(200)).body.affiliate;
    const before = await read();
    await t.service.webhooks.lineUp();
    const seen = { events: (await t.service.webhooks.list()).length, audit: (await auditOf(t)).length };
    t.clock.advance(60_000);

    await t.admin.patch(`/affiliates/${id}`).type('form').send(formOf(before).join('&')).expect(200);

    expect({ ...(await read()), updated_at: '' }).toEqual({ ...before, updated_at: '' });
    await t.service.webhooks.lineUp();
    expect((await t.service.webhooks.list()).slice(seen.events)).toEqual([]);
    expect((await auditOf(t)).length).toBe(seen.audit);
  });

  it.each([
    [
      'rate_type group with a group',
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'default' },
      { rate_type: 'group', group_id: 'G' },
    ],
    [
      'rate_type group, group stored',
      { rate_type: 'group' },
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'group', group_id: 'G' },
    ],
    [
      'the default rate and the stale group of a whole record',
      { rate_type: 'default', group_id: 'G', created_at: '2026-01-15T15:00:00+00:00' },
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'default', group_id: null },
    ],
    [
      'a whole record that was not touched',
      { rate_type: 'default', group_id: 'G', rate: '', created_at: '2026-01-15T15:00:00+00:00' },
      { rate_type: 'default', group_id: 'G' },
      { rate_type: 'default', group_id: 'G' },
    ],
    [
      'an own rate in a whole record',
      { rate_type: 'percentage', rate: 10, group_id: 'G', rate_details: { type: 'percentage' } },
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'percentage', rate: 10, group_id: null },
    ],
    [
      'an own rate keeps the group',
      { rate_type: 'percentage', rate: 10 },
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'percentage', rate: 10, group_id: 'G' },
    ],
    [
      'an own rate and the group to be in',
      { rate_type: 'flat', rate: 3, group_id: 'G' },
      { rate_type: 'default' },
      { rate_type: 'flat', rate: 3, group_id: 'G' },
    ],
    [
      'an own rate and no group',
      { rate_type: 'flat', rate: 3, group_id: null },
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'flat', rate: 3, group_id: null },
    ],
    ['a group alone', { group_id: 'G' }, { rate_type: 'default' }, { rate_type: 'default', group_id: 'G' }],
    [
      'a group alone beside an own rate',
      { group_id: 'G' },
      { rate_type: 'flat', rate: 3 },
      { rate_type: 'flat', rate: 3, group_id: 'G' },
    ],
    [
      'no group (0)',
      { group_id: 0 },
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'default', group_id: null },
    ],
    [
      'no group ("")',
      { group_id: '' },
      { rate_type: 'group', group_id: 'G' },
      { rate_type: 'default', group_id: null },
    ],
    [
      'no group (null)',
      { group_id: null },
      { rate_type: 'flat', rate: 3, group_id: 'G' },
      { rate_type: 'flat', rate: 3, group_id: null },
    ],
    [
      'default clears the rate',
      { rate_type: 'default', rate: 9 },
      { rate_type: 'flat', rate: 3 },
      { rate_type: 'default', rate: null },
    ],
    [
      'a stored rate serves another type',
      { rate_type: 'percentage' },
      { rate_type: 'flat', rate: 3 },
      { rate_type: 'percentage', rate: 3 },
    ],
    [
      'a blank rate keeps the stored one',
      { rate: '' },
      { rate_type: 'flat', rate: 3 },
      { rate_type: 'flat', rate: 3 },
    ],
    [
      'a rate without rate type is ignored',
      { rate: 8 },
      { rate_type: 'default' },
      { rate_type: 'default', rate: null },
    ],
    ['a blank note clears', { note: '' }, { note: 'x' }, { note: '' }],
    ['nothing', {}, { rate_type: 'default', note: 'x' }, { rate_type: 'default', note: 'x' }],
  ])('%s', async (_what, patch, before, after) => {
    const { admin, records } = await startApp();
    const group = await records.group({ meta_key: 'VIP', rate_type: 'percentage', rate: 25 });
    const fill = (fields: object): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [key, value === 'G' ? group.id : (value as unknown)]),
      );
    const { id } = await records.affiliate({ user_id: 2, ...fill(before) });

    const { body } = await admin.patch(`/affiliates/${id}`).send(fill(patch)).expect(200);

    expect(body.affiliate).toMatchObject(fill(after));
  });

  it.each([
    ['group without any', { rate_type: 'group' }, 'group_id', 'required_if'],
    ['group with none', { rate_type: 'group', group_id: 0 }, 'group_id', 'required_if'],
    ['flat without any rate', { rate_type: 'flat' }, 'rate', 'required_if'],
    ['a bad status', { status: 'rejected' }, 'status', 'in'],
    ['a bad mail', { payment_email: 'x@' }, 'payment_email', 'email'],
    ['an empty mail that the registration form requires', { payment_email: '' }, 'payment_email', 'required'],
    ['a group that is no id', { group_id: 'x' }, 'group_id', 'numeric'],
  ])('refuses %s', async (_what, patch, field, rule) => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    const { body } = await admin.patch(`/affiliates/${id}`).send(patch).expect(422);
    expect(body).toMatchObject({
      code: 'validation_failed',
      errors: { [field]: { [rule]: expect.any(String) } },
    });
  });

  it('may clear the payment e-mail when the registration form does not insist on one', async () => {
    const { admin, app, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2, payment_email: 'a@b.test' });
    await app.transaction((trx, afterCommit) =>
      app.settings.write(trx, afterCommit, '_registration_fields', [
        { name: 'payment_email', enabled: 'yes', required: 'no' },
      ]),
    );
    const { body } = await admin.patch(`/affiliates/${id}`).send({ payment_email: '' }).expect(200);
    expect(body.affiliate.payment_email).toBeNull();
  });

  it('looks at bank details only while affiliates are paid by bank transfer', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2, payment_email: 'a@b.test' });
    const paypal = await admin.patch(`/affiliates/${id}`).send({ bank_details: 'IBAN' }).expect(200);
    await admin
      .post('/settings/referral-config')
      .send({ referral_config: { payout_method: 'bank_transfer' } })
      .expect(200);
    const bank = await admin
      .patch(`/affiliates/${id}`)
      .send({ bank_details: 'IBAN', payment_email: 'ignored' })
      .expect(200);
    const blank = await admin.patch(`/affiliates/${id}`).send({ bank_details: '' }).expect(422);

    expect(paypal.body.affiliate.bank_details).toBe('');
    expect(bank.body.affiliate).toMatchObject({ bank_details: 'IBAN', payment_email: 'a@b.test' });
    expect(blank.body.errors.bank_details).toHaveProperty('required');
  });

  it('validates the merged row: a flat 500 cannot become a percentage', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2, rate_type: 'flat', rate: 500 });
    const { body } = await admin.patch(`/affiliates/${id}`).send({ rate_type: 'percentage' }).expect(422);
    expect(body.errors.rate).toHaveProperty('max');
  });

  it('refuses an unknown group with 422 and an unknown affiliate with 404', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    await admin
      .patch(`/affiliates/${id}`)
      .send({ group_id: 77 })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('group_not_found'));
    await admin
      .patch('/affiliates/999')
      .send({})
      .expect(404)
      .expect(({ body }) => expect(body.code).toBe('affiliate_not_found'));
  });

  it('fires affiliate_updated with what was sent, then the status action', async () => {
    const { admin, records, service } = await startApp();
    const { id } = await records.affiliate({ user_id: 2, status: 'pending' });
    const seen: unknown[] = [];
    service.hooks.addAction('affiliate_updated', (_affiliate, by, data) => {
      seen.push([by, data]);
    });
    service.hooks.addAction('affiliate_status_to_inactive', (affiliate, previous) => {
      seen.push([affiliate.id, previous]);
    });

    await admin.patch(`/affiliates/${id}`).send({ status: 'inactive', extra: 1 }).expect(200);
    await admin.patch(`/affiliates/${id}`).send({ status: 'inactive' }).expect(200);

    expect(seen).toEqual([
      ['by_admin', { status: 'inactive', extra: 1 }],
      [id, 'pending'],
      ['by_admin', { status: 'inactive' }],
    ]);
  });

  it('leaves an audit row with the old and new rate and status and hashes of the payment addresses, and none for a note', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2, payment_email: 'old@pay.test', status: 'active' });
    await t.admin.patch(`/affiliates/${id}`).send({ note: 'no trace' }).expect(200);
    await t.admin
      .patch(`/affiliates/${id}`)
      .send({ payment_email: 'new@pay.test', rate_type: 'flat', rate: 2 })
      .expect(200);

    const rows = await auditOf(t, 'action=affiliate.updated');

    expect(rows.map(({ actor_id, before, after }) => [actor_id, before, after])).toEqual([
      [
        1,
        { payment_email: HASHED, rate_type: 'default', rate_e4: null },
        { payment_email: HASHED, rate_type: 'flat', rate_e4: 20_000 },
      ],
    ]);
  });
});

describe('the status route', () => {
  const STATUSES = ['pending', 'active', 'inactive'];
  it.each(STATUSES.flatMap((from) => STATUSES.filter((to) => to !== from).map((to) => [from, to])))(
    'moves %s to %s',
    async (from, to) => {
      const { admin, records, service } = await startApp();
      const { id } = await records.affiliate({ user_id: 2, status: from });
      const seen: unknown[] = [];
      service.hooks.addAction('affiliate_updated', (_affiliate, _by, data) => {
        seen.push(data);
      });
      service.hooks.addAction(
        `affiliate_status_to_${to}` as 'affiliate_status_to_active',
        (_affiliate, previous) => {
          seen.push(previous);
        },
      );

      const { body } = await admin.patch(`/affiliates/${id}/status`).send({ status: to }).expect(200);

      expect(body).toMatchObject({ message: expect.any(String), affiliate: { id, status: to } });
      expect(seen).toEqual([{ status: to }, from]);
    },
  );

  it.each([
    ['missing', {}, 'invalid_status'],
    ['unknown', { status: 'rejected' }, 'invalid_status'],
    ['unchanged', { status: 'active' }, 'status_unchanged'],
  ])('refuses a status that is %s', async (_what, sent, code) => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2, status: 'active' });
    const { body } = await admin.patch(`/affiliates/${id}/status`).send(sent).expect(422);
    expect(body.code).toBe(code);
  });

  it('approves once when two administrators click at the same time', async () => {
    const { admin, records, service } = await startApp();
    const { id } = await records.affiliate({ user_id: 2, status: 'pending' });
    let approvals = 0;
    service.hooks.addAction('affiliate_status_to_active', () => {
      approvals += 1;
    });

    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => admin.patch(`/affiliates/${id}/status`).send({ status: 'active' })),
    );

    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 422, 422, 422]);
    expect(approvals).toBe(1);
  });
});

/** A record as a form encodes it: `group[value][rate]=5`; empty lists and maps are not in it, null is empty. */
function formOf(value: unknown, name = ''): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, part]) =>
      formOf(part, name === '' ? key : `${name}[${key}]`),
    );
  return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? ''))}`];
}
