// The sites that `npm run test:hosts` makes: how each is prepared and started,
// and how its CMS signs people in.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectOk } from './visitor.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const PASSWORD = 'Correct-horse-battery-7';
const ADMIN = { email: 'admin@shop.test', password: PASSWORD };

/** Brings the contract suite into a site, as a file of it. */
const addContract = (folder, file) => {
  cpSync(join(here, 'contract.mjs'), join(folder, 'contract.mjs'));
  cpSync(join(here, file), join(folder, file));
};

const signInWithForm = async (visitor, { email, password }) => {
  await expectOk(visitor.send('POST', '/login', { body: { email, password: password ?? PASSWORD } }));
};

/** Fills in a form by the labels people read, and presses its button. */
async function fillIn(page, answers, button, look) {
  for (const [label, text] of Object.entries(answers))
    await page.getByLabel(new RegExp(`^${label}`)).fill(text);
  await look?.(page);
  const before = page.url();
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.waitForURL((url) => url.href !== before);
}

/** The sign-in page of the examples that have one of their own. */
const signInOnPage = (page, { email, password }, look) =>
  fillIn(page, { 'E-mail': email, Password: password }, 'Sign in', look);

const initInto = async (folder, framework, run) => {
  mkdirSync(folder, { recursive: true });
  const given = ['--framework', framework, '--ids', 'text', '--database', 'a.sqlite', '--dir', folder];
  await run('node', ['node_modules/affiliate-service/dist/cli/bin.js', 'init', ...given], {});
};

