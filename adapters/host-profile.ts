import type { UserProfile } from './define-host-types.js';
import type { HostUser } from './host.js';

/** A user in the form the library needs, still with the host's own id. */
export type ProfileFields = Omit<HostUser, 'id'> & { readonly id: string | number };

/**
 * Fills in fields that a host does not store: the login from the e-mail address, the name from its parts, or
 * the parts from the name.
 */
export function profileOf(profile: UserProfile): ProfileFields {
  if (typeof profile !== 'object' || profile === null)
    throw new TypeError('`user()` must answer an object with `id` and `email`.');
  const { id, roles } = profile;
  if (typeof id !== 'number' && (typeof id !== 'string' || id === ''))
    throw new TypeError('`user()` must answer the `id` of the row.');
  const email = textOf('email', profile.email);
  const login = textOf('login', profile.login) || email;
  const { display, first, last } = namesOf(profile, login);
  const language = textOf('language', profile.language);
  return {
    id,
    login,
    email,
    display_name: display,
    first_name: first,
    last_name: last,
    full_name: `${first} ${last}`.trim() || display,
    url: textOf('url', profile.url),
    avatar: textOf('avatar', profile.avatar),
    registered_at: dateOf(profile.registered_at),
    ...(language !== '' && { language }),
    ...(roles && { roles: [...roles] }),
  };
}

function namesOf(profile: UserProfile, login: string): { display: string; first: string; last: string } {
  const name = textOf('name', profile.name);
  const given = {
    first: textOf('first_name', profile.first_name),
    last: textOf('last_name', profile.last_name),
  };
  const known = given.first !== '' || given.last !== '';
  const [word = '', ...words] = name.split(/\s+/);
  const { first, last } = known ? given : { first: word, last: words.join(' ') };
  return { display: name || `${first} ${last}`.trim() || login, first, last };
}

function textOf(field: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  throw new TypeError(`\`user()\` answered a \`${field}\` that is no text.`);
}

function dateOf(value: UserProfile['registered_at']): string {
  if (value === null || value === undefined || value === '') return '';
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
