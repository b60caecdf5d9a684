import { count, id, inside, line, time, timeOrNone, word, type Field } from '../../records/fields.js';
import { inForm } from '../../records/form.js';
import { record, type FormValuesOf, type RecordOf } from '../../records/record.js';
import * as rules from './rules.js';

/** Text in a column that cannot have a default on every database; '' where it was never set. */
const longLine: Field<string, string> = {
  ...line(),
  read: (stored) => (typeof stored === 'string' ? stored : ''),
};

/**
 * A site that reports visits and orders. Its key (column `secret`) is not included, so the record can be
 * passed on.
 */
export const sites = record('connected_sites', {
  id: inside(id()),
  /** Six digits. */
  site_id: line(),
  site_url: line(),
  /** Host, port and path: one site has one key for http and https. */
  url_key: inside(line()),
  site_title: inForm(line(), rules.title),
  param_key: inForm(line(), rules.variable),
  /** Earlier names of `param_key`, the newest first, with blanks between them. */
  former_params: inside(longLine),
  /** Days. */
  cookie_duration: inForm(count(), rules.days),
  credit_last_referrer: inForm(word(['yes', 'no']), rules.yes),
  status: inForm(word(rules.SITE_STATUSES), rules.status),
  logo: inForm(line(), rules.address),
  description: inForm(longLine, rules.description),
  subtitle: inForm(line(), rules.subtitle),
  created_at: time(),
  token_issued_at: time(),
  last_seen_at: timeOrNone(),
});

export type ConnectedSite = RecordOf<typeof sites>;
/** What an administrator may change. */
export type SiteSettings = FormValuesOf<typeof sites>;
