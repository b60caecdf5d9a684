import { describe, expect, it } from '@jest/globals';
import { hostContract, hostParts } from '../../adapters/contract/index.js';
import { createMemoryHost, defineHost, type HostDefinition, type UserProfile } from '../../adapters/index.js';
import { known, requestWith, SmallCms } from '../support/small-cms.js';

hostContract(
  { describe, it },
  'defineHost, text ids',
  async () => {
    const cms = new SmallCms();
    const host = cms.host();
    return {
      host,
      admin: await known(host, 'usr-anna'),
      user: await known(host, 'usr-ben'),
      unknownId: 5000,
      request: (user) =>
        requestWith(
          user === null ? {} : { cookie: cms.signIn(user.email.startsWith('Anna') ? 'usr-anna' : 'usr-ben') },
        ),
      signOut: (req) => {
        cms.signOut(req.headers.cookie ?? '');
        return requestWith({ ...req.headers });
      },
    };
  },
  hostParts(new SmallCms().host()),
);

const profile = async (given: Partial<UserProfile>): Promise<unknown> => {
  const host = defineHost({
    ...new SmallCms().definition(),
    user: () => ({ id: 'x', email: 'x@y.test', ...given }),
  });
  return host.userOf('usr-anna');
};

describe('defineHost', () => {
  it('fills in what a host does not keep', async () => {
    expect(await profile({})).toMatchObject({
      login: 'x@y.test',
      display_name: 'x@y.test',
      full_name: 'x@y.test',
      first_name: '',
      url: '',
      registered_at: '',
    });
    expect(await profile({ name: ' Anna Bell Smith ' })).toMatchObject({
      display_name: 'Anna Bell Smith',
      first_name: 'Anna',
      last_name: 'Bell Smith',
      full_name: 'Anna Bell Smith',
    });
    expect(await profile({ login: 'anna', first_name: 'Anna', last_name: null })).toMatchObject({
      login: 'anna',
      display_name: 'Anna',
      full_name: 'Anna',
      edit_url: 'https://shop.test/admin/users/usr-anna',
    });
    expect(await profile({ registered_at: new Date(0), roles: ['editor'] })).toMatchObject({
      registered_at: '1970-01-01T00:00:00.000Z',
      roles: ['editor'],
    });
    expect(await profile({ registered_at: 'long ago' })).toMatchObject({ registered_at: '' });
  });

  it('names everything that is wrong in one error', () => {
    const wrong = {
      site: { url: 'shop.test', name: 'Shop', timeZone: 'Mars/Olympus', restPrefix: 'api' },
      ids: 'uuid',
      secret: 'short',
      sesion: () => null,
      user: () => ({}),
      rights: () => null,
      users: { byIds: () => [], serach: () => [], byEmail: 'no' },
      pages: {},
    };
    expect(() => defineHost(wrong as unknown as HostDefinition<unknown, 'text'>)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /`sesion` is unknown; did you mean `session`\?.*`users\.serach` is unknown; did you mean `users\.search`\?.*`ids` must.*`secret` must.*`session` must.*`users\.search` must.*`users\.byEmail` must.*`pages\.list` must.*`pages\.create` must/,
        ) as unknown as string,
      }),
    );
    expect(() =>
      defineHost({
        ...new SmallCms().definition(),
        site: { url: 'shop.test', name: 'Shop', timeZone: 'Mars/Olympus', restPrefix: 'api' },
      }),
    ).toThrow(/`site\(\)\.url`.*`site\(\)\.timeZone`.*`site\(\)\.restPrefix`/);
    expect(() => defineHost(undefined as never)).toThrow('takes an object');
  });

  it('takes a slash off the address and mounts below /api unless told otherwise', () => {
    expect(new SmallCms().host().site()).toMatchObject({ url: 'https://shop.test', restPrefix: '/api' });
    const site = (): { url: string; name: string; timeZone: string; restPrefix: string } => ({
      url: 'https://a.test//',
      name: 'A',
      timeZone: 'UTC',
      restPrefix: '/rest',
    });
    expect(defineHost({ ...new SmallCms().definition(), site }).site()).toMatchObject({
      url: 'https://a.test',
      restPrefix: '/rest',
    });
  });

  it('takes texts of digits for integers, and nothing else', async () => {
    const withIds = (
      id: string | number,
    ): ReturnType<typeof defineHost<{ id: string | number }, 'integer'>> =>
      defineHost({
        site: { url: 'https://shop.test', name: 'Shop', timeZone: 'UTC' },
        ids: 'integer',
        secret: 'a secret of the small cms',
        session: async () => ({ user: { id }, signIn: 's' }),
        user: (row) => ({ id: row.id, email: 'x@y.test' }),
        rights: () => undefined,
        users: { byIds: async () => [undefined, { id }], search: () => null },
      });
    expect(await withIds('12').users.find([12])).toMatchObject([{ id: 12 }]);
    expect(await withIds(12).currentUser(requestWith({}))).toMatchObject({ id: 12 });
    expect(await withIds(12).users.search('x', 5)).toEqual([]);
    expect(await withIds(12).can(12, 'manage_options')).toBe(false);
    expect(withIds(12).connect).toBeUndefined();
    for (const id of ['a7', 0, -1, 1.5, ''])
      await expect(withIds(id).users.find([1])).rejects.toThrow(TypeError);
  });

  it('opens to administrators what the library asks for, and to others what is in their list', async () => {
    const cms = new SmallCms();
    const host = cms.host();
    const [anna, ben] = [await known(host, 'usr-anna'), await known(host, 'usr-ben')];
    expect(await host.can(anna.id, 'fa_view_payouts')).toBe(true);
    expect(await host.can(anna.id, 'anything_else')).toBe(false);
    expect([await host.can(ben.id, 'fa_view_visits'), await host.can(ben.id, 'fa_view_payouts')]).toEqual([
      true,
      false,
    ]);
    cms.people[1] = { ...(cms.people[1] as (typeof cms.people)[0]), role: 'admin' };
    expect(await host.can(ben.id, 'fa_view_payouts')).toBe(true);
    const odd = defineHost({ ...cms.definition(), rights: () => 'yes' as never });
    await expect(odd.can((await known(odd, 'usr-ben')).id, 'manage_options')).rejects.toThrow('`rights()`');
  });

  it('asks the session once for a request and its nonce, and binds the nonce to the sign-in', async () => {
    const cms = new SmallCms();
    const host = cms.host();
    const req = requestWith({ cookie: cms.signIn('usr-ben') });
    const ben = await known(host, 'usr-ben');
    await host.currentUser(req);
    const nonce = await host.nonces.create(ben, req);
    expect(await host.nonces.verify(nonce, ben, req)).toBe(true);
    expect(cms.asked).toBe(1);
    await expect(host.nonces.create(await known(host, 'usr-anna'), req)).rejects.toThrow('not the user');
    expect(await host.authenticate(requestWith({ authorization: 'Bearer usr-ben' }))).toMatchObject({
      ambient: false,
    });
    const odd = defineHost({
      ...cms.definition(),
      session: () => ({ user: cms.people[0], signIn: '' }) as never,
    });
    await expect(odd.currentUser(req)).rejects.toThrow('`signIn`');
  });

  it('makes plain objects: parts can be replaced', async () => {
    const cms = new SmallCms();
    const sent: string[] = [];
    const host = { ...cms.host(), mail: async ({ to }: { to: string }) => void sent.push(to) };
    await host.mail({ to: 'a@b.test' });
    expect(sent).toEqual(['a@b.test']);
    expect(await host.users.search('BEN', 1)).toMatchObject([{ login: 'Ben@shop.test' }]);

    const memory = {
      ...createMemoryHost({ users: [{ id: 1, login: 'a' }] }),
      site: () => ({ url: 'https://x.test' }),
    };
    expect(memory.site()).toEqual({ url: 'https://x.test' });
    expect(await memory.users.find([1])).toHaveLength(1);
    expect(await memory.currentUser(requestWith({ cookie: memory.signIn(1).cookie }))).toMatchObject({
      id: 1,
    });
  });
});
