import type { IncomingMessage } from 'node:http';
import { systemClock } from '../src/core/clock.js';
import { nearMiss } from '../src/core/nearest.js';
import type {
  DefinedHost,
  HostDefinition,
  HostId,
  HostIdKind,
  PageRow,
  SessionOf,
} from './define-host-types.js';
import { hostPageIds, hostUserIds, type HostUserIds } from './host-user-ids.js';
import type {
  HostAdapter,
  HostPage,
  HostSite,
  HostUser,
  HostUserChanges,
  NewHostPage,
  NewHostUser,
} from './host.js';
import { profileOf, type ProfileFields } from './host-profile.js';
import { createNonces, type Nonces } from './nonces.js';
import { hostProblems } from './strict-host.js';

/**
 * How many users a search returns when it looks for an exact address or login that the host cannot be asked
 * for.
 */
const LOOK_AT = 50;
/** All capabilities that the library asks for. */
const ADMINISTRATOR: ReadonlySet<string> = new Set([
  'manage_options',
  'list_users',
  'fa_view_affiliates',
  'fa_view_referrals',
  'fa_view_visits',
  'fa_view_payouts',
]);

/**
 * Makes an adapter from what a host has: rows of users, a session, rights. Checks the definition at once and
 * names everything that is wrong in one TypeError. See docs/hosts.md §2.
 */
export function defineHost<Row, const Kind extends HostIdKind>(
  definition: HostDefinition<Row, Kind>,
): DefinedHost<Kind> {
  const problems = problemsOf(definition);
  if (problems.length > 0) throw new TypeError(`defineHost: ${problems.join(' ')}`);
  const host = new Host(definition).adapter();
  if (typeof definition.site === 'object') {
    const wrong = hostProblems(host);
    if (wrong.length > 0) throw new TypeError(`defineHost: ${wrong.join(' ')}`);
  }
  return host;
}

/** A signed-in row, and the user it is for the library. */
interface HostSession<Row> {
  readonly user: HostUser;
  readonly session: SessionOf<Row>;
}

class Host<Row, Kind extends HostIdKind> {
  readonly #nonces: Nonces;
  readonly #userIds: HostUserIds | null;
  readonly #pageIds: HostUserIds | null;
  /**
   * The user that `session` found last for a request: it is not asked again for the nonce of the same
   * request.
   */
  readonly #seen = new WeakMap<IncomingMessage, HostSession<Row>>();

  constructor(private readonly definition: HostDefinition<Row, Kind>) {
    this.#nonces = createNonces(definition.secret, { now: () => systemClock.now() });
    this.#userIds = definition.ids === 'text' ? hostUserIds() : null;
    this.#pageIds = definition.ids === 'text' ? hostPageIds() : null;
  }

  adapter(): DefinedHost<Kind> {
    const { mail, exchangeRate, addons, license, media, files, pages } = this.definition;
    return {
      site: () => this.#site(),
      currentUser: async (req) => (await this.#known(req))?.user ?? null,
      authenticate: async (req) => {
        const known = await this.#known(req);
        return known && { user: known.user, ambient: known.session.ambient !== false };
      },
      can: (userId, capability) => this.#can(userId, capability),
      nonces: {
        create: async (user, req) => this.#nonces.create(await this.#subject(user, req)),
        verify: async (nonce, user, req) => {
          const subject = await this.#subject(user, req).catch(() => null);
          return subject !== null && this.#nonces.verify(nonce, subject);
        },
      },
      users: this.#users(),
      userOf: async (hostId) => (await this.#withIds(await this.#rows([hostId])))[0] ?? null,
      ...(pages && { pages: this.#pages(pages) }),
      ...(addons && { addons }),
      ...(license && { license }),
      ...(media && { media }),
      ...(files && { files }),
      ...(mail && { mail }),
      ...(exchangeRate && { exchangeRate }),
      ...(this.#userIds && this.#pageIds && { connect: connectBoth(this.#userIds, this.#pageIds) }),
    };
  }

  #site(): HostSite {
    const { site } = this.definition;
    const { restPrefix = '/api', ...facts } = typeof site === 'function' ? site() : site;
    return { ...facts, restPrefix, url: String(facts.url).replace(/\/+$/, '') };
  }

  async #known(req: IncomingMessage): Promise<HostSession<Row> | null> {
    const session = await this.definition.session(req);
    if (session === null || session === undefined) return null;
    if (session.user === null || session.user === undefined) return null;
    if (typeof session.signIn !== 'string' || session.signIn === '')
      throw new TypeError('`session()` must answer `signIn`, a text that changes with every sign-in.');
    const [user] = await this.#withIds([session.user]);
    if (user === undefined) return null;
    const known = { user, session };
    this.#seen.set(req, known);
    return known;
  }

  async #subject(user: HostUser, req: IncomingMessage): Promise<{ userId: number; signIn: string }> {
    const seen = this.#seen.get(req);
    const known = seen?.user.id === user.id ? seen : await this.#known(req);
    if (known?.user.id !== user.id) throw new TypeError('This request is not the user’s.');
    return { userId: user.id, signIn: known.session.signIn };
  }

  async #can(userId: number, capability: string): Promise<boolean> {
    const [row] = await this.#rowsOf([userId]);
    if (row === undefined) return false;
    const rights = await this.definition.rights(row);
    if (rights === null || rights === undefined) return false;
    if (rights === 'administrator') return ADMINISTRATOR.has(capability);
    if (!Array.isArray(rights))
      throw new TypeError('`rights()` must answer "administrator" or a list of capabilities.');
    return (
      rights.includes(capability) || (rights.includes('manage_options') && ADMINISTRATOR.has(capability))
    );
  }

  #users(): DefinedHost<Kind>['users'] {
    const { create, update, signIn } = this.definition.users;
    return {
      find: async (ids) => this.#withIds(await this.#rowsOf(ids)),
      search: (text, limit) => this.#search(text, limit),
      findByEmail: (email) => this.#exact('email', email),
      findByLogin: (login) => this.#exact('login', login),
      ...(create && {
        create: async (input: NewHostUser) => {
          const [user] = await this.#withIds([await create(input)]);
          if (user === undefined) throw new TypeError('`users.create()` must answer the new user.');
          return user;
        },
      }),
      ...(update && {
        update: async (id: number, changes: HostUserChanges) => {
          const [row] = await this.#rowsOf([id]);
          if (row === undefined) throw new Error('The host does not know this user.');
          const [user] = await this.#withIds([await update(row, changes)]);
          if (user === undefined) throw new TypeError('`users.update()` must answer the user.');
          return user;
        },
      }),
      ...(signIn && {
        signIn: async (user: HostUser, req: IncomingMessage, res: unknown) => {
          const [row] = await this.#rowsOf([user.id]);
          if (row === undefined) throw new Error('The host does not know this user.');
          this.#seen.delete(req);
          await signIn(row, req, res);
        },
      }),
    };
  }

