import type { SchemaStep } from '../migrate.js';
import { bookTables } from './001-books.js';
import { edgeTables } from './001-edges.js';
import { platformTables } from './001-platform.js';
import { programTables } from './001-program.js';
import { saleTables } from './001-sales.js';

/** The whole schema, floor by floor: a table refers to those of its own floor or of a lower one. */
export const initialStep: SchemaStep = {
  id: '001-initial',
  async up(tools) {
    // job_leases and schema_steps exist already: the lock of migrate.ts needs them
    await platformTables(tools);
    await programTables(tools);
    await bookTables(tools);
    await saleTables(tools);
    await edgeTables(tools);
  },
};