/** What `init` asks the owner of a new project with Next for, and a page. */
const NEW_NEXT = {
  'package.json': JSON.stringify({
    private: true,
    devDependencies: { '@types/node': '^24.0.0', '@types/react': '^19.0.0', typescript: '^5.9.0' },
  }),
  'next.config.ts': `import type { NextConfig } from 'next';
export default {
  serverExternalPackages: ['affiliate-service'],
  skipTrailingSlashRedirect: true,
} satisfies NextConfig;
`,
  'app/layout.tsx': `import type { ReactNode } from 'react';
export default function Layout({ children }: { children: ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
  'app/page.tsx': 'export default function Page() { return <h1>Shop</h1>; }\n',
};

const signInByPost =
  (path) =>
  async (visitor, { email, password }) => {
    const { status, text } = await visitor.send('POST', path, {
      form: { email, password: password ?? PASSWORD },
    });
    if (status !== 303 || visitor.cookies.size === 0) throw new Error(`${status}: ${text.slice(0, 400)}`);
  };

/** A framework knows no people: the contract suite is for the site's own. */
const FRAMEWORK = {
  base: '/api/affiliate-service/v2',
  env: {},
  hasUsers: false,
  admin: ADMIN,
  form: true,
  signIn: signInByPost('/login'),
  signInPage: signInOnPage,
};

/** One file beside the shop that all of these share. */
const sharedShop = (name) => ({
  ...FRAMEWORK,
  parts: ['package.json', 'package-lock.json', 'shop', name],
  start: [`${name}/server.mjs`],
  prepare: ({ env }) => {
    env.DATABASE = join(env.DATA_DIR, `${name}.sqlite`);
  },
});

export const SITES = {
  apostrophe: {
    base: '/api/affiliate-service/v2',
    env: {
      NODE_ENV: 'production',
      APOS_RELEASE_ID: '1',
      SESSION_SECRET: 'a secret of the site in this test',
    },
    start: ['app.js'],
    prepare: async ({ folder, run }) => {
      addContract(folder, 'apostrophe-contract.js');
      cpSync(join(folder, 'apostrophe-contract.js'), join(folder, 'modules', 'contract', 'index.js'));
      const app = join(folder, 'app.js');
      writeFileSync(app, readFileSync(app, 'utf8').replace('shop: {},', 'shop: {},\n    contract: {},'));
      await run('node', ['app.js', '@apostrophecms/asset:build'], { quiet: true });
      await run('node', ['app.js', 'contract:people'], {});
    },
    admin: ADMIN,
    signIn: async (visitor, { email, password }) => {
      await visitor.open('/login'); // the cookie against forged requests
      await expectOk(
        visitor.send('POST', '/api/v1/@apostrophecms/login/login', {
          body: { username: email, password: password ?? PASSWORD, session: true },
        }),
      );
    },
    signsNewPeopleIn: true,
    signInPage: async (page, { login, password }, look) => {
      await page.getByPlaceholder('Enter username').fill(login);
      await page.getByPlaceholder('Enter password').fill(password);
      await look?.(page);
      await page.getByRole('button', { name: 'Login' }).click();
      await page.waitForURL((url) => url.pathname !== '/login');
    },
    // The item of the admin bar.
    entrance: async (page, url, look) => {
      await page.goto(`${url}/`);
      await page.getByRole('button', { name: 'Affiliates' }).waitFor();
      await look(page);
      await page.getByRole('button', { name: 'Affiliates' }).click();
      await page.waitForURL(/affiliate-admin/);
    },
  },
  keystone: {
    base: '/api/affiliate-service/v2',
    env: {
      SESSION_SECRET: 'a secret of the site in this test, 32',
      PRISMA_SCHEMA_ENGINE_BINARY: join(tmpdir(), `schema-engine-${process.pid}`),
    },
    start: ['node_modules/@keystone-6/core/bin/cli.js', 'start'],
    prepare: async ({ folder, run, env }) => {
      addContract(folder, 'keystone-contract.mjs');
      const config = join(folder, 'keystone.js');
      writeFileSync(
        config,
        readFileSync(config, 'utf8')
          .replace(
            'setup: shop,',
            'setup: (...all) => { shop(...all); contract(all[0], host, all[1], all[2]); }, adapter: (made) => (host = made),',
          )
          .replace(
            "import { seed, shop } from './shop.js';",
            "import { seed, shop } from './shop.js';\nimport { contract } from './keystone-contract.mjs';\nlet host;",
          ),
      );
      // Prisma looks for an engine it does not need here.
      writeFileSync(env.PRISMA_SCHEMA_ENGINE_BINARY, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
      addContract(folder, 'keystone-tables.mjs');
      await run('node', ['keystone-tables.mjs', env.DATA_DIR], {});
      await run('node', ['node_modules/@keystone-6/core/bin/cli.js', 'build'], { quiet: true });
    },
    console: '/admin/affiliates',
    signInPage: (page, { email, password }, look) =>
      fillIn(page, { Email: email, Password: password }, 'Sign in', look),
    // The item of the admin's navigation.
    entrance: async (page, url, look) => {
      await page.goto(`${url}/admin`);
      await page.getByRole('link', { name: 'Affiliates', exact: true }).first().waitFor();
      await look(page);
      await page.getByRole('link', { name: 'Affiliates', exact: true }).first().click();
      await page.waitForURL(/admin\/affiliates\//);
    },
    admin: ADMIN,
    signIn: async (visitor, { email, password }) => {
      const query = `mutation ($email: String!, $password: String!) {
        authenticateUserWithPassword(email: $email, password: $password) { __typename } }`;
      const body = await expectOk(
        visitor.send('POST', '/api/graphql', {
          body: { query, variables: { email, password: password ?? PASSWORD } },
        }),
      );
      if (!JSON.stringify(body).includes('Success')) throw new Error(JSON.stringify(body));
    },
  },
  payload: {
    base: '/api/affiliate-service/v2',
    env: { PAYLOAD_SECRET: 'a secret of the site in this test, 32' },
    start: ['server.mjs'],
    prepare: async ({ folder }) => {
      addContract(folder, 'payload-contract.mjs');
      const server = join(folder, 'server.mjs');
      writeFileSync(
        server,
        readFileSync(server, 'utf8')
          .replace('const { service, mount } =', 'const { service, mount, host } =')
          .replace('mount(app);', 'mount(app);\ncontract(host, app, payload);')
          .replace(
            "import express from 'express';",
            "import express from 'express';\nimport { contract } from './payload-contract.mjs';",
          ),
      );
    },
    admin: ADMIN,
    signIn: signInWithForm,
    signInPage: signInOnPage,
  },
  'payload-admin': {
    base: '/api/affiliate-service/v2',
    env: {
      PAYLOAD_SECRET: 'a secret of the site in this test, 32',
      PAYLOAD_CONFIG_PATH: 'payload.config.js',
    },
    start: ['node_modules/next/dist/bin/next', 'start'],
    prepare: async ({ run }) => {
      await run('node', ['node_modules/payload/bin.js', 'generate:importmap'], {});
      await run('node', ['node_modules/next/dist/bin/next', 'build'], {});
      await run('node', ['seed.js'], {});
    },
    hasUsers: false, // the suite runs in the site `payload`
    console: '/admin/affiliates',
    admin: ADMIN,
    form: true,
    signIn: signInByPost('/sign-in'),
    // Who runs the program has a place in the admin; affiliates sign in on a page of the site.
    signInPage: (page, { email, login, password }, look) =>
      login === 'admin'
        ? fillIn(page, { Email: email, Password: password }, 'Login', look)
        : signInOnPage(page, { email, password }, look),
    // The item of the admin's navigation.
    entrance: async (page, url, look) => {
      const open = async () => {
        const menu = page.getByRole('button', { name: 'Open Menu' }).first();
        await page.waitForLoadState('networkidle');
        if ((await page.locator('aside[inert]').count()) > 0) await menu.click();
      };
      await page.goto(`${url}/admin`);
      await open();
      await look(page);
      await open(); // the picture of a phone has closed it
      await page.getByRole('link', { name: 'Affiliates', exact: true }).click();
      await page.waitForURL(/admin\/affiliates\//);
    },
  },
  directus: {
    // Its sandbox does not compile on later ones.
    node: '22',
    base: '/api/affiliate-service/v2',
    env: {
      SECRET: 'a secret of the site in this test, 32',
      ADMIN_EMAIL: 'admin@shop.example.com',
      ADMIN_PASSWORD: PASSWORD,
      DB_CLIENT: 'sqlite3',
      TELEMETRY: 'false',
      ROOT_REDIRECT: './shop',
    },
    start: ['node_modules/directus/cli.js', 'start'],
    prepare: async ({ folder, env, run }) => {
      env.PUBLIC_URL = env.BASE_URL;
      env.DB_FILENAME = join(env.DATA_DIR, 'directus.sqlite');
      env.AFFILIATES_FILE = join(env.DATA_DIR, 'affiliates.sqlite');
      const extension = join(folder, 'extensions', 'affiliates');
      addContract(extension, 'directus-contract.mjs');
      const index = join(extension, 'index.js');
      writeFileSync(
        index,
        readFileSync(index, 'utf8')
          .replace(
            'await shop(app, service, context);',
            'await shop(app, service, context);\n    contract(host, app, context);',
          )
          .replace('createAffiliateService(directusHost(context)', 'createAffiliateService(host')
          .replace('let service;', 'let service;\n  const host = directusHost(context);')
          .replace('import { shop }', "import { contract } from './directus-contract.mjs';\nimport { shop }"),
      );
      await run('node', ['node_modules/directus/cli.js', 'bootstrap'], {});
    },
    // Directus takes addresses of known domains only.
    admin: { email: 'admin@shop.example.com', password: PASSWORD },
    affiliate: 'alice@shop.example.com',
    mailDomain: 'shop.example.com',
    // Who runs the program has a place in the admin; affiliates sign in on a page of the site.
    signInPage: async (page, { email, login, password }, look) => {
      if (login !== 'admin') return signInOnPage(page, { email, password }, look);
      await page.getByPlaceholder('Email').fill(email);
      await page.getByPlaceholder('Password').fill(password);
      await look?.(page);
      await page.getByRole('button', { name: 'Sign In' }).click();
      return page.waitForURL((url) => url.pathname !== '/admin/login');
    },
    // The item of the bar at the left, which opens a window of its own.
    entrance: async (page, url, look) => {
      await page.goto(`${url}/admin/users`);
      await page.getByRole('button', { name: 'Remind Later' }).click(); // who owns the project
      const item = page.locator('a[href$="/affiliate-admin/"]');
      await item.waitFor();
      await look(page);
      const [opened] = await Promise.all([page.waitForEvent('popup'), item.click()]);
      await opened.waitForURL(/affiliate-admin/);
      await opened.close();
      await page.goto(`${url}/affiliate-admin/`);
    },
    signIn: async (visitor, { email, password }) => {
      await expectOk(
        visitor.send('POST', '/auth/login', {
          body: { email, password: password ?? PASSWORD, mode: 'session' },
        }),
      );
    },
  },
  strapi: {
    base: '/api/affiliate-service/v2',
    env: {
      APP_KEYS: 'of,this,test',
      JWT_SECRET: 'a secret of the site in this test, 32',
      ADMIN_JWT_SECRET: 'another secret of the site in this test, 32',
      API_TOKEN_SALT: 'a salt of the test',
      TRANSFER_TOKEN_SALT: 'a salt of the test',
      STRAPI_TELEMETRY_DISABLED: 'true',
    },
    start: ['node_modules/@strapi/strapi/bin/strapi.js', 'start'],
    prepare: async ({ folder, env }) => {
      env.PUBLIC_URL = env.BASE_URL;
      addContract(join(folder, 'src'), 'strapi-contract.js');
      const index = join(folder, 'src', 'index.js');
      writeFileSync(
        index,
        readFileSync(index, 'utf8')
          .replace(
            'await shop(strapi, service);',
            'await shop(strapi, service);\n    await require("./strapi-contract.js").contract(strapi, host);',
          )
          .replace(
            'service = createAffiliateService(strapiHost(strapi)',
            'const host = strapiHost(strapi);\n    service = createAffiliateService(host',
          ),
      );
      // The suite signs in more often than Strapi lets anybody.
      const plugins = join(folder, 'config', 'plugins.js');
      writeFileSync(
        plugins,
        readFileSync(plugins, 'utf8').replace(
          "jwtManagement: 'refresh',",
          "jwtManagement: 'refresh', ratelimit: { enabled: false },",
        ),
      );
    },
    admin: ADMIN,
    signIn: async (visitor, { email, password }) => {
      await expectOk(
        visitor.send('POST', '/api/auth/local', {
          body: { identifier: email, password: password ?? PASSWORD },
        }),
      );
    },
    namesPeople: false,
    signInPage: signInOnPage,
  },
  express: sharedShop('express'),
  express4: {
    ...sharedShop('express'),
    prepare: ({ folder, env }) => {
      env.DATABASE = join(env.DATA_DIR, 'express4.sqlite');
      const server = join(folder, 'express', 'server.mjs');
      writeFileSync(server, readFileSync(server, 'utf8').replace("from 'express'", "from 'express4'"));
    },
  },
  fastify: sharedShop('fastify'),
  koa: sharedShop('koa'),
  hono: sharedShop('hono'),
  node: sharedShop('node'),
  nest: {
    ...FRAMEWORK,
    start: ['dist/main.js'],
    // Compiles what `init` writes, too.
    prepare: async ({ folder, run }) => {
      await initInto(join(folder, 'src', 'written'), 'nest', run);
      await run('node', ['node_modules/typescript/bin/tsc'], {});
      cpSync(join(here, 'nest-module.mjs'), join(folder, 'nest-module.mjs'));
      await run('node', ['nest-module.mjs'], {});
    },
  },
  next: {
    ...FRAMEWORK,
    // it runs in production, which refuses the secret that the example prints
    env: { SECRET: 'a secret of the site in this test, 32' },
    signIn: signInByPost('/sign-in'),
    start: ['node_modules/next/dist/bin/next', 'start'],
    prepare: async ({ folder, run }) => {
      const build = [join(folder, 'node_modules', 'next', 'dist', 'bin', 'next'), 'build'];
      await run('node', build, {});
      // Next checks the types of what `init` writes; packages come from the site around it.
      const written = join(folder, 'written');
      await initInto(written, 'next', run);
      for (const [name, text] of Object.entries(NEW_NEXT)) writeFileSync(join(written, name), text);
      const settings = readFileSync(join(written, 'tsconfig.json'), 'utf8');
      const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock'];
      await run('npm', ['install', ...quiet], { cwd: written });
      await run('node', build, { cwd: written });
      if (readFileSync(join(written, 'tsconfig.json'), 'utf8') !== settings)
        throw new Error('Next had to change the tsconfig.json that `init` wrote');
    },
  },
};
