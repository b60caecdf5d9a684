import { createNonces, type HostAdapter } from 'affiliate-service/adapters';
import { cookieLine } from './cookies.js';
import { mailKeeper } from './mail.js';
import type { Mails } from './store/mails.js';
import { secretOf, type Sqlite } from './store/open.js';
import type { Pages } from './store/pages.js';
import { SESSION_COOKIE, type Users } from './store/users.js';

export interface HostParts {
  readonly db: Sqlite;
  readonly users: Users;
  readonly pages: Pages;
  readonly mails: Mails;
  readonly siteUrl: string;
}

/** How the affiliate service sees this CMS. */
export function createCmsHost({ db, users, pages, mails, siteUrl }: HostParts): HostAdapter {
  const nonces = createNonces(secretOf(db, 'nonces'), { now: Date.now });
  return {
    site: () => ({
      url: siteUrl,
      name: 'Fernway',
      description: 'Good things for the desk',
      adminEmail: 'admin@fernway.test',
      timeZone: 'UTC',
      restPrefix: '/wp-json',
      adminUrl: `${siteUrl}/affiliate-admin`,
      loginUrl: `${siteUrl}/login`,
    }),
    currentUser: async (req) => users.userOf(req),
    can: async (userId, capability) => users.can(userId, capability),
    nonces: {
      create: async (user, req) => nonces.create({ userId: user.id, signIn: users.sessionOf(req) }),
      verify: async (nonce, user, req) =>
        nonces.verify(nonce, { userId: user.id, signIn: users.sessionOf(req) }),
    },
    users: {
      find: async (ids) => users.find(ids),
      search: async (text, limit) => users.search(text, limit),
      findByLogin: async (login) => users.findBy('login', login),
      findByEmail: async (email) => users.findBy('email', email),
      create: (user) => users.create(user),
      update: async (id, changes) => users.update(id, changes),
      signIn: async (user, _req, res) => {
        (res as { appendHeader(name: string, value: string): unknown }).appendHeader(
          'Set-Cookie',
          sessionCookie(users.signIn(user.id)),
        );
      },
    },
    mail: mailKeeper(mails),
    pages: {
      list: async ({ search, limit }) => pages.search(search, limit).map((page) => pages.present(page)),
      get: async (id) => {
        const page = pages.byId(id);
        return page && pages.present(page);
      },
      create: async ({ title, content }) => pages.present(pages.create(title, content)),
      existsByPath: async (path) => pages.bySlug(/^\/pages\/([^/]+)\/?$/u.exec(path)?.[1] ?? '') !== null,
    },
  };
}

const SESSION_SECONDS = 14 * 24 * 60 * 60;

export const sessionCookie = (token: string): string => cookieLine(SESSION_COOKIE, token, SESSION_SECONDS);
