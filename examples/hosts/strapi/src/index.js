// The program, its console and its portal on the addresses of Strapi itself.
const { join } = require('node:path');
const { createAffiliateService } = require('affiliate-service');
const { toKoa } = require('affiliate-service/bridges');
const { consoleApp, portalApp } = require('affiliate-service/console');
const { strapiHost } = require('./affiliates/host.js');
const { pages, shop } = require('./affiliates/shop.js');

const PEOPLE = 'plugin::users-permissions.user';
let service;
let answer;

module.exports = {
  // What is used here stands before Strapi's own parsers: signatures of shops cover the bytes as sent.
  register({ strapi }) {
    strapi.server.use((ctx, next) => answer(ctx, next));
    strapi.server.use(pages);
  },

  // The database is there now.
  async bootstrap({ strapi }) {
    service = createAffiliateService(strapiHost(strapi), {
      database: {
        client: 'better-sqlite3',
        connection: join(process.env.DATA_DIR ?? '.', 'affiliates.sqlite'),
      },
      secret: process.env.JWT_SECRET,
    });
    answer = toKoa(service, {
      '/affiliate-admin': consoleApp(service, { loginUrl: '/login' }),
      '/partners': portalApp(service, { loginUrl: '/login', path: '/partners' }),
    });
    strapi.db.lifecycles.subscribe({
      models: [PEOPLE],
      afterDelete: ({ result }) => service.users.deleted(result.id),
    });
    await shop(strapi, service);
  },

  destroy: () => service?.close(),
};
