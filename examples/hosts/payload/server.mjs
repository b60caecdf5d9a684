// Payload without its admin, beside an Express application: sign-in, a shop of one button, the program.
import { randomUUID } from 'node:crypto';
import express from 'express';
import { generatePayloadCookie, getPayload } from 'payload';
import config from './payload.config.mjs';
import { startProgram } from './program.mjs';

const port = Number(process.env.PORT ?? 3000);
const url = process.env.BASE_URL ?? `http://localhost:${port}`;
const payload = await getPayload({ config });
await seed();
const { service, mount } = startProgram(payload, url);
await service.ready();

export const app = express();
mount(app);
const page = (html) =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>${html}`;
const SHOP = page(`<h1>Shop</h1><form method="post" action="/buy">
  <input name="email" type="email" aria-label="Your e-mail" required> <button>Buy for 100</button></form>`);
const SIGN_IN = page(`<h1>Sign in</h1><form method="post" action="/login">
  <p><label>E-mail <input name="email" type="email" required></label></p>
  <p><label>Password <input name="password" type="password" required></label></p>
  <p><button>Sign in</button></p></form>`);
const body = [express.json(), express.urlencoded()];
app.get('/', (req, res) => res.send(SHOP));
app.get('/login', (req, res) => res.send(SIGN_IN));
app.post('/login', body, async (req, res) => {
  const { email, password } = req.body;
  const { token } = await payload.login({ collection: 'users', data: { email, password } });
  const { auth } = payload.collections.users.config;
  res.append(
    'Set-Cookie',
    generatePayloadCookie({ collectionAuthConfig: auth, cookiePrefix: payload.config.cookiePrefix, token }),
  );
  if (req.is('json')) res.json({ signedIn: true });
  else res.redirect('/');
});
app.post('/buy', body, async (req, res) => {
  await service.conversions.record(req, {
    provider: 'shop',
    reference: randomUUID(),
    status: 'unpaid',
    order: { subtotal: '100.00' },
    customer: { email: req.body.email },
  });
  res.json({ thanks: true });
});
app.listen(port, '127.0.0.1', () => console.log(`Listening on ${url}`));

async function seed() {
  if ((await payload.count({ collection: 'users' })).totalDocs > 0) return;
  const password = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
  for (const [name, role] of [
    ['Admin', 'admin'],
    ['Alice Bell', 'customer'],
  ])
    await payload.create({
      collection: 'users',
      data: { email: `${name.split(' ')[0].toLowerCase()}@shop.test`, name, role, password },
    });
}
