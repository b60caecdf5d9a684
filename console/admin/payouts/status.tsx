import type { ReactNode } from 'react';
import { Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

/** A payout without payments was undone. */
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
