// The sites that `npm run test:hosts` makes: how each is prepared and started, and how its CMS signs people in.
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
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

export const SITES = {
  apostrophe: {
    base: '/api/affiliate-service/v2',
    env: { NODE_ENV: 'production', APOS_RELEASE_ID: '1', SESSION_SECRET: 'a secret of the site in this test' },
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
  },
  keystone: {
    base: '/api/affiliate-service/v2',
    env: { SESSION_SECRET: 'a secret of the site in this test, 32' },
    start: ['node_modules/.bin/keystone', 'start', '--no-ui', '--no-db-push'],
    prepare: async ({ folder, run }) => {
      addContract(folder, 'keystone-contract.mjs');
      appendFileSync(join(folder, 'shop.js'), "\nexport { contract } from './keystone-contract.mjs';\n");
      await run('node', ['prepare.mjs'], {});
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
    },
    admin: ADMIN,
    signIn: async (visitor, { email, password }) => {
      await expectOk(
        visitor.send('POST', '/login', { body: { email, password: password ?? PASSWORD } }),
      );
    },
  },
};
