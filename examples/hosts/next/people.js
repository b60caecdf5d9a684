// Stands for your accounts and sessions.
import { randomUUID } from 'node:crypto';

const password = 'Correct-horse-battery-7';
// Pages, route handlers and the proxy are bundles of their own in one process.
const list = (globalThis.peopleOfShop ??= [
  { id: 'u1', email: 'admin@shop.test', name: 'Admin', isAdmin: true, password },
  { id: 'u2', email: 'alice@shop.test', name: 'Alice Bell', isAdmin: false, password },
]);
const sessions = (globalThis.sessionsOfShop ??= new Map());

export const byIds = async (ids) => list.filter(({ id }) => ids.includes(id));
export const byEmail = async (email) => list.find((user) => user.email === email);
export const search = async (text, limit) =>
  list
    .filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, limit);

/** A new account, for people who apply as affiliates. */
export async function create({ email, first_name, last_name, password }) {
  const user = { id: randomUUID(), email, name: `${first_name} ${last_name}`, isAdmin: false, password };
  list.push(user);
  return user;
}

/** The cookie of a new sign-in, or nothing for a wrong password. */
export function signIn({ email, password }) {
  const user = list.find((each) => each.email === email && each.password === password);
  if (!user) return undefined;
  const session = randomUUID();
  sessions.set(session, user);
  return `sid=${session}; Path=/; HttpOnly; SameSite=Lax`;
}

export async function sessionOf(req) {
  const id = /(?:^|; )sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1];
  const user = sessions.get(id);
  return user && { user, signIn: id };
}
