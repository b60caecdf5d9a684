import { isMap } from '../src/core/is-map.js';
import { AffiliateError } from '../src/errors.js';
import type { HostAdapter, HostMedia, HostPage, HostSite, HostUser } from './host.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Wraps the adapter of a host and checks what it returns. Rights and nonces pass only on `true`. A value that
 * does not match the interface is a 500 `host_answer_invalid` that names the part. `undefined` is read as
 * null, a missing text of a user as "". Optional parts are looked up at every call, so a host may add or
 * remove them while it runs. Throws one TypeError with a sentence for everything that is missing or wrong.
 */
export function strictHost(host: HostAdapter): HostAdapter {
  const problems = hostProblems(host);
  if (problems.length > 0) throw new TypeError(`The host adapter cannot be used. ${problems.join(' ')}`);
  return new StrictHost(host);
}

class StrictHost implements HostAdapter {
  #site: { readonly given: HostSite; readonly checked: HostSite } | undefined;

  constructor(private readonly host: HostAdapter) {}

  site(): HostSite {
    const given = this.host.site();
    if (this.#site === undefined || !isSameSite(this.#site.given, given)) {
      if (siteProblems(given).length > 0) refuse('site');
      this.#site = { given, checked: { ...given, url: given.url.replace(/\/+$/, '') } };
    }
    return this.#site.checked;
  }

  async currentUser(req: Parameters<HostAdapter['currentUser']>[0]): Promise<HostUser | null> {
    return userOrNull('currentUser', await this.host.currentUser(req));
  }

  async can(userId: number, capability: string): Promise<boolean> {
    return yesOrNo('can', await this.host.can(userId, capability));
  }

  get authenticate(): NonNullable<HostAdapter['authenticate']> {
    return (this.host.authenticate &&
      (async (req) =>
        orNull('authenticate', await this.host.authenticate?.(req), (part, value) => {
          const { user: who, ambient } = object(part, value);
          return { user: user(part, who), ambient: yesOrNo(part, ambient) };
        }))) as NonNullable<HostAdapter['authenticate']>;
  }

  get nonces(): HostAdapter['nonces'] {
    const { nonces } = this.host;
    return {
      create: async (user, req) => text('nonces.create', await nonces.create(user, req)),
      verify: async (nonce, user, req) => yesOrNo('nonces.verify', await nonces.verify(nonce, user, req)),
    };
  }

  get users(): HostAdapter['users'] {
    const { users } = this.host;
    return {
      find: async (ids) => {
        const wanted = new Set(ids);
        return wanted.size === 0
          ? []
          : list('users.find', await users.find(ids), user).filter(({ id }) => wanted.delete(id));
      },
      search: async (wanted, limit) =>
        limit < 1 ? [] : list('users.search', await users.search(wanted, limit), user).slice(0, limit),
      ...(users.findByLogin && {
        findByLogin: async (login) => userOrNull('users.findByLogin', await users.findByLogin?.(login)),
      }),
      ...(users.findByEmail && {
        findByEmail: async (email) => userOrNull('users.findByEmail', await users.findByEmail?.(email)),
      }),
      ...(users.create && {
        create: async (input) => user('users.create', await users.create?.(input)),
      }),
      ...(users.update && {
        update: async (id, changes) => user('users.update', await users.update?.(id, changes)),
      }),
      ...(users.signIn && {
        signIn: async (whom, req, res) => {
          await users.signIn?.(whom, req, res);
        },
      }),
    };
  }

  get pages(): HostAdapter['pages'] {
    const { pages } = this.host;
    return (
      pages && {
        list: async (query) => list('pages.list', await pages.list(query), page).slice(0, query.limit),
        create: async (input) => page('pages.create', await pages.create(input)),
        ...(pages.get && {
          get: async (id) => orNull('pages.get', await pages.get?.(id), page),
        }),
        ...(pages.existsByPath && {
          existsByPath: async (path) => yesOrNo('pages.existsByPath', await pages.existsByPath?.(path)),
        }),
      }
    );
  }

  get addons(): HostAdapter['addons'] {
    const { addons } = this.host;
    return (
      addons && {
        list: async () => object('addons.list', await addons.list()) as never, // entries are the host's
        canInstall: async (whom) => yesOrNo('addons.canInstall', await addons.canInstall(whom)),
        install: async (key) => addons.install(key),
      }
    );
  }

  get media(): HostAdapter['media'] {
    const { media } = this.host;
    return media && { get: async (id) => orNull('media.get', await media.get(id), picture) };
  }

  get files(): HostAdapter['files'] {
    const { files } = this.host;
    return files && { put: async (file) => stored('files.put', await files.put(file)) };
  }

  get license(): HostAdapter['license'] {
    const { license } = this.host;
    return (
      license && {
        status: async (options) => object('license.status', await license.status(options)),
        activate: async (key) => object('license.activate', await license.activate(key)),
        deactivate: async () => object('license.deactivate', await license.deactivate()),
      }
    );
  }

  /** Not checked here: the caller does, and what is no rate makes the commission wait for a person. */
  get exchangeRate(): NonNullable<HostAdapter['exchangeRate']> {
    const { host } = this;
    return (host.exchangeRate &&
      (async (from, to) => (await host.exchangeRate?.(from, to)) ?? null)) as NonNullable<
      HostAdapter['exchangeRate']
    >;
  }

  get mail(): NonNullable<HostAdapter['mail']> {
    return (this.host.mail && this.host.mail.bind(this.host)) as NonNullable<HostAdapter['mail']>;
  }
}

function refuse(part: string): never {
  throw new AffiliateError('host_answer_invalid', {
    message: `The host adapter's part \`${part}\` gave an answer that cannot be used.`,
    data: { part },
  });
}

