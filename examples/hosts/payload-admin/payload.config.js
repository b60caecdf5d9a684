// Payload 3 with its admin, on SQLite. The plugin is the whole affiliate program.
import { join } from 'node:path';
import { sqliteAdapter } from '@payloadcms/db-sqlite';
import { affiliates } from 'affiliate-service/payload';
import { buildConfig } from 'payload';

const url = process.env.BASE_URL ?? 'http://localhost:3000';
const isAdministrator = ({ req }) => req.user?.role === 'admin';

export default buildConfig({
  secret: process.env.PAYLOAD_SECRET ?? 'only for this example, at least 32 characters',
  db: sqliteAdapter({ client: { url: `file:${join(process.env.DATA_DIR ?? '.', 'site.sqlite')}` } }),
  telemetry: false,
  typescript: { autoGenerate: false },
  collections: [
    {
      slug: 'users',
      auth: true,
      access: { admin: isAdministrator, read: isAdministrator, create: isAdministrator },
      fields: [
        { name: 'name', type: 'text' },
        { name: 'role', type: 'select', options: ['admin', 'customer'], defaultValue: 'customer' },
      ],
    },
  ],
  plugins: [
    affiliates({
      site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
      isAdministrator: (user) => user.role === 'admin',
      // How many proxies stand before Next: only what they write into X-Forwarded-For is believed.
      proxies: Number(process.env.PROXIES ?? 1),
      // Who runs the program signs in at the admin, and finds the console inside.
      console: { path: '/admin/affiliates', loginUrl: '/admin/login' },
      portal: { path: '/partners' },
      // Mails, and the codes in them, on the terminal; leave it out once Payload has an email adapter.
      host: { mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`) },
      options: {
        database: {
          client: 'better-sqlite3',
          connection: join(process.env.DATA_DIR ?? '.', 'affiliates.sqlite'),
        },
      },
    }),
  ],
});
