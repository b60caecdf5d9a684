import { afterEach, describe, expect, it } from '@jest/globals';
import { createMemoryHost } from '../../adapters/memory-host.js';
import { createAffiliateService } from '../../src/index.js';
import { startApp } from '../support/app.js';

// Settings that open a door are refused at the start with a sentence, or named as a risk.

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const starts =
  (options: object, site: object = {}) =>
  (): void => {
    void createAffiliateService(
      createMemoryHost({ site: { url: 'https://shop.test', name: 'Shop', ...site } }),
      {
        database: { client: 'better-sqlite3', connection: ':memory:' },
        jobs: false,
        logger: silent,
        ...options,
      },
    ).close();
  };

describe('at the start', () => {
  it.each([
    true,
    'loopback',
    '127.0.0.1',
    1,
    {},
    ['*'],
    ['loopback'],
    ['10.0.0.0/33'],
    ['10.0.0.0/'],
    ['10.0.0/8'],
    [7],
    [''],
    ['0.0.0.0/0'],
    ['::/0'],
    ['0.0.0.0/1', '128.0.0.0/1'],
    ['::ffff:0.0.0.0/96'],
    ['2000::/3'],
  ])('the proxies %j are refused', (trustProxy) => {
    expect(starts({ tracking: { trustProxy } })).toThrow(/^Option "tracking\.trustProxy" must .{20}/);
  });

  it.each([
    [false],
    [[]],
    [['127.0.0.1', '::1', '10.0.0.0/8', 'fc00::/7', '::ffff:10.0.0.0/104']],
    [['unix']],
  ])('the proxies %j are accepted', (trustProxy) => {
    expect(starts({ tracking: { trustProxy } })).not.toThrow();
  });

  it('banned addresses that are none are refused', () => {
    expect(starts({ tracking: { bannedAddresses: ['203.0.113.*'] } })).toThrow('"tracking.bannedAddresses"');
  });

  it.each(['com', '.com', 'localhost', 'shop..test', '-'])('the cookie domain %j is refused', (domain) => {
    expect(starts({ tracking: { cookie: { domain } } })).toThrow('"tracking.cookie.domain"');
  });

  it.each([
    { path: '/affiliates' },
    { path: '/Portal/x' },
    { path: '/webhooks' },
    { redirectPath: '/settings' },
    { path: '/go' },
  ])('the paths %j are refused', (tracking) => {
    expect(starts({ tracking })).toThrow(/tracking\.(?:path|redirectPath)" must/);
  });

  it.each(['https://user:password@shop.test', 'https://user@shop.test'])('the site %s is refused', (url) => {
    expect(starts({}, { url })).toThrow(/site\(\)\.url.*without user name and password/);
  });
});

describe('a secret that others know', () => {
  const before = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = before;
  });
  const weak = [
    'at least 32 characters, only while trying it out',
    'a'.repeat(32),
    '0123456789'.repeat(4),
    'abababababababababababababababab',
    'please-change-me-please-change-it',
    'my-password my-password my-passwo',
  ];

  it.each(weak)('is refused in production: %s', (secret) => {
    process.env['NODE_ENV'] = 'production';
    expect(starts({ secret })).toThrow(/^Option "secret" .*openssl rand/);
    expect(starts({ secret: 'f3b9c27d5e8a41069b7c2d4e6f8091a3' })).not.toThrow();
  });

  it('is a risk everywhere else, and so are doors that options open', async () => {
    const t = await startApp({
      secret: weak[0]!,
      events: { allowPrivateNetworks: true },
      connectedSites: { allowHttp: true, trustAmounts: true },
    });
    const codes = (await t.service.risks()).map(({ code }) => code);
    expect(codes).toEqual(
      expect.arrayContaining(['weak_secret', 'private_networks', 'insecure_sites', 'trusted_amounts']),
    );
    const { body } = await t.admin.get('/system/state').expect(200);
    expect(body.risks.map(({ code }: { code: string }) => code)).toEqual(expect.arrayContaining(codes));
  });
});
