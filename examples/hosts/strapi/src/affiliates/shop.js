// A shop of one button, a page to sign in and two people to try it with; leave it out on a real site.
const { randomUUID } = require('node:crypto');

const PAGES = {
  '/': `<form method="post" action="/buy"><h1>Shop</h1>
    <input name="email" type="email" aria-label="Your e-mail" required> <button>Buy for 100</button></form>`,
  '/login': `<form><h1>Sign in</h1>
    <p><label>E-mail <input name="identifier" type="email" required></label></p>
    <p><label>Password <input name="password" type="password" required></label></p>
    <p><button>Sign in</button></p></form>
    <script>document.forms[0].onsubmit = async (event) => {
      event.preventDefault();
      const body = JSON.stringify(Object.fromEntries(new FormData(event.target)));
      const headers = { 'Content-Type': 'application/json' };
      const { ok } = await fetch('/api/auth/local', { method: 'POST', headers, body });
      if (ok) location.assign('/');
      else alert('Wrong e-mail or password');
    };</script>`,
};
const page = (content) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>${content}`;

/** Before Strapi's own routes: `/` would lead to its admin. */
exports.pages = async (ctx, next) => {
  const content = ctx.method === 'GET' ? PAGES[ctx.path] : undefined;
  if (content === undefined) await next();
  else {
    ctx.type = 'html';
    ctx.body = page(content);
  }
};

exports.shop = async (strapi, service) => {
  await seed(strapi);
  strapi.server.routes([
    {
      method: 'POST',
      path: '/buy',
      handler: async (ctx) => {
        await service.conversions.record(ctx.req, {
          provider: 'shop',
          reference: randomUUID(),
          status: 'unpaid',
          order: { subtotal: '100.00' },
          customer: { email: ctx.request.body.email },
        });
        ctx.body = { thanks: true };
      },
      config: { auth: false },
    },
  ]);
};

async function seed(strapi) {
  const [people, roles] = ['user', 'role'].map((name) =>
    strapi.db.query(`plugin::users-permissions.${name}`),
  );
  if ((await people.count()) > 0) return;
  const role = await roles.create({ data: { name: 'Affiliate manager', type: 'affiliate-manager' } });
  const everybody = await roles.findOne({ where: { type: 'authenticated' } });
  const password = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
  for (const [username, { id }] of [
    ['admin', role],
    ['alice', everybody],
  ])
    await strapi
      .plugin('users-permissions')
      .service('user')
      .add({
        username,
        email: `${username}@shop.test`,
        password,
        role: id,
        provider: 'local',
        confirmed: true,
      });
}
