import { id, line, ref, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

export const LINK_STATUSES = ['active', 'inactive'] as const;

/**
 * A short address of the site that counts a click and sends the visitor on:
 * `/go/summer` (docs/tracking.md §15).
 */
export const links = record('redirect_links', {
  id: id({ sort: true }),
  /** Lower case; independent of the value in the affiliate's own links. */
  slug: line(),
  affiliate_id: id(),
  creative_id: ref(),
  /** Null: the address of the creative, else the affiliate's default page. */
  url: text(),
  /** Used for visits whose address names no campaign. */
  utm_campaign: text(),
  status: word(LINK_STATUSES),
  created_at: time(),
  updated_at: time(),
});

export type RedirectLink = RecordOf<typeof links>;
