import type { HostUser } from '../../../adapters/host.js';
import { avatarOf } from '../../core/avatar.js';
import { currencySymbol, minor, toWire } from '../../core/money.js';
import type { PayoutDto, PayoutWithCountsDto, TransactionColumnsDto } from '../api-schemas.js';
import type { NestedAffiliateDto, UserDto } from '../../program/api-schemas.js';
import { payouts, transactions } from './record.js';
import type { OpenByDetails } from './repository.js';
import type { LeftOutDto, PayoutMethodDto } from './schemas.js';
import type { LeftOut, PaymentDetails, Payout, PayoutCounts, PayoutTransaction } from './types.js';

export const presentPayout = (payout: Payout): PayoutDto => payouts.present(payout, payout.currency ?? '');

export const presentWithCounts = (payout: Payout, counts: PayoutCounts | undefined): PayoutWithCountsDto => ({
  ...presentPayout(payout),
  ...(counts ?? { referrals_count: 0, transactions_count: 0, affiliates_count: 0, sandbox: false }),
});

export const presentTransaction = (transaction: PayoutTransaction): TransactionColumnsDto =>
  transactions.present(transaction, transaction.currency ?? '');

/** A method and the open transactions of a payout. */
export function presentMethod(
  method: { readonly key: string; readonly title: string; readonly details: PaymentDetails | null },
  { currency }: Payout,
  { groups, without }: OpenByDetails,
  affiliates: ReadonlyMap<number, NestedAffiliateDto>,
): PayoutMethodDto {
  const { details } = method;
  const amount = (value: number): number => toWire(minor(value), currency ?? '');
  const payable = groups.filter((group) => details === null || group[details]);
  const others = groups.filter((group) => details !== null && !group[details]);
  const sum = (list: typeof groups, of: 'count' | 'amount_minor'): number =>
    list.reduce((total, group) => total + group[of], 0);
  return {
    ...method,
    transactions_count: sum(payable, 'count'),
    total_amount: amount(sum(payable, 'amount_minor')),
    left_out_count: sum(others, 'count'),
    left_out_amount: amount(sum(others, 'amount_minor')),
    left_out: without
      .filter((each) => details !== null && !each[details])
      .map((each) => ({
        transaction_id: each.transaction_id,
        affiliate_id: each.affiliate_id,
        amount: amount(each.amount_minor),
        code: 'missing_payment_details',
        affiliate: affiliates.get(each.affiliate_id ?? 0) ?? null,
      })),
  };
}

export const presentLeftOut = (
  { amount_minor: amount, ...row }: LeftOut,
  currency: string | null,
): LeftOutDto => ({ ...row, amount: toWire(amount, currency ?? '') });

export const symbolOf = (transaction: PayoutTransaction): string =>
  currencySymbol(transaction.currency ?? '');

/** The user object of docs/interface.md §4, nothing else of the host's user. */
export function presentCreator(user: HostUser | undefined): UserDto | null {
  if (!user) return null;
  return {
    ID: user.id,
    user_login: user.login,
    user_email: user.email,
    user_url: user.url,
    display_name: user.display_name,
    full_name: user.full_name,
    photo: avatarOf(user),
  };
}

// Empty maps are lists on the wire (docs/interface.md §4).
