// Stands for your accounts and sessions.
import { randomUUID } from 'node:crypto';

const list = [
  { id: 'u1', email: 'admin@shop.test', name: 'Admin', isAdmin: true },
  { id: 'u2', email: 'alice@shop.test', name: 'Alice Bell', isAdmin: false },
];
const PASSWORD = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
// Pages, route handlers and the proxy are bundles of their own in one process.
const sessions = (globalThis.sessionsOfShop ??= new Map());

export const byIds = async (ids) => list.filter(({ id }) => ids.includes(id));
export const byEmail = async (email) => list.find((user) => user.email === email);
export const search = async (text, limit) =>
  list
    .filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, limit);

/** The id of a new session, or nothing for a wrong password. */
export function signIn(email, password) {
  const user = list.find((each) => each.email === email);
  if (!user || password !== PASSWORD) return undefined;
  const session = randomUUID();
  sessions.set(session, user);
  return session;
}

export async function sessionOf(req) {
  const id = /(?:^|; )sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1];
  const user = sessions.get(id);
  return user && { user, signIn: id };
}
