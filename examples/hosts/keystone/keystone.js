// A site of Keystone 8 on SQLite with an affiliate program.
import { join } from 'node:path';
import { createAuth } from '@keystone-6/auth';
import { config, list } from '@keystone-6/core';
import { allowAll } from '@keystone-6/core/access';
import { checkbox, password, text } from '@keystone-6/core/fields';
import { statelessSessions } from '@keystone-6/core/session';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { affiliates } from 'affiliate-service/keystone';
import { seed, shop } from './shop.js';

const data = process.env.DATA_DIR ?? '.';
const database = `file:${join(data, 'site.sqlite')}`;
// The prisma.config.ts that Keystone writes reads it from here.
process.env.DATABASE_URL ??= database;
const port = Number(process.env.PORT ?? 3000);
const url = process.env.BASE_URL ?? `http://localhost:${port}`;
const secret = process.env.SESSION_SECRET ?? 'only for this example, at least 32 characters';
const signedInAdmin = ({ session }) => session?.data?.isAdmin === true;

const { withAuth } = createAuth({
  listKey: 'User',
  identityField: 'email',
  secretField: 'password',
  sessionData: 'id email name isAdmin',
});

export default withAuth(
  config({
    db: {
      provider: 'sqlite',
      prismaClientOptions: () => ({ adapter: new PrismaBetterSqlite3({ url: database }) }),
      onConnect: seed,
    },
    ui: { basePath: '/admin', isAccessAllowed: signedInAdmin },
    session: statelessSessions({ secret }),
    lists: {
      User: list({
        access: {
          operation: {
            query: allowAll,
            create: signedInAdmin,
            update: signedInAdmin,
            delete: signedInAdmin,
          },
          filter: {
            query: ({ session }) =>
              session?.data?.isAdmin === true || { id: { equals: session?.itemId ?? 'nobody' } },
          },
        },
        fields: {
          name: text({ validation: { isRequired: true } }),
          email: text({ validation: { isRequired: true }, isIndexed: 'unique' }),
          password: password({ validation: { isRequired: true } }),
          isAdmin: checkbox(),
        },
      }),
    },
    server: {
      port,
      extendExpressApp: affiliates({
        secret,
        site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/admin/signin` },
        isAdministrator: (user) => user.isAdmin === true,
        options: { database: { client: 'better-sqlite3', connection: join(data, 'affiliates.sqlite') } },
        console: { path: '/admin/affiliates' },
        // Mails, and the codes in them, on the terminal: your transport goes here.
        host: { mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`) },
        setup: shop,
      }),
    },
  }),
);
