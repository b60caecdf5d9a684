import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import express4 from 'express4';
import request from 'supertest';
import {
  consoleApp,
  portalApp,
  type Boot,
  type ConsoleOptions,
  type PortalOptions,
} from '../../console/server/index.js';
import { startApp, type TestApp } from '../support/app.js';

const servers: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Mounted {
  get(path: string, userId?: number): request.Test;
}

/** Console and portal in a host, as one would mount them. */
function mounted(
  t: TestApp,
  options: ConsoleOptions & PortalOptions = {},
  framework: typeof express = express,
): Mounted {
  const app = framework();
  app.use('/shop/affiliate-admin', consoleApp(t.service, options) as never);
  app.use('/partners', portalApp(t.service, { path: '/partners', ...options }) as never);
  const server = app.listen(0);
  servers.push(server);
  return {
    get: (path, userId = 0) =>
      request(server)
        .get(path)
        .set(userId === 0 ? {} : { Cookie: t.headers(userId)['Cookie'] ?? '' }),
  };
}

const bootIn = (html: string): Boot =>
  JSON.parse(/<script type="application\/json"[^>]*>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? 'null') as Boot;

it('options are checked: each unknown one and each of a wrong kind is named', async () => {
  const t = await startApp();
  const wrong = { loginURL: '/login', texts: 'none', prefix: 'shop' } as unknown as ConsoleOptions;
  expect(() => consoleApp(t.service, wrong)).toThrow(
    /^consoleApp: loginURL is not a known key; did you mean loginUrl\? texts must be .* prefix must begin with a slash\.$/,
  );
  expect(() => portalApp(t.service, { path: 'partners' })).toThrow('path must begin with a slash');
});

it('the portal is where mails lead, unless a host says otherwise', async () => {
  const t = await startApp();
  expect(await t.service.settings.portalUrl()).toBe('https://shop.test/');
  mounted(t);
  expect(await t.service.settings.portalUrl()).toBe('https://shop.test/partners');
  t.service.hooks.addFilter('portal_page_url', () => 'https://shop.test/earn');
  expect(await t.service.settings.portalUrl()).toBe('https://shop.test/earn');
});

it('a host prints the deal of the program on a page of its own', async () => {
  const t = await startApp({ rate: 20 });
  await t.service.settings.saveReferralConfig({ cookie_duration: 45 });
  const portal = portalApp(t.service, { path: '/partners' });
  const app = express();
  app.get('/earn', async (_req, res) => {
    const { rate, rate_type, cookie_days } = await portal.terms();
    res.send(`<p>${rate} ${rate_type}, ${cookie_days} days</p>`);
  });
  const server = app.listen(0);
  servers.push(server);
  const { text } = await request(server).get('/earn').expect(200);
  expect(text).toBe('<p>20 percentage, 45 days</p>');
});

it('the address that signs out reaches both apps; without one there is none', async () => {
  const t = await startApp();
  await t.records.affiliate({ user_id: 2, status: 'active' });
  const boots = async (options: ConsoleOptions): Promise<(string | null)[]> => {
    const site = mounted(t, options);
    const texts = [await site.get('/shop/affiliate-admin/', 1), await site.get('/partners/', 2)];
    return texts.map(({ text }) => bootIn(text).logoutUrl);
  };
  expect(await boots({ logoutUrl: '/leave' })).toEqual(['/leave', '/leave']);
  expect(await boots({})).toEqual([null, null]);
});

it('the way back after signing in has the part of the path that a proxy removes', async () => {
  const t = await startApp();
  const way = async (options: ConsoleOptions, prefix: string): Promise<string | undefined> => {
    const site = mounted(t, { loginUrl: '/login', ...options });
    return (await site.get('/shop/affiliate-admin/').set('X-Forwarded-Prefix', prefix)).headers['location'];
  };
  expect(await way({}, '/eu/store')).toBe('/login?return_to=%2Feu%2Fstore%2Fshop%2Faffiliate-admin%2F');
  expect(await way({ prefix: '/de/' }, '/eu')).toBe('/login?return_to=%2Fde%2Fshop%2Faffiliate-admin%2F');
  expect(await way({}, '//evil.test')).toBe('/login?return_to=%2Fshop%2Faffiliate-admin%2F');
  expect(() => consoleApp(t.service, { prefix: 'de' })).toThrow('prefix must begin with a slash.');
});

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('console and portal in %s', (_name, framework) => {
  it('gives the shell to those with a right, with their rights and a nonce', async () => {
    const t = await startApp();
    const answer = await mounted(t, {}, framework)
      .get('/shop/affiliate-admin/affiliates/3?tab=balance', 1)
      .expect(200);
    const boot = bootIn(answer.text);
    expect(boot).toMatchObject({
      app: 'admin',
      mount: '/shop/affiliate-admin',
      path: '/affiliates/3',
      api: t.service.basePath,
      user: { id: 1, email: 'admin@shop.test' },
      rights: { administrator: true, settings: true, affiliates: 'write', visits: 'write' },
      program: { currency: 'USD', digits: 2, timeZone: 'UTC' },
    });
    expect(boot.nonce).toEqual(expect.any(String));
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    });
    expect(answer.text).not.toMatch(/<style|<script(?! (?:type|src))| on\w+=/);
  });
});

