import type { App } from '../../app.js';
import { minor } from '../../core/money.js';
import type { AfterCommit, Db } from '../../database/db.js';
import { failFields } from '../../errors.js';
import type { Referral, ReferralChange } from '../referrals/types.js';
import { amountAfterRefund, type Original } from './commission.js';
import { checkAmount } from './input.js';
import { dedupKey } from './keys.js';
import type { OrderKey, RefundInput, RejectReason, UnchangedReason } from './types.js';

const CHILDREN_MAX = 1000;
const REVIVABLE: readonly (string | null)[] = ['failed', 'canceled'];

export interface Settled {
  readonly referral: Referral | null;
  readonly changed: boolean;
  readonly reason: UnchangedReason | null;
}
interface Refund {
  readonly total: number | null;
  readonly base: number | null;
  readonly input: RefundInput;
}
interface Books {
  readonly trx: Db;
  readonly afterCommit: AfterCommit;
}
type Work = (referral: Referral, books: Books) => Promise<Settled>;

/** What happens to a recorded order later: paid, refunded, canceled. Repeats are harmless. */
export class Settlement {
  constructor(private readonly app: App) {}

  /** Paid: from pending; also a failed or canceled order whose payment was tried again, unless a person rejected it. */
  async complete(provider: string, key: OrderKey): Promise<Settled> {
    return this.#locked(provider, key, async (referral, books) => {
      if (referral.status === 'unpaid' || referral.status === 'paid' || referral.status === 'processing')
        return unchanged(referral, 'unchanged');
      const revived = referral.status === 'rejected' && REVIVABLE.includes(referral.reject_reason);
      if (referral.status !== 'pending' && !revived) return unchanged(referral, 'rejected');
      if (referral.settings?.['held'] === true) return unchanged(referral, 'locked');
      return this.#change(referral, { status: 'unpaid', reject_reason: null }, { kind: 'earned' }, books);
    });
  }

  async cancel(provider: string, key: OrderKey, reason: RejectReason): Promise<Settled> {
    return this.#locked(provider, key, async (referral, books) => {
      await this.#rejectChildren(referral, reason, books);
      return this.#reject(referral, reason, books);
    });
  }

  /** The total refunded so far decides, computed from the order as it was first recorded (tracking §14). */
  async refund(provider: string, key: OrderKey, input: RefundInput): Promise<Settled> {
    if (input.refunded_total === undefined && input.refunded_base === undefined) {
      failFields({ refunded_total: { required: 'refunded_total is missing.' } });
    }
    return this.#locked(provider, key, async (referral, books) => {
      const currency = referral.currency ?? (await this.app.settings.referralConfig()).currency;
      const refund = latest(referral, {
        total: checkAmount('refunded_total', input.refunded_total, currency),
        base: checkAmount('refunded_base', input.refunded_base, currency),
        input,
      });
      if (refund === null) return unchanged(referral, 'unchanged');
      if (referral.status === 'paid' || referral.status === 'processing')
        return this.#refundPaid(referral, refund, books);
      if (referral.status !== 'pending' && referral.status !== 'unpaid' && !wasRefunded(referral, input))
        return unchanged(referral, 'rejected');
      return this.#reduce(referral, refund, books);
    });
  }

  async #reduce(referral: Referral, refund: Refund, books: Books): Promise<Settled> {
    const { refundFlat } = await this.app.settings.rules();
    const after = amountAfterRefund(originalOf(referral), refund, refundFlat);
    const settings = withRefund(referral, refund);
    const told = { refunded_minor: refund.total ?? refund.base, full: after.full, paid: false };
    if (after.full) {
      await this.#rejectChildren(referral, 'refunded', books);
      return this.#change(
        referral,
        { status: 'rejected', reject_reason: 'refunded', settings },
        { kind: 'refunded', told },
        books,
      );
    }
    const back =
      referral.status === 'rejected' ? { status: statusBefore(referral), reject_reason: null } : {};
    return this.#change(
      referral,
      { amount_minor: after.amount, order_total_minor: after.base, settings, ...back },
      { kind: 'refunded', told },
      books,
    );
  }

  /** A paid amount is never rewritten: it is told, and with option clawback taken back by a negative referral. */
  async #refundPaid(referral: Referral, refund: Refund, books: Books): Promise<Settled> {
    const { refundFlat, clawback } = await this.app.settings.rules();
    const after = amountAfterRefund(originalOf(referral), refund, refundFlat);
    if (after.full) await this.#rejectChildren(referral, 'refunded', books);
    await this.app.referrals.books.note(books.trx, referral, withRefund(referral, refund));
    const adjustment =
      clawback === 'adjust' ? await this.#clawBack(referral, after.amount, refund, books) : null;
    const told = { refunded_minor: refund.total ?? refund.base, full: after.full, paid: true };
    books.afterCommit(async () => {
      await this.app.hooks.doAction('referral_refunded', referral, told);
      await this.app.hooks.doAction('referral_refunded_after_payout', referral, told.refunded_minor);
      if (adjustment) await this.app.hooks.doAction('referral_clawed_back', adjustment, referral);
    });
    return { referral, changed: adjustment !== null, reason: adjustment ? null : 'locked' };
  }

  async #clawBack(
    referral: Referral,
    due: number,
    refund: Refund,
    { trx, afterCommit }: Books,
  ): Promise<Referral | null> {
    const children = await this.app.referrals.children(referral.id, CHILDREN_MAX);
    const taken = children
      .filter((child) => child.amount_minor < 0)
      .reduce((sum, child) => sum + child.amount_minor, 0);
    const delta = due - referral.amount_minor - taken;
    if (delta >= 0 || referral.affiliate_id === null) return null;
    const sub = `refund:${refund.input.refund_id ?? refund.total ?? refund.base}`;
    const { referral: adjustment, created } = await this.app.referrals.books.insert(
      trx,
      {
        affiliate_id: referral.affiliate_id,
        parent_id: referral.id,
        customer_id: referral.customer_id,
        status: 'unpaid',
        type: referral.type,
        amount_minor: minor(delta),
        currency: referral.currency,
        description: referral.description,
        provider: referral.provider,
        provider_id: referral.provider_id,
        provider_sub_id: sub,
        dedup_key: dedupKey(referral.provider ?? '', {
          reference: `${referral.id}`,
          sub_reference: sub,
          account: 'adjustment',
        }),
      },
      'clawed_back',
    );
    if (!created) return null;
    afterCommit(() => this.app.referrals.announce(adjustment));
    return adjustment;
  }

  async #rejectChildren(parent: Referral, reason: RejectReason, books: Books): Promise<void> {
    for (const child of await this.app.referrals.children(parent.id, CHILDREN_MAX)) {
      if (child.amount_minor >= 0) await this.#reject(child, reason, books);
    }
  }

  async #reject(referral: Referral, reason: RejectReason, books: Books): Promise<Settled> {
    if (referral.status === 'paid' || referral.status === 'processing') return unchanged(referral, 'locked');
    if (referral.status !== 'pending' && referral.status !== 'unpaid')
      return unchanged(referral, 'unchanged');
    return this.#change(referral, { status: 'rejected', reject_reason: reason }, { kind: 'refunded' }, books);
  }

  async #change(
    referral: Referral,
    change: ReferralChange,
    entry: {
      kind: 'earned' | 'refunded';
      told?: { refunded_minor: number | null; full: boolean; paid: boolean };
    },
    { trx, afterCommit }: Books,
  ): Promise<Settled> {
    const after = await this.app.referrals.books.change(trx, referral, change, { kind: entry.kind });
    if (after === null) return unchanged(referral, 'locked');
    afterCommit(async () => {
      await this.app.referrals.announceChange(after, referral);
      if (entry.told) await this.app.hooks.doAction('referral_refunded', after, entry.told);
    });
    return { referral: after, changed: true, reason: null };
  }

  /** Affiliate first, then the row: the order of every money change; decisions are made on the locked row. */
  async #locked(provider: string, key: OrderKey, work: Work): Promise<Settled> {
    const seen = await this.app.referrals.findByKey(dedupKey(provider, key));
    if (!seen) return { referral: null, changed: false, reason: 'unknown_order' };
    return this.app.transaction(async (trx, afterCommit) => {
      await this.app.ledger.lock(trx, seen.affiliate_id);
      const referral = await this.app.referrals.books.lock(trx, seen.id);
      return referral
        ? work(referral, { trx, afterCommit })
        : { referral: null, changed: false, reason: 'unknown_order' };
    });
  }
}

