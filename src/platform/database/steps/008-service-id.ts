import { randomToken } from '../../../core/random.js';
import type { SchemaStep } from '../migrate.js';

const ONLY_ROW = 1;

/**
 * The one row that tells this service from every other, also from one with the same secret.
 * `used_before` is 1 in a database that was in use when the step came:
 * what its secret signed without the id counts for a while.
 */
export const serviceIdStep: SchemaStep = {
  id: '008-service-id',
  async up({ db, create, key }) {
    await create('service_identity', (t) => {
      t.integer('id').notNullable().primary();
      key(t, 'service_id', 64).notNullable();
      t.smallint('used_before').notNullable();
    });
    const used: unknown = await db('affiliates').first('id');
    const row = { id: ONLY_ROW, service_id: randomToken(24), used_before: used === undefined ? 0 : 1 };
    await db.dialect.insertIfAbsent(db, 'service_identity', row, ['id']);
  },
};
