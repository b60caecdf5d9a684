import type { Lines } from '../line.js';
import { accessHooks } from './access.js';
import { affiliateHooks } from './affiliates.js';
import { creativeHooks } from './creatives.js';
import { groupHooks } from './groups.js';
import { integrationHooks } from './integrations.js';
import { payoutHooks } from './payouts.js';
import { portalHooks } from './portal.js';
import { referralHooks } from './referrals.js';
import { settingsHooks } from './settings.js';
import { trackingHooks } from './tracking.js';

/** Every hook, in the order of the README. */
export const catalog = {
  ...affiliateHooks,
  ...groupHooks,
  ...referralHooks,
  ...payoutHooks,
  ...creativeHooks,
  ...portalHooks,
  ...trackingHooks,
  ...accessHooks,
  ...integrationHooks,
  ...settingsHooks,
} as const satisfies Lines;

export type Catalog = typeof catalog;

/** The areas as chapters of the README. */
export const chapters: readonly { readonly title: string; readonly lines: Lines }[] = [
  { title: 'Affiliates and customers', lines: affiliateHooks },
  { title: 'Groups', lines: groupHooks },
  { title: 'Referrals and commissions', lines: referralHooks },
  { title: 'Payouts', lines: payoutHooks },
  { title: 'Creatives', lines: creativeHooks },
  { title: 'Portal and registration', lines: portalHooks },
  { title: 'Tracking', lines: trackingHooks },
  { title: 'Access', lines: accessHooks },
  { title: 'Integrations and imports', lines: integrationHooks },
  { title: 'Settings, mails and reports', lines: settingsHooks },
];
