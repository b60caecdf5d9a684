import type { AfterCommit } from '../../platform/database/db.js';
import { internalEvent } from '../../platform/internal-events.js';
import type { Affiliate, AffiliateMerge } from './types.js';

export const affiliateCreated = internalEvent<{
  readonly affiliate: Affiliate;
  readonly afterCommit: AfterCommit;
}>('affiliate.created');

export const affiliateSaved = internalEvent<{
  readonly before: Affiliate;
  readonly after: Affiliate;
  readonly afterCommit: AfterCommit;
}>('affiliate.saved');

/** An application was rejected with a reason for the applicant. */
export const affiliateRejected = internalEvent<{ readonly affiliate: Affiliate; readonly reason: string }>(
  'affiliate.rejected',
);

/**
 * An affiliate is being deleted: its row is locked and still there, and listeners delete what belongs to it.
 */
export const affiliateRemoving = internalEvent<{ readonly id: number }>('affiliate.removing');

/** Everything of `from` belongs to `into` now. */
export const affiliatesMerged = internalEvent<AffiliateMerge & { readonly afterCommit: AfterCommit }>(
  'affiliates.merged',
);

/** The affiliate and everything that belonged to it are deleted. */
export const affiliateRemoved = internalEvent<{ readonly id: number; readonly afterCommit: AfterCommit }>(
  'affiliate.removed',
);

export const isPaidElsewhere = (before: Affiliate, after: Affiliate): boolean =>
  before.payment_email !== after.payment_email ||
  before.settings.bank_details !== after.settings.bank_details;
