import { describe, expect, it } from '@jest/globals';
import { qrSvg } from '../../src/core/qr-picture.js';
import { startApp, type TestApp } from '../support/app.js';

const PAGE = 'https://shop.test/p.html?b=1&ref=9#x';

async function withSite(t: TestApp): Promise<void> {
  await t.admin
    .post('/settings/connected-sites-config/issue')
    .send({ site_url: 'https://store2.test', site_title: 'Store 2' })
    .expect(200);
  await t.admin.patch('/settings/connected-sites-config').send({ status: 'yes' }).expect(200);
}
const share = (t: TestApp, settings: readonly object[] = []): PromiseLike<unknown> =>
  t.admin.post('/settings/features/social_media_share').send({ is_enabled: 'yes', settings }).expect(200);

describe('bootstrap of the portal', () => {
  it('holds everything the app reads', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    await withSite(t);
    t.service.hooks.addFilter('affiliate_attached_coupons', (list, _affiliate, context) => [
      ...list,
      { code: 'TEN', description: context },
    ]);
    const { body } = await t.as(2).get('/portal/bootstrap').expect(200);

    expect(body.site_info).toEqual({
      site_url: 'https://shop.test/',
      site_name: 'Shop',
      share_url: 'https://shop.test/',
      aff_var: 'ref',
      aff_value: id,
    });
    expect(body.additional_sites).toEqual([
      expect.objectContaining({
        name: 'Store 2',
        title: 'Store 2',
        url: 'https://store2.test/',
        param: 'ref',
      }),
    ]);
    expect(body.user).toEqual({
      full_name: 'Alice Doe',
      email: 'alice@shop.test',
      affiliate_id: id,
      website: expect.any(String),
      user_name: 'alice',
      edit_url: '',
      avatar: '',
    });
    expect(body.branded_coupons).toEqual([{ code: 'TEN', description: 'view' }]);
    expect(body.currency).toEqual({
      currency: 'USD',
      currency_symbol: '$',
      currency_symbol_position: 'left',
    });
    expect(Object.keys(body.menu_items)).toEqual([
      'home',
      'links',
      'creatives',
      'referrals',
      'payouts',
      'visits',
      'settings',
    ]);
    expect(body.menu_items.creatives).toEqual({
      title: 'Creatives',
      enabled: false,
      icon: expect.any(String),
      route: { name: 'creatives' },
    });
    expect(body.qr_code_settings).toEqual({
      is_enabled: 'yes',
      settings: { qr_color: '#000000', qr_bg_color: '#ffffff' },
    });
    expect(body.i18n).toEqual({});
    expect(body).not.toHaveProperty('social_links');
  });

  it('follows settings, material and extensions', async () => {
    const t = await startApp();
    await t.records.affiliate();
    await t.app.settings.saveReferralConfig({ referral_format: 'username', currency: 'EUR' });
    await share(t, [
      { key: 'reddit', enabled: 'yes' },
      { key: 'email', enabled: 'yes' },
      { key: 'facebook', enabled: 'no' },
    ]);
    await t.admin
      .post('/creatives/creatives')
      .send({ name: 'A', image: 'https://x.org/a.png', url: 'https://shop.test/' })
      .expect(200);
    t.service.hooks.addFilter('portal_menu_items', (items) => ({ ...items, extra: { title: 'Extra' } }));
    t.service.hooks.addFilter('portal_localize_data', (data) => ({ ...data, more: 1 }));
    const { body } = await t.as(2).get('/portal/bootstrap').expect(200);

    expect(body.site_info.aff_value).toBe('alice');
    expect(body.currency.currency_symbol).toBe('€');
    expect(body.menu_items).toMatchObject({ creatives: { enabled: true }, extra: { title: 'Extra' } });
    expect(body.more).toBe(1);
    expect(body.social_links.map(({ key }: { key: string }) => key)).toEqual(['reddit', 'email']);
    expect(body.social_links[0]).toEqual({
      key: 'reddit',
      title: 'Reddit',
      icon_svg: expect.stringContaining('<svg'),
      placeholder: 'https://www.reddit.com/submit?url={url}&title={title}',
    });
  });
});

