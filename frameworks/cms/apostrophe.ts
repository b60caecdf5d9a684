import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { defineHost, type DefinedHost, type HostDefinition } from '../../adapters/index.js';
import {
  createAffiliateService,
  type AffiliateService,
  type AffiliateServiceOptions,
  type Handler,
} from '../../src/index.js';
import type { ApostropheModule, ApostropheRequest, ApostropheUser, Apostrophe } from './apostrophe-types.js';
import { derivedSecret, fullName, pagesOf, type PageSettings } from './pages.js';

export interface ApostropheSettings extends PageSettings {
  /**
   * Options of the service. Unless given, `database` is `data/affiliates.sqlite` in the project, and `secret`
   * is derived from the secret of the session.
   */
  readonly options?: AffiliateServiceOptions;
  /** Replaces parts of the host: `{ site: { timeZone: 'Europe/Berlin' } }`, `rights`, `user`. */
  readonly host?: Partial<Omit<HostDefinition<ApostropheUser, 'text'>, 'site' | 'ids'>> & {
    readonly site?: Partial<Exclude<HostDefinition<ApostropheUser, 'text'>['site'], () => unknown>>;
  };
  /** Changes the whole adapter, for cases that `host` does not cover. */
  readonly adapter?: (host: DefinedHost<'text'>) => DefinedHost<'text'>;
  /** Called with the service when it is created: the place to add hooks or handle orders. */
  readonly setup?: (service: AffiliateService, apos: Apostrophe) => void;
}

/**
 * The program as a module of ApostropheCMS 4, listed in `modules` of `app.js`: `'affiliate-program':
 * affiliates({ … })`. Code reaches the service as `apos.affiliates.service`. Jobs run in the process that
 * serves the site, never in command-line tasks. See docs/hosts.md §4.
 */
export function affiliates(settings: ApostropheSettings = {}): object {
  return {
    options: { alias: 'affiliates', csrfExceptions: exceptionsOf(settings) },
    init(self: ApostropheModule) {
      const host = hostOf(self.apos, settings);
      self.host = settings.adapter?.(host) ?? host;
      self.service = createAffiliateService(self.host, {
        database: {
          client: 'better-sqlite3',
          connection: join(self.apos.rootDir, 'data', 'affiliates.sqlite'),
        },
        secret: derivedSecret(sessionSecret(self.apos), 'secret'),
        ...settings.options,
        jobs: !self.apos.isTask() && settings.options?.jobs !== false,
      });
      settings.setup?.(self.service, self.apos);
      const console = settings.console === false ? undefined : (settings.console?.path ?? '/affiliate-admin');
      if (console !== undefined)
        self.apos.adminBar?.add(
          'affiliate-program',
          'Affiliates',
          { action: 'edit', type: '@apostrophecms/user' },
          { href: console },
        );
    },
    middleware(self: ApostropheModule) {
      const service = self.service as AffiliateService;
      const pages = Object.entries(pagesOf(service, settings, '/login'));
      return {
        // These handlers run before the parsers of the CMS: signatures cover the bytes as received, and an
        // API key is not a bearer token of the CMS.
        affiliateDeliveries: {
          before: '@apostrophecms/express',
          url: service.basePath,
          middleware: ((req, res, next) => {
            if (!isDelivery(req)) next();
            else service.router(req, res, next);
          }) satisfies Handler,
        },
        affiliateTracker: service.tracker,
        affiliateInterface: { url: service.basePath, middleware: service.router },
        ...Object.fromEntries(
          pages.map(([url, middleware], at) => [`affiliatePages${at}`, { url, middleware }]),
        ),
      };
    },
    handlers(self: ApostropheModule) {
      const service = self.service as AffiliateService;
      return {
        '@apostrophecms/user:afterDelete': {
          forgetAffiliate: async (_req: unknown, user: ApostropheUser) => {
            await service.ready();
            await service.users.deleted(idOf(user));
          },
        },
        'apostrophe:destroy': {
          closeAffiliates: () => service.close(),
        },
      };
    },
  };
}

const isDelivery = (req: IncomingMessage): boolean =>
  req.url?.startsWith('/webhooks/') === true || /^Bearer +fak_/i.test(req.headers.authorization ?? '');

// Exempt from the CMS's own check: the interface asks for a nonce itself, the tracker is public, and
// connected sites sign their requests.
const exceptionsOf = ({ options, host }: ApostropheSettings): string[] => {
  const base = `${host?.site?.restPrefix ?? '/api'}/${options?.namespace ?? 'affiliate-service'}/v2`;
  return [base, `${base}/**`];
};

