// A shop of one button, and two people to try it with.
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';

const SHOP = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
  <h1>Shop</h1><form method="post" action="/buy">
  <input name="email" type="email" aria-label="Your e-mail" required> <button>Buy for 100</button></form>`;

export function shop(service, app) {
  app.use('/buy', async (req, res, next) => {
    if (req.method !== 'POST') {
      next();
      return;
    }
    try {
      const sent = await text(req);
      const isForm = req.headers['content-type'] === 'application/x-www-form-urlencoded';
      const { email = '' } = isForm ? Object.fromEntries(new URLSearchParams(sent)) : JSON.parse(sent);
      await service.conversions.record(req, {
        provider: 'shop',
        reference: randomUUID(),
        status: 'unpaid',
        order: { subtotal: '100.00' },
        customer: { email },
      });
      res.setHeader('Content-Type', 'application/json').end('{"thanks":true}');
    } catch (error) {
      next(error);
    }
  });
  app.use((req, res, next) => {
    if (req.method === 'GET' && req.url.split('?')[0] === '/')
      res.setHeader('Content-Type', 'text/html').end(SHOP);
    else next();
  });
}

export async function seed(context) {
  const users = context.sudo().db.User;
  if ((await users.count()) > 0) return;
  const password = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
  await users.createOne({ data: { name: 'Admin', email: 'admin@shop.test', password, isAdmin: true } });
  await users.createOne({ data: { name: 'Alice Bell', email: 'alice@shop.test', password } });
}
