import type { App } from '../../app.js';
import type { Referral } from '../referrals/types.js';
import type { Books } from './ledger-rows.js';
import { unchanged, type Handled } from './outcome.js';
import type { LedgerOrder } from './types.js';

const FLAGS_MAX = 20;

/** A disputed payment keeps its commission back: pending, with the reason, until the dispute is decided. */
export class Holds {
  constructor(private readonly app: App) {}

  async hold(order: LedgerOrder, disputeId: string, books: Books): Promise<Handled> {
    return this.#change(order, books, (referral) =>
      referral.status === 'unpaid'
        ? { status: 'pending', settings: { ...referral.settings, held: disputeId } }
        : null,
    );
  }

  /** Only what a dispute held is released, and only when it was paid for and no other dispute is open. */
  async release(order: LedgerOrder, books: Books): Promise<Handled> {
    if (order.refunds.holds.length > 0) return unchanged('held');
    return this.#change(order, books, (referral) => {
      if (
        referral.status !== 'pending' ||
        order.state !== 'paid' ||
        order.source === 'landing' ||
        order.reason === 'currency_mismatch'
      )
        return null;
      const { held: _held, ...settings } = referral.settings ?? {};
      return { status: 'unpaid', settings };
    });
  }

  /** Kept with the referral for a person to see; no money moves. */
  async flag(order: LedgerOrder, flags: readonly string[], { trx }: Books): Promise<Handled> {
    if (order.referral_id === null) return unchanged();
    await this.app.ledger.lock(trx, order.affiliate_id);
    const referral = await this.app.referrals.books.lock(trx, order.referral_id);
    const known = referral?.settings?.['flags'];
    const before = Array.isArray(known) ? (known as readonly unknown[]) : [];
    const missing = flags.filter((flag) => !before.includes(flag));
    if (!referral || missing.length === 0) return unchanged();
    await this.app.referrals.books.note(trx, referral, {
      ...referral.settings,
      flags: [...before, ...missing].slice(-FLAGS_MAX),
    });
    return { result: 'updated', reason: 'flagged', referral_id: referral.id };
  }

  async #change(
    order: LedgerOrder,
    { trx, afterCommit }: Books,
    decide: (referral: Referral) => Parameters<App['referrals']['books']['change']>[2] | null,
  ): Promise<Handled> {
    if (order.referral_id === null) return unchanged();
    await this.app.ledger.lock(trx, order.affiliate_id);
    const referral = await this.app.referrals.books.lock(trx, order.referral_id);
    const change = referral && decide(referral);
    if (!referral || !change) return unchanged();
    const after = await this.app.referrals.books.change(trx, referral, change, {
      kind: 'adjusted',
      reason: 'dispute',
    });
    if (after === null) return unchanged('locked');
    afterCommit(() => this.app.referrals.announceChange(after, referral));
    return { result: 'updated', referral_id: after.id };
  }
}
