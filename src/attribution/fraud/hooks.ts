import type { Affiliate } from '../../program/affiliates/types.js';
import type { FraudEvent } from './types.js';
import { isBoolean } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export const fraudHooks = defineHooks(
  {
    is_self_referral: filter<boolean, [match: { affiliate: Affiliate; customer: DataMap | null }]>(
      ['match'],
      'Whether the customer and the affiliate are the same person.',
      { check: isBoolean },
    ),
    fraud_detected: after<[event: FraudEvent]>(
      ['event'],
      'A fraud rule matched an order. Called once per rule, affiliate and customer.',
    ),
  },
  {
    'referral.is_own_purchase': 'is_self_referral',
    'fraud.detected': 'fraud_detected',
  },
);
