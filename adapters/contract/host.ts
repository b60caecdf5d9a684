import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { HostAdapter, HostUser } from '../host.js';
import { hostParts, type HostPart } from '../host-parts.js';
import type { TestApi } from './test-api.js';

/** What the author of an adapter provides, made anew for every test. */
export interface HostFixture {
  readonly host: HostAdapter;
  /** Two users of the host; only the first may `manage_options`. */
  readonly admin: HostUser;
  readonly user: HostUser;
  /** An id that no user has. */
  readonly unknownId: number;
  /**
   * A request as the browser of a signed-in user sends it, each with a new sign-in; for null, one of a
   * visitor.
   */
  readonly request: (user: HostUser | null) => Promise<IncomingMessage> | IncomingMessage;
  /** Ends the sign-in of a request; returns a request that still sends the old cookie. */
  readonly signOut?: (req: IncomingMessage) => Promise<IncomingMessage> | IncomingMessage;
  /** Moves the clock of the nonces by 25 hours; leave it out when the host's clock cannot be moved. */
  readonly passADay?: () => Promise<void> | void;
  readonly close?: () => Promise<void> | void;
}

/** One rule of the interface. */
export interface HostCheck {
  readonly title: string;
  /** The optional part of the adapter that it tests; without that part it is skipped. */
  readonly part?: HostPart;
  /** What the fixture must offer; without it the rule is skipped. */
  readonly needs?: 'signOut' | 'passADay';
  run(fixture: HostFixture): Promise<void>;
}

interface SkippableContext {
  skip?(reason?: string): void;
}

/**
 * Tests an adapter: `hostContract({ describe, it }, 'our CMS', makeFixture, hostParts(host))`. Rules of
 * optional parts that are not in `parts` are skipped. Without `parts`, the adapter of each fixture decides;
 * this works where the runner can skip a test that has begun (node:test, Vitest), not in Jest.
 */
export function hostContract(
  { describe, it }: TestApi,
  name: string,
  make: () => Promise<HostFixture> | HostFixture,
  parts?: readonly HostPart[],
): void {
  describe(`host adapter: ${name}`, () => {
    for (const check of HOST_CHECKS) {
      if (parts !== undefined && check.part !== undefined && !parts.includes(check.part)) continue;
      it(check.title, async (...given: readonly unknown[]) => {
        const fixture = await make();
        try {
          const reason = whySkipped(check, fixture);
          if (reason === null) await check.run(fixture);
          else skip(given[0] as SkippableContext | undefined, reason);
        } finally {
          await fixture.close?.();
        }
      });
    }
  });
}

/** Why a rule cannot be checked with this fixture; null when it can. */
export function whySkipped({ part, needs }: HostCheck, fixture: HostFixture): string | null {
  if (part !== undefined && !hostParts(fixture.host).includes(part)) return `the adapter has no \`${part}\``;
  return needs !== undefined && fixture[needs] === undefined ? `the fixture has no \`${needs}\`` : null;
}

function skip(context: SkippableContext | undefined, reason: string): void {
  if (typeof context?.skip === 'function') context.skip(reason);
  else if (reason.startsWith('the adapter'))
    assert.fail(`${reason}: give \`hostParts(host)\` to hostContract, so that this rule is skipped`);
}

const same = (actual: unknown, expected: unknown, rule: string): void =>
  assert.deepEqual(actual, expected, rule);
const yes = (value: unknown, rule: string): void => assert.equal(value, true, rule);
/** Exactly `false`: `undefined`, 0 and '' do not count. */
const no = (value: unknown, rule: string): void => assert.equal(value, false, rule);
const none = (value: unknown, rule: string): void => assert.equal(value ?? null, null, rule);
const ids = (users: readonly { readonly id: number }[]): number[] => users.map(({ id }) => id);

const TEXTS = [
  'login',
  'email',
  'display_name',
  'first_name',
  'last_name',
  'full_name',
  'url',
  'avatar',
  'registered_at',
] as const;

