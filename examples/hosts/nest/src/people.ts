// Stands for your accounts and sessions.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NewHostUser } from 'affiliate-service/adapters';

export interface User {
  id: string;
  email: string;
  name: string;
  isAdmin: boolean;
  password: string;
}

const password = 'Correct-horse-battery-7';
const list: User[] = [
  { id: 'u1', email: 'admin@shop.test', name: 'Admin', isAdmin: true, password },
  { id: 'u2', email: 'alice@shop.test', name: 'Alice Bell', isAdmin: false, password },
];
const sessions = new Map<string, User>();

export const byIds = async (ids: readonly string[]) => list.filter(({ id }) => ids.includes(id));
export const byEmail = async (email: string) => list.find((user) => user.email === email);
export const search = async (text: string, limit: number) =>
  list
    .filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, limit);

/** A new account, for people who apply as affiliates. */
export async function create({ email, first_name, last_name, password }: NewHostUser) {
  const user: User = {
    id: randomUUID(),
    email,
    name: `${first_name} ${last_name}`,
    isAdmin: false,
    password,
  };
  list.push(user);
  return user;
}

/** The cookie of a new sign-in, or nothing for a wrong password. */
export function signIn({ email, password }: { email: string; password: string }) {
  const user = list.find((each) => each.email === email && each.password === password);
  if (!user) return undefined;
  const session = randomUUID();
  sessions.set(session, user);
  return `sid=${session}; Path=/; HttpOnly; SameSite=Lax`;
}

export async function sessionOf(req: IncomingMessage) {
  const id = /(?:^|; )sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '';
  const user = sessions.get(id);
  return user && { user, signIn: id };
}
