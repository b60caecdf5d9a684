import type { ReactNode } from 'react';
import { Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

/** One whose payments were all taken out again was undone; nothing of it is left to pay. */
export const PayoutStatus = ({
  payout,
}: {
  payout: { readonly status: string; readonly transactions_count: number };
}): ReactNode =>
  payout.transactions_count === 0 ? (
    <Status of="cancelled" label={t('Undone')} />
  ) : (
    <Status of={payout.status} />
  );
