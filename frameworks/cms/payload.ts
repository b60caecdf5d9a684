import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { defineHost, type DefinedHost, type HostDefinition } from '../../adapters/index.js';
import { toWeb, type WebPage } from '../index.js';
import {
  createAffiliateService,
  type AffiliateService,
  type AffiliateServiceOptions,
  type Handler,
} from '../../src/index.js';
import { derivedSecret, fullName, pagesOf, type PageSettings } from './pages.js';

// What is used of Payload 3; its own types fit.

export type PayloadRow = Readonly<Record<string, unknown>> & { readonly id: string | number };

export interface PayloadLike {
  readonly secret: string;
  readonly db: { readonly defaultIDType?: string };
  auth(args: { headers: Headers }): Promise<{ readonly user: unknown }>;
  find(args: never): Promise<{ readonly docs: readonly unknown[] }>;
  create(args: never): Promise<unknown>;
  update(args: never): Promise<unknown>;
  sendEmail(mail: never): Promise<unknown>;
}

export interface PayloadSettings extends PageSettings {
  readonly site: {
    readonly url: string;
    readonly name: string;
    readonly timeZone: string;
    /** Default `/api`; the plugin takes Payload's. */
    readonly restPrefix?: string;
    /** Where people sign in; default `<url>/admin/login`, which is Payload's own page. */
    readonly loginUrl?: string;
  };
  /** Who runs the program: `(user) => user.role === 'admin'`. */
  readonly isAdministrator: (user: PayloadRow) => boolean;
  /** The collection of the users who sign in; default `users`. */
  readonly collection?: string;
  /** Names of its fields; default `name`. */
  readonly fields?: { readonly name?: string };
  /**
   * Options of the service. Unless given, `database` is `affiliates.sqlite`, and `secret` is derived from
   * Payload's.
   */
  readonly options?: AffiliateServiceOptions;
  /** Replaces parts of the host: `pages`, `mail`, `rights`, … */
  readonly host?: Partial<Omit<HostDefinition<PayloadRow>, 'ids'>>;
  readonly adapter?: (host: DefinedHost) => DefinedHost;
}

export interface PayloadAffiliates {
  readonly service: AffiliateService;
  readonly host: DefinedHost;
  /** Console and portal, by the paths they are mounted at. */
  readonly pages: Readonly<Record<string, Handler>>;
  /**
   * For route handlers of Next: `export const GET = handle`, and POST, PUT, PATCH, DELETE.
   * With `page` it also tracks visits.
   */
  readonly handle: ReturnType<typeof toWeb>;
  /** For an Express application that Payload runs in: `affiliates.mount(app)`. */
  mount(app: { use(handler: Handler): unknown; use(path: string, handler: Handler): unknown }): void;
}

/**
 * The program of a Payload 3 site:
 * `const affiliates = payloadAffiliates(await getPayload({ config }), { … })`. See docs/hosts.md §4.
 */
export function payloadAffiliates(payload: PayloadLike, settings: PayloadSettings): PayloadAffiliates {
  const made = payloadHost(payload, settings);
  const host = settings.adapter?.(made) ?? made;
  const service = createAffiliateService(host, {
    database: { client: 'better-sqlite3', connection: 'affiliates.sqlite' },
    secret: derivedSecret(payload.secret, 'secret'),
    ...settings.options,
  });
  const pages = pagesOf(service, settings, settings.site.loginUrl ?? '/admin/login');
  return {
    service,
    host,
    pages,
    handle: toWeb(service, pages),
    mount: (app) => {
      app.use(service.tracker);
      app.use(service.basePath, service.router);
      for (const [path, handler] of Object.entries(pages)) app.use(path, handler);
    },
  };
}

/** What the plugin uses and changes of Payload's config. */
export interface PayloadConfigLike {
  readonly routes?: { readonly api?: string };
  readonly collections?: readonly {
    readonly slug: string;
    readonly hooks?: { readonly afterDelete?: readonly unknown[] };
  }[];
  readonly endpoints?: readonly unknown[];
  readonly admin?: { readonly components?: { readonly afterNavLinks?: readonly unknown[] } };
  readonly onInit?: (payload: never) => unknown;
}

