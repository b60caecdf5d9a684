import { chunks } from '../../core/chunks.js';
import type { HostUser } from '../../../adapters/host.js';
import { randomToken } from '../../core/random.js';
import type { Deps } from './deps.js';
import type { AnyRow, Raw, SourceAffiliate, SourceCustomer, SourceUser } from '../../../adapters/imports.js';
import type { Stage } from '../../core/imports/stages.js';
import { readEmailKey, readRef, readText } from '../../core/imports/values.js';

const AT_ONCE = 20;
const PASSWORD_LENGTH = 32;

/** Source row id → the host's user. */
export type MatchedUsers = ReadonlyMap<string, HostUser>;

/** Finds the host's users for a page of rows, before any transaction is open. */
export async function matchUsers(
  app: Deps,
  stage: Stage,
  rows: readonly AnyRow[],
  createUsers: boolean,
): Promise<MatchedUsers> {
  if (stage !== 'affiliates' && stage !== 'customers') return new Map();
  const found = new Map<string, HostUser>();
  for (const chunk of chunks(rows, AT_ONCE)) {
    const part = chunk as readonly (SourceAffiliate | SourceCustomer)[];
    const users = await Promise.all(
      part.map((row) => findUser(app, row.problem === undefined ? row.user : null)),
    );
    for (const [index, row] of part.entries()) {
      const user =
        users[index] ??
        (stage === 'affiliates' && createUsers && row.user ? await createUser(app, row.user) : null);
      if (user !== null) found.set(row.id, user);
    }
  }
  return found;
}

/** E-mail address → affiliate of this program. */
export type OwnersHere = ReadonlyMap<string, number>;

/** The affiliates of this program whose account has the address by which a row names its affiliate. */
export async function ownersHere(app: Deps, rows: readonly object[]): Promise<OwnersHere> {
  const named = rows.map((row) => readRef((row as { readonly affiliate_id?: Raw }).affiliate_id));
  const emails = new Set(named.filter((name) => name !== null && readEmailKey(name) === name));
  const found = new Map<string, number>();
  for (const chunk of chunks([...emails] as string[], AT_ONCE)) {
    const users = await Promise.all(chunk.map((email) => findUser(app, { email })));
    const affiliates = await app.affiliates.findByUsers(users.map((user) => user?.id ?? 0));
    for (const [at, email] of chunk.entries()) {
      const affiliate = affiliates.get(users[at]?.id ?? 0);
      if (affiliate !== undefined) found.set(email, affiliate.id);
    }
  }
  return found;
}

/** The host's user with this address, else with this login when the address finds no other user. */
export async function findUser(app: Deps, user: SourceUser | null | undefined): Promise<HostUser | null> {
  if (!user) return null;
  const { users } = app.host;
  const email = readEmailKey(user.email);
  if (email !== null) {
    const match = users.findByEmail
      ? await users.findByEmail(email)
      : (await users.search(email, 20)).find((each) => each.email.toLowerCase() === email);
    if (match) return match;
  }
  const login = readText(user.login, 191);
  if (login === null) return null;
  const match = users.findByLogin
    ? await users.findByLogin(login)
    : (await users.search(login, 20)).find((each) => each.login === login);
  // the same name with another address is another person
  return match && (email === null || match.email === '') ? match : null;
}

async function createUser(app: Deps, user: SourceUser): Promise<HostUser | null> {
  const email = readEmailKey(user.email);
  const { users } = app.host;
  if (email === null || !users.create) return null;
  const known = await findUser(app, user); // made a moment ago for another row of the page
  if (known) return known;
  const wanted = readText(user.login, 60) ?? email;
  const login = users.findByLogin && (await users.findByLogin(wanted)) ? email : wanted;
  try {
    return await users.create({
      login,
      email,
      password: randomToken(PASSWORD_LENGTH),
      first_name: readText(user.first_name, 191) ?? '',
      last_name: readText(user.last_name, 191) ?? '',
    });
  } catch (error) {
    app.log.warn('a user could not be created for an imported affiliate', { error });
    return null;
  }
}
