import { randomToken } from '../src/core/random.js';
import { mountOf } from './init-mounts.js';
import type { Framework, Plan, LanguageStyle } from './init-plan.js';

export { FRAMEWORKS, type Framework, type Plan } from './init-plan.js';

const writing = ({ language }: Plan): LanguageStyle => ({
  end: language === 'typescript' ? '.ts' : '.mjs',
  type: (text) => (language === 'typescript' ? text : ''),
});

/** The files that `init` writes, by name. */
export function filesFor(plan: Plan): Readonly<Record<string, string>> {
  const say = writing(plan);
  const { end } = say;
  if (plan.framework === 'payload') return payloadFiles(plan, say);
  return {
    [`people${end}`]: people(plan, say),
    [`host${end}`]: host(plan, say),
    // the module of Nest makes the service
    ...(plan.framework === 'nest' && end === '.ts'
      ? {}
      : { [`affiliates${end}`]: plan.framework === 'next' ? programOfNext(plan, say) : service(plan, say) }),
    ...mountOf(plan.framework, say, databaseOption(plan.database)),
    [`host.fixture${end}`]: fixture(say),
    [`host.test${end}`]: contractTest(say),
    [environmentFile(plan)]: environment(plan),
  };
}

function people({ ids, framework }: Plan, { type }: LanguageStyle): string {
  const id = ids === 'text' ? 'string' : 'number';
  const user = type(`import type { IncomingMessage } from 'node:http';

export interface User {
  id: ${id};
  email: string;
  name: string;
  isAdmin: boolean;
}

`);
  const req = `req${type(': IncomingMessage')}`;
  return `// A stand-in for your users and sessions: write your own functions with the same names.
${user}const list${type(': User[]')} = [
  { id: ${ids === 'text' ? "'u1'" : '1'}, email: 'admin@example.com', name: 'Admin', isAdmin: true },
  { id: ${ids === 'text' ? "'u2'" : '2'}, email: 'bob@example.com', name: 'Bob Bell', isAdmin: false },
];
${
  framework === 'next'
    ? `// Pages, route handlers and the proxy are bundles of their own in one process.
const kept = globalThis${type(' as typeof globalThis & { sessions?: Map<string, User> }')};
const sessions = (kept.sessions ??= new Map());`
    : `const sessions = new Map${type('<string, User>')}();`
}

export const byIds = async (ids${type(`: readonly ${id}[]`)}) => list.filter(({ id }) => ids.includes(id));
export const byEmail = async (email${type(': string')}) => list.find((user) => user.email === email);
export const search = async (text${type(': string')}, limit${type(': number')}) =>
  list
    .filter(({ email, name }) => \`\${email} \${name}\`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, limit);

const sessionId = (${req}) =>
  /(?:^|; )sid=([\\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '';

/** Who sent a request, and something that changes with every sign-in. */
export async function sessionOf(${req}) {
  const user = sessions.get(sessionId(req));
  return user && { user, signIn: sessionId(req) };
}

/** The cookie of a new sign-in. */
export function signIn(user${type(': User')}) {
  const session = crypto.randomUUID();
  sessions.set(session, user);
  return \`sid=\${session}\`;
}
export const signOut = (${req}) => sessions.delete(sessionId(req));
`;
}

const host = (
  plan: Plan,
  { end, type }: LanguageStyle,
): string => `import { defineHost } from 'affiliate-service/adapters';
import { byEmail, byIds, search, sessionOf } from './people${end}';

const url = process.env.SITE_URL ?? 'http://localhost:3000';

/** \`init\` has written one into ${environmentFile(plan)}. Without it, what was signed holds until the next start. */
export const secret = process.env.AFFILIATES_SECRET ?? untilTheNextStart();

function untilTheNextStart()${type(': string')} {
  if (${isLive(plan)})
    throw new Error('AFFILIATES_SECRET is not set. ${readingOf(plan)}');
  return crypto.randomUUID() + crypto.randomUUID();
}

export const host = defineHost({
  site: { url, name: 'My shop', timeZone: 'UTC', loginUrl: \`\${url}/login\` },
  ids: '${plan.ids}',
  secret,
  session: sessionOf, // { user, signIn } or undefined
  user: ({ id, email, name }) => ({ id, email, name }),
  rights: ({ isAdmin }) => (isAdmin ? 'administrator' : []),
  users: { byIds, search, byEmail },
});
`;

