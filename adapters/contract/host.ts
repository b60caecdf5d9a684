import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { HostAdapter, HostUser } from '../host.js';
import type { TestApi } from './test-api.js';

/** What the suite asks an adapter author to set up, afresh for every test. */
export interface HostFixture {
  readonly host: HostAdapter;
  /** Two users of the host; only the first may `manage_options`. */
  readonly admin: HostUser;
  readonly user: HostUser;
  /** An id no user has. */
  readonly unknownId: number;
  /** A request as a signed-in browser sends it; without a user, an anonymous one. */
  readonly request: (user: HostUser | null) => Promise<IncomingMessage> | IncomingMessage;
  /** Makes 25 hours pass for nonces; left out when the host's clock cannot be moved. */
  readonly passADay?: () => Promise<void> | void;
  readonly close?: () => Promise<void> | void;
}

type Check = (fixture: HostFixture) => Promise<void>;

/** Proves an adapter: `hostContract({ describe, it }, 'our CMS', makeFixture)`. Optional parts are tested when present. */
export function hostContract(
  { describe, it }: TestApi,
  name: string,
  make: () => Promise<HostFixture> | HostFixture,
): void {
  describe(`host adapter: ${name}`, () => {
    for (const [title, check] of Object.entries(CHECKS)) {
      it(title, async () => {
        const fixture = await make();
        try {
          await check(fixture);
        } finally {
          await fixture.close?.();
        }
      });
    }
  });
}

const CHECKS: Readonly<Record<string, Check>> = {
  'describes the site': async ({ host }) => {
    const site = host.site();
    assert.match(site.url, /^https?:\/\/.+[^/]$/);
    assert.match(site.restPrefix, /^(\/[^/]+)*$/);
    assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone: site.timeZone }));
  },

  'knows the user of a request': async ({ host, user, request }) => {
    const found = await host.currentUser(await request(user));
    assert.equal(found?.id, user.id);
    assert.equal(await host.currentUser(await request(null)), null);
  },

  'gives complete users': async ({ host, user, admin }) => {
    const found = await host.users.find([user.id, admin.id]);
    assert.equal(found.length, 2);
    for (const each of found) {
      assert.ok(Number.isSafeInteger(each.id) && each.id > 0);
      for (const key of [
        'login',
        'email',
        'display_name',
        'first_name',
        'last_name',
        'full_name',
        'url',
        'avatar',
        'registered_at',
      ] as const) {
        assert.equal(typeof each[key], 'string', key);
      }
      assert.ok(each.full_name !== '', 'full_name falls back to the display name');
    }
  },

  'leaves unknown users out': async ({ host, user, unknownId }) => {
    assert.deepEqual(await host.users.find([]), []);
    assert.deepEqual(await host.users.find([unknownId]), []);
    assert.deepEqual(
      (await host.users.find([unknownId, user.id])).map(({ id }) => id),
      [user.id],
    );
  },

  'tells who may manage': async ({ host, admin, user, unknownId }) => {
    assert.equal(await host.can(admin.id, 'manage_options'), true);
    assert.equal(await host.can(user.id, 'manage_options'), false);
    assert.equal(await host.can(unknownId, 'manage_options'), false);
    assert.equal(await host.can(user.id, 'no_such_capability'), false);
  },

  'accepts its own nonces again and again': async ({ host, user, request }) => {
    const req = await request(user);
    const nonce = await host.nonces.create(user, req);
    assert.ok(nonce.length >= 16);
    assert.equal(await host.nonces.verify(nonce, user, req), true);
    assert.equal(await host.nonces.verify(nonce, user, req), true);
  },

  'refuses every other nonce': async ({ host, user, admin, request }) => {
    const req = await request(user);
    const nonce = await host.nonces.create(user, req);
    const foreign = await host.nonces.create(admin, await request(admin));
    const changed = nonce.slice(0, -1) + (nonce.endsWith('0') ? '1' : '0');
    for (const wrong of ['', 'x', foreign, changed, `${nonce}0`, nonce.slice(1), 'é'.repeat(nonce.length)]) {
      assert.equal(await host.nonces.verify(wrong, user, req), false);
    }
  },

  'lets nonces expire within a day': async ({ host, user, request, passADay }) => {
    if (passADay === undefined) return;
    const req = await request(user);
    const nonce = await host.nonces.create(user, req);
    await passADay();
    assert.equal(await host.nonces.verify(nonce, user, req), false);
  },

  'finds users by parts of their names, whatever the case': async ({ host, user }) => {
    for (const text of [user.login, user.email.toUpperCase(), user.display_name.slice(1), user.full_name]) {
      assert.ok(
        (await host.users.search(text, 20)).some(({ id }) => id === user.id),
        text,
      );
    }
    assert.deepEqual(await host.users.search('no user is called like this', 20), []);
  },

  'keeps to the limit of a search': async ({ host }) => {
    assert.equal((await host.users.search('', 1)).length, 1);
    assert.deepEqual(await host.users.search('', 0), []);
  },

  'finds users by login and e-mail address': async ({ host, user }) => {
    if (host.users.findByLogin) {
      assert.equal((await host.users.findByLogin(user.login))?.id, user.id);
      assert.equal(await host.users.findByLogin('nobody-has-this-login'), null);
    }
    if (host.users.findByEmail) {
      assert.equal((await host.users.findByEmail(user.email.toUpperCase()))?.id, user.id);
      assert.equal(await host.users.findByEmail('nobody@example.invalid'), null);
    }
  },

  'creates users without rights': async ({ host }) => {
    if (!host.users.create) return;
    const input = {
      login: 'contract-user',
      email: 'contract-user@example.test',
      password: 'correct horse battery',
      first_name: 'Con',
      last_name: 'Tract',
    };
    const made = await host.users.create(input);
    const [found] = await host.users.find([made.id]);
    assert.deepEqual(
      [found?.login, found?.email, found?.first_name, found?.last_name],
      ['contract-user', 'contract-user@example.test', 'Con', 'Tract'],
    );
    assert.equal(await host.can(made.id, 'manage_options'), false);
    await assert.rejects(async () => host.users.create?.(input));
  },

  'lists and creates pages': async ({ host }) => {
    if (!host.pages) return;
    const made = await host.pages.create({ title: 'Contract Partner Page', content: '<p>Hello</p>' });
    assert.ok(Number.isSafeInteger(made.id) && made.id > 0);
    assert.match(made.link, /^https?:\/\//);
    const found = await host.pages.list({ search: 'contract partner', limit: 5 });
    assert.ok(
      found.some(
        ({ id, title, link }) => id === made.id && title === 'Contract Partner Page' && link === made.link,
      ),
    );
    assert.equal((await host.pages.list({ search: '', limit: 1 })).length, 1);
    assert.deepEqual(await host.pages.list({ search: 'no page is called like this', limit: 5 }), []);
    if (host.pages.get) {
      assert.equal((await host.pages.get(made.id))?.title, 'Contract Partner Page');
      assert.equal(await host.pages.get(made.id + 1_000_000), null);
    }
    if (host.pages.existsByPath) {
      assert.equal(await host.pages.existsByPath(new URL(made.link).pathname), true);
      assert.equal(await host.pages.existsByPath('/no/page/is/here'), false);
    }
  },
};
