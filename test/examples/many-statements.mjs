// Makes and drops 200,000 statements through the service while memory is collected:
// `node --expose-gc many-statements.mjs`.
// A driver that frees statements wrongly ends the process here.
import { createAffiliateService } from 'affiliate-service';
import { createMemoryHost } from 'affiliate-service/adapters';
import createKnex from 'knex';

const STATEMENTS = 200_000;
const TIMES = 10; // every statement of the service is made and dropped as often
const knex = createKnex({
  client: 'better-sqlite3',
  connection: { filename: ':memory:' },
  useNullAsDefault: true,
  pool: { min: 1, max: 1 },
});
const host = createMemoryHost({
  site: { url: 'https://shop.test' },
  users: [{ id: 2, login: 'alice', email: 'alice@shop.test' }],
});
const service = createAffiliateService(host, { database: knex, jobs: false, durability: 'warn' });
await service.ready();
const { id } = await service.affiliates.create({
  user_id: 2,
  status: 'active',
  payment_email: 'alice@shop.test',
});

let made = 0;
const connection = await knex.client.acquireConnection();
const prepare = connection.prepare.bind(connection);
connection.prepare = (sql) => {
  for (let more = 1; more < TIMES; more += 1) prepare(sql);
  made += TIMES;
  return prepare(sql);
};
knex.client.releaseConnection(connection);

while (made < STATEMENTS) {
  await Promise.all(Array.from({ length: 50 }, () => service.affiliates.get(id)));
  if (made % 5000 < 60) globalThis.gc();
}
const violations = await service.verify();
await service.close();
await knex.destroy();
console.log(`made ${made} statements, ${violations.length} violations`);