const unchanged = (referral: Referral, reason: UnchangedReason): Settled => ({
  referral,
  changed: false,
  reason,
});

/** The order as first recorded; rows from elsewhere know only their amount and order total. */
function originalOf(referral: Referral): Original {
  const total = referral.order_total_minor ?? 0;
  const fallback: Original = {
    amount_minor: referral.amount_minor,
    base_minor: total,
    grand_total_minor: total,
    flat_minor: 0,
  };
  return { ...fallback, ...(referral.settings?.['original'] as Partial<Original> | undefined) };
}

interface RefundNote {
  readonly total: number | null;
  readonly base: number | null;
  readonly from?: string;
}

const noteOf = (referral: Referral): RefundNote | undefined =>
  referral.settings?.['refunded'] as RefundNote | undefined;

/** The refund that ended it was taken back, and no person has judged it since. */
const wasRefunded = (referral: Referral, { undone }: RefundInput): boolean =>
  undone === true &&
  referral.status === 'rejected' &&
  referral.reject_reason === 'refunded' &&
  noteOf(referral)?.from !== undefined;

const statusBefore = (referral: Referral): 'pending' | 'unpaid' =>
  noteOf(referral)?.from === 'unpaid' ? 'unpaid' : 'pending';

/** Null when nothing new was refunded: totals only grow, unless a refund was taken back. */
function latest(referral: Referral, refund: Refund): Refund | null {
  const known = noteOf(referral);
  const [now, before] =
    refund.base === null ? [refund.total ?? 0, known?.total ?? 0] : [refund.base, known?.base ?? 0];
  return now > before || (now < before && refund.input.undone === true) ? refund : null;
}

/** The original is kept from the first refund on, so that the next one starts from it again. */
function withRefund(referral: Referral, refund: Refund): Referral['settings'] {
  return {
    ...referral.settings,
    original: originalOf(referral),
    refunded: {
      total: refund.total,
      base: refund.base,
      from: referral.status === 'rejected' ? noteOf(referral)?.from : referral.status,
    },
  };
}
