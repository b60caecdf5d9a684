// src/api/middlewares.js: defineMiddlewares({ routes: [{ matcher: '/*', middlewares: [affiliates] }] })
import express from 'express';
import { consoleApp, portalApp } from 'affiliate-service/console';

const apps = new WeakMap();

export async function affiliates(req, res, next) {
  const { service } = await req.scope.resolve('affiliates').start(req.scope.resolve('query'));
  if (!apps.has(service)) {
    const app = express();
    service.mount(app);
    app.use('/affiliate-admin', consoleApp(service, { loginUrl: '/app/login' }));
    app.use('/partners', portalApp(service, { path: '/partners' }));
    apps.set(service, app);
  }
  apps.get(service)(req, res, next);
}
