// Express 5 and 4.
import express from 'express';
import { pages, record, service } from '../shop/affiliates.mjs';
import { SHOP, SIGN_IN } from '../shop/html.mjs';
import { signIn } from '../shop/people.mjs';

const app = express();
// after your sessions, before body parsers and routes
service.mount(app);
for (const [path, handler] of Object.entries(pages)) app.use(path, handler);

app.use(express.urlencoded({ extended: false }));
app.get('/', (req, res) => res.send(SHOP));
app.get('/login', (req, res) => res.send(SIGN_IN));
app.post('/login', (req, res) => {
  const cookie = signIn(req.body);
  if (cookie) res.append('Set-Cookie', cookie);
  res.redirect(303, cookie ? '/' : '/login');
});
app.post('/buy', (req, res, next) => {
  record(req, req.body.email).then(() => res.send('Thank you!'), next);
});
const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(`listening on ${server.address().port}`);
});