export interface PayloadPluginSettings extends PayloadSettings {
  /**
   * How many proxies in front of the site write `X-Forwarded-For`: 1 behind one nginx or on Vercel. With 0 no
   * address is trusted, and all visitors share the limits of one.
   */
  readonly proxies: number;
  /** The item of the admin's navigation that opens the console; `false` for none. Default: `Affiliates`. */
  readonly navLabel?: string | false;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'] as const;

type PayloadRequest = Request & { readonly payload: object };

/**
 * The Payload plugin: `plugins: [affiliates({ … })]` (docs/hosts.md §4). It adds the REST interface to
 * Payload's API, console and portal below it (`/api/affiliate-admin`, `/api/partners`) and an item to the
 * admin's navigation, and notifies the program of deleted accounts. The program is made when Payload is
 * initialized, and opens its database with `affiliatesOf().service.ready()` or the first request.
 */
export function affiliates(
  settings: PayloadPluginSettings,
): <Config extends PayloadConfigLike>(config: Config) => Config {
  return <Config extends PayloadConfigLike>(config: Config): Config => {
    const { collection = 'users', navLabel = 'Affiliates', options, proxies } = settings;
    const api = config.routes?.api ?? '/api';
    const placed: PayloadSettings = {
      ...settings,
      console: placedAt(`${api}/affiliate-admin`, settings.console),
      portal: placedAt(`${api}/partners`, settings.portal),
      site: { restPrefix: api, ...settings.site },
    };
    const namespace =
      options?.namespace ?? (options?.compat === undefined ? 'affiliate-service' : options.compat);
    // the site's proxy file serves pages elsewhere
    const paths = [`${api}/${namespace}/v2`, pathOf(placed.console), pathOf(placed.portal)]
      .filter((path) => path?.startsWith(`${api}/`))
      .map((path) => `${path!.slice(api.length)}/:path*`);
    const handler = async (req: PayloadRequest): Promise<Response> =>
      affiliatesOf(req.payload).handle(req, undefined, { proxies });
    const added = {
      endpoints: [
        ...(config.endpoints ?? []),
        ...paths.flatMap((path) => METHODS.map((method) => ({ path, method, handler }))),
      ],
      collections: (config.collections ?? []).map((each) =>
        each.slug === collection ? withForgetting(each) : each,
      ),
      onInit: async (payload: PayloadLike) => {
        await config.onInit?.(payload as never);
        startFor(payload, placed, proxies);
      },
      ...(navLabel !== false && {
        admin: { ...config.admin, components: withLink(config, navLabel, pathOf(placed.console)) },
      }),
    };
    // the same config with more in its lists
    return { ...config, ...added };
  };
}

const placedAt = <P extends { readonly path?: string }>(
  path: string,
  pages: false | P | undefined,
): false | P => (pages === false ? false : ({ path, ...pages } as P));

const pathOf = (pages: PayloadSettings['console']): string | undefined =>
  pages === false ? undefined : pages?.path;

function withLink(config: PayloadConfigLike, label: string, path: string | undefined): object {
  const { components = {} } = config.admin ?? {};
  if (path === undefined) return components;
  const link = {
    path: 'affiliate-service/payload/nav#AffiliatesLink',
    serverProps: { href: `${path}/`, label },
  };
  return { ...components, afterNavLinks: [...(components.afterNavLinks ?? []), link] };
}

/** Accounts that are deleted leave the program too. */
function withForgetting<C extends { readonly hooks?: { readonly afterDelete?: readonly unknown[] } }>(
  collection: C,
): C {
  const forget = async ({ id, req }: { readonly id: string | number; readonly req: PayloadRequest }) =>
    forgetAffiliate(() => affiliatesOf(req.payload).service)({ id });
  const { hooks = {} } = collection;
  return { ...collection, hooks: { ...hooks, afterDelete: [...(hooks.afterDelete ?? []), forget] } };
}

// Bundles of one process have copies of this file; Payload's instance and the global object are the same for all.
const KEY = Symbol.for('affiliate-service.payload');
interface Started extends PayloadAffiliates {
  readonly proxies: number;
}
type Holder = { [KEY]?: Started };

/** Opens no database and runs no jobs: commands and builds initialize Payload, too. */
function startFor(payload: PayloadLike, settings: PayloadSettings, proxies: number): void {
  const holder = payload as PayloadLike & Holder;
  holder[KEY] ??= { ...payloadAffiliates(payload, settings), proxies };
  (globalThis as Holder)[KEY] = holder[KEY];
}

/**
 * The program that the plugin has made: for this instance of Payload, or for the one of this process. Throws while
 * Payload is not initialized.
 */
export function affiliatesOf(payload?: object): PayloadAffiliates {
  const started = ((payload ?? globalThis) as Holder)[KEY];
  if (started === undefined)
    throw new Error(
      'There is no affiliate program yet: add `affiliates({ … })` to the plugins, and await getPayload().',
    );
  return started;
}

/**
 * For `proxy.js`: counts clicks before each page, and serves console and portal where they are not below
 * Payload's API: `export const proxy = (request) => trackAffiliates(request, () => NextResponse.next())`.
 * Until Payload is initialized, pages pass.
 */
export async function trackAffiliates(request: Request, page: WebPage): Promise<Response> {
  const started = (globalThis as Holder)[KEY];
  if (started === undefined) return page(request);
  return withOrigin(await started.handle(request, page, { proxies: started.proxies }), request.url);
}

/** Next refuses a redirect of a proxy whose address has no origin. */
function withOrigin(response: Response, url: string): Response {
  const location = response.headers.get('Location');
  if (location === null) return response;
  const headers = new Headers(response.headers);
  headers.set('Location', new URL(location, url).href);
  return new Response(response.body, { status: response.status, headers });
}

/** The host adapter of a Payload site, made from its local API. */
export function payloadHost(payload: PayloadLike, settings: PayloadSettings): DefinedHost {
  const { collection = 'users', fields = {}, isAdministrator, host = {} } = settings;
  const { name = 'name' } = fields;
  const common = { collection, overrideAccess: true, depth: 0 };
  const rows = async (where: object, limit: number): Promise<PayloadRow[]> =>
    (await payload.find({ ...common, where, limit, pagination: false } as never)).docs as PayloadRow[];
  const textOf = (row: PayloadRow, field: string): string => String(row[field] ?? '');
  const definition: HostDefinition<PayloadRow> = {
    site: {
      adminUrl: `${settings.site.url}/admin`,
      loginUrl: `${settings.site.url}/admin/login`,
      ...settings.site,
    },
    ids: payload.db.defaultIDType === 'number' ? 'integer' : 'text',
    secret: derivedSecret(payload.secret, 'nonces'),
    session: async (req) => {
      const { user } = await payload.auth({ headers: headersOf(req) });
      const row = user as (PayloadRow & { collection?: string; _sid?: string }) | null;
      if (row === null || row === undefined || (row.collection ?? collection) !== collection) return null;
      return { user: row, signIn: row._sid ?? signInOf(req), ambient: hasCookie(req) };
    },
    user: (row) => ({
      id: row.id,
      email: textOf(row, 'email'),
      login: textOf(row, 'username'),
      name: textOf(row, name),
      registered_at: (row['createdAt'] ?? null) as string | null,
    }),
    rights: (row) => (isAdministrator(row) ? 'administrator' : []),
    userUrl: (row) => `${settings.site.url}/admin/collections/${collection}/${row.id}`,
    users: {
      byIds: (ids) => rows({ id: { in: ids } }, ids.length),
      search: (text, limit) =>
        rows(text === '' ? {} : { or: ['email', name].map((field) => ({ [field]: { like: text } })) }, limit),
      byEmail: async (email) => (await rows({ email: { equals: email.toLowerCase() } }, 1))[0],
      create: async ({ login, email, password, first_name, last_name }) =>
        (await payload.create({
          ...common,
          data: { email, password, [name]: fullName({ first_name, last_name, login }) },
        } as never)) as PayloadRow,
      update: async (row, { first_name = '', last_name = '' }) =>
        (await payload.update({
          ...common,
          id: row.id,
          data: { [name]: fullName({ first_name, last_name }) || textOf(row, name) },
        } as never)) as PayloadRow,
    },
    mail: async ({ from, ...mail }) => {
      await payload.sendEmail({ ...mail, ...(from !== undefined && { from }) } as never);
    },
    ...host,
  };
  return defineHost(definition);
}

/**
 * Call it in the `afterDelete` hook of the collection:
 * `hooks: { afterDelete: [forgetAffiliate(() => affiliates.service)] }`.
 */
export const forgetAffiliate =
  (service: () => AffiliateService) =>
  async ({ id }: { readonly id: string | number }): Promise<void> => {
    await service().ready();
    await service().users.deleted(id);
  };

const headersOf = (req: IncomingMessage): Headers => {
  const headers = new Headers();
  for (const [key, value] of Object.entries(req.headers))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) headers.append(key, each);
  return headers;
};

const COOKIE = /(?:^|; )[\w-]+-token=([^;]*)/;
const hasCookie = (req: IncomingMessage): boolean => COOKIE.test(req.headers.cookie ?? '');
const signInOf = (req: IncomingMessage): string =>
  createHash('sha256')
    .update(COOKIE.exec(req.headers.cookie ?? '')?.[1] ?? req.headers.authorization ?? '')
    .digest('hex');
