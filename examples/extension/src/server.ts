import express from 'express';
import { createAffiliateService } from 'affiliate-service';
import { createMemoryHost } from 'affiliate-service/adapters';
import { loyalty } from './loyalty.js';

const host = createMemoryHost({
  users: [
    { id: 1, login: 'admin', capabilities: ['manage_options'] },
    { id: 2, login: 'alice' },
    { id: 3, login: 'bob' },
  ],
});
const service = createAffiliateService(host, {
  database: { client: 'better-sqlite3', connection: process.env['DATABASE'] ?? ':memory:' },
  extensions: [loyalty({ fallbackGroup: 'Everyone' })],
});
await service.ready();

const app = express();
service.mount(app);
const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  const { cookie, nonce } = host.signIn(1);
  process.stdout.write(`Listening on http://localhost:${port}

A group with the extension's own field:
  curl -X POST http://localhost:${port}${service.basePath}/groups/groups \\
    -H 'Cookie: ${cookie}' -H 'X-WP-Nonce: ${nonce}' -H 'Content-Type: application/json' \\
    -d '{"meta_key":"Partners","rate_type":"percentage","rate":15,"status":"active","tier":"gold"}'
`);
});
server.keepAliveTimeout = 65_000; // docs/hosts.md §3
