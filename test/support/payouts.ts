import type { Affiliate } from '../../src/program/affiliates/types.js';
import type { NewReferral, Referral } from '../../src/accounting/referrals/types.js';
import { minor } from '../../src/core/money.js';
import type { TestApp } from './app.js';

export const FORM = { title: 'January', description: 'Run for January' };

/** An active affiliate with a payment address. */
export const affiliate = (t: TestApp, userId: number, more: object = {}): Promise<Affiliate> =>
  t.app.affiliates.changes.create({
    user_id: userId,
    status: 'active',
    payment_email: `pay${userId}@shop.test`,
    ...more,
  });

/** A commission with what no request can set: another currency, a hold, a negative amount. */
export const earn = (
  t: TestApp,
  affiliateId: number,
  amountMinor: number,
  row: Partial<NewReferral> = {},
): Promise<Referral> =>
  t.app.transaction(async (trx) => {
    await t.app.ledger.lock(trx, affiliateId);
    const full: NewReferral = {
      affiliate_id: affiliateId,
      amount_minor: minor(amountMinor),
      status: 'unpaid',
      type: 'sale',
      currency: 'USD',
      ...row,
    };
    const { referral } = await t.app.referrals.writer.insert(trx, full, { kind: 'earned' });
    return referral;
  });