const object = (part: string, value: unknown): Fields => (isMap(value) ? value : refuse(part));
const yesOrNo = (part: string, value: unknown): boolean =>
  typeof value === 'boolean' ? value : refuse(part);
const text = (part: string, value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : refuse(part);
const isId = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

type Reader<T> = (part: string, value: unknown) => T;
const orNull = <T>(part: string, value: unknown, read: Reader<T>): T | null =>
  value === null || value === undefined ? null : read(part, value);
const list = <T>(part: string, value: unknown, read: Reader<T>): T[] =>
  Array.isArray(value) ? value.map((each) => read(part, each)) : refuse(part);
const userOrNull = (part: string, value: unknown): HostUser | null => orNull(part, value, user);

const USER_TEXTS = [
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

/** Returns the host's own object if it is complete, so that the host can recognize it. */
function user(part: string, value: unknown): HostUser {
  if (!isMap(value) || !isId(value['id'])) refuse(part);
  const { language } = value;
  if (language !== undefined && language !== null && typeof language !== 'string') refuse(part);
  if (USER_TEXTS.every((name) => typeof value[name] === 'string')) return value as unknown as HostUser; // checked
  const texts = Object.fromEntries(
    USER_TEXTS.map((name) => {
      const given = value[name] ?? '';
      return [name, typeof given === 'string' ? given : refuse(part)];
    }),
  );
  const shown = texts['display_name'] || texts['full_name'] || texts['login'];
  return {
    ...value,
    ...texts,
    display_name: shown,
    full_name: texts['full_name'] || `${texts['first_name']} ${texts['last_name']}`.trim() || shown,
  } as unknown as HostUser; // every text is filled in
}

function page(part: string, value: unknown): HostPage {
  const known = object(part, value);
  if (!isId(known['id']) || typeof known['title'] !== 'string' || typeof known['link'] !== 'string')
    refuse(part);
  return value as HostPage;
}

function stored(part: string, value: unknown): { readonly url: string } {
  const { url } = object(part, value);
  return typeof url === 'string' && /^https?:\/\//u.test(url) ? { url } : refuse(part);
}

function picture(part: string, value: unknown): HostMedia {
  if (typeof object(part, value)['url'] !== 'string') refuse(part);
  return value as HostMedia;
}

const SITE_FIELDS = [
  'url',
  'name',
  'timeZone',
  'restPrefix',
  'description',
  'adminEmail',
  'adminUrl',
  'loginUrl',
  'language',
] as const;

const isSameSite = (known: HostSite, given: HostSite): boolean =>
  known === given || (isMap(given) && SITE_FIELDS.every((name) => known[name] === given[name]));

function siteProblems(site: unknown): string[] {
  if (!isMap(site))
    return ['`site()` must answer an object with `url`, `name`, `timeZone` and `restPrefix`.'];
  const { url, name, timeZone, restPrefix } = site;
  const address = typeof url === 'string' ? URL.parse(url) : null;
  return [
    (address?.protocol === 'http:' || address?.protocol === 'https:') &&
    address.search + address.hash + address.username + address.password === ''
      ? ''
      : '`site().url` must be the http(s) address of the home page, without user name and password.',
    typeof name === 'string' ? '' : '`site().name` must be a text.',
    isTimeZone(timeZone) ? '' : '`site().timeZone` must be an IANA name such as "Europe/Berlin".',
    typeof restPrefix === 'string' && /^(?:\/[^\s/?#]+)*\/?$/.test(restPrefix)
      ? ''
      : '`site().restPrefix` must be a path that begins with a slash, such as "/api", or "".',
  ].filter(Boolean);
}

function isTimeZone(name: unknown): boolean {
  if (name === 'UTC') return true; // without loading the tables of all zones
  if (typeof name !== 'string' || name === '') return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const FUNCTIONS = [
  'site',
  'currentUser',
  'can',
  'nonces.create',
  'nonces.verify',
  'users.find',
  'users.search',
];
/** The members of optional parts; a part must have all of them or be absent. */
const OPTIONAL_PARTS: Readonly<Record<string, readonly string[]>> = {
  pages: ['list', 'create'],
  addons: ['list', 'canInstall', 'install'],
  media: ['get'],
  files: ['put'],
  license: ['status', 'activate', 'deactivate'],
};
const OPTIONAL_FUNCTIONS = [
  'users.findByLogin',
  'users.findByEmail',
  'users.create',
  'users.signIn',
  'pages.get',
  'pages.existsByPath',
  'exchangeRate',
  'mail',
  'authenticate',
  'connect',
];

/** One sentence for everything that is missing or wrong. */
export function hostProblems(host: unknown): string[] {
  if (!isMap(host)) return ['It must be an object.'];
  const wanted = [
    ...FUNCTIONS,
    ...Object.entries(OPTIONAL_PARTS)
      .filter(([part]) => at(host, part) !== undefined && at(host, part) !== null)
      .flatMap(([part, names]) => names.map((name) => `${part}.${name}`)),
    ...OPTIONAL_FUNCTIONS.filter((path) => at(host, path) !== undefined && at(host, path) !== null),
  ];
  const missing = wanted
    .filter((path) => typeof at(host, path) !== 'function')
    .map((path) => `\`${path}\` must be a function.`);
  return [...missing, ...(typeof at(host, 'site') === 'function' ? siteOf(host) : [])];
}

function siteOf(host: unknown): string[] {
  try {
    return siteProblems((host as HostAdapter).site());
  } catch {
    return ['`site()` threw an error.'];
  }
}

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Fields | null | undefined)?.[name], value);
