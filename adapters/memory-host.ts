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
import { createNonces, type Nonces } from './nonces.js';

export interface MemoryHostSeed {
  readonly site?: Partial<HostSite>;
  readonly users?: readonly MemoryUser[];
  readonly pages?: readonly HostPage[];
  readonly addons?: Readonly<Record<string, HostAddon>>;
  readonly license?: HostAdapter['license'];
  /** Ages nonces; pass the service's clock in tests. */
  readonly clock?: Clock;
  readonly secret?: string;
}

export interface SignIn {
  readonly cookie: string;
  readonly nonce: string;
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

/** A complete host in memory: tests, examples, first steps. */
export class MemoryHost implements HostAdapter {
  /** Mails the host was asked to send. */
  readonly mailbox: HostMail[] = [];
  readonly nonces: HostAdapter['nonces'];
  readonly users: Required<HostAdapter['users']>;
  readonly pages: Required<NonNullable<HostAdapter['pages']>>;
  readonly addons?: NonNullable<HostAdapter['addons']>;
  readonly license?: NonNullable<HostAdapter['license']>;
  readonly #site: HostSite;
  readonly #people: MemoryUsers;
  readonly #pages: HostPage[];
  readonly #sessions = new Map<string, number>();
  readonly #nonces: Nonces;
  readonly #clock: Clock;

  constructor(seed: MemoryHostSeed = {}) {
    this.#clock = seed.clock ?? systemClock;
    this.#site = { ...SITE, ...seed.site };
    this.#people = new MemoryUsers(this.#clock, seed.users ?? []);
    this.#pages = [...(seed.pages ?? [])];
    this.#nonces = createNonces(seed.secret ?? randomBytes(32).toString('hex'), {
      now: () => this.#clock.now(),
    });
    this.nonces = {
      create: async (user, req) => this.#nonces.create({ userId: user.id, signIn: this.#session(req) ?? '' }),
      verify: async (nonce, user, req) =>
        this.#nonces.verify(nonce, { userId: user.id, signIn: this.#session(req) ?? '' }),
    };
    this.users = this.#userPart();
    this.pages = this.#pagePart();
    if (seed.addons !== undefined) this.addons = this.#addonPart(seed.addons);
    if (seed.license !== undefined) this.license = seed.license;
  }

  site(): HostSite {
    return this.#site;
  }

  async currentUser(req: IncomingMessage): Promise<HostUser | null> {
    const session = this.#session(req);
    const id = session === null ? undefined : this.#sessions.get(session);
    return id === undefined ? null : this.#people.find(id);
  }

  async can(userId: number, capability: string): Promise<boolean> {
    return this.#people.capabilities(userId).has(capability);
  }

  readonly mail = async (mail: HostMail): Promise<void> => {
    this.mailbox.push(mail);
  };

  /** Signs a user in: send `Cookie: cookie` and `X-WP-Nonce: nonce`. */
  signIn(userId: number): SignIn {
    if (this.#people.find(userId) === null) throw new Error(`The memory host has no user ${userId}.`);
    const session = randomBytes(16).toString('hex');
    this.#sessions.set(session, userId);
    return { cookie: `${COOKIE}=${session}`, nonce: this.#nonces.create({ userId, signIn: session }) };
  }

  /** Ends a sign-in; its nonce dies with it. */
  signOut(cookie: string): void {
    this.#sessions.delete(readCookie(cookie, COOKIE) ?? '');
  }

  grant(userId: number, ...capabilities: readonly string[]): void {
    for (const capability of capabilities) this.#people.capabilities(userId).add(capability);
  }

  revoke(userId: number, ...capabilities: readonly string[]): void {
    for (const capability of capabilities) this.#people.capabilities(userId).delete(capability);
  }

  addUser(user: MemoryUser): HostUser {
    return this.#people.add(user);
  }

  removeUser(userId: number): void {
    this.#people.remove(userId);
    for (const [session, id] of this.#sessions) if (id === userId) this.#sessions.delete(session);
  }

  /** Does this password open this login? For a host's own sign-in form. */
  checkPassword(login: string, password: string): HostUser | null {
    return this.#people.checkPassword(login, password);
  }

  #session(req: IncomingMessage): string | null {
    return readCookie(req.headers.cookie ?? '', COOKIE);
  }

  #userPart(): Required<HostAdapter['users']> {
    return {
      find: async (ids) => ids.map((id) => this.#people.find(id)).filter((user) => user !== null),
      search: async (text, limit) => this.#people.search(text, limit),
      findByLogin: async (login) => this.#people.findBy('login', login),
      findByEmail: async (email) => this.#people.findBy('email', email),
      create: async (user: NewHostUser) => this.#people.add(user),
      update: async (id, changes) => this.#people.update(id, changes),
      signIn: async (user, _req, res) => {
        const target = res as {
          append?(name: string, value: string): unknown;
          appendHeader?(name: string, value: string): unknown;
        };
        const value = `${this.signIn(user.id).cookie}; Path=/; HttpOnly; SameSite=Lax`;
        if (target.append) target.append('Set-Cookie', value);
        else target.appendHeader?.('Set-Cookie', value);
      },
    };
  }

  #pagePart(): Required<NonNullable<HostAdapter['pages']>> {
    return {
      list: async ({ search, limit }) =>
        this.#pages.filter((page) => page.title.toLowerCase().includes(search.toLowerCase())).slice(0, limit),
      get: async (id) => this.#pages.find((page) => page.id === id) ?? null,
      create: async ({ title }: NewHostPage) => {
        const id = Math.max(0, ...this.#pages.map((page) => page.id)) + 1;
        const slug =
          title
            .toLowerCase()
            .replaceAll(/[^a-z0-9]+/g, '-')
            .replaceAll(/^-|-$/g, '') || `page-${id}`;
        const taken = this.#pages.some((page) => page.link === `${this.#site.url}/${slug}/`);
        const page = { id, title, link: `${this.#site.url}/${taken ? `${slug}-${id}` : slug}/` };
        this.#pages.push(page);
        return page;
      },
      existsByPath: async (path) =>
        this.#pages.some((page) => trimSlash(new URL(page.link).pathname) === trimSlash(path)),
    };
  }

  #addonPart(seed: Readonly<Record<string, HostAddon>>): NonNullable<HostAdapter['addons']> {
    const addons = { ...seed };
    return {
      list: async () => addons,
      canInstall: async (user) => this.can(user.id, 'manage_options'),
      install: async (key) => {
        const addon = addons[key];
        if (addon === undefined) throw new Error('The memory host has no such addon.');
        addons[key] = { ...addon, is_installed: true };
      },
    };
  }
}

export function createMemoryHost(seed?: MemoryHostSeed): MemoryHost {
  return new MemoryHost(seed);
}

const trimSlash = (path: string): string => path.replace(/\/+$/, '') || '/';

function readCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const [key, ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}
