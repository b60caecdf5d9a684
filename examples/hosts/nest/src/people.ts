// Stands for your accounts and sessions.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface User {
  id: string;
  email: string;
  name: string;
  isAdmin: boolean;
}

const PASSWORD = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
const list: User[] = [
  { id: 'u1', email: 'admin@shop.test', name: 'Admin', isAdmin: true },
  { id: 'u2', email: 'alice@shop.test', name: 'Alice Bell', isAdmin: false },
];
const sessions = new Map<string, User>();

export const byIds = async (ids: readonly string[]) => list.filter(({ id }) => ids.includes(id));
export const byEmail = async (email: string) => list.find((user) => user.email === email);
export const search = async (text: string, limit: number) =>
  list
    .filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, limit);

/** The id of a new session, or nothing for a wrong password. */
export function signIn(email: string, password: string): string | undefined {
  const user = list.find((each) => each.email === email);
  if (!user || password !== PASSWORD) return undefined;
  const session = randomUUID();
  sessions.set(session, user);
  return session;
}

export async function sessionOf(req: IncomingMessage) {
  const id = /(?:^|; )sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '';
  const user = sessions.get(id);
  return user && { user, signIn: id };
}
