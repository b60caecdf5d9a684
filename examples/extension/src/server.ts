import express from 'express';
import { createAffiliateService } from 'affiliate-service';
import { createMemoryHost, type HostMail } from 'affiliate-service/adapters';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { loyalty, pointsOf } from './loyalty.js';

const vouchers = new Map<string, object>();
const mails: HostMail[] = [];

const host = createMemoryHost({
  users: [
    { id: 1, login: 'admin', capabilities: ['manage_options'] },
    { id: 2, login: 'alice', email: 'alice@example.test' },
    { id: 3, login: 'bob', email: 'bob@example.test' },
  ],
});
const service = createAffiliateService(host, {
  database: { client: 'better-sqlite3', connection: process.env['DATABASE'] ?? ':memory:' },
  mailer: {
    send: (mail: HostMail) => {
      mails.push(mail);
    },
  },
  extensions: [
    loyalty({
      fallbackGroup: 'Everyone',
      mailFrom: 10,
      tillSecrets: [`whsec_${Buffer.from('a secret that the tills and we share').toString('base64')}`],
      formerMembers: [{ number: 'L-1', email: 'bob@example.test' }],
      issueVoucher: (voucher) => {
        vouchers.set(voucher.number, voucher);
      },
    }),
  ],
});
await service.ready();

const app = express();
service.mount(app);
app.use('/affiliate-admin', consoleApp(service, { path: '/affiliate-admin' }));
app.use('/partners', portalApp(service, { path: '/partners' }));

// What the pages of the extension call. They check rights themselves.
app.get('/loyalty/points', async (req, res) => {
  const { affiliate } = await service.session(req);
  res.json({ points: affiliate === null ? 0 : pointsOf(await service.affiliates.get(affiliate.id)) });
});
app.get('/loyalty/tills', async (req, res) => {
  const { rights } = await service.session(req);
  res.status(rights.administrator ? 200 : 403).send(rights.administrator ? '<p>2 tills</p>' : '');
});
// For this demo only: what was given and sent.
app.get('/loyalty/vouchers', (_req, res) => res.json([...vouchers.values()]));
app.get('/loyalty/mails', (_req, res) => res.json(mails.map(({ to, subject }) => ({ to, subject }))));
app.get('/sign-in/:user', (req, res) => {
  res.append('Set-Cookie', `${host.signIn(Number(req.params.user)).cookie}; Path=/; HttpOnly`);
  res.redirect('/affiliate-admin/');
});

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  const { cookie, nonce } = host.signIn(1);
  process.stdout.write(`Listening on http://localhost:${port}

The console of the administrator: http://localhost:${port}/sign-in/1
A group with the extension's own field:
  curl -X POST http://localhost:${port}${service.basePath}/groups/groups \\
    -H 'Cookie: ${cookie}' -H 'X-WP-Nonce: ${nonce}' -H 'Content-Type: application/json' \\
    -d '{"meta_key":"Partners","rate_type":"percentage","rate":15,"status":"active","tier":"gold"}'
`);
});
server.keepAliveTimeout = 65_000; // docs/hosts.md §3
process.once('SIGTERM', () => {
  server.close(() => {
    void service.close();
  });
  server.closeAllConnections();
});