const NEW_USER = {
  login: 'contract-user',
  email: 'contract-user@example.com',
  password: 'Correct-horse-battery-7',
  first_name: 'Con',
  last_name: 'Tract',
};

/** The rules, in the order of the interface. */
export const HOST_CHECKS: readonly HostCheck[] = [
  {
    title: 'describes the site',
    run: async ({ host }) => {
      const site = host.site();
      assert.match(
        site.url,
        /^https?:\/\/.+[^/]$/,
        '`site().url` is an absolute address without a slash at its end',
      );
      assert.match(
        site.restPrefix,
        /^(\/[^/]+)*$/,
        '`site().restPrefix` is "" or a path that begins with a slash',
      );
      assert.equal(typeof site.name, 'string', '`site().name` is a text');
      assert.doesNotThrow(
        () => new Intl.DateTimeFormat('en', { timeZone: site.timeZone }),
        '`site().timeZone` is an IANA name',
      );
    },
  },
  {
    title: 'knows the user of a request',
    run: async ({ host, user, admin, request }) => {
      const found = await host.currentUser(await request(user));
      assert.equal(found?.id, user.id, '`currentUser` is who signed in');
      assert.equal(
        (await host.currentUser(await request(admin)))?.id,
        admin.id,
        '`currentUser` is who signed in',
      );
      none(await host.currentUser(await request(null)), '`currentUser` of a visitor is null');
    },
  },
  {
    title: 'forgets who signed out',
    needs: 'signOut',
    run: async ({ host, user, request, signOut }) => {
      const req = await request(user);
      const nonce = await host.nonces.create(user, req);
      const after = (await signOut?.(req)) ?? req;
      none(
        await host.currentUser(after),
        '`currentUser` is null after signing out, also with the old cookie',
      );
      no(await host.nonces.verify(nonce, user, after), 'a nonce dies with its sign-in');
    },
  },
  {
    title: 'gives complete users',
    run: async ({ host, user, admin }) => {
      const found = await host.users.find([user.id, admin.id]);
      same(
        ids(found).toSorted(byNumber),
        [user.id, admin.id].toSorted(byNumber),
        '`users.find` answers each user once',
      );
      for (const each of found) {
        assert.ok(Number.isSafeInteger(each.id) && each.id > 0, 'ids are positive integers');
        for (const key of TEXTS)
          assert.equal(typeof each[key], 'string', `\`${key}\` of a user is a text, "" when unknown`);
        assert.notEqual(each.full_name, '', '`full_name` falls back to the display name');
        assert.notEqual(each.email, '', 'a user has an e-mail address');
      }
    },
  },
  {
    title: 'leaves unknown users out',
    run: async ({ host, user, unknownId }) => {
      same(await host.users.find([]), [], '`users.find([])` is []');
      same(await host.users.find([unknownId]), [], '`users.find` leaves out who is unknown');
      same(
        ids(await host.users.find([unknownId, user.id])),
        [user.id],
        '`users.find` leaves out who is unknown',
      );
    },
  },
  {
    title: 'finds many users at once',
    run: async ({ host, user, admin, unknownId }) => {
      const many = Array.from({ length: 1000 }, (_, at) => unknownId + at);
      const found = await host.users.find([user.id, ...many, admin.id]);
      assert.ok(
        [user.id, admin.id].every((id) => ids(found).includes(id)),
        '`users.find` takes 1,000 ids in one call',
      );
    },
  },
  {
    title: 'tells who may manage',
    run: async ({ host, admin, user, unknownId }) => {
      yes(
        await host.can(admin.id, 'manage_options'),
        '`can(administrator, "manage_options")` is exactly true',
      );
      no(await host.can(user.id, 'manage_options'), '`can(user, "manage_options")` is exactly false');
      no(await host.can(unknownId, 'manage_options'), '`can` is exactly false for who is unknown');
      no(
        await host.can(user.id, 'no_such_capability'),
        '`can` is exactly false for a capability nobody knows',
      );
      no(await host.can(user.id, ''), '`can` is exactly false for no capability');
    },
  },
  {
    title: 'accepts its own nonces again and again',
    run: async ({ host, user, request }) => {
      const req = await request(user);
      const nonce = await host.nonces.create(user, req);
      assert.ok(nonce.length >= 16, 'a nonce has at least 16 characters');
      yes(await host.nonces.verify(nonce, user, req), '`nonces.verify` of its own nonce is exactly true');
      yes(await host.nonces.verify(nonce, user, req), 'a nonce may be used again');
    },
  },
  {
    title: 'refuses every other nonce',
    run: async ({ host, user, admin, request }) => {
      const req = await request(user);
      const nonce = await host.nonces.create(user, req);
      const foreign = await host.nonces.create(admin, await request(admin));
      const changed = nonce.slice(0, -1) + (nonce.endsWith('0') ? '1' : '0');
      for (const [wrong, what] of [
        ['', 'no nonce'],
        ['x', 'a short one'],
        [foreign, 'that of another user'],
        [changed, 'a changed one'],
        [`${nonce}0`, 'a longer one'],
        [nonce.slice(1), 'a part of it'],
        ['é'.repeat(nonce.length), 'one of other characters'],
      ] as const)
        no(await host.nonces.verify(wrong, user, req), `\`nonces.verify\` is exactly false for ${what}`);
    },
  },
  {
    title: 'refuses the nonce of another sign-in',
    run: async ({ host, user, request }) => {
      const nonce = await host.nonces.create(user, await request(user));
      no(
        await host.nonces.verify(nonce, user, await request(user)),
        'a nonce is bound to its sign-in; each `request(user)` of the fixture is one of its own',
      );
      no(
        await host.nonces.verify(nonce, user, await request(null)),
        'a nonce means nothing without the sign-in',
      );
    },
  },
  {
    title: 'lets nonces expire within a day',
    needs: 'passADay',
    run: async ({ host, user, request, passADay }) => {
      const req = await request(user);
      const nonce = await host.nonces.create(user, req);
      await passADay?.();
      no(await host.nonces.verify(nonce, user, req), 'a nonce of the day before is refused');
    },
  },
  {
    title: 'finds users by parts of their names, whatever the case',
    run: async ({ host, user }) => {
      const part = user.display_name.slice(1);
      for (const text of [user.login, user.email, user.email.toUpperCase(), user.display_name, part])
        assert.ok(
          ids(await host.users.search(text, 20)).includes(user.id),
          `\`users.search\` finds "${text}" in login, e-mail address or name, whatever the case`,
        );
      same(
        await host.users.search('no user is called like this', 20),
        [],
        '`users.search` answers [] when nobody fits',
      );
    },
  },
  {
    title: 'keeps to the limit of a search',
    run: async ({ host }) => {
      assert.equal((await host.users.search('', 1)).length, 1, '`users.search("", 1)` answers one user');
      same(await host.users.search('', 0), [], '`users.search("", 0)` answers nobody: 0 does not mean all');
      same(await host.users.search('', -1), [], '`users.search("", -1)` answers nobody');
    },
  },
  {
    title: 'finds users by login',
    part: 'users.findByLogin',
    run: async ({ host, user }) => {
      const find = async (text: string): Promise<HostUser | null | undefined> =>
        host.users.findByLogin?.(text);
      assert.equal((await find(user.login))?.id, user.id, '`users.findByLogin` finds a login');
      assert.equal((await find(user.login.toUpperCase()))?.id, user.id, '`users.findByLogin` ignores case');
      none(await find('nobody-has-this-login'), '`users.findByLogin` answers null when nobody has it');
      none(await find(user.login.slice(0, -1)), '`users.findByLogin` wants the whole login');
      none(await find(''), '`users.findByLogin("")` is null');
    },
  },
  {
    title: 'finds users by e-mail address',
    part: 'users.findByEmail',
    run: async ({ host, user }) => {
      const find = async (text: string): Promise<HostUser | null | undefined> =>
        host.users.findByEmail?.(text);
      assert.equal((await find(user.email))?.id, user.id, '`users.findByEmail` finds an address');
      assert.equal((await find(user.email.toUpperCase()))?.id, user.id, '`users.findByEmail` ignores case');
      none(await find('nobody@example.invalid'), '`users.findByEmail` answers null when nobody has it');
      none(await find(user.email.slice(1)), '`users.findByEmail` wants the whole address');
      none(await find(''), '`users.findByEmail("")` is null');
    },
  },
  {
    title: 'creates users without rights',
    part: 'users.create',
    run: async ({ host }) => {
      const made = await host.users.create?.(NEW_USER);
      assert.ok(made !== undefined && made.id > 0, '`users.create` answers the new user');
      const [found] = await host.users.find([made.id]);
      assert.equal(
        found?.email.toLowerCase(),
        NEW_USER.email,
        'a new user has the e-mail address that was given',
      );
      assert.ok(
        [NEW_USER.login, NEW_USER.email].includes(found.login.toLowerCase()),
        'a new user has the login that was given, or the e-mail address for one',
      );
      assert.match(found.full_name, /Con Tract|contract-user/, 'a new user has the name that was given');
      no(await host.can(made.id, 'manage_options'), 'a new user has no rights');
    },
  },
  {
    title: 'creates no user twice',
    part: 'users.create',
    run: async ({ host }) => {
      await host.users.create?.(NEW_USER);
      await assert.rejects(
        async () => host.users.create?.({ ...NEW_USER, login: 'contract-user-2' }),
        '`users.create` throws when the e-mail address is taken',
      );
    },
  },
  {
    title: 'changes what users may change about themselves',
    part: 'users.update',
    run: async ({ host, user }) => {
      const changed = await host.users.update?.(user.id, { first_name: 'Con', last_name: 'Tract' });
      assert.equal(changed?.id, user.id, '`users.update` answers the user');
      const [found] = await host.users.find([user.id]);
      assert.equal(found?.full_name, 'Con Tract', '`users.update` stores the name');
      assert.equal(found?.email, user.email, '`users.update` keeps what is not named');
    },
  },
  {
    title: 'lists and creates pages',
    part: 'pages',
    run: async ({ host }) => {
      const title = 'Contract Partner Page';
      const made = await host.pages?.create({ title, content: '<p>Hello</p>' });
      assert.ok(
        made !== undefined && Number.isSafeInteger(made.id) && made.id > 0,
        '`pages.create` answers the page',
      );
      assert.match(made.link, /^https?:\/\//, 'the link of a page is an absolute address');
      const found = (await host.pages?.list({ search: 'contract partner', limit: 5 })) ?? [];
      assert.ok(
        found.some((page) => page.id === made.id && page.title === title && page.link === made.link),
        '`pages.list` finds a page by a part of its title, whatever the case',
      );
      assert.equal(
        (await host.pages?.list({ search: '', limit: 1 }))?.length,
        1,
        '`pages.list` keeps to its limit',
      );
      same(
        await host.pages?.list({ search: 'no page is called like this', limit: 5 }),
        [],
        '`pages.list` answers [] when none fits',
      );
    },
  },
  {
    title: 'gets one page',
    part: 'pages.get',
    run: async ({ host }) => {
      const made = await host.pages?.create({ title: 'Contract Partner Page', content: '<p>Hello</p>' });
      assert.ok(made !== undefined);
      assert.equal(
        (await host.pages?.get?.(made.id))?.title,
        'Contract Partner Page',
        '`pages.get` answers the page',
      );
      none(await host.pages?.get?.(made.id + 1_000_000), '`pages.get` answers null when there is none');
    },
  },
  {
    title: 'knows which paths are taken',
    part: 'pages.existsByPath',
    run: async ({ host }) => {
      const made = await host.pages?.create({ title: 'Contract Partner Page', content: '<p>Hello</p>' });
      assert.ok(made !== undefined);
      yes(
        await host.pages?.existsByPath?.(new URL(made.link).pathname),
        '`pages.existsByPath` of a page is exactly true',
      );
      no(
        await host.pages?.existsByPath?.('/no/page/is/here'),
        '`pages.existsByPath` is exactly false where no page is',
      );
    },
  },
];

function byNumber(a: number, b: number): number {
  return a - b;
}