const service = (
  { database }: Plan,
  { end }: LanguageStyle,
): string => `import { createAffiliateService } from 'affiliate-service';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { host, secret } from './host${end}';

export const service = createAffiliateService(host, {
  database: ${databaseOption(database)},
  secret,
});

/** The pages that come with the package, by the addresses you choose. */
export const pages = {
  '/affiliate-admin': consoleApp(service, { loginUrl: '/login' }),
  '/partners': portalApp(service, { loginUrl: '/login', path: '/partners' }),
};
`;

const programOfNext = (
  { database }: Plan,
  { end, type }: LanguageStyle,
): string => `// One program for the whole process: \`next dev\` loads files again, and each bundle has files of its own.
import { createAffiliateService } from 'affiliate-service';
import { consoleApp, portalApp } from 'affiliate-service/console';
import * as next from 'affiliate-service/next';
import { host, secret } from './host${end}';

function start() {
  const service = createAffiliateService(host, {
    database: ${databaseOption(database)},
    secret,
  });
  const mounts = {
    '/affiliate-admin': consoleApp(service, { loginUrl: '/login' }),
    '/partners': portalApp(service, { loginUrl: '/login', path: '/partners' }),
  };
  // how many proxies stand before Next: only what they write into X-Forwarded-For is believed
  return { service, mounts, proxies: Number(process.env.PROXIES ?? 1) };
}

const kept = globalThis${type(' as typeof globalThis & { affiliates?: ReturnType<typeof start> }')};
/** Made at the first request: \`next build\` loads this file too, and needs no database. */
export const program = () => (kept.affiliates ??= start());

/** For route handlers that the program answers. */
export const handlers = next.toNextHandlers(program);
/** For the proxy: counts the click, then goes on to the page. */
export const track = next.track(program);
`;

/** The plugin knows Payload's users and sessions, and derives the secret from Payload's: there is no host to write. */
function payloadFiles(plan: Plan, { type }: LanguageStyle): Readonly<Record<string, string>> {
  // Next bundles these files: imports have no ending that TypeScript would have to be told of.
  const [end, of] = plan.language === 'typescript' ? ['.ts', ''] : ['.js', '.js'];
  return {
    [`affiliates${end}`]: `// The affiliate program as a plugin: add \`affiliateProgram\` to the \`plugins\` of payload.config.
import { affiliates } from 'affiliate-service/payload';

const url = process.env.SITE_URL ?? 'http://localhost:3000';

export const affiliateProgram = affiliates({
  site: { url, name: 'My shop', timeZone: 'UTC', loginUrl: \`\${url}/login\` },
  // who runs the program
  isAdministrator: (user) => user.role === 'admin',
  // how many proxies stand before Next: only what they write into X-Forwarded-For is believed
  proxies: Number(process.env.PROXIES ?? 1),
  console: { path: '/admin/affiliates', loginUrl: '/admin/login' },
  portal: { path: '/partners' },
  options: {
    database: ${databaseOption(plan.database)},
  },
});
`,
    [`instrumentation${end}`]: `// Next calls this when the server starts: Payload is initialized, and the program with it.
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const [{ getPayload }, { affiliatesOf }, { default: config }] = await Promise.all([
    import('payload'),
    import('affiliate-service/payload'),
    import('./payload.config${of}'),
  ]);
  await affiliatesOf(await getPayload({ config })).service.ready();
}
`,
    [`proxy${end}`]: `// Runs before every page: clicks on links are counted here, also by browsers without script, and console and portal
// are answered.
import { trackAffiliates } from 'affiliate-service/payload';
import { NextResponse${type(', type NextRequest')} } from 'next/server';

export const proxy = (request${type(': NextRequest')}) => trackAffiliates(request, () => NextResponse.next());
export const config = { matcher: ['/((?!_next/|api/|admin(?!/affiliates)).*)'] };
`,
    [environmentFile(plan)]: `# ${readingOf(plan)} Keep it out of version control.
SITE_URL=http://localhost:3000
AFFILIATES_DATABASE=${plan.database}
`,
  };
}

