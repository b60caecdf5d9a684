import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { systemClock, type Clock } from '../src/core/clock.js';
import type {
  HostAddon,
  HostAdapter,
  HostMail,
  HostPage,
  HostSite,
  HostUser,
  NewHostPage,
  NewHostUser,
} from './host.js';
import { MemoryUsers, type MemoryUser } from './memory-users.js';
import { createNonces } from './nonces.js';

export interface MemoryHostSeed {
  readonly site?: Partial<HostSite>;
  readonly users?: readonly MemoryUser[];
  readonly pages?: readonly HostPage[];
  readonly addons?: Readonly<Record<string, HostAddon>>;
  readonly license?: HostAdapter['license'];
  /** The clock by which nonces expire; pass the service's clock in tests. */
  readonly clock?: Clock;
  readonly secret?: string;
}

export interface SignIn {
  readonly cookie: string;
  readonly nonce: string;
}

/**
 * A complete host in memory. Members do not depend on each other: `{ ...createMemoryHost(), mail: send }` is
 * a host too.
 */
export interface MemoryHost extends HostAdapter {
  /** Mails the host was asked to send. */
  readonly mailbox: HostMail[];
  readonly users: Required<HostAdapter['users']>;
  readonly pages: Required<NonNullable<HostAdapter['pages']>>;
  readonly mail: NonNullable<HostAdapter['mail']>;
  /** Signs a user in: send `Cookie: cookie` and `X-WP-Nonce: nonce`. */
  signIn(userId: number): SignIn;
  /** Ends a sign-in and with it its nonce. */
  signOut(cookie: string): void;
  grant(userId: number, ...capabilities: readonly string[]): void;
  revoke(userId: number, ...capabilities: readonly string[]): void;
  addUser(user: MemoryUser): HostUser;
  removeUser(userId: number): void;
  /** The user with this login and password, or null. For a host's own sign-in form. */
  checkPassword(login: string, password: string): HostUser | null;
}

const COOKIE = 'memory_session';
const SITE: HostSite = {
  url: 'http://localhost',
  name: 'Memory host',
  description: '',
  adminEmail: 'admin@example.test',
  timeZone: 'UTC',
  restPrefix: '/wp-json',
  adminUrl: 'http://localhost/admin',
  loginUrl: 'http://localhost/login',
};

/** For tests, examples and first steps. */
export function createMemoryHost(seed: MemoryHostSeed = {}): MemoryHost {
  const clock = seed.clock ?? systemClock;
  const site = { ...SITE, ...seed.site };
  const people = new MemoryUsers(clock, seed.users ?? []);
  const sessions = new Map<string, number>();
  const nonces = createNonces(seed.secret ?? randomBytes(32).toString('hex'), { now: () => clock.now() });
  const mailbox: HostMail[] = [];
  const sessionOf = (req: IncomingMessage): string | null => readCookie(req.headers.cookie ?? '', COOKIE);
  const subject = (user: HostUser, req: IncomingMessage): { userId: number; signIn: string } => ({
    userId: user.id,
    signIn: sessionOf(req) ?? '',
  });
  const can = async (userId: number, capability: string): Promise<boolean> =>
    people.capabilities(userId).has(capability);
  const signIn = (userId: number): SignIn => {
    if (people.find(userId) === null) throw new Error(`The memory host has no user ${userId}.`);
    const session = randomBytes(16).toString('hex');
    sessions.set(session, userId);
    return { cookie: `${COOKIE}=${session}`, nonce: nonces.create({ userId, signIn: session }) };
  };
  return {
    mailbox,
    site: () => site,
    currentUser: async (req) => {
      const id = sessions.get(sessionOf(req) ?? '');
      return id === undefined ? null : people.find(id);
    },
    can,
    nonces: {
      create: async (user, req) => nonces.create(subject(user, req)),
      verify: async (nonce, user, req) =>
        sessions.get(sessionOf(req) ?? '') === user.id && nonces.verify(nonce, subject(user, req)),
    },
    users: userPart(people, signIn),
    pages: pagePart(site, [...(seed.pages ?? [])]),
    ...(seed.addons !== undefined && { addons: addonPart(seed.addons, can) }),
    ...(seed.license !== undefined && { license: seed.license }),
    mail: async (mail) => {
      mailbox.push(mail);
    },
    signIn,
    signOut: (cookie) => {
      sessions.delete(readCookie(cookie, COOKIE) ?? '');
    },
    grant: (userId, ...capabilities) => {
      for (const capability of capabilities) people.capabilities(userId).add(capability);
    },
    revoke: (userId, ...capabilities) => {
      for (const capability of capabilities) people.capabilities(userId).delete(capability);
    },
    addUser: (user) => people.add(user),
    removeUser: (userId) => {
      people.remove(userId);
      for (const [session, id] of sessions) if (id === userId) sessions.delete(session);
    },
    checkPassword: (login, password) => people.checkPassword(login, password),
  };
}

const userPart = (people: MemoryUsers, signIn: MemoryHost['signIn']): MemoryHost['users'] => ({
  find: async (ids) => ids.map((id) => people.find(id)).filter((user) => user !== null),
  search: async (text, limit) => people.search(text, limit),
  findByLogin: async (login) => people.findBy('login', login),
  findByEmail: async (email) => people.findBy('email', email),
  create: async (user: NewHostUser) => people.add(user),
  update: async (id, changes) => people.update(id, changes),
  signIn: async (user, _req, res) => {
    const target = res as {
      append?(name: string, value: string): unknown;
      appendHeader?(name: string, value: string): unknown;
    };
    const value = `${signIn(user.id).cookie}; Path=/; HttpOnly; SameSite=Lax`;
    if (target.append) target.append('Set-Cookie', value);
    else target.appendHeader?.('Set-Cookie', value);
  },
});

const pagePart = (site: HostSite, pages: HostPage[]): MemoryHost['pages'] => ({
  list: async ({ search, limit }) =>
    pages.filter((page) => page.title.toLowerCase().includes(search.toLowerCase())).slice(0, limit),
  get: async (id) => pages.find((page) => page.id === id) ?? null,
  create: async ({ title }: NewHostPage) => {
    const id = Math.max(0, ...pages.map((page) => page.id)) + 1;
    const slug =
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '') || `page-${id}`;
    const taken = pages.some((page) => page.link === `${site.url}/${slug}/`);
    const page = { id, title, link: `${site.url}/${taken ? `${slug}-${id}` : slug}/` };
    pages.push(page);
    return page;
  },
  existsByPath: async (path) =>
    pages.some((page) => trimSlash(new URL(page.link).pathname) === trimSlash(path)),
});

function addonPart(
  seed: Readonly<Record<string, HostAddon>>,
  can: HostAdapter['can'],
): NonNullable<HostAdapter['addons']> {
  const addons = { ...seed };
  return {
    list: async () => addons,
    canInstall: (user) => can(user.id, 'manage_options'),
    install: async (key) => {
      const addon = addons[key];
      if (addon === undefined) throw new Error('The memory host has no such addon.');
      addons[key] = { ...addon, is_installed: true };
    },
  };
}

const trimSlash = (path: string): string => path.replace(/\/+$/, '') || '/';

function readCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const [key, ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}
