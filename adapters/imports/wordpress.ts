import type { SourceKnex } from './source-queries.js';
import type { Migrator } from '../imports.js';
import { affiliateManager } from './affiliate-manager.js';
import { affiliateWp } from './affiliate-wp.js';
import { fluentAffiliate } from './fluent-affiliate.js';
import { sliceWp } from './slicewp.js';
import { solidAffiliate } from './solid-affiliate.js';
import { SourceDb } from './source-queries.js';
import { ultimateAffiliate } from './ultimate-affiliate.js';

export interface WordpressSource {
  /** The old site's database, e.g. of `openSource('mysql://…')`; only read. */
  readonly knex: SourceKnex;
  /** Table prefix of the old site; `wp_` unless given. */
  readonly tablePrefix?: string;
  /** Zone of the old times; default: UTC where the system stores it, else the zone the old site names. */
  readonly timeZone?: string;
}

/** Migrators for the affiliate plugins of a WordPress site; those whose tables are absent are not listed. */
export function wordpressMigrators({ knex, tablePrefix = 'wp_', timeZone }: WordpressSource): Migrator[] {
  if (!/^\w{0,40}$/u.test(tablePrefix)) throw new TypeError('tablePrefix: letters, digits and _');
  const db = new SourceDb(knex, tablePrefix);
  return [
    affiliateWp(db, timeZone),
    affiliateManager(db, timeZone),
    solidAffiliate(db, timeZone),
    sliceWp(db, timeZone),
    ultimateAffiliate(db, timeZone),
    fluentAffiliate(db, timeZone),
  ];
}
