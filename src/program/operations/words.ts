// The closed lists that the record of an operation is made of.

/**
 * A payout run, marking its payments paid, its undoing, a merge of two affiliates, the deletion of old visits, a
 * recount of all figures, the wipe of all data, the orders that follow a changed one, a change of the currency, a
 * simulation of reward rules.
 */
export const OPERATION_KINDS = [
  'payout',
  'payout_paid',
  'payout_undo',
  'merge',
  'retention',
  'recount',
  'wipe',
  'followers',
  'currency',
  'reward_simulation',
  'reward_mails',
] as const;

/**
 * `told`: its progress is only reported. The engine does the others in steps: `running` ones continue by
 * themselves, `stopped` ones after a request of a person.
 */
export const OPERATION_STATES = ['told', 'running', 'stopped'] as const;
