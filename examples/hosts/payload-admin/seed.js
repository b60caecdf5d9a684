// Tables and two people to try it with. A real site has migrations instead.
import { getPayload } from 'payload';
import config from './payload.config.js';

const payload = await getPayload({ config });
const password = process.env.FIRST_PASSWORD ?? 'Correct-horse-battery-7';
const people = [
  ['Admin', 'admin'],
  ['Alice Bell', 'customer'],
];
if ((await payload.count({ collection: 'users' })).totalDocs === 0)
  for (const [name, role] of people) {
    const email = `${name.split(' ')[0].toLowerCase()}@shop.test`;
    await payload.create({ collection: 'users', data: { email, name, role, password } });
  }
process.exit(0);
