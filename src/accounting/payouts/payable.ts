import { chunks } from '../../core/chunks.js';
import { minor, type Minor } from '../../core/money.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { keepsDetails, methodOf, profileDetails } from './methods.js';
import { findPayable, newestReferral, type Scope } from './queries.js';
import type { PayableGroup, PayoutConfig } from './types.js';

/** What a run can pay, at one moment. */
export interface PayableSet {
  readonly scope: Scope;
  readonly groups: readonly PayableGroup[];
  readonly total_minor: Minor;
  readonly referral_count: number;
}

const CHUNK = 1000;
const MAX_MINOR = 999_999_999_999_999;
const PURPOSE = 'payout-preview';

/**
 * Reads what can be paid, without affiliates whose host user was deleted. Asks the host outside of any
 * transaction.
 */
export async function readPayable(app: Deps, config: PayoutConfig): Promise<PayableSet> {
  // The newest of all rows, not only of the payable ones: what an affiliate owes may be newer than what they
  // are owed.
  const open = { ...(await openScope(app, config)), upTo: await newestReferral(app.db) };
  const found = await findPayable(app.db, open);
  const known = await knownUsers(app, found);
  const isKnown = (group: PayableGroup): boolean => group.user_id !== null && known.has(group.user_id);
  const groups = found.filter(isKnown);
  const excluded = found.filter((group) => !isKnown(group)).map((group) => group.affiliate_id);
  return setOf({ ...open, excluded }, groups);
}

function setOf(scope: Scope, groups: readonly PayableGroup[]): PayableSet {
  const total = groups.reduce((sum, group) => sum + group.amount_minor, 0);
  if (total > MAX_MINOR) fail('amount_overflow');
  return {
    scope,
    groups,
    total_minor: minor(total),
    referral_count: groups.reduce((sum, group) => sum + group.referral_count, 0),
  };
}

async function openScope(app: Deps, config: PayoutConfig): Promise<Scope> {
  const { requireActive } = app.options.payouts;
  const { requirePaymentDetails } = await app.settings.rules();
  const program = (await app.settings.referralConfig()).payout_method;
  const method = methodOf(app, config.payout_method) ?? {};
  const details = profileDetails(method) ?? (program === 'paypal' ? 'payment_email' : 'bank_details');
  const ownDetails = keepsDetails(app, config.payout_method);
  return {
    config,
    now: app.clock.now(),
    upTo: null,
    merging: [
      ...(await app.affiliates.merger.merging()).flatMap(({ from, into }) => [from, into]),
      ...(await app.orders.settling()),
    ],
    excluded: [],
    requireActive,
    details,
    requireDetails: requirePaymentDetails && !ownDetails ? details : null,
    method: { key: config.payout_method, ownDetails },
  };
}

async function knownUsers(app: Deps, groups: readonly PayableGroup[]): Promise<ReadonlySet<number>> {
  const ids = [...new Set(groups.map((group) => group.user_id))].filter((id) => id !== null);
  const known = new Set<number>();
  for (const chunk of chunks(ids, CHUNK)) {
    for (const id of (await app.users(chunk)).keys()) known.add(id);
  }
  return known;
}

/**
 * A text by which two sets can be compared: currency, affiliates, and for each the number, sum and ids of the
 * referrals.
 */
export const fingerprint = ({ scope, groups }: PayableSet): string => fingerprintOf(scope, groups);

export const fingerprintOf = (
  scope: Scope,
  groups: readonly Omit<PayableGroup, 'user_id' | 'status' | 'has_payment_details'>[],
): string =>
  [
    scope.config.currency,
    ...groups.map(
      (group) =>
        `${group.affiliate_id}:${group.referral_count}:${group.amount_minor}:${group.highest_id}:${group.id_sum}`,
    ),
  ].join('|');

export const previewToken = (app: Deps, set: PayableSet): string =>
  app.secrets.sign(PURPOSE, fingerprint(set));

export const isPreviewOf = (app: Deps, set: PayableSet, token: string): boolean =>
  app.secrets.verify(PURPOSE, fingerprint(set), token);
