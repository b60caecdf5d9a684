import { describe, expect, it } from '@jest/globals';
import { HookVeto } from '../../hooks/index.js';
import { startApp } from '../support/app.js';
import { statementsOf } from '../support/statements.js';

const FORMS = ['/groups/groups', '/settings/groups'] as const;
const DEFAULTS = {
  rate_type: 'percentage',
  rate: 0,
  status: 'active',
  notes: '',
  enable_subscription_renewal: 'no',
  renewal_rate_type: 'percentage',
  renewal_rate: 0,
  max_renewal_count: 0,
  enable_lifetime_commission: 'no',
  lifetime_rate_type: 'percentage',
  lifetime_rate: 0,
  lifetime_expiry_days: '',
  hold_days: '',
  renewal_max_months: '',
};

describe.each(FORMS)('groups under %s', (path) => {
  it('creates, lists, shows, changes and deletes', async () => {
    const { admin } = await startApp();

    const { body: created } = await admin
      .post(path)
      .type('form')
      .send(
        'meta_key=VIP+Partners&rate_type=percentage&rate=25&status=active&notes=100%2B&id=&affiliates_count=9&value[rate]=99&query_timestamp=1',
      )
      .expect(200);
    const { id } = created.data;
    const { body: list } = await admin.get(path).expect(200);
    const { body: changed } = await admin.patch(`${path}/${id}`).send({ rate: '12.5' }).expect(200);
    const { body: shown } = await admin.get(`${path}/${id}`).expect(200);

    expect(created.data).toEqual({
      id,
      meta_key: 'VIP Partners',
      name: 'VIP Partners',
      rate_type: 'percentage',
      rate: 25,
      status: 'active',
      notes: '100+',
      description: '100+',
      value: { ...DEFAULTS, rate: 25, notes: '100+' },
      affiliates_count: 0,
      visits_count: 0,
      total_earnings: 0,
      object_type: 'affiliate_group',
      object_id: 0,
      created_at: '2026-01-15T15:00:00+00:00',
      updated_at: '2026-01-15T15:00:00+00:00',
    });
    expect(list.groups).toMatchObject({ total: 1, per_page: 15, data: [created.data] });
    expect(changed.data).toMatchObject({ rate: 12.5, notes: '100+' });
    expect(shown.group).toEqual(changed.data);
    await admin.delete(`${path}/${id}`).expect(200);
    await admin
      .get(`${path}/${id}`)
      .expect(404)
      .expect(({ body }) => expect(body.code).toBe('group_not_found'));
  });

  it('fires each hook once and in order', async () => {
    const { admin, service } = await startApp();
    const seen: unknown[] = [];
    service.hooks.addFilter('create_affiliate_group_data_value', (value, data) => {
      seen.push(['create value', data]);
      return { ...value, tier: 'gold' };
    });
    service.hooks.addAction('before_create_affiliate_group', (data) => {
      seen.push(['before create', data]);
    });
    service.hooks.addAction('after_create_affiliate_group', (group) => {
      seen.push([
        'after create',
        group.meta_key,
        (group as unknown as { value: { tier: string } }).value.tier,
      ]);
    });
    service.hooks.addFilter('update_affiliate_group_data_value', (value, group) => {
      seen.push(['update value', group.id > 0]);
      return { ...value, tier: 'silver' };
    });
    service.hooks.addAction('before_update_affiliate_group', (_group, data) => {
      seen.push(['before update', data]);
    });
    service.hooks.addAction('after_update_affiliate_group', (_group, previous) => {
      seen.push(['after update', (previous as unknown as { value: { tier: string } }).value.tier]);
    });
    service.hooks.addAction('before_delete_affiliate_group', (group) => {
      seen.push(['before delete', group.meta_key]);
    });
    service.hooks.addAction('after_delete_affiliate_group', (id) => {
      seen.push(['after delete', typeof id]);
    });

    const { body } = await admin.post(path).send({ meta_key: 'A', extra: '<b>x</b>y' }).expect(200);
    const { body: changed } = await admin.patch(`${path}/${body.data.id}`).send({ rate: 1 }).expect(200);
    await admin.delete(`${path}/${body.data.id}`).expect(200);

    expect(body.data.value.tier).toBe('gold');
    expect(changed.data.value.tier).toBe('silver');
    expect(seen).toEqual([
      ['create value', { meta_key: 'A', extra: '<b>x</b>y' }],
      ['before create', { meta_key: 'A', extra: '<b>x</b>y' }],
      ['after create', 'A', 'gold'],
      ['update value', true],
      ['before update', { rate: 1 }],
      ['after update', 'gold'],
      ['before delete', 'A'],
      ['after delete', 'number'],
    ]);
  });
});

