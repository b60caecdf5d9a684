// Hono 4 on Node; the same `handle` works wherever Request and Response are used.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { plainRequest, toWeb } from 'affiliate-service/bridges';
import { pages, record, service } from '../shop/affiliates.mjs';
import { SHOP, SIGN_IN } from '../shop/html.mjs';
import { signIn } from '../shop/people.mjs';

const app = new Hono();
app.get('/', (context) => context.html(SHOP));
app.get('/login', (context) => context.html(SIGN_IN));
app.post('/login', async (context) => {
  const cookie = signIn(await context.req.parseBody());
  if (cookie) context.header('Set-Cookie', cookie, { append: true });
  return context.redirect(cookie ? '/' : '/login', 303);
});
app.post('/buy', async (context) => {
  const { email } = await context.req.parseBody();
  await record(plainRequest(context.req.raw), email);
  return context.text('Thank you!');
});

// around the application, so that a link such as `/page/ref/jo` finds its page
const handle = toWeb(service, pages);
const fetch = (request, env) =>
  handle(request, (page) => app.fetch(page, env), { ip: env.incoming.socket.remoteAddress });
serve({ fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => console.log(`listening on ${port}`));
