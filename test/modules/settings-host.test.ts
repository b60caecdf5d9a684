import { describe, expect, it } from '@jest/globals';
import { HookVeto } from '../../src/index.js';
import { startApp } from '../support/app.js';

describe('features (docs/settings.md §3)', () => {
  it('lists the built-in features with their defaults, and none of them is locked', async () => {
    const { admin } = await startApp();
    const { body } = await admin.get('/settings/features').expect(200);
    expect(
      body.features.map(({ key, is_enabled, is_pro, has_settings }: Record<string, unknown>) => [
        key,
        is_enabled,
        is_pro,
        has_settings,
      ]),
    ).toEqual([
      ['social_media_share', 'no', false, true],
      ['affiliate_qr_code', 'yes', false, true],
      ['own_link_name', 'no', false, false],
    ]);
    expect(body.addons).toEqual({});
  });

  it.each([
    [
      { is_enabled: 'yes', settings: { qr_color: '#123456', qr_bg_color: '#fff' } },
      { is_enabled: 'yes', settings: { qr_color: '#123456', qr_bg_color: '#fff' } },
    ],
    [{ is_enabled: 'yes' }, { is_enabled: 'yes', settings: { qr_color: '#000000', qr_bg_color: '#ffffff' } }],
  ])('saves the QR code feature from %j', async (sent, expected) => {
    const { admin } = await startApp();
    await admin.post('/settings/features/affiliate_qr_code').send(sent).expect(200);
    expect((await admin.get('/settings/features/affiliate_qr_code').expect(200)).body).toEqual({
      feature_key: 'affiliate_qr_code',
      ...expected,
    });
  });

  it('refuses colors, networks and lists that cannot be used', async () => {
    const { admin } = await startApp();
    const refused = async (feature: string, settings: unknown): Promise<unknown> =>
      (await admin.post(`/settings/features/${feature}`).send({ is_enabled: 'yes', settings }).expect(422))
        .body.errors;
    expect(await refused('affiliate_qr_code', { qr_color: 'red' })).toHaveProperty([
      'settings.qr_color',
      'format',
    ]);
    expect(await refused('social_media_share', [{ key: 'myspace', enabled: 'yes' }])).toHaveProperty(
      'settings.in',
    );
    expect(await refused('own_link_name', [1])).toHaveProperty('settings.array');
  });

  it('keeps the order of the share platforms', async () => {
    const { admin } = await startApp();
    const settings = [
      { key: 'telegram', enabled: 'yes' },
      { key: 'facebook', enabled: 'no' },
    ];
    const saved = await admin
      .post('/settings/features/social_media_share')
      .send({ is_enabled: 'yes', settings })
      .expect(200);
    const platforms = saved.body.platforms as { key: string; enabled: string; placeholder: string }[];
    expect(platforms.slice(0, 2).map(({ key, enabled }) => [key, enabled])).toEqual([
      ['telegram', 'yes'],
      ['facebook', 'no'],
    ]);
    expect(platforms.filter(({ enabled }) => enabled === 'yes').map(({ key }) => key)).toEqual(['telegram']);
    expect((await admin.get('/settings/features/social_media_share')).body).toMatchObject({
      is_enabled: 'yes',
      platforms,
    });
  });

  it('takes the documented form with enabled_keys and starts with five platforms', async () => {
    const { admin } = await startApp();
    const before = (await admin.get('/settings/features/social_media_share').expect(200)).body.enabled_keys;
    expect(before.toSorted()).toEqual(['email', 'facebook', 'linkedin', 'twitter', 'whatsapp']);
    const { body } = await admin
      .post('/settings/features/social_media_share')
      .send({ is_enabled: 'yes', enabled_keys: ['reddit'] })
      .expect(200);
    expect(body.enabled_keys).toEqual(['reddit']);
  });

  it('answers 422 for an unknown feature and for a refusal of the filter, and stores nothing', async () => {
    const { admin, service } = await startApp();
    expect((await admin.get('/settings/features/nothing').expect(422)).body.code).toBe('unknown_feature');
    expect(
      (await admin.post('/settings/features/nothing').send({ is_enabled: 'yes' }).expect(422)).body.code,
    ).toBe('unknown_feature');
    service.hooks.addFilter('update_feature_settings_affiliate_qr_code', () => {
      throw new HookVeto('Too dark');
    });
    const { body } = await admin
      .post('/settings/features/affiliate_qr_code')
      .send({ is_enabled: 'no' })
      .expect(422);
    expect(body.message).toBe('Too dark');
    expect((await admin.get('/settings/features/affiliate_qr_code')).body.is_enabled).toBe('yes');
  });

  it('serves features of an extension', async () => {
    const { admin, service } = await startApp();
    const extra = {
      key: 'fireworks',
      title: 'Fireworks',
      description: '',
      icon: '',
      is_enabled: 'no',
      is_pro: true,
      has_settings: true,
      settings: [],
    };
    service.hooks.addFilter('registered_features', (list) => [...list, extra]);
    service.hooks.addFilter('get_feature_settings_fireworks', (answer) => ({ ...answer, color: 'red' }));
    service.hooks.addFilter('update_feature_response_fireworks', (answer) => ({ ...answer, boom: true }));
    const saved = await admin
      .post('/settings/features/fireworks')
      .send({ is_enabled: 'yes', settings: { text: '<b>hi</b>' } })
      .expect(200);
    expect(saved.body).toMatchObject({ boom: true, settings: { text: '<b>hi</b>' } });
    expect((await admin.get('/settings/features/fireworks')).body).toMatchObject({
      is_enabled: 'yes',
      color: 'red',
    });
  });
});

