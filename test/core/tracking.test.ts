import { NO_SUB_IDS } from '../../src/core/sub-ids.js';
import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { SCRIPT } from '../../src/attribution/tracking/browser-script.js';
import { ignoredPage } from '../../src/attribution/tracking/ignore.js';
import { idOfToken, tokenOfId } from '../../src/attribution/tracking/link-token.js';
import {
  findPageLink,
  landingUrl,
  referrerUrl,
  stripPathReferral,
} from '../../src/attribution/tracking/page-link.js';
import { limitKeys, storedAddress, visitorKey } from '../../src/attribution/tracking/visitor.js';
import { KeyRing } from '../../src/platform/secrets.js';
import { BROWSER, NAVIGATION } from '../support/tracker.js';

const secrets = new KeyRing('0123456789abcdef0123456789abcdef').bind('shop');
const SITE = 'https://shop.test';

describe('the referral in an address', () => {
  it.each([
    ['/?ref=3', '3', 'https://shop.test/'],
    ['/a/b?x=1&ref=jo&utm_source=s&y=%20z', 'jo', 'https://shop.test/a/b?x=1&y=+z'],
    ['/shop/ref/jo', 'jo', 'https://shop.test/shop'],
    ['/shop/ref/jo/', 'jo', 'https://shop.test/shop/'],
    ['/ref/3', '3', 'https://shop.test/'],
    ['/ref/j%C3%B6', 'jö', 'https://shop.test/'],
    ['//evil.test/?ref=3', '3', 'https://shop.test/evil.test/'],
    ['/?ref=%20%3Cb%3E3%3C%2Fb%3E', '<b>3</b>', 'https://shop.test/'],
    ['/?ref=', null, ''],
    ['/', null, ''],
    ['/preferences?x=1', null, ''],
    ['/ref', null, ''],
    ['/ref/jo/more', null, ''],
    ['/ref/%E0%A4%A', null, ''],
    ['/?ref=a%7Cb', null, ''],
    [`/?ref=${'x'.repeat(192)}`, null, ''],
  ])('%s is %s', (address, param, url) => {
    const link = findPageLink(address, 'ref', SITE);

    expect(link?.param ?? null).toBe(param);
    if (link) expect(link.url).toBe(url);
  });

  it('keeps the query of a page that is found without the path form', () => {
    expect(stripPathReferral('/shop/ref/jo?utm_source=x&a=b?c', 'ref')).toBe('/shop?utm_source=x&a=b?c');
    expect(stripPathReferral('/shop?ref=jo', 'ref')).toBeNull();
  });

  it('cuts campaign texts and cleans them', () => {
    const link = findPageLink(
      `/?ref=3&utm_campaign=${'c'.repeat(150)}&utm_medium=%3Ci%3Em%00&visit_id=12&utm_source=%20`,
      'ref',
      SITE,
    );

    expect(link?.utm).toEqual({
      utm_campaign: 'c'.repeat(100),
      utm_medium: '<i>m',
      utm_source: null,
      ...NO_SUB_IDS,
    });
    expect(link?.visitId).toBe(12);
  });
});

describe('stored addresses of pages', () => {
  it.each([
    ['https://shop.test/a?ref=1&visit_id=2&b=1#top', 'https://shop.test/a?b=1'],
    ['https://jo:pw@shop.test/', 'https://shop.test/'],
    ['javascript:alert(1)', null],
    ['/relative', null],
    ['not an address', null],
  ])('lands on %s as %s', (address, stored) => {
    expect(landingUrl(address, 'ref')?.href ?? null).toBe(stored);
  });

  it.each([
    ['https://blog.test/x', 'https://blog.test/x'],
    ['data:text/html,x', null],
    ['', null],
    ['ftp://x.test/', null],
  ])('takes the referrer %s as %s', (address, stored) => {
    expect(referrerUrl(address)).toBe(stored);
  });

  it('cuts a long referrer to its column', () => {
    expect(referrerUrl(`https://blog.test/${'x'.repeat(2000)}`)).toHaveLength(1000);
  });
});