  /**
   * Databases of hosts may compare text case-sensitively: the search is repeated in lower case where that can
   * make a difference.
   */
  async #search(text: string, limit: number): Promise<HostUser[]> {
    if (limit < 1) return [];
    const wanted = text.trim();
    const found = await this.#withIds(await this.definition.users.search(wanted, limit));
    const lower = wanted.toLowerCase();
    if (found.length >= limit || lower === wanted) return found.slice(0, limit);
    const more = await this.#withIds(await this.definition.users.search(lower, limit));
    const known = new Set(found.map(({ id }) => id));
    return [...found, ...more.filter(({ id }) => !known.has(id))].slice(0, limit);
  }

  /**
   * Asks for the text as typed, then in lower case, then searches for it; results are compared
   * case-insensitively.
   */
  async #exact(field: 'email' | 'login', text: string): Promise<HostUser | null> {
    const { users } = this.definition;
    const wanted = text.trim();
    const lower = wanted.toLowerCase();
    if (wanted === '') return null;
    const ask = async (value: string): Promise<HostUser[]> => {
      const row = field === 'email' ? await users.byEmail?.(value) : await users.byLogin?.(value);
      return this.#withIds([row]);
    };
    const fits = (user: HostUser): boolean => user[field].toLowerCase() === lower;
    const asked = (await ask(wanted)).find(fits) ?? (lower === wanted ? [] : await ask(lower)).find(fits);
    return asked ?? (await this.#search(wanted, LOOK_AT)).find(fits) ?? null;
  }

  #pages(pages: NonNullable<HostDefinition<Row, Kind>['pages']>): NonNullable<HostAdapter['pages']> {
    return {
      list: async ({ search, limit }) =>
        limit < 1 ? [] : (await this.#pageList(await pages.list({ search, limit }))).slice(0, limit),
      create: async (page: NewHostPage) => {
        const [made] = await this.#pageList([await pages.create(page)]);
        if (made === undefined) throw new TypeError('`pages.create()` must answer the new page.');
        return made;
      },
      ...(pages.get && { get: (id: number) => this.#page(id) }),
      ...(pages.existsByPath && {
        existsByPath: async (path: string) => (await pages.existsByPath?.(path)) as boolean,
      }),
    };
  }

  async #page(id: number): Promise<HostPage | null> {
    const hostId = this.#pageIds === null ? id : (await this.#pageIds.hostIdsOf([id])).get(id);
    if (hostId === undefined) return null;
    const row = await this.definition.pages?.get?.(hostId as HostId<Kind>);
    return (await this.#pageList([row]))[0] ?? null;
  }

  async #pageList(rows: readonly (PageRow | null | undefined)[] | null | undefined): Promise<HostPage[]> {
    const known = listOf('pages.list', rows);
    const ids = await this.#integers(
      known.map(({ id }) => id),
      this.#pageIds,
      'a page',
    );
    const home = `${this.#site().url}/`;
    return known.map(({ id, title, link }) => ({
      id: ids.get(id) as number,
      title: String(title),
      link: URL.parse(link, home)?.href ?? link,
    }));
  }

  async #rowsOf(ids: readonly number[]): Promise<Row[]> {
    if (ids.length === 0) return [];
    const known = this.#userIds === null ? ids : [...(await this.#userIds.hostIdsOf(ids)).values()];
    return this.#rows(known as readonly HostId<Kind>[]);
  }

  async #rows(ids: readonly HostId<Kind>[]): Promise<Row[]> {
    return ids.length === 0 ? [] : listOf('users.byIds', await this.definition.users.byIds(ids));
  }

  async #withIds(rows: readonly (Row | null | undefined)[] | null | undefined): Promise<HostUser[]> {
    const known = listOf('users', rows).map((row): [Row, ProfileFields] => [
      row,
      profileOf(this.definition.user(row)),
    ]);
    const ids = await this.#integers(
      known.map(([, profile]) => profile.id),
      this.#userIds,
      'a user',
    );
    return known.map(([row, { id, ...profile }]) => {
      const edit = this.definition.userUrl?.(row);
      return { ...profile, id: ids.get(id) as number, ...(edit !== undefined && { edit_url: edit }) };
    });
  }

  /** The library's integers for these ids of the host. */
  async #integers(
    given: readonly (string | number)[],
    table: HostUserIds | null,
    whose: string,
  ): Promise<ReadonlyMap<string | number, number>> {
    if (table === null) return new Map(given.map((id) => [id, integerOf(id, whose)]));
    const texts = given.map(String);
    const ids = await table.idsOf(texts);
    return new Map(given.map((id) => [id, ids.get(String(id)) as number]));
  }
}

