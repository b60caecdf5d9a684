// A site of ApostropheCMS 4 on SQLite with an affiliate program;
// MongoDB or PostgreSQL need another `uri` only.
const { join } = require('node:path');
const { affiliates } = require('affiliate-service/apostrophe');

const data = process.env.DATA_DIR ?? join(__dirname, 'data');
const port = Number(process.env.PORT ?? 3000);

require('apostrophe')({
  root: module,
  shortName: 'affiliate-shop',
  baseUrl: process.env.BASE_URL ?? `http://localhost:${port}`,
  modules: {
    '@apostrophecms/db': { options: { uri: `sqlite://${join(data, 'site.sqlite')}` } },
    '@apostrophecms/express': {
      options: {
        port,
        address: '127.0.0.1',
        session: { secret: process.env.SESSION_SECRET ?? 'only for this example' },
      },
    },
    '@apostrophecms/page': {
      options: {
        types: [
          { name: 'default-page', label: 'Page' },
          { name: '@apostrophecms/home-page', label: 'Home' },
        ],
      },
    },
    'default-page': { extend: '@apostrophecms/page-type', options: { label: 'Page' } },
    'affiliate-program': affiliates({
      options: { database: { client: 'better-sqlite3', connection: join(data, 'affiliates.sqlite') } },
      // Mails, and the codes in them, on the terminal; leave it out once `@apostrophecms/email` has a transport.
      host: { mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`) },
    }),
    shop: {},
  },
});
