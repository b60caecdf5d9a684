import type { SchemaStep } from '../migrate.js';

/** Imports tell every row they leave out with its money, and see what changed in the old system since. */
export const importsStep: SchemaStep = {
  id: '009-imports',
  async up({ column }) {
    await column('import_rows', 'affiliate', 'varchar(191)'); // as the old system names it
    await column('import_rows', 'amount', 'varchar(60)'); // text, as it stands there
    await column('import_rows', 'currency', 'varchar(10)');
    await column('import_rows', 'detail', 'varchar(500)'); // the text that could not be used
    for (const table of ['affiliates', 'referrals'] as const)
      // what the row was made of, so that a change of it is seen
      await column(table, 'source_hash', 'varchar(64)');
  },
};
