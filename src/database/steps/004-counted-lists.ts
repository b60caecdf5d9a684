import type { SchemaStep } from '../migrate.js';

/** Lists by address have an index too. */
export const countedListsStep: SchemaStep = {
  id: '004-counted-lists',
  async up({ column, generated, index }) {
    await column('visits', 'url_key', generated('varchar(500)', 'substr(url, 1, 500)')); // whole addresses are longer than a key may be
    await index('visits', ['url_key', 'id']);
  },
};
