import { describe, expect, it } from '@jest/globals';
import { createMemoryHost, hostProblems, strictHost, type HostAdapter } from '../../adapters/index.js';
import { createAffiliateService } from '../../src/index.js';
import { startApp } from '../support/app.js';

const seed = {
  site: { url: 'https://shop.test', timeZone: 'UTC', restPrefix: '/api' },
  users: [
    { id: 1, login: 'admin', capabilities: ['manage_options'] },
    { id: 2, login: 'alice' },
  ],
};
const answering = (parts: object): HostAdapter => Object.assign(createMemoryHost(seed), parts);
const invalid = (part: string): object => ({ code: 'host_answer_invalid', data: { status: 500, part } });

describe('answers of an adapter over HTTP', () => {
  it.each([[[]], [{}], [{ ok: false }], ['no'], ['true'], [1], [null], [undefined], [new Boolean(true)]])(
    'can() answering %j opens nothing and names the part',
    async (answer) => {
      const t = await startApp();
      Object.assign(t.host, { can: async () => answer });

      await t
        .as(2)
        .get('/affiliates')
        .expect(500)
        .expect(({ body }) => expect(body).toMatchObject(invalid('can')));
      await t
        .as(2)
        .post('/affiliates')
        .send({ user_id: 3 })
        .expect(500)
        .expect(({ body }) => expect(body).toMatchObject(invalid('can')));
      expect(
        t.log.some(({ level, fields }) => level === 'error' && String(fields?.['error']).includes('`can`')),
      ).toBe(true);
      Object.assign(t.host, { can: async (id: number) => id === 1 });
      await t.as(2).get('/affiliates').expect(403);
      await t.admin
        .get('/affiliates')
        .expect(200)
        .expect(({ body }) => expect(JSON.stringify(body)).not.toContain('"bob"'));
    },
  );

  it.each([[[]], [{ ok: false }], ['yes'], [1], [undefined]])(
    'nonces.verify() answering %j lets nobody in',
    async (answer) => {
      const t = await startApp();
      Object.assign(t.host.nonces, { verify: async () => answer });
      await t.admin
        .get('/affiliates')
        .expect(500)
        .expect(({ body }) => expect(body).toMatchObject(invalid('nonces.verify')));
    },
  );

  it('a part that throws, at once or later, opens nothing', async () => {
    const t = await startApp();
    Object.assign(t.host, {
      can: () => {
        throw new Error('directory down');
      },
    });
    await t.as(2).get('/affiliates').expect(500);
    Object.assign(t.host, { can: () => Promise.reject(new Error('directory down')) });
    await t.as(2).get('/affiliates').expect(500);
    Object.assign(t.host, {
      currentUser: () => {
        throw new Error('sessions down');
      },
    });
    await t.admin.get('/affiliates').expect(500);
  });

  it('reads undefined as nobody, and refuses what is no user', async () => {
    const t = await startApp();
    Object.assign(t.host, { currentUser: async () => undefined });
    await t.admin.get('/affiliates').expect(403);
    for (const nobody of [false, 'alice', [], {}, { id: '2' }, { id: 0 }, { id: 1.5 }, { id: 2, login: 7 }]) {
      Object.assign(t.host, { currentUser: async () => nobody });
      await t.admin
        .get('/affiliates')
        .expect(500)
        .expect(({ body }) => expect(body).toMatchObject(invalid('currentUser')));
    }
  });

  it('refuses lists that are none, and shows nobody who was not asked for', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2 });
    const [, all] = [await t.admin.get('/affiliates').expect(200), await t.host.users.find([1, 2, 3, 4, 5])];
    for (const none of [undefined, null, {}, 'alice', [undefined], [{ id: 'x' }]]) {
      Object.assign(t.host.users, { find: async () => none });
      await t.admin
        .get('/affiliates')
        .expect(500)
        .expect(({ body }) => expect(body).toMatchObject(invalid('users.find')));
    }
    Object.assign(t.host.users, { find: async () => all });
    await t.admin
      .get('/affiliates')
      .expect(200)
      .expect(({ text }) => {
        expect(text).toContain('alice@shop.test');
        expect(text).not.toContain('bob@shop.test');
      });
  });
});

