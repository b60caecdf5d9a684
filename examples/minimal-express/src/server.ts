import express from 'express';
import { createAffiliateService } from 'affiliate-service';
import { createMemoryHost } from 'affiliate-service/adapters';

const url = 'http://localhost:3000';
const host = createMemoryHost({
  site: { url },
  users: [
    { id: 1, login: 'admin', capabilities: ['manage_options'] },
    { id: 2, login: 'alice' },
  ],
});
const service = createAffiliateService(host, {
  database: { client: 'better-sqlite3', connection: process.env['DATABASE'] ?? ':memory:' },
});
await service.ready();
if (!(await service.affiliates.findByUser(2)))
  await service.affiliates.create({ user_id: 2, status: 'active', rate_type: 'percentage', rate: 10 });

const app = express();
service.mount(app);
app.get('/', (_req, res) => {
  res.send('<form method="post" action="/buy"><button>Buy for 100.00</button></form>');
});
app.post('/buy', async (req, res) => {
  const { referral } = await service.conversions.record(req, {
    provider: 'shop',
    reference: crypto.randomUUID(),
    status: 'unpaid',
    order: { subtotal: '100.00' },
    customer: { email: 'jo@example.test' },
  });
  res.send(
    referral ? `Thank you. Affiliate ${referral.affiliate_id} earned ${referral.amount}.` : 'Thank you.',
  );
});
const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`Listening on http://localhost:${port}, open /?ref=1 and buy\n`);
});
