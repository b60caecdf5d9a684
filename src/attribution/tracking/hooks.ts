import type { Affiliate } from '../../program/affiliates/types.js';
import type { Visit } from '../../accounting/visits/types.js';
import {
  isAddress,
  isFiniteNumber,
  isList,
  isMap,
  isRecordOrNull,
  isText,
} from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export const trackingHooks = defineHooks(
  {
    default_share_url: filter<string, [affiliate: Affiliate]>(
      ['affiliate'],
      "Base URL of an affiliate's default link.",
      { check: isAddress, shown: true },
    ),
    affiliate_by_param: filter<Affiliate | null, [value: string]>(
      ['param'],
      'The affiliate for a tracked value. `value` is the affiliate found so far, or `null`.',
      { check: isRecordOrNull },
    ),
    visit_dedup_window: filter<number>(
      [],
      'Seconds in which repeated clicks of a visitor count once. 0 or less turns this off.',
      { check: isFiniteNumber },
    ),
    visit_flood_limit: filter<number>(
      [],
      'Maximum new visits per IP address and hour. 0 or less turns this off.',
      {
        check: isFiniteNumber,
      },
    ),
    user_ip: filter<string>([], "The visitor's IP address.", { check: isText }),
    tracker_vars: filter<DataMap>([], 'Settings passed to the browser script.', {
      check: isMap,
      shown: true,
    }),
    referral_formats: filter<readonly { label: string; value: string }[]>(
      [],
      'The available formats of the referral parameter.',
      { check: isList },
    ),
    cookie_expiration_days: filter<number>([], 'Days until the attribution cookie expires.', {
      check: isFiniteNumber,
    }),
    visit_created: after<[visit: Visit]>(['visit'], 'A click was counted as a visit.'),
    visit_ignored: after<[ignored: { reason: string; param: string }]>(
      ['ignored'],
      'A click was not counted.',
    ),
  },
  {
    'affiliate.share_url': 'default_share_url',
    'tracking.affiliate_of_link': 'affiliate_by_param',
    'tracking.repeat_seconds': 'visit_dedup_window',
    'tracking.visits_per_hour': 'visit_flood_limit',
    'tracking.client_address': 'user_ip',
    'tracking.script_settings': 'tracker_vars',
    'tracking.link_formats': 'referral_formats',
    'tracking.cookie_days': 'cookie_expiration_days',
    'visit.created': 'visit_created',
    'visit.ignored': 'visit_ignored',
  },
);
