import { HOUR } from '../../core/duration.js';
import type { Deps } from './deps.js';
import { findStranded, releaseStrandedReferral, type StrandedReferral } from './claim-queries.js';

const AGE = HOUR;
const MAX_REFERRALS = 500;
const MAX_AFFILIATES = 25;

/**
 * Referrals that an import left claimed (`processing`) for more than an hour without a
 * transaction become unpaid again.
 * Our own runs never commit that state (docs/interface.md §7.4).
 */
export async function releaseStranded(app: Deps, now: number): Promise<number> {
  const found = await findStranded(app.db, now - AGE, MAX_REFERRALS);
  const chosen = new Set(
    [...new Set(found.map((referral) => referral.affiliate_id))].slice(0, MAX_AFFILIATES),
  );
  const released = await app.transaction(async (trx, afterCommit) => {
    await app.ledger.lock(trx, ...chosen);
    const done: StrandedReferral[] = [];
    for (const referral of found) {
      if (!chosen.has(referral.affiliate_id) || !(await releaseStrandedReferral(trx, referral.id, now)))
        continue;
      done.push(referral);
      if (referral.affiliate_id === null) continue;
      await app.ledger.post(trx, {
        affiliateId: referral.affiliate_id,
        kind: 'adjusted',
        currency: referral.currency,
        referralId: referral.id,
        totalDelta: referral.amount_minor,
        unpaidDelta: referral.amount_minor,
        reason: 'stranded claim released',
      });
    }
    if (done.length === 0) return 0;
    await app.ledger.countMoved(
      trx,
      done.map((referral) => referral.id),
      'processing',
      'unpaid',
    );
    const affiliateIds = [...new Set(done.map((referral) => referral.affiliate_id))].filter(
      (id) => id !== null,
    );
    await app.audit.write(trx, 'payout.stranded_released', ['payout', null], {
      after: { referral_ids: done.map((referral) => referral.id) },
    });
    afterCommit(() => app.hooks.doAction('payout/stranded_referrals_released', affiliateIds, done.length));
    return done.length;
  });
  return released;
}
