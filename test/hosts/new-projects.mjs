// The projects that `npm run test:init` begins: what each framework's owner has, and the lines that the owner adds.
// In a text below, `+ ` begins a line that the owner adds for the program, and `* ` one that only makes the first
// affiliate, whom a site with a sign-in makes in the console.
import { vendureJourney } from './vendure-journey.mjs';

const FIRST = (affiliates) =>
  `if (!(await ${affiliates}.findByUser('u2'))) await ${affiliates}.create({ user: 'u2', status: 'active' });`;

/** An order of 100.00; `indent` is where the line stands. */
const order = (service, req, indent) =>
  `${indent}+ const sale = { order: { subtotal: '100.00' }, customer: { email } };
${indent}+ await ${service}.conversions.record(${req}, { provider: 'shop', reference, status: 'unpaid', ...sale });`;

/** Frameworks without a generator: TypeScript, and one file that Node runs as it is. */
const light = (packages, files, edits = {}) => ({
  light: true,
  packages,
  files,
  edits,
  build: [['npx', 'tsc', '--noEmit']],
  start: ['--env-file=.env.affiliates', 'server.ts'],
});

const RELATIVE_IMPORTS = [
  '"compilerOptions": {',
  '"compilerOptions": {\n+ "rewriteRelativeImportExtensions": true,',
];

