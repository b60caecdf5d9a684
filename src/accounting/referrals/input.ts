import { parseAmount } from '../../core/money.js';
import { FieldCheck } from '../../errors.js';
import { isMissing, isScalar } from '../../records/form.js';
import { referrals } from './record.js';
import {
  MANUAL_TYPES,
  type NewReferral,
  type Referral,
  type ReferralInput,
  type ReferralPatch,
} from './types.js';

// Rules of single fields are in record.ts; these are the rules between fields, and between form and row.

export type CheckedReferral = NewReferral & Pick<Referral, 'provider' | 'provider_id'>;
export type CheckedPatch = Partial<Pick<Referral, 'amount_minor' | 'status' | 'type' | 'description'>>;

/**
 * The rules of docs/interface.md §7.2, for callers with and without HTTP. `exists`: whether there is such an
 * affiliate.
 */
export function checkReferral(input: ReferralInput, currency: string, exists: boolean): CheckedReferral {
  const check = new FieldCheck();
  if (isMissing(input.affiliate_id)) check.add('affiliate_id', 'required', 'Choose an affiliate.');
  else if (!exists) check.add('affiliate_id', 'exists', 'No such affiliate.');
  const form = referrals.readForm(check, { ...input }, currency).values(null, {});
  check.throwIfAny();
  return { ...form, affiliate_id: Number(input.affiliate_id), provider: form.provider ?? 'manual' };
}

/** The rules of docs/interface.md §7.3; absent and blank fields do not change, a blank description clears. */
export function checkPatch(input: ReferralPatch, row: Referral, currency: string): CheckedPatch {
  const check = new FieldCheck();
  const form = referrals.readForm(check, { ...input }, currency);
  // Forms send every field back: a value that the row already has is never wrong.
  const word = <K extends 'status' | 'type'>(column: K, mayChange: boolean): Partial<Pick<Referral, K>> => {
    if (isMissing(input[column])) return {};
    const isNews = input[column] !== row[column];
    if (isNews && !mayChange) check.add(column, 'in', `The ${column} of this commission cannot be changed.`);
    return { [column]: isNews && mayChange ? form.read(column) : row[column] } as Pick<Referral, K>;
  };
  const patch = {
    ...(!isMissing(input.amount) && {
      // the amount of a balance correction may be below 0
      amount_minor: repeats(input.amount, row, currency) ? row.amount_minor : form.read('amount_minor'),
    }),
    ...word('status', row.status !== 'cancelled'), // a canceled row of an import can become no other status
    ...word(
      'type',
      MANUAL_TYPES.some((type) => type === row.type),
    ),
    ...(input.description !== undefined && { description: form.read('description') }),
  };
  check.throwIfAny();
  return patch;
}

const repeats = (value: unknown, { amount_minor }: Referral, currency: string): boolean =>
  isScalar(value) && parseAmount(value, currency) === amount_minor;
