// Fastify 5.
import fastify from 'fastify';
import { toFastify } from 'affiliate-service/bridges';
import { pages, record, service } from '../shop/affiliates.mjs';
import { SHOP, SIGN_IN } from '../shop/html.mjs';
import { signIn } from '../shop/people.mjs';

const app = fastify();
// after your session plugins
await app.register(toFastify(service, pages));

const form = async (request, text) => Object.fromEntries(new URLSearchParams(text));
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, form);
app.get('/', (request, reply) => reply.type('text/html').send(SHOP));
app.get('/login', (request, reply) => reply.type('text/html').send(SIGN_IN));
app.post('/login', (request, reply) => {
  const cookie = signIn(request.body);
  if (cookie) reply.header('Set-Cookie', cookie);
  return reply.redirect(cookie ? '/' : '/login', 303);
});
app.post('/buy', async (request) => {
  await record(request.raw, request.body.email);
  return 'Thank you!';
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(`listening on ${app.server.address().port}`);
