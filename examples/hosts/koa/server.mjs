// Koa 3.
import { text } from 'node:stream/consumers';
import Koa from 'koa';
import { toKoa } from 'affiliate-service/bridges';
import { pages, record, service } from '../shop/affiliates.mjs';
import { SHOP, SIGN_IN } from '../shop/html.mjs';
import { signIn } from '../shop/people.mjs';

const form = async (req) => Object.fromEntries(new URLSearchParams(await text(req)));
const routes = {
  'GET /': (context) => (context.body = SHOP),
  'GET /login': (context) => (context.body = SIGN_IN),
  'POST /login': async (context) => {
    const cookie = signIn(await form(context.req));
    if (cookie) context.append('Set-Cookie', cookie);
    context.redirect(cookie ? '/' : '/login');
    context.status = 303;
  },
  'POST /buy': async (context) => {
    const { email } = await form(context.req);
    await record(context.req, email);
    context.body = 'Thank you!';
  },
};

const app = new Koa();
// after your sessions, before body parsers and routes
app.use(toKoa(service, pages));
app.use((context) => routes[`${context.method} ${context.path}`]?.(context));
const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(`listening on ${server.address().port}`);
});
