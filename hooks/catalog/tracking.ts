import { isFiniteNumber, isList, isMap, isRecordOrNull, isText } from '../checks.js';
import { after, filter } from '../line.js';
import type { Affiliate, DataMap, FraudEvent, Visit } from '../records.js';

export const trackingHooks = {
  affiliate_by_param: filter<Affiliate | null, [value: string]>(
    ['param'],
    'The affiliate behind the value of a link; `value` is the one found so far, or null.',
    { check: isRecordOrNull },
  ),
  checkout_affiliate: filter<
    Affiliate | null,
    [customer: { user_id: number | null; email: string | null }, provider: string]
  >(
    ['customer', 'provider'],
    'The affiliate who is credited with an order; `value` is the one that cookie or coupon name, or null.',
    {
      check: isRecordOrNull,
    },
  ),
  visit_dedup_window: filter<number>(
    [],
    'Seconds in which clicks of one visitor count once; 0 or less switches it off.',
    { check: isFiniteNumber },
  ),
  visit_flood_limit: filter<number>([], 'New visits per address and hour; 0 or less switches it off.', {
    check: isFiniteNumber,
  }),
  user_ip: filter<string>([], 'The client address of a visit.', { check: isText }),
  tracker_vars: filter<DataMap>([], 'Settings handed to the browser script.', {
    check: isMap,
    shown: true,
  }),
  referral_formats: filter<readonly { label: string; value: string }[]>(
    [],
    'Choices for what the referral parameter holds.',
    { check: isList },
  ),
  cookie_expiration_days: filter<number>([], 'Days the attribution cookie lives.', { check: isFiniteNumber }),
  visit_created: after<[visit: Visit]>(['visit'], 'A click was counted as a visit.'),
  visit_ignored: after<[ignored: { reason: string; param: string }]>(['ignored'], 'A click was not counted.'),
  fraud_detected: after<[event: FraudEvent]>(
    ['event'],
    'A fraud rule found an order suspicious; fired once per rule, affiliate and customer.',
  ),
} as const;
