import { createHmac } from 'node:crypto';
import express from 'express';
import { createAffiliateService } from 'affiliate-service';
import { createMemoryHost } from 'affiliate-service/adapters';
import { ticketOffice } from './ticket-office.js';

const secret = process.env['TICKETS_SECRET'] ?? 'a secret the office and we share';
const host = createMemoryHost({
  users: [
    { id: 1, login: 'admin', capabilities: ['manage_options'] },
    { id: 2, login: 'alice' },
  ],
});
const service = createAffiliateService(host, {
  database: { client: 'better-sqlite3', connection: process.env['DATABASE'] ?? ':memory:' },
  providers: [ticketOffice([secret])],
});
await service.ready();
if (!(await service.affiliates.findByUser(2)))
  await service.affiliates.create({ user_id: 2, status: 'active', rate_type: 'percentage', rate: 10 });
await service.commerce.settings.updateStatus('tickets', 'yes');

const app = express();
// Before any body parser: the signature covers the bytes.
service.mount(app);
app.use(express.json());
app.get('/', (_req, res) => {
  res.send('<form method="post" action="/buy"><button>Buy a ticket for 60.00</button></form>');
});

/**
 * The office takes the order with the visitor's signed token, and tells us of it later, from its own machine.
 */
app.post('/buy', async (req, res) => {
  const { fa_ref: campaign } = await service.checkoutMetadata(req);
  const number = crypto.randomUUID();
  const status = await deliver({
    event: 'sold',
    sale: {
      number,
      currency: 'EUR',
      net: '60.00',
      tax: '12.00',
      email: 'jo@example.test',
      ...(campaign && { campaign }),
    },
  });
  res.json({ number, status });
});
app.post('/refund/:number', async (req, res) => {
  res.json({
    status: await deliver({
      event: 'refunded',
      refund: { number: req.params.number, id: `r-${req.params.number}`, currency: 'EUR', gross: '36.00' },
    }),
  });
});
app.get('/earned', async (_req, res) => {
  const { rows } = await service.referrals.list({
    page: 1,
    per_page: 20,
    search: '',
    order_by: 'id',
    order_type: 'ASC',
  });
  res.json(
    rows.map((row) => ({
      provider: row['provider'],
      provider_id: row['provider_id'],
      provider_url: row['provider_url'],
      amount: row['amount'],
      status: row['status'],
    })),
  );
});

/** What the office's machine does: twice, since nobody knows whether the first one arrived. */
async function deliver(message: object): Promise<number> {
  const time = Date.now();
  const body = JSON.stringify({ id: crypto.randomUUID(), time, ...message });
  const signature = `${time}.${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
  const send = (): Promise<Response> =>
    fetch(`${address()}${service.basePath}/webhooks/tickets`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', 'X-Tickets-Signature': signature },
    });
  await send();
  return (await send()).status;
}

const address = (): string => `http://localhost:${(server.address() as { port: number }).port}`;
const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  process.stdout.write(`Listening on ${address()}, open /?ref=1, buy a ticket and look at /earned\n`);
});
server.keepAliveTimeout = 65_000; // docs/hosts.md §3
process.once('SIGTERM', () => {
  server.close(() => {
    void service.close();
  });
  server.closeAllConnections();
});