function databaseOption(database: string): string {
  const client = /^postgres(?:ql)?:/.test(database)
    ? 'pg'
    : /^(?:mysql|mariadb):/.test(database)
      ? 'mysql2'
      : null;
  return client === null
    ? "{ client: 'better-sqlite3', connection: process.env.AFFILIATES_DATABASE ?? 'affiliates.sqlite' }"
    : `{ client: '${client}', connection: process.env.AFFILIATES_DATABASE ?? '' }`;
}

/** Payload 3 is an application of Next. */
export const runsInNext = (framework: Framework): boolean => framework === 'next' || framework === 'payload';

/** The file that the framework reads by itself, or one that is named at the start. */
export const environmentFile = ({ framework }: Plan): string =>
  runsInNext(framework) ? '.env.local' : '.env.affiliates';

/** Next builds pages in production mode, too, and needs no secret for that. */
const isLive = ({ framework }: Plan): string =>
  framework === 'next'
    ? "process.env.NODE_ENV === 'production' && process.env.NEXT_PHASE !== 'phase-production-build'"
    : "process.env.NODE_ENV === 'production'";

const readingOf = (plan: Plan): string =>
  runsInNext(plan.framework)
    ? 'Next reads it from .env.local.'
    : `Start with: node --env-file=${environmentFile(plan)} …`;

const environment = (plan: Plan): string => `# ${readingOf(plan)} Keep it out of version control.
SITE_URL=http://localhost:3000
AFFILIATES_SECRET=${randomToken(48)}
AFFILIATES_DATABASE=${plan.database}
`;

const fixture = ({
  end,
  type,
}: LanguageStyle): string => `// For \`npx affiliate-service check-host ./host${end}\`: an administrator, another user,
// and requests as their browsers send them.
${type(`import type { IncomingMessage } from 'node:http';
import type { HostFixture } from 'affiliate-service/adapters/contract';
`)}import { host } from './host${end}';
import { byEmail, signIn, signOut } from './people${end}';

const request = (cookie${type('?: string')})${type(': IncomingMessage')} => ({ headers: { cookie } })${type(' as IncomingMessage')};

export async function fixture()${type(': Promise<HostFixture>')} {
  const rows = [await byEmail('admin@example.com'), await byEmail('bob@example.com')];
  const [admin, user] = await Promise.all(rows.map((row) => row && host.userOf(row.id)));
  if (!rows[0] || !rows[1] || !admin || !user) throw new Error('The two people of the fixture are missing.');
  const rowOf = { [admin.id]: rows[0], [user.id]: rows[1] };
  return {
    host,
    admin,
    user,
    unknownId: 999_999,
    request: (who) => request(who === null ? undefined : signIn(rowOf[who.id]${type('!')})),
    signOut: (req) => {
      signOut(req);
      return request(req.headers.cookie);
    },
  };
}
`;

const contractTest = ({
  end,
}: LanguageStyle): string => `// The rules every host keeps, a test each: node --test
import { describe, it } from 'node:test';
import { hostContract, hostParts } from 'affiliate-service/adapters/contract';
import { fixture } from './host.fixture${end}';
import { host } from './host${end}';

hostContract({ describe, it }, 'our host', fixture, hostParts(host));
`;

/** For TypeScript in a folder that has no settings yet; Next checks types only and bundles the files itself. */
export const tsconfigOf = ({ framework }: Plan): string => (framework === 'next' ? NEXT_TSCONFIG : TSCONFIG);

const NEXT_TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["dom", "dom.iterable", "esnext"],
    "module": "esnext",
    "moduleResolution": "bundler",
    "jsx": "react-jsx",
    "strict": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "esModuleInterop": true,
    "resolveJsonModule": true,
    "isolatedModules": true,
    "incremental": true,
    "plugins": [{ "name": "next" }],
    "types": ["node"],
    "allowJs": true
  },
  "include": ["next-env.d.ts", ".next/types/**/*.ts", ".next/dev/types/**/*.ts", "**/*.ts", "**/*.tsx"],
  "exclude": ["node_modules"]
}
`;

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "rewriteRelativeImportExtensions": true,
    "outDir": "dist",
    "skipLibCheck": true,
    "types": ["node"]
  }
}
`;