const ADDON = {
  title: 'Mail',
  description: '',
  logo: '',
  repo_slug: 'mail',
  plugin_file: '',
  is_repo: true,
  is_installed: false,
  settings_url: '',
  action_text: '',
};

describe('addons (docs/settings.md §4)', () => {
  it('refuses without keys, without host support, without the right', async () => {
    const t = await startApp();
    const install = async (body: object): Promise<string> =>
      (await t.admin.post('/settings/addons/install').send(body).expect(422)).body.code;
    expect(await install({})).toBe('no_addon_keys');
    expect(await install({ addon_keys: ['mail'] })).toBe('addons_unsupported');
    Object.assign(t.host, {
      addons: {
        list: async () => ({ mail: ADDON }),
        canInstall: async () => false,
        install: async () => undefined,
      },
    });
    expect(await install({ addon_keys: ['mail'] })).toBe('cannot_install');
  });

  it('installs each key on its own and passes on none that the host does not list', async () => {
    const t = await startApp();
    const asked: string[] = [];
    Object.assign(t.host, {
      addons: {
        list: async () => ({ mail: ADDON, broken: ADDON }),
        canInstall: async () => true,
        install: async (key: string) => {
          asked.push(key);
          if (key === 'broken') throw new Error('secret path /srv');
        },
      },
    });
    const { body } = await t.admin
      .post('/settings/addons/install')
      .send({ addon_keys: ['mail', 'broken', 'https://evil.test/x'] })
      .expect(200);
    expect(asked).toEqual(['mail', 'broken']);
    expect(body.results).toEqual({
      mail: { success: true, message: 'Installed' },
      broken: { success: false, message: 'The addon could not be installed' },
      'https://evil.test/x': { success: false, message: 'Unknown addon' },
    });
    expect(
      (await t.admin.post('/settings/addons/install').send({ addon_keys: 'mail' }).expect(200)).body.results
        .mail.success,
    ).toBe(true);
  });
});

