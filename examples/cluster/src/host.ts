import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HostAdapter, HostUser } from 'affiliate-service';
import { createMemoryHost, createNonces } from 'affiliate-service/adapters';

const COOKIE = 'session';
const PEOPLE = [
  { id: 1, login: 'admin', email: 'admin@example.test', capabilities: ['manage_options'] },
  { id: 2, login: 'alice', email: 'alice@example.test', display_name: 'Alice' },
];

export interface ClusterHost extends HostAdapter {
  /** Cookie and nonce of a user, good in every worker. */
  signIn(login: string): Promise<{ readonly cookie: string; readonly nonce: string } | null>;
}

/**
 * Users are the same everywhere; a session is its user's id, signed with the shared secret,
 * so no worker has to remember it.
 */
export function createClusterHost(url: string, secret: string): ClusterHost {
  const people = createMemoryHost({ site: { url, name: 'Cluster' }, users: PEOPLE });
  const nonces = createNonces(secret, { now: () => Date.now() });
  const sessionOf = (userId: number): string =>
    `${userId}.${createHmac('sha256', secret).update(`session ${userId}`).digest('hex')}`;
  const userOf = async (req: IncomingMessage): Promise<HostUser | null> => {
    const session = new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(req.headers.cookie ?? '')?.[1] ?? '';
    const [user] = await people.users.find([Number(session.split('.')[0])]);
    return user && same(session, sessionOf(user.id)) ? user : null;
  };
  return {
    site: () => people.site(),
    users: people.users,
    can: (userId, capability) => people.can(userId, capability),
    currentUser: userOf,
    nonces: {
      create: async (user) => nonces.create({ userId: user.id, signIn: sessionOf(user.id) }),
      verify: async (nonce, user) => nonces.verify(nonce, { userId: user.id, signIn: sessionOf(user.id) }),
    },
    async signIn(login) {
      const user = await people.users.findByLogin(login);
      return (
        user && {
          cookie: `${COOKIE}=${sessionOf(user.id)}`,
          nonce: nonces.create({ userId: user.id, signIn: sessionOf(user.id) }),
        }
      );
    },
  };
}

const same = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