describe('console', () => {
  it('sends visitors to the sign-in page of the host, with the way back', async () => {
    const t = await startApp();
    const answer = await mounted(t, { loginUrl: '/login' })
      .get('/shop/affiliate-admin/payouts?page=2')
      .expect(302);
    expect(answer.headers['location']).toBe(
      '/login?return_to=%2Fshop%2Faffiliate-admin%2Fpayouts%3Fpage%3D2',
    );
    const own = mounted(t, { loginUrl: (to) => `/enter#${to}` });
    expect((await own.get('/shop/affiliate-admin/').expect(302)).headers['location']).toBe(
      '/enter#/shop/affiliate-admin/',
    );
    await mounted(t).get('/shop/affiliate-admin/').expect(401).expect('content-type', /html/);
  });

  it('tells users without a right so, and shows managers what they may', async () => {
    const t = await startApp();
    const at = mounted(t);
    expect(bootIn((await at.get('/shop/affiliate-admin/', 3).expect(403)).text).rights).toMatchObject({
      administrator: false,
      payouts: 'none',
    });
    await t.service.permissions.setPermissions(3, ['manage_all_affiliates', 'read_all_payouts']);
    const { rights } = bootIn((await at.get('/shop/affiliate-admin/', 3).expect(200)).text);
    expect(rights).toEqual({
      administrator: false,
      settings: false,
      options: false,
      messages: false,
      affiliates: 'write',
      referrals: 'none',
      visits: 'none',
      payouts: 'read',
    });
    await t.service.permissions.removePermissions(3);
    await at.get('/shop/affiliate-admin/', 3).expect(403);
  });

  it('allows only what it uses', async () => {
    const t = await startApp();
    const answer = await mounted(t).get('/shop/affiliate-admin/', 1);
    const policy = String(answer.headers['content-security-policy']);
    const { styleNonce } = bootIn(answer.text);
    expect(policy).toContain(`style-src 'self' 'nonce-${styleNonce}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(
      bootIn((await mounted(t, { nonce: () => 'of-the-host' }).get('/shop/affiliate-admin/', 1)).text)
        .styleNonce,
    ).toBe('of-the-host');
    const framed = await mounted(t, { frameAncestors: ['https://cms.test'] }).get(
      '/shop/affiliate-admin/',
      1,
    );
    expect(framed.headers['content-security-policy']).toContain("frame-ancestors 'self' https://cms.test");
  });

  it('writes nothing into the page that could end a script', async () => {
    const t = await startApp();
    const { text } = await mounted(t, { title: '</script><b>"&' }).get('/shop/affiliate-admin/', 1);
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    expect(text).toContain('<title>&lt;/script&gt;&lt;b&gt;&quot;&amp;</title>');
    expect(bootIn(text).title).toBe('</script><b>"&');
  });

  it('speaks the language of the host or of the browser', async () => {
    const t = await startApp();
    const asked = await mounted(t).get('/shop/affiliate-admin/', 1).set('Accept-Language', 'pt-BR, ar;q=0.9');
    expect(asked.text).toContain('<html lang="ar" dir="rtl"');
    const fixed = await mounted(t, { locale: () => 'de-AT', texts: { de: { Affiliates: 'Partner' } } }).get(
      '/shop/affiliate-admin/',
      1,
    );
    expect(bootIn(fixed.text)).toMatchObject({ locale: 'de', texts: { Affiliates: 'Partner' } });
  });

  it('names the files that every screen waits for, in the language of the reader', async () => {
    const host = mounted(await startApp());
    const preloads = async (path: string, locale: string, userId = 0): Promise<string[]> => {
      const { text } = await host.get(path, userId).set('Accept-Language', locale).expect(200);
      return [...text.matchAll(/<link rel="modulepreload" href="[^"]*\/(\w+)-[\w-]{8}\.js">/g)].map(
        ([, name]) => name!,
      );
    };
    expect(await preloads('/shop/affiliate-admin/', 'de', 1)).toEqual(
      expect.arrayContaining(['shell', 'parts', 'overlays', 'de']),
    );
    expect(await preloads('/partners/', 'ar')).toEqual(expect.arrayContaining(['shell', 'parts', 'ar']));
    expect(await preloads('/partners/', 'ar')).not.toContain('overlays');
  });

  it('serves the files of the build compressed, for ever, and nothing else', async () => {
    const t = await startApp();
    const at = mounted(t);
    const { text } = await at.get('/shop/affiliate-admin/affiliates/3', 1);
    const script = /src="(\.\.\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
    const path = new URL(script, 'http://x/shop/affiliate-admin/affiliates/3').pathname;
    const file = await at.get(path).set('Accept-Encoding', 'gzip, br').expect(200);
    expect(file.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      'content-type': 'text/javascript; charset=utf-8',
    });
    await at
      .get(path)
      .set('If-None-Match', String(file.headers['etag']))
      .set('Accept-Encoding', 'br')
      .expect(304);
    expect((await at.get(path).set('Accept-Encoding', 'br;q=0, gzip')).headers['content-encoding']).toBe(
      'gzip',
    );
    expect(
      (await at.get(path).set('Accept-Encoding', 'identity')).headers['content-encoding'],
    ).toBeUndefined();
    for (const wrong of ['nothing.js', '..%2fmanifest.json', 'shell.js.br'])
      await at.get(`/shop/affiliate-admin/assets/${wrong}`).expect(404);
    await at.get('/shop/affiliate-admin/picture.png', 1).expect(404);
  });

  it('adds the slash relative links need, also below a proxy', async () => {
    const t = await startApp();
    expect((await mounted(t).get('/shop/affiliate-admin?a=1').expect(308)).headers['location']).toBe(
      'affiliate-admin/?a=1',
    );
  });

  it('answers who is signed in, for pages that are open already', async () => {
    const t = await startApp();
    const at = mounted(t);
    const { body } = (await at.get('/shop/affiliate-admin/boot.json', 1).expect(200)) as { body: Boot };
    expect(body).toMatchObject({ user: { id: 1 }, nonce: expect.any(String) });
    expect(
      ((await at.get('/shop/affiliate-admin/boot.json').expect(200)) as { body: Boot }).body,
    ).toMatchObject({ user: null, nonce: null });
  });
});

describe('portal', () => {
  it('is open to everybody and knows the affiliate', async () => {
    const t = await startApp();
    const affiliate = await t.records.affiliate({ user_id: 2 });
    const at = mounted(t);
    expect(bootIn((await at.get('/partners/').expect(200)).text)).toMatchObject({
      app: 'portal',
      user: null,
      affiliate: null,
    });
    expect(bootIn((await at.get('/partners/', 2).expect(200)).text).affiliate).toEqual({
      id: affiliate.id,
      status: 'active',
    });
  });

  it('comes as a fragment for pages of the host', async () => {
    const t = await startApp();
    const app = express();
    const portal = portalApp(t.service, { path: '/partners', nonce: () => 'n1' });
    app.use('/partners', portal as never);
    app.get('/account', (req, res, next) => {
      portal.embed(req).then((html) => res.send(html), next);
    });
    const server = app.listen(0);
    servers.push(server);
    const { text } = await request(server)
      .get('/account')
      .set('Cookie', t.headers(2)['Cookie'] ?? '')
      .expect(200);
    expect(text).toMatch(
      /^<div class="affiliate-embed" data-affiliate-portal data-affiliate-app data-styles="\/partners\/assets\/[^"]+\.css"/,
    );
    expect(bootIn(text)).toMatchObject({ layout: 'embed', mount: '/partners', user: { id: 2 } });
    expect(text).toContain('nonce="n1"');
    await expect(portalApp(t.service).embed({ url: '/', headers: {} } as never)).rejects.toThrow(/path/);
  });
});
