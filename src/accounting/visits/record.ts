import { string } from '../../core/dto-schema.js';
import { id, inside, ref, shown, text, time } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/**
 * A counted click. Texts are stored without markup and shortened; the address is stored according to option
 * `tracking.ip`.
 */
export const visits = record('visits', {
  id: id({ sort: true }),
  affiliate_id: ref({ sort: true, find: 'column' }),
  /** Host user of the visitor when signed in. */
  user_id: ref({ find: 'column' }),
  /** Set only in imported rows; whether a visit was converted is read from the referrals. */
  referral_id: ref({ find: 'column' }),
  /** The short link that was followed. */
  link_id: inside(ref()),
  site_id: inside(text()),
  event_id: inside(text()),
  // Sorted by its first 191 characters, which every database can compare.
  url: shown(
    text({ sort: { by: 'url', start: 191, nullable: true }, find: 'anywhere' }),
    string,
    (url) => url ?? '',
  ),
  referrer: text({ find: 'anywhere' }),
  utm_campaign: text({ sort: true, find: 'anywhere' }),
  utm_medium: text({ sort: true, find: 'anywhere' }),
  utm_source: text({ sort: true, find: 'anywhere' }),
  sub1: text({ find: 'column' }),
  sub2: text({ find: 'column' }),
  sub3: text({ find: 'column' }),
  sub4: text({ find: 'column' }),
  sub5: text({ find: 'column' }),
  ip: text({ find: 'column' }),
  visitor_key: inside(text()),
  created_at: time({ sort: true }),
  updated_at: time(),
});

export type Visit = RecordOf<typeof visits>;
