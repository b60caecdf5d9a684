export const FRAMEWORKS = ['express', 'fastify', 'koa', 'nest', 'next', 'node'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface Plan {
  readonly framework: Framework;
  readonly ids: 'text' | 'integer';
  /** A SQLite file, `postgres://…` or `mysql://…`. */
  readonly database: string;
}

/** What `init` writes, by file name. */
export const filesFor = (plan: Plan): Readonly<Record<string, string>> => ({
  'people.mjs': people(plan),
  'host.mjs': host(plan),
  'affiliates.mjs': service(plan),
  [MOUNTS[plan.framework].file]: MOUNTS[plan.framework].text,
  'host.fixture.mjs': FIXTURE,
  'host.test.mjs': TEST,
  '.env.affiliates': environment(plan),
});

const people = ({
  ids,
}: Plan): string => `// Stands for your users and sessions: replace the bodies by your own queries.
const list = [
  { id: ${ids === 'text' ? "'u1'" : '1'}, email: 'admin@example.com', name: 'Admin', isAdmin: true },
  { id: ${ids === 'text' ? "'u2'" : '2'}, email: 'bob@example.com', name: 'Bob Bell', isAdmin: false },
];
const sessions = new Map();

export const byIds = async (ids) => list.filter(({ id }) => ids.includes(id));
export const byEmail = async (email) => list.find((user) => user.email === email);
export const search = async (text, limit) =>
  list.filter(({ email, name }) => \`\${email} \${name}\`.toLowerCase().includes(text.toLowerCase())).slice(0, limit);

const sessionId = (req) => /(?:^|; )sid=([\\w-]+)/.exec(req.headers.cookie ?? '')?.[1];
export const sessionOf = async (req) => {
  const user = list.find(({ id }) => id === sessions.get(sessionId(req)));
  return user && { user, signIn: sessionId(req) };
};
/** Answers the cookie of a new sign-in. */
export function signIn(id) {
  const session = crypto.randomUUID();
  sessions.set(session, id);
  return \`sid=\${session}\`;
}
export const signOut = (req) => sessions.delete(sessionId(req));
`;

const host = ({ ids }: Plan): string => `import { defineHost } from 'affiliate-service/adapters';
import { byEmail, byIds, search, sessionOf } from './people.mjs';

export const host = defineHost({
  site: { url: process.env.SITE_URL ?? 'http://localhost:3000', name: 'My shop', timeZone: 'UTC' },
  ids: '${ids}',
  secret: process.env.AFFILIATES_SECRET ?? 'only while trying it out, 32 characters',
  session: sessionOf, // { user, signIn } or undefined
  user: ({ id, email, name }) => ({ id, email, name }),
  rights: ({ isAdmin }) => (isAdmin ? 'administrator' : []),
  users: { byIds, search, byEmail },
});
`;

const service = ({ database }: Plan): string => `import { createAffiliateService } from 'affiliate-service';
import { host } from './host.mjs';

export const service = createAffiliateService(host, {
  database: ${databaseOption(database)},
  secret: process.env.AFFILIATES_SECRET ?? 'only while trying it out, 32 characters',
});
`;

function databaseOption(database: string): string {
  const client = /^postgres(?:ql)?:/.test(database)
    ? 'pg'
    : /^(?:mysql|mariadb):/.test(database)
      ? 'mysql2'
      : null;
  return client === null
    ? "{ client: 'better-sqlite3', connection: process.env.AFFILIATES_DATABASE ?? 'affiliates.sqlite' }"
    : `{ client: '${client}', connection: process.env.AFFILIATES_DATABASE }`;
}

const environment = ({
  database,
}: Plan): string => `# Read by host.mjs and affiliates.mjs: node --env-file=.env.affiliates …
SITE_URL=http://localhost:3000
AFFILIATES_SECRET=replace this by 32 random characters or more
AFFILIATES_DATABASE=${database}
`;

const FIXTURE = `// For \`npx affiliate-service check-host ./host.mjs\`: an administrator, another user,
// and requests as their browsers send them.
import { host } from './host.mjs';
import { signIn, signOut } from './people.mjs';

export async function fixture() {
  const admin = await host.users.findByEmail('admin@example.com');
  const user = await host.users.findByEmail('bob@example.com');
  const ids = { [admin.id]: await idOf('admin@example.com'), [user.id]: await idOf('bob@example.com') };
  return {
    host,
    admin,
    user,
    unknownId: 999_999,
    request: (who) => ({ headers: who === null ? {} : { cookie: signIn(ids[who.id]) } }),
    signOut: (req) => {
      signOut(req);
      return { headers: { ...req.headers } };
    },
  };
}

const idOf = async (email) => (await import('./people.mjs')).byEmail(email).then(({ id }) => id);
`;

const TEST = `// The rules every host keeps, a test each: node --test
import { describe, it } from 'node:test';
import { hostContract, hostParts } from 'affiliate-service/adapters/contract';
import { fixture } from './host.fixture.mjs';
import { host } from './host.mjs';

hostContract({ describe, it }, 'our host', fixture, hostParts(host));
`;

const MOUNTS: Readonly<Record<Framework, { readonly file: string; readonly text: string }>> = {
  express: {
    file: 'mount.mjs',
    text: `// Express 4 and 5: call it after your session middleware, before body parsers and routes.
import { consoleApp, portalApp } from 'affiliate-service/console';
import { service } from './affiliates.mjs';

export function mountAffiliates(app) {
  service.mount(app);
  app.use('/affiliate-admin', consoleApp(service));
  app.use('/partners', portalApp(service, { path: '/partners' }));
}
`,
  },
  fastify: {
    file: 'mount.mjs',
    text: `// Fastify: \`await app.register(affiliates)\` after session plugins.
import { toFastify } from 'affiliate-service/bridges';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { service } from './affiliates.mjs';

export const affiliates = toFastify(service, {
  '/affiliate-admin': consoleApp(service),
  '/partners': portalApp(service, { path: '/partners' }),
});
`,
  },
  koa: {
    file: 'mount.mjs',
    text: `// Koa: \`app.use(affiliates)\` after the session, before body parsers and routes.
import { toKoa } from 'affiliate-service/bridges';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { service } from './affiliates.mjs';

export const affiliates = toKoa(service, {
  '/affiliate-admin': consoleApp(service),
  '/partners': portalApp(service, { path: '/partners' }),
});
`,
  },
  nest: {
    file: 'mount.mjs',
    text: `// Nest on Express: call it in main.ts before \`app.listen()\`;
// on Fastify register \`toFastify(service)\` of affiliate-service/bridges.
import { consoleApp, portalApp } from 'affiliate-service/console';
import { service } from './affiliates.mjs';

export function mountAffiliates(app) {
  service.mount(app);
  app.use('/affiliate-admin', consoleApp(service));
  app.use('/partners', portalApp(service, { path: '/partners' }));
}
`,
  },
  next: {
    file: 'route.mjs',
    text: `// Next: the same lines in app/api/affiliate-service/v2/[...path]/route.js,
// app/affiliate-admin/[[...path]]/route.js and app/partners/[[...path]]/route.js.
// Pages that are opened by links track with the browser script: docs/hosts.md of the package.
import { toWeb } from 'affiliate-service/bridges';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { service } from './affiliates.mjs';

const handle = toWeb(service, {
  '/affiliate-admin': consoleApp(service),
  '/partners': portalApp(service, { path: '/partners' }),
});
const answer = (request) => handle(request);
export { answer as GET, answer as POST, answer as PUT, answer as PATCH, answer as DELETE };
`,
  },
  node: {
    file: 'server.mjs',
    text: `import { createServer } from 'node:http';
import { toNode } from 'affiliate-service/bridges';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { service } from './affiliates.mjs';

const page = (req, res) => res.setHeader('Content-Type', 'text/html').end('<h1>Shop</h1>');
const mounts = { '/affiliate-admin': consoleApp(service), '/partners': portalApp(service, { path: '/partners' }) };
createServer(toNode(service, page, mounts)).listen(3000, () => console.log('http://localhost:3000'));
`,
  },
};