describe('links of an affiliate', () => {
  it('starts from home, any page of the site, and connected sites', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    await withSite(t);
    await share(t);
    const { body } = await t.as(2).get('/portal/links').expect(200);
    const page = await t.as(2).get('/portal/links').query({ url: PAGE }).expect(200);
    const other = await t.as(2).get('/portal/links').query({ url: 'https://store2.test/x' }).expect(200);

    expect(body.link).toBe(`https://shop.test/?ref=${id}`);
    expect(body.links).toEqual([
      { title: 'Shop', url: `https://shop.test/?ref=${id}` },
      { title: 'Store 2', url: `https://store2.test/?ref=${id}` },
    ]);
    expect(body.social).toHaveLength(5);
    expect(body.social.find(({ key }: { key: string }) => key === 'facebook').url).toBe(
      `https://www.facebook.com/sharer/sharer.php?u=${encodeURIComponent(`https://shop.test/?ref=${id}`)}`,
    );
    expect(page.body.link).toBe(`https://shop.test/p.html?b=1&ref=${id}#x`);
    expect(other.body.link).toBe(`https://store2.test/x?ref=${id}`);
  });

  it.each([
    'https://elsewhere.test/',
    'javascript:alert(1)',
    'ftp://shop.test/',
    'https://shop.test.evil.test/',
  ])('refuses %s', async (url) => {
    const t = await startApp();
    await t.records.affiliate();
    for (const path of ['/portal/links', '/portal/qr-code']) {
      await t
        .as(2)
        .get(path)
        .query({ url })
        .expect(422)
        .expect(({ body }) => expect(body.code).toBe('foreign_url'));
    }
  });

  it('may be changed by extensions', async () => {
    const t = await startApp();
    await t.records.affiliate();
    t.service.hooks.addFilter('portal/share_links', (links) => [
      ...links,
      { title: 'App', url: 'https://app.test/' },
    ]);
    const { body } = await t.as(2).get('/portal/links').expect(200);
    expect(body.links).toHaveLength(2);
    expect(body.social).toEqual([]);
  });
});

describe('the QR code of a link', () => {
  it('comes as SVG or PNG in the colors of the settings', async () => {
    const t = await startApp();
    await t.records.affiliate();
    await t.admin
      .post('/settings/features/affiliate_qr_code')
      .send({ is_enabled: 'yes', settings: { qr_color: '#112233', qr_bg_color: '#fafafa' } })
      .expect(200);
    const svg = await t
      .as(2)
      .get('/portal/qr-code')
      .expect(200)
      .expect('Content-Type', /image\/svg\+xml/);
    const png = await t
      .as(2)
      .get('/portal/qr-code?format=png&size=1')
      .expect(200)
      .expect('Content-Type', 'image/png');

    const picture = png.body as Buffer;
    expect(svg.body.toString()).toContain('#112233');
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.readUInt32BE(16)).toBeGreaterThanOrEqual(33);
  });

  it('refuses an address that no code can hold', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const { body } = await t
      .as(2)
      .get(`/portal/qr-code?url=https://shop.test/${'x'.repeat(2400)}`)
      .expect(422);
    expect(body.errors.url).toHaveProperty('max');
  });

  it('separates scans from clicks, unless the page has a medium of its own', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const picture = async (path: string): Promise<string> =>
      (await t.as(2).get(`/portal/qr-code${path}`).expect(200)).body.toString();
    const drawn = (link: string): Promise<string> => qrSvg(link, { dark: '#000000', light: '#ffffff' });
    expect(await picture('')).toBe(await drawn('https://shop.test/?ref=1&utm_medium=qr'));
    expect(await picture(`?url=${encodeURIComponent('https://shop.test/p?utm_medium=poster')}`)).toBe(
      await drawn('https://shop.test/p?utm_medium=poster&ref=1'),
    );
  });

  it('can be switched off', async () => {
    const t = await startApp();
    await t.records.affiliate();
    await t.admin
      .post('/settings/features/affiliate_qr_code')
      .send({ is_enabled: 'no', settings: {} })
      .expect(200);
    await t
      .as(2)
      .get('/portal/qr-code')
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('feature_disabled'));
  });
});
