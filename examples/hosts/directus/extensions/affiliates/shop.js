// A shop of one button and somebody to try it with; leave it out on a real site.
import { randomUUID } from 'node:crypto';

export async function shop(app, service, { services, database, getSchema }) {
  const people = new services.UsersService({ schema: await getSchema(), knex: database });
  await seed(people);
  app.post('/buy', async (req, res, next) => {
    try {
      await service.conversions.record(req, {
        provider: 'shop',
        reference: randomUUID(),
        status: 'unpaid',
        order: { subtotal: '100.00' },
        customer: { email: req.body.email },
      });
      res.json({ thanks: true });
    } catch (error) {
      next(error);
    }
  });
}

async function seed(people) {
  const email = 'alice@shop.example.com';
  if ((await people.getKeysByQuery({ filter: { email: { _eq: email } } })).length > 0) return;
  const password = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
  await people.createOne({ email, password, first_name: 'Alice', last_name: 'Bell' });
}
