import { internalEvent } from '../../platform/internal-events.js';
import type { Affiliate } from '../../program/affiliates/types.js';

/** A level moved an affiliate to another group. */
export const levelChanged = internalEvent<{ readonly affiliate: Affiliate; readonly window: string }>(
  'affiliate.level_changed',
);