function connectBoth(users: HostUserIds, pages: HostUserIds): NonNullable<HostAdapter['connect']> {
  return (library) => {
    const done = [users.connect(library), pages.connect(library)];
    return () => {
      for (const disconnect of done) disconnect();
    };
  };
}

/** The rows, without null and undefined. */
function listOf<T>(part: string, rows: readonly (T | null | undefined)[] | null | undefined): T[] {
  if (rows === null || rows === undefined) return [];
  if (!Array.isArray(rows)) throw new TypeError(`\`${part}\` must answer a list.`);
  return rows.filter((row): row is T => row !== null && row !== undefined);
}

function integerOf(id: string | number, whose: string): number {
  const number = typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : id;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number;
  throw new TypeError(`The id of ${whose} is no positive integer; say \`ids: 'text'\` in defineHost.`);
}

const FUNCTIONS = ['session', 'user', 'rights', 'users.byIds', 'users.search'];
const OPTIONAL_FUNCTIONS = [
  'users.byEmail',
  'users.byLogin',
  'users.create',
  'users.update',
  'users.signIn',
  'pages.list',
  'pages.create',
  'pages.get',
  'pages.existsByPath',
  'userUrl',
  'mail',
  'exchangeRate',
];
const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': [
    'site',
    'ids',
    'secret',
    'session',
    'user',
    'rights',
    'users',
    'pages',
    'mail',
    'exchangeRate',
    'userUrl',
    'addons',
    'license',
    'media',
    'files',
  ],
  users: ['byIds', 'search', 'byEmail', 'byLogin', 'create', 'update', 'signIn'],
  pages: ['list', 'create', 'get', 'existsByPath'],
};

/** One sentence for each part that is missing, unknown or of the wrong kind. */
function problemsOf(definition: unknown): string[] {
  if (typeof definition !== 'object' || definition === null) return ['It takes an object.'];
  const { site, ids, secret, pages } = definition as Partial<HostDefinition<unknown>>;
  const wanted = [
    ...FUNCTIONS,
    ...OPTIONAL_FUNCTIONS.filter((path) => at(definition, path) !== undefined),
    ...(pages === undefined ? [] : ['pages.list', 'pages.create']),
  ];
  return [
    ...unknownKeys(definition),
    ...(typeof site === 'function' || (typeof site === 'object' && site !== null)
      ? []
      : ['`site` is missing: `{ url, name, timeZone }`, or a function that answers it.']),
    ...(ids === 'text' || ids === 'integer' ? [] : ["`ids` must be 'text' or 'integer'."]),
    ...(typeof secret === 'string' && secret.length >= 16
      ? []
      : ['`secret` must be a text of at least 16 characters.']),
    ...[...new Set(wanted)]
      .filter((path) => typeof at(definition, path) !== 'function')
      .map((path) => `\`${path}\` must be a function.`),
  ];
}

const unknownKeys = (definition: object): string[] =>
  Object.entries(KEYS).flatMap(([part, known]) => {
    const value = part === '' ? definition : at(definition, part);
    if (typeof value !== 'object' || value === null) return [];
    const before = part === '' ? '' : `${part}.`;
    return Object.keys(value)
      .filter((key) => !known.includes(key))
      .map((key) => {
        const near = nearMiss(key, known);
        const hint = near === null ? '.' : `; did you mean \`${before}${near}\`?`;
        return `\`${before}${key}\` is unknown${hint}`;
      });
  });

const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name],
      value,
    );
