// A stand-in for your users and sessions: write your own functions with the same names.
const password = 'Correct-horse-battery-7';
const list = [
  { id: 'u1', email: 'admin@shop.test', name: 'Admin', isAdmin: true, password },
  { id: 'u2', email: 'alice@shop.test', name: 'Alice Bell', isAdmin: false, password },
];
const sessions = new Map();
const sessionId = (req) => /(?:^|; )sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1];

export const byIds = async (ids) => list.filter(({ id }) => ids.includes(id));
export const byEmail = async (email) => list.find((user) => user.email === email);
export const search = async (text, limit) =>
  list
    .filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, limit);

/** A new account, for people who apply as affiliates. */
export async function create({ email, first_name, last_name, password }) {
  const name = `${first_name} ${last_name}`;
  const user = { id: crypto.randomUUID(), email, name, isAdmin: false, password };
  list.push(user);
  return user;
}

export async function sessionOf(req) {
  const user = list.find(({ id }) => id === sessions.get(sessionId(req)));
  return user && { user, signIn: sessionId(req) };
}

/** The cookie of a new sign-in, or nothing for a wrong password. */
export function signIn(form) {
  const user = list.find(({ email, password }) => email === form.email && password === form.password);
  if (!user) return undefined;
  const session = crypto.randomUUID();
  sessions.set(session, user.id);
  return `sid=${session}; Path=/; HttpOnly; SameSite=Lax`;
}