describe('the strict adapter', () => {
  it('keeps complete users as they are and fills what is missing', async () => {
    const complete = await createMemoryHost(seed).currentUser({ headers: {} } as never);
    expect(complete).toBeNull();
    const known = { ...(await createMemoryHost(seed).users.find([1]))[0]! };
    expect(await strictHost(answering({ currentUser: async () => known })).currentUser({} as never)).toBe(
      known,
    );
    const bare = answering({
      currentUser: async () => ({ id: 7, login: 'jo', first_name: 'Jo', last_name: 'Day' }),
    });
    expect(await strictHost(bare).currentUser({} as never)).toMatchObject({
      id: 7,
      email: '',
      display_name: 'jo',
      full_name: 'Jo Day',
      avatar: '',
    });
  });

  it('keeps to limits and asks nobody for nothing', async () => {
    const users = Array.from({ length: 5 }, (_, at) => ({ id: at + 1, login: `u${at}` }));
    let asked = 0;
    const host = strictHost(
      answering({
        users: {
          find: async () => {
            asked += 1;
            return [...users, ...users];
          },
          search: async () => users,
        },
      }),
    );
    expect(await host.users.find([])).toEqual([]);
    expect(asked).toBe(0);
    expect((await host.users.find([2, 2, 9])).map(({ id }) => id)).toEqual([2]);
    expect(await host.users.search('u', 2)).toHaveLength(2);
    expect(await host.users.search('u', 0)).toEqual([]);
    expect(Object.keys(host.users).sort()).toEqual(['find', 'search']);
  });

  it('checks every optional part', async () => {
    const wrong = strictHost(
      answering({
        pages: {
          list: async () => 'x',
          create: async () => ({ id: 1 }),
          get: async () => undefined,
          existsByPath: async () => 1,
        },
        addons: { list: async () => [], canInstall: async () => 'yes', install: async () => {} },
        media: { get: async () => ({ width: 1 }) },
        license: { status: async () => null, activate: async () => 'x', deactivate: async () => [] },
        exchangeRate: async () => undefined,
      }),
    );
    const parts: Readonly<Record<string, () => Promise<unknown>>> = {
      'pages.list': () => wrong.pages!.list({ search: '', limit: 5 }),
      'pages.create': () => wrong.pages!.create({ title: 't', content: '' }),
      'pages.existsByPath': () => wrong.pages!.existsByPath!('/x'),
      'addons.list': () => wrong.addons!.list(),
      'addons.canInstall': () => wrong.addons!.canInstall({} as never),
      'media.get': () => wrong.media!.get(1),
      'license.status': () => wrong.license!.status({ verify: false }),
      'license.activate': () => wrong.license!.activate('k'),
      'license.deactivate': () => wrong.license!.deactivate(),
    };
    for (const [part, ask] of Object.entries(parts))
      await expect(ask()).rejects.toMatchObject({ code: 'host_answer_invalid', data: { part } });
    expect(await wrong.pages!.get!(1)).toBeNull();
    expect(await wrong.exchangeRate!('EUR', 'USD')).toBeNull();
  });

  it('says at once everything that is missing or wrong', () => {
    const broken = {
      site: () => ({ url: 'shop.test', timeZone: 'Mars/Olympus', restPrefix: 'api' }),
      can: true,
      nonces: { create: async () => 'x' },
      users: { find: async () => [], findByLogin: 'no' },
      pages: { list: async () => [] },
    };
    const problems = hostProblems(broken).join(' ');
    for (const part of [
      '`currentUser`',
      '`can`',
      '`nonces.verify`',
      '`users.search`',
      '`users.findByLogin`',
      '`pages.create`',
      '`site().url`',
      '`site().name`',
      '`site().timeZone`',
      '`site().restPrefix`',
    ])
      expect(problems).toContain(part);
    expect(problems).not.toContain('`users.find` ');
    expect(() => createAffiliateService(broken as never)).toThrow(TypeError);
    expect(() => createAffiliateService(broken as never)).toThrow(/cannot be used.*currentUser.*timeZone/);
    expect(() => createAffiliateService(null as never)).toThrow('It must be an object.');
    expect(
      hostProblems({
        ...broken,
        site: () => {
          throw new Error('secret');
        },
      }).join(' '),
    ).toContain('`site()` threw');
    expect(hostProblems(createMemoryHost(seed))).toEqual([]);
  });

  it('notices a site that goes wrong later, and takes slashes off its address', () => {
    const site = { url: 'https://shop.test/', name: 'Shop', timeZone: 'UTC', restPrefix: '' };
    let now: object = site;
    const host = strictHost(answering({ site: () => now }));
    expect(host.site()).toEqual({ ...site, url: 'https://shop.test' });
    expect(host.site()).toBe(host.site());
    now = { ...site, name: 'New' };
    expect(host.site().name).toBe('New');
    now = { ...site, timeZone: 'Nowhere' };
    expect(() => host.site()).toThrow(
      expect.objectContaining({ code: 'host_answer_invalid', data: { part: 'site' } }),
    );
  });
});
