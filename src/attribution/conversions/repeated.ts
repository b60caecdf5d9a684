import { fail } from '../../errors.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { StoredOrder } from './check.js';
import type { Deps } from './deps.js';
import { differences } from './fingerprint.js';
import { notCreated, type RecordOutcome } from './order-report.js';
import { withinTransaction } from './transaction.js';

/** The commission of this order was deleted. */
export const DELETED = notCreated('deleted');

/**
 * The result for an order that is already stored. With other data it is an error that names the fields that differ.
 * A shop may report other data, which its later events then add as facts, and so may the source of a lead.
 */
export async function repeated(
  app: Deps,
  { referral, fingerprint, report: { shop, input } }: Omit<StoredOrder, 'kind'>,
): Promise<RecordOutcome> {
  if (shop)
    return withinTransaction(app, { affiliateId: referral.affiliate_id, shop }, async () =>
      duplicate(referral),
    );
  const { payload_hash: known } = referral;
  const fields = known === null || input.lead !== undefined ? [] : differences(known, fingerprint);
  if (fields.length > 0)
    fail('conversion_conflict', {
      data: { fields },
      message: `This conversion was recorded with different data: ${fields.join(', ')}. Report changes with conversions.update.`,
    });
  return duplicate(referral);
}

const duplicate = (referral: Referral): RecordOutcome => notCreated('duplicate', { referral });