function sessionSecret(apos: Apostrophe): string {
  const secret = apos.modules['@apostrophecms/express']?.options['session']?.secret;
  if (typeof secret === 'string' && secret.length >= 8) return secret;
  throw new Error(
    'affiliate-service: give @apostrophecms/express `session: { secret }` of at least 8 characters, ' +
      'or the module `options: { secret }` and `host: { secret }`.',
  );
}

const idOf = (user: ApostropheUser): string => user.aposDocId ?? user._id;

function hostOf(apos: Apostrophe, { host = {} }: ApostropheSettings): DefinedHost<'text'> {
  const { site, users, ...more } = host;
  const people = (query: object) =>
    apos.user.find(apos.task.getReq(), query).archived(null).areas(false).relationships(false);
  const everything = {}; // an empty text finds all
  const like = (text: string) => ({ $regex: escaped(text), $options: 'i' });
  const mailer = apos.modules['@apostrophecms/email'];
  return defineHost<ApostropheUser, 'text'>({
    site: {
      url: apos.baseUrl ?? 'http://localhost:3000',
      name: apos.shortName,
      timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      loginUrl: `${apos.baseUrl ?? ''}/login`,
      ...site,
    },
    ids: 'text',
    secret: derivedSecret(host.secret ?? sessionSecret(apos), 'nonces'),
    session: (plain) => {
      const req = plain as ApostropheRequest;
      if (!req.user?._id) return null;
      const token = typeof req.token === 'string' && req.token !== '' ? req.token : null;
      return { user: req.user, signIn: token ?? req.sessionID ?? 'none', ambient: token === null };
    },
    user: (user) => ({
      id: idOf(user),
      email: user.email ?? '',
      login: user.username,
      name: user.title,
      registered_at: user.createdAt,
      ...(user.role !== undefined && { roles: [user.role] }),
    }),
    rights: (user) => (user.role === 'admin' && !user.archived ? 'administrator' : []),
    users: {
      byIds: (ids) => people({ _id: { $in: ids } }).toArray(),
      search: (text, limit) =>
        people(
          text === ''
            ? everything
            : { $or: ['username', 'email', 'title'].map((field) => ({ [field]: like(text) })) },
        )
          .limit(limit)
          .toArray(),
      byEmail: (email) => people({ email }).toObject(),
      byLogin: (username) => people({ username }).toObject(),
      create: async ({ login, email, password, first_name, last_name }) =>
        apos.user.insert(apos.task.getReq(), {
          ...apos.user.newInstance(),
          username: login,
          title: fullName({ first_name, last_name, login }),
          email,
          password,
          role: 'guest',
        }),
      update: async (user, { first_name, last_name }) => {
        const [known] = await people({ _id: user._id }).toArray();
        const title = fullName({ first_name: first_name ?? '', last_name: last_name ?? '' });
        if (known === undefined || title === '') return user;
        return apos.user.update(apos.task.getReq(), { ...known, title });
      },
      signIn: async (user, plain) => {
        await apos.login.passportLogin(plain, user);
      },
      ...users,
    },
    pages: {
      list: async ({ search, limit }) => {
        const query = search === '' ? {} : { title: like(search) };
        const found = await apos.page.find(apos.task.getReq(), query).areas(false).limit(limit).toArray();
        return found.map(pageOf);
      },
      get: async (id) => {
        const found = await apos.page.find(apos.task.getReq(), { aposDocId: id }).areas(false).toObject();
        return found && pageOf(found);
      },
      create: async ({ title }) => {
        const req = apos.task.getReq();
        const home = await apos.page.find(req, { slug: '/' }).areas(false).toObject();
        const type = apos.page.typeChoices.find(({ name }) => !name.startsWith('@'))?.name;
        if (!home || type === undefined) throw new Error('The site has no page type of its own.');
        return pageOf(
          await apos.page.insert(req, home._id, 'lastChild', {
            ...apos.modules[type]?.newInstance?.(),
            type,
            title,
          }),
        );
      },
      existsByPath: async (path) => {
        const slug = path.replace(/\/+$/, '') || '/';
        return Boolean(await apos.page.find(apos.task.getReq(), { slug }).areas(false).toObject());
      },
    },
    ...(mailer?.options['nodemailer'] !== undefined && {
      mail: async ({ to, subject, html, text, from, replyTo }) => {
        await mailer
          .getTransport?.()
          .sendMail({ to, subject, html, text, from: from ?? mailer.options['from'], replyTo });
      },
    }),
    ...more,
  });
}

const pageOf = (page: { aposDocId?: string; _id: string; title: string; slug: string; _url?: string }) => ({
  id: page.aposDocId ?? page._id,
  title: page.title,
  link: page._url ?? page.slug,
});

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