export const PROJECTS = {
  express: light(['express', '@types/express'], {
    'server.ts': `import { randomUUID } from 'node:crypto';
import express from 'express';
+ import { service } from './affiliates.ts';
+ import { mountAffiliates } from './mount.ts';

const app = express();
+ mountAffiliates(app);
* ${FIRST('service.affiliates')}
app.get('/', (req, res) => res.send('<h1>Shop</h1>'));
app.post('/buy', express.json(), async (req, res) => {
  const reference = randomUUID();
  const { email } = req.body;
${order('service', 'req', '  ')}
  res.send(reference);
});
app.listen(Number(process.env.PORT ?? 3000));
`,
  }),
  fastify: light(['fastify'], {
    'server.ts': `import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
+ import { service } from './affiliates.ts';
+ import { affiliates } from './mount.ts';

const app = fastify();
+ await app.register(affiliates);
* ${FIRST('service.affiliates')}
app.get('/', (request, reply) => reply.type('text/html').send('<h1>Shop</h1>'));
app.post<{ Body: { email: string } }>('/buy', async (request) => {
  const reference = randomUUID();
  const { email } = request.body;
${order('service', 'request.raw', '  ')}
  return reference;
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
`,
  }),
  koa: light(['koa', '@types/koa'], {
    'server.ts': `import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import Koa from 'koa';
+ import { service } from './affiliates.ts';
+ import { affiliates } from './mount.ts';

const app = new Koa();
+ app.use(affiliates);
* ${FIRST('service.affiliates')}
app.use(async (context) => {
  if (context.path !== '/buy') return void (context.body = '<h1>Shop</h1>');
  const reference = randomUUID();
  const { email } = (await json(context.req)) as { email: string };
${order('service', 'context.req', '  ')}
  context.body = reference;
});
app.listen(Number(process.env.PORT ?? 3000));
`,
  }),
  node: light(
    [],
    {
      'shop.ts': `import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
+ import { service } from './affiliates.ts';

* ${FIRST('service.affiliates')}
export async function shop(req: IncomingMessage, res: ServerResponse) {
  if (req.url !== '/buy') return res.setHeader('Content-Type', 'text/html').end('<h1>Shop</h1>');
  const reference = randomUUID();
  const { email } = (await json(req)) as { email: string };
${order('service', 'req', '  ')}
  return res.end(reference);
}
`,
    },
    {
      'server.ts': [
        [
          "import { pages, service } from './affiliates.ts';",
          "import { pages, service } from './affiliates.ts';\n+ import { shop } from './shop.ts';",
        ],
        ['toNode(service, page, pages)', '\n+ toNode(service, shop, pages)'],
      ],
    },
  ),
  nest: {
    create: ['npx', '-y', '@nestjs/cli@12', 'new', 'shop', '--skip-install', '--skip-git', '-p', 'npm'],
    packages: [],
    files: {
      'src/app.controller.ts': `import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Post } from '@nestjs/common';
+ import { Inject, Req } from '@nestjs/common';
+ import type { Request } from 'express';
+ import { AFFILIATES, type AffiliateService } from './affiliates.module.ts';

@Controller()
export class AppController {
  + constructor(@Inject(AFFILIATES) private readonly affiliates: AffiliateService) {}

  @Get()
  shop(): string {
    return '<h1>Shop</h1>';
  }

  @Post('buy')
  async buy(
    @Body() { email }: { email: string },
    + @Req() req: Request,
  ): Promise<string> {
    const reference = randomUUID();
${order('this.affiliates', 'req', '    ')}
    return reference;
  }
}
`,
    },
    edits: {
      'tsconfig.json': [RELATIVE_IMPORTS],
      'src/app.module.ts': [
        ['imports: [],', '\n+ imports: [Affiliates],'],
        [
          'import { AppService }',
          "+ import { Affiliates } from './affiliates.module.ts';\nimport { AppService }",
        ],
      ],
      'src/main.ts': [
        [
          'import { AppModule }',
          "* import { AFFILIATES } from './affiliates.module.ts';\nimport { AppModule }",
        ],
        [
          '  await app.listen',
          `  * const { affiliates } = app.get(AFFILIATES);\n  * ${FIRST('affiliates')}\n  await app.listen`,
        ],
      ],
    },
    build: [['npx', 'nest', 'build']],
    start: ['--env-file=.env.affiliates', 'dist/main.js'],
  },
  next: {
    create: [
      'npx',
      '-y',
      'create-next-app@16',
      'shop',
      '--yes',
      '--skip-install',
      '--disable-git',
      '--use-npm',
      '--ts',
      '--app',
      '--no-tailwind',
      '--no-eslint',
      '--no-src-dir',
    ],
    packages: [],
    files: {
      // the generator's page loads its letters from Google
      'app/layout.tsx': `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
      'app/page.tsx': 'export default function Page() { return <h1>Shop</h1>; }\n',
      'app/buy/route.ts': `import { randomUUID } from 'node:crypto';
+ import { plainRequest } from 'affiliate-service/bridges';
+ import { program } from '../../affiliates.ts';

export async function POST(request: Request) {
  const reference = randomUUID();
  const { email } = await request.json();
${order('program().service', 'plainRequest(request)', '  ')}
  return new Response(reference);
}
`,
    },
    edits: {
      'tsconfig.json': [RELATIVE_IMPORTS],
      'next.config.ts': [
        [
          '/* config options here */',
          "\n+ serverExternalPackages: ['affiliate-service'],\n+ skipTrailingSlashRedirect: true,",
        ],
      ],
      'instrumentation.ts': [
        [
          '  await program().service.ready();',
          `  const { service } = program();\n  await service.ready();\n  * ${FIRST('service.affiliates')}`,
        ],
      ],
    },
    build: [['npx', 'next', 'build']],
    start: ['node_modules/next/dist/bin/next', 'start'],
  },
  // Its generator asks on a terminal; these are the files of its template `blank`, in `src`.
  payload: {
    packages: [
      ...['payload', '@payloadcms/next', '@payloadcms/ui', '@payloadcms/db-sqlite'].map(
        (name) => `${name}@3.90.2`,
      ),
      ...['next@16.4.6', 'react@19', 'react-dom@19', 'graphql@16'],
      ...['typescript@5', '@types/node@24', '@types/react@19', '@types/react-dom@19'],
    ],
    files: {
      'package.json': '{ "private": true, "type": "module" }',
      'tsconfig.json': `{
  "compilerOptions": {
    "target": "es2022",
    "lib": ["dom", "dom.iterable", "esnext"],
    "module": "esnext",
    "moduleResolution": "bundler",
    "jsx": "react-jsx",
    "strict": true,
    "noEmit": true,
    "allowJs": true,
    "skipLibCheck": true,
    "esModuleInterop": true,
    "resolveJsonModule": true,
    "isolatedModules": true,
    "incremental": true,
    "plugins": [{ "name": "next" }],
    "paths": { "@payload-config": ["./src/payload.config.ts"] }
  },
  "include": ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts"],
  "exclude": ["node_modules"]
}
`,
      'next.config.mjs': `import { withPayload } from '@payloadcms/next/withPayload';

export default withPayload({
  + serverExternalPackages: ['affiliate-service'],
  + skipTrailingSlashRedirect: true,
});
`,
      'src/payload.config.ts': `import { sqliteAdapter } from '@payloadcms/db-sqlite';
import { buildConfig } from 'payload';
+ import { affiliateProgram } from './affiliates';

export default buildConfig({
  + plugins: [affiliateProgram],
  secret: 'a secret of the site in this test, 32',
  db: sqliteAdapter({ client: { url: 'file:./site.sqlite' } }),
  telemetry: false,
  typescript: { autoGenerate: false },
  collections: [{ slug: 'users', auth: true, fields: [{ name: 'role', type: 'text' }] }],
});
`,
      'src/app/(payload)/layout.tsx': `import config from '@payload-config';
import '@payloadcms/next/css';
import { handleServerFunctions, RootLayout } from '@payloadcms/next/layouts';
import type { ServerFunctionClient } from 'payload';
import { importMap } from './admin/importMap.js';

const serverFunction: ServerFunctionClient = async (args) => {
  'use server';
  return handleServerFunctions({ ...args, config, importMap });
};

export default function Layout({ children }: { children: React.ReactNode }) {
  return <RootLayout config={config} importMap={importMap} serverFunction={serverFunction}>{children}</RootLayout>;
}
`,
      'src/app/(payload)/admin/importMap.js': 'export const importMap = {};\n',
      'src/app/(payload)/admin/[[...segments]]/page.tsx': `import config from '@payload-config';
import { RootPage } from '@payloadcms/next/views';
import { importMap } from '../importMap.js';

type Args = { params: Promise<{ segments: string[] }>; searchParams: Promise<{ [key: string]: string | string[] }> };
export default function Page(args: Args) {
  return RootPage({ config, importMap, ...args });
}
`,
      'src/app/(payload)/api/[...slug]/route.ts': `import config from '@payload-config';
import { REST_DELETE, REST_GET, REST_PATCH, REST_POST, REST_PUT } from '@payloadcms/next/routes';

export const GET = REST_GET(config);
export const POST = REST_POST(config);
export const DELETE = REST_DELETE(config);
export const PATCH = REST_PATCH(config);
export const PUT = REST_PUT(config);
`,
      'src/app/(site)/layout.tsx': `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
      'src/app/(site)/page.tsx': 'export default function Page() { return <h1>Shop</h1>; }\n',
      'src/app/(site)/buy/route.ts': `import { randomUUID } from 'node:crypto';
+ import { plainRequest } from 'affiliate-service/bridges';
+ import { affiliatesOf } from 'affiliate-service/payload';

export async function POST(request: Request) {
  const reference = randomUUID();
  const { email } = await request.json();
${order('affiliatesOf().service', 'plainRequest(request)', '  ')}
  return new Response(reference);
}
`,
      'src/seed.ts': `import config from '@payload-config';
import { getPayload } from 'payload';
* import { affiliatesOf } from 'affiliate-service/payload';

const payload = await getPayload({ config });
const data = { email: 'bob@example.com', password: 'Correct-horse-battery-7' };
const { id } = await payload.create({ collection: 'users', data });
* await affiliatesOf(payload).service.affiliates.create({ user_id: Number(id), status: 'active' });
process.exit(0);
`,
    },
    edits: {},
    build: [
      ['npx', 'payload', 'generate:importmap'],
      ['npx', 'payload', 'run', 'src/seed.ts'],
      ['npx', 'next', 'build'],
    ],
    start: ['node_modules/next/dist/bin/next', 'start'],
  },
  // Its generator asks on a terminal; these are the files of its template, without e-mail, dashboard and assets.
  vendure: {
    example: 'src',
    journey: vendureJourney,
    packages: ['@vendure/core@3.7.3', 'typescript@5.8.2', '@types/node@24'],
    files: {
      // one SQLite for both, which comes compiled
      'package.json': `{ "private": true, "dependencies": { "better-sqlite3": "^13" }, "overrides": { "better-sqlite3": "$better-sqlite3" } }`,
      'tsconfig.json': `{
  "compilerOptions": {
    "module": "nodenext",
    "moduleResolution": "nodenext",
    + "allowJs": true,
    "esModuleInterop": true,
    "emitDecoratorMetadata": true,
    "experimentalDecorators": true,
    "useDefineForClassFields": false,
    "strictPropertyInitialization": false,
    "target": "es2019",
    "strict": true,
    "skipLibCheck": true,
    "rootDir": "./src",
    "outDir": "./dist"
  },
  "include": ["src/**/*.ts"]
}
`,
      'products.csv': `name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets
Book,book,A book,,,,,BOOK,100.00,standard,100,false,,
`,
      'src/vendure-config.ts': `import path from 'path';
import { DefaultJobQueuePlugin, dummyPaymentHandler, VendureConfig } from '@vendure/core';
+ import { affiliates } from './plugin.mjs';

export const config: VendureConfig = {
  apiOptions: { port: Number(process.env.PORT ?? 3000), adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    tokenMethod: ['bearer', 'cookie'],
    superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
    cookieOptions: { secret: 'a secret of the cookies of this shop' },
  },
  dbConnectionOptions: { type: 'better-sqlite3', synchronize: true, database: path.join(__dirname, '../vendure.sqlite') },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  plugins: [
    DefaultJobQueuePlugin.init({ useDatabaseForBuffer: true }),
    + affiliates({
      + url: process.env.SITE_URL ?? 'http://localhost:3000',
      + name: 'Shop',
      + loginUrl: 'http://localhost:8080/sign-in',
      + secret: 'a secret of the affiliate program, 32 characters',
      + database: { client: 'better-sqlite3', connection: 'affiliates.sqlite' },
    + }),
  ],
};
`,
      'src/index.ts': `import { bootstrap, runMigrations } from '@vendure/core';
import { config } from './vendure-config';

runMigrations(config)
  .then(() => bootstrap(config))
  .catch((error) => {
    console.log(error);
    process.exit(1);
  });
`,
      'src/populate.ts': `import path from 'path';
import { bootstrap } from '@vendure/core';
import { populate } from '@vendure/core/cli';
import { config } from './vendure-config';

const initialData = {
  defaultLanguage: 'en',
  defaultZone: 'Europe',
  countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
  taxRates: [{ name: 'Standard Tax', percentage: 20 }],
  shippingMethods: [{ name: 'Standard Shipping', price: 500 }],
  paymentMethods: [
    {
      name: 'Card',
      handler: { code: 'dummy-payment-handler', arguments: [{ name: 'automaticSettle', value: 'true' }] },
    },
  ],
  roles: [],
  collections: [],
};

const anyPort = { ...config, apiOptions: { ...config.apiOptions, port: 0 } };
populate(() => bootstrap(anyPort), initialData as never, path.join(__dirname, '../products.csv'))
  .then((app) => app.close())
  .then(() => process.exit(0));
`,
    },
    edits: {},
    build: [
      ['npx', 'tsc'],
      ['node', 'dist/populate.js'],
    ],
    start: ['dist/index.js'],
  },
};
