// Payload 3 with its admin, on SQLite. `forgetAffiliate` tells the program of accounts that are deleted.
import { join } from 'node:path';
import { sqliteAdapter } from '@payloadcms/db-sqlite';
import { buildConfig } from 'payload';
import { forgetAffiliate } from 'affiliate-service/payload';
import { program } from './program.js';

const isAdministrator = ({ req }) => req.user?.role === 'admin';

export default buildConfig({
  secret: process.env.PAYLOAD_SECRET ?? 'only for this example, at least 32 characters',
  db: sqliteAdapter({ client: { url: `file:${join(process.env.DATA_DIR ?? '.', 'site.sqlite')}` } }),
  telemetry: false,
  typescript: { autoGenerate: false },
  admin: { components: { afterNavLinks: ['/affiliates-link.js#AffiliatesLink'] } },
  collections: [
    {
      slug: 'users',
      auth: true,
      access: { admin: isAdministrator, read: isAdministrator, create: isAdministrator },
      fields: [
        { name: 'name', type: 'text' },
        { name: 'role', type: 'select', options: ['admin', 'customer'], defaultValue: 'customer' },
      ],
      hooks: { afterDelete: [forgetAffiliate(async () => (await program()).service)] },
    },
  ],
});
