import { parseAmount, type Minor } from '../../core/money.js';
import { LINE } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import { readCurrency } from '../../records/currency-field.js';
import type { BalanceCorrection } from '../ledger/types.js';
import type { ReferralWriter } from './writer.js';
import type { Deps } from './deps.js';
import type { Referral } from './types.js';

const REASON_MAX = 191;
const KEY_MAX = 150;

interface Correction {
  readonly amount: Minor;
  readonly currency: string;
  readonly reason: string;
}

/**
 * Corrects an affiliate's balance by a referral of type `adjustment` without an order. Payouts add it in; a
 * negative rest is unpaid until the next run (docs/payouts.md). Joins an open transaction.
 */
export async function correctBalance(
  app: Deps,
  books: ReferralWriter,
  affiliateId: number,
  input: BalanceCorrection,
): Promise<Referral> {
  const { amount, currency, reason } = check(input, (await app.settings.referralConfig()).currency);
  return app.transaction(async (trx, afterCommit) => {
    await app.ledger.lock(trx, affiliateId);
    await app.affiliates.get(affiliateId);
    const { referral, created } = await books.insert(
      trx,
      {
        affiliate_id: affiliateId,
        type: 'adjustment',
        status: 'unpaid',
        amount_minor: amount,
        currency,
        description: reason,
        ...(input.created_at === undefined ? {} : { created_at: input.created_at }),
        ...(input.repeat_key === undefined ? {} : { dedup_key: `correction:${input.repeat_key}` }),
      },
      { kind: 'adjusted', reason },
    );
    if (!created) return referral;
    await app.audit.write(trx, 'affiliate.balance_corrected', ['affiliate', affiliateId], {
      after: { referral_id: referral.id, amount_minor: amount, currency, reason },
    });
    afterCommit(() => app.hooks.doAction('affiliate_balance_corrected', referral));
    return referral;
  });
}

function check(input: BalanceCorrection, program: string): Correction {
  const found = new FieldCheck();
  const currency = readCurrency(found, input.currency, { fallback: program });
  const amount = readAmount(found, input.amount, currency);
  const reason = typeof input.reason === 'string' ? input.reason.trim() : '';
  if (reason === '') found.add('reason', 'required', 'The reason is required.');
  else if (!LINE.fits(reason)) found.add('reason', LINE.rule, LINE.says);
  else if (Array.from(reason).length > REASON_MAX)
    found.add('reason', 'max', `The reason must have at most ${REASON_MAX} characters.`);
  const { repeat_key: key } = input;
  if (key !== undefined && (key === '' || key.length > KEY_MAX))
    found.add('repeat_key', 'max', `The repeat_key must have 1 to ${KEY_MAX} characters.`);
  found.throwIfAny();
  return { amount: amount as Minor, currency, reason }; // a missing amount has thrown
}

function readAmount(found: FieldCheck, value: BalanceCorrection['amount'], currency: string): Minor | null {
  const given: unknown = value;
  if (given === undefined || given === null || given === '') {
    found.add('amount', 'required', 'Enter an amount.');
    return null;
  }
  const isAmount = typeof given === 'string' || typeof given === 'number' || typeof given === 'object';
  const amount = isAmount ? parseAmount(value, currency) : null;
  if (amount === null)
    found.add(
      'amount',
      'numeric',
      'The amount must be a number from -99,999,999,999.99 to 99,999,999,999.99.',
    );
  else if (amount === 0) found.add('amount', 'not_zero', 'The amount must not be 0.');
  return amount;
}
