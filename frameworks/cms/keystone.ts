import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { defineHost, type DefinedHost, type HostDefinition } from '../../adapters/index.js';
import {
  createAffiliateService,
  type AffiliateService,
  type AffiliateServiceOptions,
  type Handler,
} from '../../src/index.js';
import { derivedSecret, fullName, pagesOf, type PageSettings } from './pages.js';

// What is used of Keystone 8; its own types fit.

/** A row of a list; the site decides which fields there are. */
export type KeystoneRow = Readonly<Record<string, unknown>> & { readonly id: string | number | bigint };

interface List {
  findMany(query: object): Promise<readonly unknown[]>;
  createOne(input: object): Promise<unknown>;
  updateOne(input: object): Promise<unknown>;
}

export interface KeystoneContext {
  readonly session?: unknown;
  sudo(): { readonly db: Readonly<Record<string, List | undefined>> };
  withRequest(req: IncomingMessage, res?: ServerResponse): Promise<KeystoneContext>;
}

export interface KeystoneApp {
  use(handler: Handler): unknown;
  use(path: string, handler: Handler): unknown;
}

export interface KeystoneSettings extends PageSettings {
  /** The secret of the site, at least 32 characters: that of `statelessSessions`, for example. */
  readonly secret: string;
  readonly site: {
    readonly url: string;
    readonly name: string;
    readonly timeZone: string;
    /** Where people sign in; default `<url>/signin`, which is Keystone's own page without `ui.basePath`. */
    readonly loginUrl?: string;
  };
  /** The list of the users who sign in; default `User`. */
  readonly list?: string;
  /** Names of its fields; default `email`, `name`, `password`. */
  readonly fields?: { readonly email?: string; readonly name?: string; readonly password?: string };
  /** Who runs the program: `(user) => user.isAdmin === true`. */
  readonly isAdministrator: (user: KeystoneRow) => boolean;
  /** `text` (cuid, uuid: Keystone's default) or `integer` (`autoincrement`). */
  readonly ids?: 'text' | 'integer';
  /**
   * Options of the service. Unless given, `database` is `affiliates.sqlite`, and `secret` is derived from
   * `secret` above.
   */
  readonly options?: AffiliateServiceOptions;
  /** Replaces parts of the host: `pages`, `mail`, `rights`, … */
  readonly host?: Partial<Omit<HostDefinition<KeystoneRow, 'text'>, 'ids'>>;
  readonly adapter?: (host: DefinedHost) => DefinedHost;
  /** Called with the service when it is created: the place to add hooks, orders and routes of the shop. */
  readonly setup?: (service: AffiliateService, app: KeystoneApp, context: KeystoneContext) => void;
}

/** `server: { extendExpressApp: affiliates({ … }) }` in the config of Keystone 8. See docs/hosts.md §4. */
export function affiliates(settings: KeystoneSettings): (app: unknown, context: unknown) => Promise<void> {
  return async (given, commonContext) => {
    const [app, context] = [given as KeystoneApp, commonContext as KeystoneContext];
    const host = keystoneHost(context, settings);
    const service = createAffiliateService(settings.adapter?.(host) ?? host, {
      database: { client: 'better-sqlite3', connection: 'affiliates.sqlite' },
      secret: derivedSecret(settings.secret, 'secret'),
      ...settings.options,
    });
    app.use(service.tracker);
    app.use(service.basePath, service.router);
    for (const [path, handler] of Object.entries(
      pagesOf(service, settings, settings.site.loginUrl ?? '/signin'),
    ))
      app.use(path, handler);
    settings.setup?.(service, app, context);
    await service.ready();
  };
}

/** The host adapter of a Keystone site, made from its own context. */
export function keystoneHost(context: KeystoneContext, settings: KeystoneSettings): DefinedHost {
  const { list = 'User', fields = {}, isAdministrator, host = {} } = settings;
  const { email = 'email', name = 'name', password = 'password' } = fields;
  const people = (): List => {
    const found = context.sudo().db[list];
    if (found === undefined) throw new Error(`affiliate-service: Keystone has no list ${list}.`);
    return found;
  };
  const rows = async (where: object, take: number): Promise<KeystoneRow[]> =>
    (await people().findMany({ where, take })) as KeystoneRow[];
  const textOf = (row: KeystoneRow, field: string): string => String(row[field] ?? '');
  const definition: HostDefinition<KeystoneRow, 'text'> = {
    site: { loginUrl: `${settings.site.url}/signin`, ...settings.site },
    ids: (settings.ids ?? 'text') as 'text',
    secret: derivedSecret(settings.secret, 'nonces'),
    session: async (req) => {
      const { session } = await context.withRequest(req);
      const { itemId, listKey } = (session ?? {}) as { itemId?: unknown; listKey?: unknown };
      if (itemId === undefined || itemId === null || (listKey !== undefined && listKey !== list)) return null;
      const [user] = await rows({ id: { equals: itemId } }, 1);
      const bearer = req.headers.authorization?.startsWith('Bearer ') === true && !hasSession(req);
      return user && { user, signIn: signInOf(req), ambient: !bearer };
    },
    user: (row) => ({
      id: typeof row.id === 'bigint' ? String(row.id) : row.id,
      email: textOf(row, email),
      name: textOf(row, name),
      registered_at: (row['createdAt'] ?? null) as Date | string | null,
    }),
    rights: (row) => (isAdministrator(row) ? 'administrator' : []),
    users: {
      byIds: (ids) => rows({ id: { in: ids } }, ids.length),
      search: (text, limit) =>
        rows(
          text === '' ? {} : { OR: [email, name].map((field) => ({ [field]: { contains: text } })) },
          limit,
        ),
      byEmail: async (address) => (await rows({ [email]: { equals: address } }, 1))[0],
      create: async ({ login, email: address, password: secret, first_name, last_name }) =>
        (await people().createOne({
          data: {
            [email]: address,
            [name]: fullName({ first_name, last_name, login }),
            [password]: secret,
          },
        })) as KeystoneRow,
      update: async (row, { first_name = '', last_name = '' }) =>
        (await people().updateOne({
          where: { id: row.id },
          data: { [name]: fullName({ first_name, last_name }) || textOf(row, name) },
        })) as KeystoneRow,
    },
    ...host,
  };
  return defineHost(definition);
}

const COOKIE = /(?:^|; )keystonejs-session=([^;]*)/;
const hasSession = (req: IncomingMessage): boolean => COOKIE.test(req.headers.cookie ?? '');

/** Stateless sessions have no id, but their sealed text changes with every sign-in. */
const signInOf = (req: IncomingMessage): string =>
  createHash('sha256')
    .update(COOKIE.exec(req.headers.cookie ?? '')?.[1] || (req.headers.authorization ?? 'custom'))
    .digest('hex');
