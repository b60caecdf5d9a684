// A hook extension: the program, its console and its portal on the addresses of Directus itself.
import { createAffiliateService } from 'affiliate-service';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { directusHost } from './host.js';
import { shop } from './shop.js';

export default ({ init, action }, context) => {
  let service;
  // The command line of Directus never comes here.
  init('app.before', ({ app }) => {
    service = createAffiliateService(directusHost(context), {
      database: { client: 'better-sqlite3', connection: context.env.AFFILIATES_FILE ?? 'affiliates.sqlite' },
      secret: context.env.SECRET,
    });
    // Before the redirect of `/` to the admin.
    app.use(service.tracker);
  });
  // After Directus's own sign-in, before its interface.
  init('routes.before', async ({ app }) => {
    app.use(service.basePath, service.router);
    app.use('/affiliate-admin', consoleApp(service, { loginUrl: '/admin/login' }));
    app.use('/partners', portalApp(service, { path: '/partners', loginUrl: '/login' }));
    await shop(app, service, context);
  });
  action('users.delete', ({ keys }) => Promise.all(keys.map((id) => service?.users.deleted(id))));
};
