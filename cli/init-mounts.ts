import type { Framework, LanguageStyle } from './init-plan.js';

/** The files that put the program into each framework, by name. */
export const mountOf = (
  framework: Framework,
  say: LanguageStyle,
  /** The option `database`, as code. */
  database: string,
): Readonly<Record<string, string>> => MOUNTS[framework](say, database);

type Mount = (say: LanguageStyle, database: string) => Readonly<Record<string, string>>;
const MOUNTS: Readonly<Record<Framework, Mount>> = {
  express: (say) => ({
    [`mount${say.end}`]: onExpress(
      say,
      'Express 4 and 5: call it after your session middleware, before body parsers and routes.',
    ),
  }),
  fastify: (say) => ({
    [`mount${say.end}`]: plugin(
      say,
      'toFastify',
      'Fastify: `await app.register(affiliates)` after session plugins.',
    ),
  }),
  koa: (say) => ({
    [`mount${say.end}`]: plugin(
      say,
      'toKoa',
      'Koa: `app.use(affiliates)` after the session, before body parsers and routes.',
    ),
  }),
  node: (say) => ({ [`server${say.end}`]: node(say) }),
  // JavaScript has no decorators yet.
  nest: (say, database) =>
    say.end === '.ts'
      ? file('affiliates.module.ts', nestModule(database))
      : file(
          'mount.mjs',
          onExpress(say, 'Nest on Express: call it in your main file before `app.listen()`.'),
        ),
  next,
  payload: () => ({}), // the plugin mounts
};

const file = (name: string, text: string): Readonly<Record<string, string>> => ({ [name]: text });

const onExpress = ({ end, type }: LanguageStyle, when: string): string => `// ${when}
${type("import type { Express } from 'express';\n")}import { pages, service } from './affiliates${end}';

export function mountAffiliates(app${type(': Express')})${type(': void')} {
  service.mount(app);
  for (const [path, handler] of Object.entries(pages)) app.use(path, handler);
}
`;

const plugin = ({ end }: LanguageStyle, bridge: string, when: string): string => `// ${when}
import { ${bridge} } from 'affiliate-service/bridges';
import { pages, service } from './affiliates${end}';

export const affiliates = ${bridge}(service, pages);
`;

const node = ({
  end,
  type,
}: LanguageStyle): string => `import { createServer${type(', type IncomingMessage, type ServerResponse')} } from 'node:http';
import { toNode } from 'affiliate-service/bridges';
import { pages, service } from './affiliates${end}';

const page = (req${type(': IncomingMessage')}, res${type(': ServerResponse')}) =>
  res.setHeader('Content-Type', 'text/html').end('<h1>Shop</h1>');
const port = Number(process.env.PORT ?? 3000);
createServer(toNode(service, page, pages)).listen(port, () => console.log(\`http://localhost:\${port}\`));
`;

const nestModule = (
  database: string,
): string => `// The affiliate program as a module: add \`Affiliates\` to the \`imports\` of yours, and inject the service with
// \`@Inject(AFFILIATES) private readonly affiliates: AffiliateService\`.
import { AffiliatesModule } from 'affiliate-service/nest';
import { host, secret } from './host.ts';

export type { AffiliateService } from 'affiliate-service';
export { AFFILIATES } from 'affiliate-service/nest';

/**
 * Nest mounts the program after what main.ts uses, such as sessions, and before its body parser. Providers that you
 * name in \`inject\` are passed to the factory: \`inject: [DataSource], useFactory: (source: DataSource) => …\`.
 */
export const Affiliates = AffiliatesModule.forRootAsync({
  inject: [],
  useFactory: () => ({
    host,
    options: {
      database: ${database},
      secret,
    },
    console: { path: '/affiliate-admin' },
    portal: { path: '/partners' },
  }),
});
`;

/** Three route handlers, the proxy, and what runs at the start. */
function next({ end, type }: LanguageStyle): Readonly<Record<string, string>> {
  const suffix = end === '.ts' ? '.ts' : '.js';
  const routes = [
    'api/affiliate-service/v2/[...path]',
    'affiliate-admin/[[...path]]',
    'partners/[[...path]]',
  ];
  const route = (path: string): string => {
    const up = '../'.repeat(path.split('/').length + 1);
    return `import { handlers } from '${up}affiliates${end}';

export const { DELETE, GET, PATCH, POST, PUT } = handlers;
`;
  };
  return {
    ...Object.fromEntries(routes.map((path) => [`app/${path}/route${suffix}`, route(path)])),
    [`instrumentation${suffix}`]: `// Next calls this when the server starts: the database is opened before the first visitor comes.
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { program } = await import('./affiliates${end}');
  await program().service.ready();
}
`,
    [`proxy${suffix}`]: `// Runs before every page: clicks on links are counted here, also by browsers without script.
import { NextResponse${type(', type NextRequest')} } from 'next/server';
import { track } from './affiliates${end}';

export const proxy = (request${type(': NextRequest')}) => track(request, () => NextResponse.next());
export const config = { matcher: ['/((?!_next/|api/|affiliate-admin|partners).*)'] };
`,
  };
}
