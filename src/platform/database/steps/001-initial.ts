import type { SchemaStep } from '../migrate.js';
import { money, people } from './001-books.js';
import { commerce, imports, material, plumbing, settings } from './001-program.js';

export const initialStep: SchemaStep = {
  id: '001-initial',
  async up(tools) {
    // job_leases and schema_steps exist already: the lock of migrate.ts needs them
    await people(tools);
    await money(tools);
    await settings(tools);
    await material(tools);
    await plumbing(tools);
    await commerce(tools);
    await imports(tools);
  },
};
