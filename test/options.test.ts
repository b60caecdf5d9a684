import { describe, expect, it } from '@jest/globals';
import createKnex from 'knex';
import { nearest } from '../src/core/nearest.js';
import { resolveOptions } from '../src/options.js';
import type { AffiliateServiceOptions } from '../src/service/service.js';
import { optionRows } from './support/docs.js';

const refused =
  (options: unknown): (() => unknown) =>
  () =>
    resolveOptions(options as AffiliateServiceOptions);

describe('options', () => {
  it('are complete without any given', () => {
    const options = resolveOptions();
    expect(options).toMatchObject({
      database: { client: 'better-sqlite3', connection: 'affiliate-service.sqlite' },
      hookPrefix: 'affiliate_service',
      namespace: 'affiliate-service',
      tablePrefix: 'fa_',
      migrate: true,
      jobs: true,
      extensions: [],
      currency: 'USD',
      clawback: 'adjust',
      payouts: { allowDeletePaid: true, methods: [] },
      tracking: { path: '/track', ip: 'truncate', retentionDays: 395, cookie: { name: 'f_aff' } },
    });
    expect(options.clock.now()).toBeGreaterThan(0);
    expect(options.logger).toHaveProperty('warn');
  });

  it.each(optionRows().filter(({ schema }) => schema.default !== undefined && schema.default !== ''))(
    '$name has its documented default',
    ({ name, schema }) => {
      const value = name
        .split('.')
        .reduce<unknown>((object, key) => (object as Record<string, unknown>)[key], resolveOptions());
      expect(value).toEqual(schema.default);
    },
  );

  it('keep what was given and fill the rest of its group', () => {
    const options = resolveOptions({
      tracking: { cookie: { name: 'ref' } },
      payouts: { minPayout: 25 },
      currency: 'EUR',
    });
    expect(options).toMatchObject({
      tracking: { cookie: { name: 'ref', acceptUnsigned: false }, consent: 'implied' },
      payouts: { minPayout: 25 },
      currency: 'EUR',
    });
  });

  it('take undefined for absent, leave the given object alone, and share nothing', () => {
    const given = Object.freeze({ currency: undefined, tracking: Object.freeze({}) });
    expect(resolveOptions(given as AffiliateServiceOptions).currency).toBe('USD');
    expect(resolveOptions().tracking).not.toBe(resolveOptions().tracking);
  });

  it('keep a knex instance, a clock and a logger as they are', async () => {
    const database = createKnex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true });
    const clock = { now: () => 1 };
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    };
    const options = resolveOptions({ database, clock, logger });
    expect(
      [options.database, options.clock, options.logger].map(
        (value, i) => value === [database, clock, logger][i],
      ),
    ).toEqual([true, true, true]);
    await database.destroy();
  });

  it.each([
    [{ hookPrefx: 'a' }, '"hookPrefx"', '"hookPrefix"'],
    [{ tablePrefx: 'a' }, '"tablePrefx"', '"tablePrefix"'],
    [{ tracking: { retention: 1 } }, '"tracking.retention"', '"retentionDays"'],
    [{ tracking: { cookie: { nme: 'x' } } }, '"tracking.cookie.nme"', '"name"'],
    [{ payouts: { approveAbove: 1 } }, '"payouts.approveAbove"', '"approvalAbove"'],
  ])('refuse the unknown %j and name the nearest', (options, wrong, right) => {
    expect(refused(options)).toThrow(TypeError);
    expect(refused(options)).toThrow(wrong);
    expect(refused(options)).toThrow(right);
  });

  it.each([
    [{ jobs: 'yes' }, 'jobs'],
    [{ currency: 'dollars' }, 'currency'],
    [{ secret: 'short' }, 'secret'],
    [{ clawback: 'maybe' }, 'clawback'],
    [{ tracking: { retentionDays: -1 } }, 'tracking.retentionDays'],
    [{ tracking: { retentionDays: 1.5 } }, 'tracking.retentionDays'],
    [{ tracking: { cookie: { name: 'a b' } } }, 'tracking.cookie.name'],
    [{ tracking: null }, 'tracking'],
    [{ payouts: [] }, 'payouts'],
    [{ connectedSites: { auth: 'none' } }, 'connectedSites.auth'],
    [{ tablePrefix: 'fa-' }, 'tablePrefix'],
  ])('refuse %j and name the key', (options, name) => {
    expect(refused(options)).toThrow(TypeError);
    expect(refused(options)).toThrow(`"${name}"`);
  });
});

it('a program with a namespace of its own has a cookie of its own', () => {
  const cookieOf = (options: object): string => resolveOptions(options).tracking.cookie.name;
  expect(cookieOf({})).toBe('f_aff');
  expect(cookieOf({ namespace: 'partners' })).toBe('f_aff-partners');
  expect(cookieOf({ namespace: 'partners', tracking: { cookie: { name: 'own' } } })).toBe('own');
  expect(cookieOf({ compat: 'fluent-affiliate' })).toBe('f_aff');
  expect(cookieOf({ namespace: 'a'.repeat(50) })).toHaveLength(40);
});

