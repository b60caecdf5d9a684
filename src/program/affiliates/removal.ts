import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { affiliateRemoved, affiliateRemoving } from './domain-events.js';
import { retireNames } from './names.js';
import { erasedFields, affiliateDto } from './presenter.js';
import { deleteAffiliate, findAffiliate, lockAffiliate } from './repository.js';
import { forbidSelfManagement } from './self-management.js';

/**
 * Deletes an affiliate with its visits and referrals, paid ones included, in one transaction
 * (docs/interface.md §6.6). Payouts, their transactions and the frozen items are not deleted; coupons and
 * creative restrictions are, by their foreign keys.
 */
export async function removeAffiliate(app: Deps, id: number): Promise<void> {
  const seen = (await findAffiliate(app.db, id)) ?? fail('affiliate_not_found');
  await forbidSelfManagement(app, seen.user_id);
  const user = (await app.users([seen.user_id])).get(seen.user_id ?? 0);
  await app.hooks
    .with({ counts: { visits: seen.visits, referrals: seen.referrals } })
    .doAction('before_delete_affiliate', seen);
  await app.transaction(async (trx, afterCommit) => {
    const affiliate = (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found');
    await app.eventLog.append(trx, 'affiliate.deleted', { id, data: await affiliateDto(app, affiliate) });
    await app.audit.write(trx, 'affiliate.deleted', ['affiliate', id], {
      before: {
        user_id: affiliate.user_id,
        status: affiliate.status,
        payment_email: affiliate.payment_email,
        referrals: affiliate.referrals,
        visits: affiliate.visits,
        total_earnings_minor: affiliate.total_earnings_minor,
        unpaid_earnings_minor: affiliate.unpaid_earnings_minor,
      },
    });
    await app.erasure.affiliate(trx, id, { row: [affiliate, user ?? null], blank: erasedFields(affiliate) });
    await app.internal.emit(affiliateRemoving, trx, { id });
    await retireNames(trx, affiliate, { userId: affiliate.user_id, now: app.clock.now() });
    await deleteAffiliate(trx, id);
    await app.internal.emit(affiliateRemoved, trx, { id, afterCommit });
    afterCommit(() => app.hooks.doAction('after_delete_affiliate', id));
  });
}
