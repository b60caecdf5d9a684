// A shop of one button, a sign-in page for people without a place in the admin, somebody to try it with,
// and the item of the admin's bar. Leave out what your site has.
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';

const page = (title, form) =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1>${form}`;
const SHOP = page(
  'Shop',
  `<form method="post" action="/buy">
  <input name="email" type="email" aria-label="Your e-mail" required> <button>Buy for 100</button></form>`,
);
const SIGN_IN = page(
  'Sign in',
  `<form method="post" action="/login">
  <p><label>E-mail <input name="email" type="email" required></label></p>
  <p><label>Password <input name="password" type="password" required></label></p>
  <p><button>Sign in</button></p></form>`,
);
/** Directus reads JSON; forms are left to us. */
const form = async (req) =>
  req.is('urlencoded') ? Object.fromEntries(new URLSearchParams(await text(req))) : req.body;

export async function shop(app, service, { services, database, getSchema, env }) {
  const options = { schema: await getSchema(), knex: database };
  await seed(new services.UsersService(options));
  await addToBar(new services.SettingsService(options), `${env.PUBLIC_URL}/affiliate-admin/`);
  app.get('/shop', (req, res) => res.send(SHOP));
  app.get('/login', (req, res) => res.send(SIGN_IN));
  app.post('/login', async (req, res) => {
    const accounts = new services.AuthenticationService({ schema: await getSchema(), knex: database });
    const signedIn = await accounts
      .login('default', await form(req), { session: true })
      .catch(() => undefined);
    const cookie = { httpOnly: true, sameSite: 'lax', secure: env.SESSION_COOKIE_SECURE === true };
    if (signedIn) res.cookie(env.SESSION_COOKIE_NAME, signedIn.accessToken, cookie);
    res.redirect(303, signedIn ? '/partners/' : '/login');
  });
  app.post('/buy', async (req, res, next) => {
    try {
      const { email } = await form(req);
      await service.conversions.record(req, {
        provider: 'shop',
        reference: randomUUID(),
        status: 'unpaid',
        order: { subtotal: '100.00' },
        customer: { email },
      });
      res.json({ thanks: true });
    } catch (error) {
      next(error);
    }
  });
}

async function addToBar(settings, url) {
  const { module_bar: bar } = await settings.readSingleton({ fields: ['module_bar'] });
  if (bar?.some(({ id }) => id === 'affiliates')) return;
  const own = ['content', 'users', 'files', 'insights', 'settings'].map((id) => ({
    type: 'module',
    id,
    enabled: true,
    ...(id === 'settings' && { locked: true }),
  }));
  const link = { type: 'link', id: 'affiliates', name: 'Affiliates', icon: 'handshake', url, enabled: true };
  await settings.upsertSingleton({ module_bar: [...(bar ?? own), link] });
}

async function seed(people) {
  const email = 'alice@shop.example.com';
  if ((await people.getKeysByQuery({ filter: { email: { _eq: email } } })).length > 0) return;
  const password = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
  await people.createOne({ email, password, first_name: 'Alice', last_name: 'Bell' });
}
