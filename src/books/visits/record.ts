import { string } from '../../core/wire-schema.js';
import { id, inside, ref, shown, text, time } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/**
 * A counted click. Texts are stored clean and cut; the address is stored as the option `tracking.ip` says.
 */
export const visits = record('visits', {
  id: id({ sort: true }),
  affiliate_id: ref({ sort: true, find: 'column' }),
  /** Host user of the visitor when signed in. */
  user_id: ref({ find: 'column' }),
  /** Only in imported rows; "converted" asks the referrals. */
  referral_id: ref({ find: 'column' }),
  site_id: inside(text()),
  event_id: inside(text()),
  // Sorted by as much as every database compares.
  url: shown(
    text({ sort: { by: 'substr(url, 1, 191)', nullable: true }, find: 'anywhere' }),
    string,
    (url) => url ?? '',
  ),
  referrer: text({ find: 'anywhere' }),
  utm_campaign: text({ sort: true, find: 'anywhere' }),
  utm_medium: text({ sort: true, find: 'anywhere' }),
  utm_source: text({ sort: true, find: 'anywhere' }),
  ip: text({ find: 'column' }),
  visitor_key: inside(text()),
  created_at: time({ sort: true }),
  updated_at: time(),
});

export type Visit = RecordOf<typeof visits>;