describe('what a group accepts', () => {
  it.each([
    ['no name', {}, 'meta_key', 'required'],
    ['an empty name', { meta_key: '  ' }, 'meta_key', 'required'],
    ['a long name', { meta_key: 'x'.repeat(193) }, 'meta_key', 'max'],
    ['a list as name', { meta_key: ['x'] }, 'meta_key', 'required'],
    ['another rate type', { meta_key: 'A', rate_type: 'group' }, 'rate_type', 'in'],
    ['another status', { meta_key: 'A', status: 'pending' }, 'status', 'in'],
    ['a negative rate', { meta_key: 'A', rate: -1 }, 'rate', 'min'],
    ['text as rate', { meta_key: 'A', rate: 'ten' }, 'rate', 'numeric'],
    ['five decimals', { meta_key: 'A', rate: '1.00001' }, 'rate', 'numeric'],
    ['more than 100 percent', { meta_key: 'A', rate: 101 }, 'rate', 'max'],
    ['a renewal above 100 percent', { meta_key: 'A', renewal_rate: 101 }, 'renewal_rate', 'max'],
    [
      'a bad flag',
      { meta_key: 'A', enable_lifetime_commission: 'maybe' },
      'enable_lifetime_commission',
      'in',
    ],
    ['a negative count', { meta_key: 'A', max_renewal_count: -1 }, 'max_renewal_count', 'min'],
    ['too many months', { meta_key: 'A', renewal_max_months: 1201 }, 'renewal_max_months', 'max'],
    ['too long a hold', { meta_key: 'A', hold_days: 366 }, 'hold_days', 'max'],
    ['text as days', { meta_key: 'A', lifetime_expiry_days: 'never' }, 'lifetime_expiry_days', 'numeric'],
    ['long notes', { meta_key: 'A', notes: 'x'.repeat(5001) }, 'notes', 'max'],
    ['a map as notes', { meta_key: 'A', notes: { a: 1 } }, 'notes', 'string'],
  ])('refuses %s', async (_what, form, field, rule) => {
    const { admin } = await startApp();
    const { body } = await admin.post('/groups/groups').send(form).expect(422);
    expect(body).toMatchObject({
      code: 'validation_failed',
      errors: { [field]: { [rule]: expect.any(String) } },
    });
  });

  it.each([
    ['fixed means flat', { rate_type: 'fixed', rate: 150 }, { rate_type: 'flat', rate: 150 }],
    [
      'the default type ignores the rate',
      { rate_type: 'default', rate: 'ten' },
      { rate_type: 'default', rate: 0 },
    ],
    [
      'flags in other spellings',
      { enable_lifetime_commission: true, enable_subscription_renewal: '1' },
      { enable_lifetime_commission: 'yes', enable_subscription_renewal: 'yes' },
    ],
    [
      'rates of renewals',
      { renewal_rate_type: 'flat', renewal_rate: '12.3456', max_renewal_count: '3' },
      { renewal_rate_type: 'fixed', renewal_rate: 12.3456, max_renewal_count: 3 },
    ],
    [
      'days or nothing',
      { lifetime_expiry_days: '30', lifetime_rate: '' },
      { lifetime_expiry_days: 30, lifetime_rate: 0 },
    ],
    ['notes with line breaks', { notes: 'a\r\nb<i>c</i>' }, { notes: 'a\nb<i>c</i>' }],
    ['unknown keys are left out', { tier: 'gold', object_type: 'x', name_key: 'y' }, {}],
  ])('%s', async (_what, form, value) => {
    const { admin } = await startApp();
    const { body } = await admin
      .post('/settings/groups')
      .send({ meta_key: 'A', ...form })
      .expect(200);
    expect(body.data.value).toEqual({ ...DEFAULTS, ...value });
  });

  it('takes a name once in any case, also in an update', async () => {
    const { admin, records } = await startApp();
    await records.group({ meta_key: 'VIP' });
    const other = await records.group({ meta_key: 'Other' });

    for (const meta_key of ['vip', ' Vip ', 'ＶＩＰ']) {
      await admin
        .post('/settings/groups')
        .send({ meta_key })
        .expect(422)
        .expect(({ body }) => expect(body.code).toBe('group_name_taken'));
      await admin
        .patch(`/settings/groups/${other.id}`)
        .send({ meta_key })
        .expect(422)
        .expect(({ body }) => expect(body.code).toBe('group_name_taken'));
    }
    await admin.patch(`/settings/groups/${other.id}`).send({ meta_key: 'OTHER' }).expect(200);
  });

  it.each([
    ['a text', 'x'],
    ['a list', []],
    ['a bad rate', { rate_type: 'percentage', rate: 500 }],
  ])('drops %s from a filter', async (_what, answer) => {
    const { admin, service } = await startApp();
    service.hooks.addFilter('create_affiliate_group_data_value', () => answer as never);
    const { body } = await admin.post('/groups/groups').send({ meta_key: 'A', rate: 5 }).expect(200);
    expect(body.data.value).toEqual({ ...DEFAULTS, rate: 5 });
  });

  it('keeps only plain data of what an extension adds', async () => {
    const { admin, service } = await startApp();
    service.hooks.addFilter('create_affiliate_group_data_value', (value) => ({
      ...value,
      badge: { html: '<b>o\u0007k' },
      constructor: 1,
    }));
    const { body } = await admin.post('/groups/groups').send({ meta_key: 'A' }).expect(200);
    expect(body.data.value).toEqual({ ...DEFAULTS, badge: { html: '<b>ok' } });
  });

  it('writes nothing when a before-action stops it', async () => {
    const { admin, service } = await startApp();
    service.hooks.addAction('before_create_affiliate_group', () => {
      throw new HookVeto('Not today');
    });
    await admin
      .post('/groups/groups')
      .send({ meta_key: 'A' })
      .expect(422)
      .expect(({ body }) => expect(body).toMatchObject({ code: 'hook_aborted', message: 'Not today' }));
    const { body } = await admin.get('/groups/groups').expect(200);
    expect(body.groups.total).toBe(0);
  });
});