describe('options of objects', () => {
  const provider = { key: 'shop', info: { title: 'Shop', description: 'Ours', type: 'commerce' } };
  const extension = { name: 'a', setup: () => {} };
  it.each<[object, readonly string[]]>([
    [{ mailer: {} }, ['"mailer.send" must be a function']],
    [{ logger: { warn() {} } }, ['"logger.debug"', '"logger.info"', '"logger.error"']],
    [{ clock: {} }, ['"clock.now" must be a function']],
    [{ smtp: { host: 'mail.test', port: '25' } }, ['"smtp.port" must be a whole number']],
    [{ smtp: { hots: 'mail.test' } }, ['"smtp.host" must be a text', 'did you mean smtp.host?']],
    [{ smtp: { host: 'h', auth: { user: 'u' } } }, ['"smtp.auth.pass" must be a text']],
    [{ providers: [{}] }, ['"providers[0].key"', '"providers[0].info" must be an object']],
    [{ providers: [{ ...provider, webhook: {} }] }, ['"providers[0].webhook.verify" must be a function']],
    [{ providers: [provider, provider] }, ['"providers" has two entries with the key "shop"']],
    [{ migrators: [{}] }, ['"migrators[0].slug" must be a text', '"migrators[0].migrate"']],
    [{ payouts: { methods: [{ key: 'x' }] } }, ['"payouts.methods[0].title" must be a text']],
    [{ payouts: { methods: [7] } }, ['"payouts.methods[0]" must be an object']],
    [{ extensions: [extension, extension] }, ['"extensions" has two entries with the name "a"']],
    [{ extensions: [{ name: 'a', setup: 1 }] }, ['"extensions[0].setup" must be a function']],
    [{ extensions: [{ name: 'a', setpu() {} }] }, ['did you mean extensions[0].setup?']],
    [
      { extensions: [{ name: 'a', hooks: { loaded: 1 } }] },
      ['"extensions[0].hooks.loaded" must be a function'],
    ],
    [{ extensions: [{ name: 'a', providers: [{}] }] }, ['"extensions[0].providers[0].key"']],
    [
      { providers: [provider], extensions: [{ name: 'a', providers: [provider] }] },
      ['"providers" has two entries with the key "shop"'],
    ],
    [
      { extensions: [{ name: 'a', mails: [{ key: 'Hi' }] }] },
      ['"extensions[0].mails[0].key" must be a word'],
    ],
    [
      { extensions: [{ name: 'a', groupFields: [{ name: 'tier', label: 'Tier', type: 'select' }] }] },
      ['"extensions[0].groupFields[0].options" must list the values of the select'],
    ],
    [
      { extensions: [{ name: 'a', groupFields: [{ name: 'tier', label: { de: 'Stufe' } }] }] },
      ['"extensions[0].groupFields[0].label" must be a text, or texts by language with `en` among them'],
    ],
    [
      { extensions: [{ name: 'a', consolePages: [{ title: 'A', path: 'a', right: 'all' }] }] },
      ['"extensions[0].consolePages[0].right" must be', 'must have either `module` or `url`'],
    ],
    [{ extensions: [{ name: 'a', widgets: [{}] }] }, ['"extensions[0].widgets[0]" must be a function']],
    [{ database: {} }, ['"database.client"', '"database.connection"']],
    [{ database: 'pg' }, ['"database" must be']],
    [{ database: { client: 'pg', connection: 'x', pool: { max: '5' } } }, ['"database.pool.max"']],
    [{ database: { client: 'pg', conection: 'x' } }, ['did you mean database.connection?']],
  ])('refuse %j, every mistake in one sentence of its own', (options, sentences) => {
    expect(refused(options)).toThrow(TypeError);
    for (const sentence of sentences) expect(refused(options)).toThrow(sentence);
  });

  it('name several mistakes at once, in words', () => {
    expect(refused({ secret: 'short', jobs: 'yes', clawback: 'maybe' })).toThrow(
      'Option "secret" must have at least 32 characters. Option "jobs" must be true or false. ' +
        'Option "clawback" must be one of: adjust, off.',
    );
  });

  it('suggest only what is near, or the place where the key belongs', () => {
    expect(refused({ foo: 1 })).toThrow(/^Unknown option "foo"\.$/);
    expect(refused({ retentionDays: 1 })).toThrow('did you mean "tracking.retentionDays"?');
  });
});

describe('nearest', () => {
  it.each([
    ['ab', ['xy', 'abc', 'b'], 'abc'],
    ['', ['long', 'a'], 'a'],
    ['x', [], ''],
  ])('%j in %j is %j', (name, known, found) => {
    expect(nearest(name, known)).toBe(found);
  });
});
