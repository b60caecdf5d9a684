// Plain node:http.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { toNode } from 'affiliate-service/bridges';
import { pages, record, service } from '../shop/affiliates.mjs';
import { SHOP, SIGN_IN } from '../shop/html.mjs';
import { signIn } from '../shop/people.mjs';

const html = (res, page) => res.setHeader('Content-Type', 'text/html').end(page);
const form = async (req) => Object.fromEntries(new URLSearchParams(await text(req)));
const routes = {
  'GET /': (req, res) => html(res, SHOP),
  'GET /login': (req, res) => html(res, SIGN_IN),
  'POST /login': async (req, res) => {
    const cookie = signIn(await form(req));
    if (cookie) res.appendHeader('Set-Cookie', cookie);
    res.writeHead(303, { Location: cookie ? '/' : '/login' }).end();
  },
  'POST /buy': async (req, res) => {
    const { email } = await form(req);
    await record(req, email);
    res.end('Thank you!');
  },
};
const missing = (req, res) => res.writeHead(404).end();

// asks the program first; what is not the program's is a page of yours
const page = (req, res) => (routes[`${req.method} ${req.url.split('?')[0]}`] ?? missing)(req, res);
const server = createServer(toNode(service, page, pages));
server.listen(process.env.PORT ?? 3000, () => console.log(`listening on ${server.address().port}`));
