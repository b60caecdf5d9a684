import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router } from 'express';
import type { Site } from '../site.js';
import { html } from '../views/html.js';

const PAGE = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>REST interface · Fernway</title>
      <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/docs/swagger/swagger-ui.css" />
      <link rel="stylesheet" href="/assets/docs.css" />
      <script src="/docs/swagger/swagger-ui-bundle.js" defer></script>
      <script src="/assets/docs.js" defer></script>
    </head>
    <body>
      <header>
        <a href="/">← Fernway</a>
        <p>Sign in to the shop first, then “Try it out” acts for you.</p>
      </header>
      <main id="docs"></main>
    </body>
  </html>`.text;

// Swagger UI styles its elements in place and draws its icons as data URLs.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The interface's document and a reader for it, both from this server. */
export function docsRoutes({ service }: Site): Router {
  const router = Router();
  const reader = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  router.get('/openapi.json', (_req, res) => {
    res.json(service.openapi());
  });
  router.use('/docs/swagger', express.static(reader, { index: false, maxAge: '1h' }));
  router.get('/docs', (_req, res) => {
    res.set('Content-Security-Policy', POLICY).send(PAGE);
  });
  return router;
}