describe('pages (docs/settings.md §5)', () => {
  it('creates a page with cleaned content and lists it by title', async () => {
    const t = await startApp();
    const content =
      '<!-- wp:fluent-affiliate/portal {"layout":"modern"} /--><script>alert(1)</script><p onclick="x()">Hi</p>[fluent_affiliate_portal layout="classic"]';
    const contents: string[] = [];
    const { create } = t.host.pages;
    t.host.pages.create = (page) => {
      contents.push(page.content);
      return create(page);
    };
    const { body } = await t.admin
      .post('/settings/create-page')
      .send({ title: 'Affiliates', content })
      .expect(200);
    expect(contents).toEqual([
      '<!-- wp:fluent-affiliate/portal {"layout":"modern"} /--><p>Hi</p>[fluent_affiliate_portal layout="classic"]',
    ]);
    expect((await t.admin.get('/settings/pages?search=affil').expect(200)).body.pages).toEqual([body.page]);
    expect(
      (await t.admin.post('/settings/create-page').send({ title: 'Affiliates', content: '' }).expect(422))
        .body.code,
    ).toBe('page_exists');
  });

  it('asks for a title and answers plainly on a host without pages', async () => {
    const t = await startApp();
    expect((await t.admin.post('/settings/create-page').send({ title: '  ' }).expect(422)).body.code).toBe(
      'title_required',
    );
    Object.assign(t.host, { pages: undefined });
    expect((await t.admin.get('/settings/pages').expect(200)).body).toEqual({ pages: [] });
    expect((await t.admin.post('/settings/create-page').send({ title: 'X' }).expect(422)).body.code).toBe(
      'pages_unsupported',
    );
  });
});

describe('options of select inputs (docs/settings.md §7)', () => {
  it('finds affiliates by name, mail and id, and adds the included ones', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2, payment_email: 'paypal@alice.test' });
    const bob = await t.records.affiliate({ user_id: 3, payment_email: 'paypal@bob.test' });
    const find = async (query: string): Promise<unknown> =>
      (await t.admin.get(`/settings/options/affiliates?${query}`).expect(200)).body.affiliates;
    expect(await find('')).toEqual([
      { id: alice.id, full_name: 'Alice Doe' },
      { id: bob.id, full_name: 'Bob Ray' },
    ]);
    expect(await find('search=ALICE')).toEqual([{ id: alice.id, full_name: 'Alice Doe' }]);
    expect(await find('search=paypal%40bob')).toEqual([{ id: bob.id, full_name: 'Bob Ray' }]);
    expect(await find(`search=nobody&include_ids[]=${alice.id}&include_ids[]=999`)).toEqual([
      { id: alice.id, full_name: 'Alice Doe' },
    ]);
    t.host.removeUser(3);
    expect(await find('')).toEqual([{ id: alice.id, full_name: 'Alice Doe' }]);
  });

  it('finds users, without affiliates when asked', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2 });
    const find = async (query: string): Promise<unknown> =>
      (await t.admin.get(`/settings/options/users?${query}`).expect(200)).body.users;
    expect(await find('search=alice')).toEqual([{ ID: 2, display_name: 'Alice Doe (alice@shop.test)' }]);
    expect(await find('search=alice&exclude_affiliates=1')).toEqual([]);
    expect(await find('search=zz&include_ids=3')).toEqual([
      { ID: 3, display_name: 'Bob Ray (bob@shop.test)' },
    ]);
  });

  it('opens to managers only by the option, and then hides addresses', async () => {
    const closed = await startApp();
    await closed.service.permissions.setPermissions(3, ['manage_all_affiliates']);
    await closed.as(3).get('/settings/options/users').expect(403);
    const t = await startApp({ access: { managersMayReadOptions: true } });
    await t.service.permissions.setPermissions(3, ['manage_all_affiliates']);
    expect((await t.as(3).get('/settings/options/users?search=alice').expect(200)).body.users).toEqual([
      { ID: 2, display_name: 'Alice Doe' },
    ]);
  });

  it('lists all groups by name', async () => {
    const t = await startApp();
    const b = await t.records.group({ meta_key: 'Beta' });
    const a = await t.records.group({ meta_key: 'alpha' });
    expect((await t.admin.get('/settings/options/affiliate-groups').expect(200)).body).toEqual({
      affiliate_groups: [
        { id: a.id, name: 'alpha' },
        { id: b.id, name: 'Beta' },
      ],
    });
  });
});
