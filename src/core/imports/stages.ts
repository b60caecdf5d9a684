/** In the order they are worked off (docs/settings.md §9). */
export const STAGES = [
  'affiliate_groups',
  'affiliates',
  'referrals',
  'customers',
  'payouts',
  'visits',
  'creatives',
] as const;
export type Stage = (typeof STAGES)[number];
export type StageCounts = Record<Stage, number>;
