import type { NewReferral, ReferralStatus } from '../../accounting/referrals/types.js';
import { CommissionCalculator, type PricedCommission } from './commission-calculator.js';
import type { Deps } from './deps.js';
import type { GuardedOrder } from './guard.js';
import { filteredRow, referralRow, suspected } from './referral-row.js';
import { skip, type Skip, type SkipReason } from './types.js';

export interface PricedOrder extends GuardedOrder {
  /** The commission as it will be stored, without the customer. */
  readonly row: NewReferral;
  readonly commission: PricedCommission;
  /** The status that an extension has set; null when it has set none. */
  readonly statusByExtension: ReferralStatus | null;
  /** Why it earns nothing as it is now; null when it earns. It is computed again when the order changes. */
  readonly uncredited: SkipReason | null;
}

/** Freezes the rates and rules, computes the commission, and lets extensions change what will be stored. */
export async function price(app: Deps, guarded: GuardedOrder): Promise<PricedOrder | Skip> {
  const { report, credit, refusedBy, isParentRejected, renewal } = guarded;
  const { commission, row, isDropped, statusByExtension } = await draft(app, guarded);
  if (renewal?.ended && !commission.ruled) return skip(renewal.ended, credit.affiliate.id);
  if (isDropped && report.shop) return skip('zero_amount', credit.affiliate.id);
  return {
    ...guarded,
    row,
    commission,
    statusByExtension,
    uncredited: refusedBy ?? (isDropped ? 'zero_amount' : isParentRejected ? 'parent_rejected' : null),
    renewal: renewal && commission.ruled ? { ...renewal, max: commission.payments ?? 0 } : renewal,
  };
}

type Draft = Pick<PricedOrder, 'commission' | 'row' | 'statusByExtension'> & { readonly isDropped: boolean };

async function draft(app: Deps, guarded: GuardedOrder): Promise<Draft> {
  const { conversion, credit, input, hits, fingerprint, renewal } = guarded;
  const commission = await new CommissionCalculator(app).calculate(conversion, credit, input, {
    ...(renewal && { renewal }),
  });
  const parts = { conversion, credit, commission, fingerprint, ...(renewal && { parent: renewal.parent }) };
  const drafted = suspected(referralRow(parts), hits);
  const { provider } = conversion;
  const filtered = await filteredRow(app, drafted, { provider, keepZero: commission.mismatch });
  const statusByExtension = filtered.row.status === drafted.status ? null : filtered.row.status;
  return { ...filtered, commission, statusByExtension };
}
