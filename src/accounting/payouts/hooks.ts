import type { PayableAffiliate, Payout, PayoutTransaction } from './types.js';
import { isMap } from '../../platform/hooks/checks.js';
import { after, before, defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export const payoutHooks = defineHooks(
  {
    'payout/before_create': filter<DataMap, [config: DataMap, affiliates: readonly PayableAffiliate[]]>(
      ['config', 'affiliates'],
      'The database row of a payout before it is stored.',
      { check: isMap },
    ),
    'payout/before_processing': filter<DataMap, [affiliates: readonly PayableAffiliate[], config: DataMap]>(
      ['affiliates', 'config'],
      'A payout is about to be created; `value` is the payout. The returned value is ignored. Throw ' +
        '`HookVeto` to stop it with a message.',
    ),
    'payout/processed': after<[payout: Payout, affiliates: readonly PayableAffiliate[]]>(
      ['payout', 'affiliates'],
      'A payout was created for these affiliates and can be paid.',
    ),
    'payout/updated': after<[payout: Payout, previous: DataMap]>(
      ['payout', 'previous'],
      "A payout's title or description changed. `previous` contains the old values.",
    ),
    'payout/transaction/transaction_updated_to_{status}': after<
      [transaction: PayoutTransaction, payout: Payout]
    >(['transaction', 'payout'], 'The status of a transaction changed to this one.', {
      values: ['paid', 'processing'],
    }),
    'payout/transaction/deleting': before<[transaction: PayoutTransaction, payout: Payout]>(
      ['transaction', 'payout'],
      'A transaction is about to be deleted, which releases its referrals. Throw to stop it.',
    ),
    'payout/transaction/deleted': after<[transactionId: number, payout: Payout]>(
      ['transactionId', 'payout'],
      'A transaction was deleted.',
    ),
    'payout/stranded_referrals_released': after<[affiliateIds: readonly number[], releasedCount: number]>(
      ['affiliateIds', 'releasedCount'],
      'Referrals that a payout claimed but never settled are unpaid again.',
    ),
  },
  {
    'payout.creating': 'payout/before_create',
    'payout.affiliates': 'payout/before_processing',
    'payout.created': 'payout/processed',
    'payout.updated': 'payout/updated',
    'payout_transaction.status_changed.{status}': 'payout/transaction/transaction_updated_to_{status}',
    'payout_transaction.deleting': 'payout/transaction/deleting',
    'payout_transaction.deleted': 'payout/transaction/deleted',
    'payout.referrals_released': 'payout/stranded_referrals_released',
  },
);