describe('page views that are no clicks', () => {
  const reason = (headers: Record<string, string>, method = 'GET', fields = {}): string | null =>
    ignoredPage({ method, headers, fields });
  const navigation = Object.fromEntries(
    Object.entries(NAVIGATION).map(([name, value]) => [name.toLowerCase(), value]),
  );

  it.each<[string, Record<string, string>, string | null]>([
    ['a followed link', {}, null],
    ['a followed link on a plain http page', { 'sec-fetch-dest': '' }, null],
    ['an image', { 'sec-fetch-dest': 'image' }, 'not_document'],
    ['a frame', { 'sec-fetch-dest': 'iframe' }, 'not_document'],
    ['a script of an old browser', { 'sec-fetch-dest': '', accept: '*/*' }, 'not_document'],
    ['prefetch', { 'sec-purpose': 'prefetch' }, 'prefetch'],
    ['prerender', { 'sec-purpose': 'prefetch;prerender' }, 'prefetch'],
    ['an older prefetch', { purpose: 'prefetch' }, 'prefetch'],
    ['the oldest prefetch', { 'x-moz': 'prefetch' }, 'prefetch'],
    ['no agent', { 'user-agent': ' ' }, 'no_agent'],
    [
      'a crawler',
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      'bot',
    ],
    ['a headless browser', { 'user-agent': BROWSER.replace('Chrome', 'HeadlessChrome') }, 'bot'],
    ['a library', { 'user-agent': 'curl/8.5.0' }, 'bot'],
    [
      'a browser inside an app',
      {
        'user-agent':
          'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 300.0',
      },
      null,
    ],
    ...[
      '[FBAN/FBIOS;FBAV/440.0.0.30.107]',
      'musical_ly_2022803040 BytedanceWebview',
      'LinkedInApp/9.29',
      '[Pinterest/iOS]',
      'Snapchat/12.60.0.39',
      'Twitter for iPhone/10.20',
    ].map((app): [string, Record<string, string>, string | null] => [
      `a browser inside ${app}`,
      {
        'user-agent': `Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 ${app}`,
      },
      null,
    ]),
    ['an opt-out header', { 'no-track': '1' }, 'opt_out'],
    ['an opt-out that says no', { 'no-track': '0' }, null],
    ['Global Privacy Control', { 'sec-gpc': '1' }, 'privacy_control'],
  ])('%s', (_name, headers, expected) => {
    expect(reason({ ...navigation, ...headers })).toBe(expected);
  });

  it('ignores HEAD and the opt-out parameter', () => {
    expect(reason(navigation, 'HEAD')).toBe('head');
    expect(reason(navigation, 'GET', { 'no-track': '' })).toBe('opt_out');
    expect(
      [{ bot: '' }, { bot: '1' }, { bot: '0' }].map((fields) => reason(navigation, 'GET', fields)),
    ).toEqual(['bot', 'bot', null]);
  });
});

describe('visitors', () => {
  const keys = { secrets, now: Date.UTC(2026, 0, 15) };

  it.each([
    ['203.0.113.77', 'truncate', '203.0.113.0'],
    ['2001:db8:1:2:3:4:5:6', 'truncate', '2001:db8:1::'],
    ['203.0.113.77', 'raw', '203.0.113.77'],
    ['203.0.113.77', 'none', null],
    [null, 'raw', null],
  ] as const)('stores %s as %s: %s', (address, mode, stored) => {
    expect(storedAddress(address, mode, keys)).toBe(stored);
  });

  it('hashes addresses with a key that changes every month', () => {
    const [january, later, february] = [keys.now, keys.now + 1000, Date.UTC(2026, 1, 1)].map((now) =>
      storedAddress('203.0.113.77', 'hash', { secrets, now }),
    );

    expect(january).toMatch(/^[0-9a-f]{64}$/);
    expect(later).toBe(january);
    expect(february).not.toBe(january);
  });

  it('limits one subscriber, but tells visitors apart by full address and agent', () => {
    const limitKey = (address: string): string | undefined => limitKeys(address, secrets)[0]?.key;
    expect(limitKey('2001:db8:1:2::1')).toBe(limitKey('2001:db8:1:2:ffff::1'));
    expect(limitKey('2001:db8:1:3::1')).not.toBe(limitKey('2001:db8:1:2::1'));
    expect(limitKey('203.0.113.1')).not.toBe(limitKey('203.0.113.2'));
    expect(visitorKey('203.0.113.1', 'a', secrets)).not.toBe(visitorKey('203.0.113.1', 'b', secrets));
  });
});

it('reads ids out of link tokens, and nothing out of changed ones', () => {
  const token = tokenOfId(secrets, 42);

  expect(token).toMatch(/^[0-9a-f]{22}$/);
  expect(tokenOfId(secrets, Number.MAX_SAFE_INTEGER)).toHaveLength(22);
  expect(idOfToken(secrets, token)).toBe(42);
  expect(idOfToken(secrets, tokenOfId(secrets, Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === '0' ? '1' : '0') + token.slice(at + 1);
    expect(idOfToken(secrets, changed)).toBeNull();
  }
});

it('keeps the browser script below 3 KB compressed', () => {
  expect(gzipSync(SCRIPT).length).toBeLessThan(3000);
});

it('counts tools only where the option says so, and never crawlers', () => {
  const page = (agent: string, accept: string | undefined, countTools: boolean): string | null =>
    ignoredPage({
      method: 'GET',
      headers: { 'user-agent': agent, ...(accept === undefined ? {} : { accept }) },
      fields: {},
      countTools,
    });
  expect(page('curl/8.5.0', '*/*', false)).toBe('bot');
  expect(page('curl/8.5.0', '*/*', true)).toBeNull();
  expect(page('Mozilla/5.0 HeadlessChrome/140.0', 'text/html', false)).toBe('bot');
  expect(page('Mozilla/5.0 HeadlessChrome/140.0', 'text/html', true)).toBeNull();
  expect(page('Googlebot/2.1', 'text/html', true)).toBe('bot');
  expect(page('curl/8.5.0', 'image/png', true)).toBe('not_document');
});

describe('a signature', () => {
  it('is refused in whatever way it is cut, also after the true one was seen', () => {
    const signature = secrets.sign('attribution-cookie', 'jo|3|99');
    for (const _ of [1, 2]) expect(secrets.verify('attribution-cookie', 'jo|3|99', signature)).toBe(true);

    expect(secrets.verify('attribution-cookie', '3|99', `${signature}jo|`)).toBe(false);
    expect(
      secrets.verify('attribution-cookie', `${signature.slice(-1)}jo|3|99`, signature.slice(0, -1)),
    ).toBe(false);
    expect(secrets.verify('attribution-cookie', 'jo|3|98', signature)).toBe(false);
    expect(secrets.verify('checkout-token', 'jo|3|99', signature)).toBe(false);
  });
});
