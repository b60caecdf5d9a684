/**
 * Rules about money that a program manager decides. The option of the same name is the default; the option
 * `locked` fixes it.
 */
export const RULE_NAMES = [
  'clawback',
  'refundFlat',
  'stalePendingDays',
  'minPayout',
  'approvalAbove',
  'requirePaymentDetails',
  'fraud',
] as const;
export type RuleName = (typeof RULE_NAMES)[number];
