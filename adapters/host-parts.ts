import type { HostAdapter } from './host.js';

/** Every optional part of an adapter, and what it is for. */
export const HOST_PARTS = {
  'users.findByLogin': 'imports and registration find people by login in one query',
  'users.findByEmail': 'imports and registration find people by e-mail address in one query',
  'users.create': 'visitors can register, imports can create accounts',
  'users.update': 'affiliates change their name and site in the portal',
  'users.signIn': 'people who have registered are signed in at once',
  pages: 'the page of the portal is chosen or made from the settings',
  'pages.get': 'the link of the portal page follows the page when it moves',
  'pages.existsByPath': 'a short link cannot hide a page',
  authenticate: 'requests with credentials of their own need no nonce',
  connect: 'users can have ids that are text; service.users.idOf',
  mail: 'the host sends the mails; without it, give the service `mailer` or `smtp`',
  exchangeRate: 'flat commissions of orders in other currencies are converted; without it, a person decides',
  addons: 'addons are listed and installed from the settings',
  media: 'pictures of creatives are chosen from the media library',
  files: 'uploaded pictures are stored by the host; without it, by the option `uploads`',
  license: 'the license screen',
} as const;

export type HostPart = keyof typeof HOST_PARTS;

/** The optional parts an adapter has. */
export const hostParts = (host: HostAdapter): HostPart[] =>
  (Object.keys(HOST_PARTS) as HostPart[]).filter((part) => {
    const value = part
      .split('.')
      .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], host);
    return value !== undefined && value !== null;
  });