describe('lists and figures', () => {
  it('searches name and notes, filters by status and lists the newest first', async () => {
    const { admin, records } = await startApp();
    await records.group({ meta_key: 'Alpha 100%', notes: 'first' });
    await records.group({ meta_key: 'Beta', notes: 'about alpha' });
    await records.group({ meta_key: 'Gamma', status: 'inactive' });
    const names = async (query: string): Promise<string[]> =>
      (await admin.get(`/groups/groups?${query}`).expect(200)).body.groups.data.map(
        (group: { name: string }) => group.name,
      );

    expect(await names('')).toEqual(['Gamma', 'Beta', 'Alpha 100%']);
    expect(await names('search=ALPHA')).toEqual(['Beta', 'Alpha 100%']);
    expect(await names('search=%25')).toEqual(['Alpha 100%']);
    expect(await names('search=percentage')).toEqual([]);
    expect(await names('status=inactive')).toEqual(['Gamma']);
    expect(await names('status=all&per_page=1&page=2')).toEqual(['Beta']);
  });

  it('counts members, visits and earnings, and shows overview, members and chart', async () => {
    const { admin, records } = await startApp();
    const group = await records.group({ meta_key: 'VIP', rate: 10 });
    const one = await records.affiliate({ user_id: 2, group_id: group.id });
    const two = await records.affiliate({ user_id: 3, group_id: group.id, status: 'inactive' });
    const outsider = await records.affiliate({ user_id: 4 });
    await records.visit({ affiliate_id: one.id });
    await records.visit({ affiliate_id: outsider.id });
    await records.referral({ affiliate_id: one.id, amount: '10.50', status: 'unpaid' });
    await records.referral({ affiliate_id: one.id, amount: '99', status: 'pending' });

    const { body: shown } = await admin.get(`/groups/groups/${group.id}`).expect(200);
    const { body: overview } = await admin.get(`/settings/groups/${group.id}/overview`).expect(200);
    const { body: members } = await admin
      .get(`/settings/groups/${group.id}/affiliates?order_by=id&order_type=asc`)
      .expect(200);
    const { body: chart } = await admin
      .get(`/settings/groups/${group.id}/statistics?start_date=2026-01-14&end_date=2026-01-15`)
      .expect(200);

    expect(shown.group).toMatchObject({ affiliates_count: 2, visits_count: 1, total_earnings: 10.5 });
    expect(overview).toEqual({
      widgets: { total_earnings: 10.5, paid_amount: 0, unpaid_amount: 10.5, total_affiliate: 2 },
    });
    expect(members.affiliates).toMatchObject({
      total: 2,
      per_page: 15,
      data: [{ id: one.id }, { id: two.id }],
    });
    const series = [
      { name: 'Referrals', data: [0, 2] },
      { name: 'Visits', data: [0, 1] },
      { name: 'Affiliates', data: [0, 2] },
    ];
    expect(chart).toEqual({
      xAxisData: ['2026-01-14', '2026-01-15'],
      series,
      labels: ['2026-01-14', '2026-01-15'],
      data: series,
    });
  });

  it('asks the database as often for one group as for many', async () => {
    const { admin, app, records } = await startApp();
    const count = async (): Promise<number> =>
      (await statementsOf({ app }, () => admin.get('/groups/groups?per_page=100').expect(200))).length;
    await records.group({ meta_key: 'G' });
    await count();
    const baseline = await count();
    for (let n = 0; n < 10; n++) await records.group({ meta_key: `G ${n}` });
    expect(await count()).toBe(baseline);
  });

  it('lets go of its members when it is deleted', async () => {
    const { admin, app, records } = await startApp();
    const group = await records.group({ meta_key: 'VIP', rate: 10 });
    const grouped = await records.affiliate({ user_id: 2, rate_type: 'group', group_id: group.id });
    const flat = await records.affiliate({ user_id: 3, rate_type: 'flat', rate: 5, group_id: group.id });

    await admin.delete(`/groups/groups/${group.id}`).expect(200);

    expect(await app.affiliates.get(grouped.id)).toMatchObject({ group_id: null, rate_type: 'default' });
    expect(await app.affiliates.get(flat.id)).toMatchObject({
      group_id: null,
      rate_type: 'flat',
      rate_e4: 50_000,
    });
  });

  it('does not take a meta row of another kind for a group', async () => {
    const { admin, app } = await startApp();
    // No response shows the id of such a row.
    const id = await app.db.dialect.insert(app.db, 'meta', {
      object_type: 'user_meta',
      object_id: 3,
      meta_key: 'permissions',
      name_key: 'permissions',
      value: '[]',
      created_at: 1,
      updated_at: 1,
    });
    for (const suffix of ['', '/affiliates', '/overview', '/statistics'])
      await admin.get(`/groups/groups/${id}${suffix}`).expect(404);
    await admin.patch(`/groups/groups/${id}`).send({ rate: 1 }).expect(404);
    await admin.delete(`/groups/groups/${id}`).expect(404);
  });
});
