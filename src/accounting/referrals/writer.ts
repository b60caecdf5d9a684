import { type Minor, minor, toWire } from '../../core/money.js';
import type { Db } from '../../platform/database/db.js';
import { DAY } from '../../core/duration.js';
import { fail } from '../../errors.js';
import { NO_SUB_IDS } from '../../core/sub-ids.js';
import type { EventType } from '../../program/event-log/types.js';
import type { LedgerKind, LedgerPost } from '../ledger/types.js';
import type { Deps } from './deps.js';
import { referralPayable } from './domain-events.js';
import { presentReferral } from './presenter.js';
import { referrals as record } from './record.js';
import * as store from './repository.js';
import {
  GIVEN_AWAY,
  type NewReferral,
  type Referral,
  type ReferralChange,
  type RefundsOfEvent,
} from './types.js';

const EVENTS_MAX = 100;
const BLANK = {
  parent_id: null,
  customer_id: null,
  visit_id: null,
  description: null,
  order_total_minor: null,
  currency: null,
  utm_campaign: null,
  ...NO_SUB_IDS,
  provider: null,
  provider_id: null,
  provider_sub_id: null,
  dedup_key: null,
  site_id: null,
  products: null,
  paid_elsewhere: false,
  settings: null,
  payload_hash: null,
  reject_reason: null,
  payable_at: null,
  source_key: null,
} as const;

/** What is written with a new row. */
export interface NewEntry {
  readonly kind: LedgerKind;
  readonly reason?: string | null;
  /** A person's note, for the audit log. */
  readonly note?: string | undefined;
  /** The affiliate's group, which may set how many days a commission waits. */
  readonly groupId?: number | null;
}
/** Why a row changes. */
export interface ChangeEntry {
  readonly kind: LedgerKind;
  readonly reason?: string;
  /** A person's note, for the audit log. */
  readonly note?: string | undefined;
  /** The reported refunds, if a refund caused the change. */
  readonly refunds?: RefundsOfEvent;
}
interface EarningsPart {
  readonly total: number;
  readonly unpaid: number;
}

/** What a row counts for in its affiliate's earnings (docs/reliability.md §2, I1, I2). */
function earned({ status, amount_minor: amount }: Pick<Referral, 'status' | 'amount_minor'>): EarningsPart {
  return {
    total: status === 'unpaid' || status === 'paid' ? amount : 0,
    unpaid: status === 'unpaid' ? amount : 0,
  };
}

/** The orders a row counts for: an adjustment belongs to an order that is counted already, or to none. */
const ordersOf = ({ type }: Pick<Referral, 'type'>): 0 | 1 => (type === 'adjustment' ? 0 : 1);

/**
 * Every change of a referral row, with counters, ledger, day figures and audit in the same transaction.
 * The caller holds the affiliate's row lock.
 */
export class ReferralWriter {
  constructor(private readonly app: Deps) {}

  /** Inserts a row and books it. Returns the row with this dedup key when there is one; then nothing is written. */
  async insert(
    trx: Db,
    row: NewReferral,
    entry: NewEntry,
  ): Promise<{ readonly referral: Referral; readonly created: boolean }> {
    const inserted = await this.insertRow(trx, row, entry);
    if (inserted.created) await this.book(trx, inserted.referral, entry);
    return inserted;
  }

  /** The first half of `insert`; the caller calls `book` in the same transaction. */
  async insertRow(
    trx: Db,
    row: NewReferral,
    { kind, groupId = null }: NewEntry,
  ): Promise<{ readonly referral: Referral; readonly created: boolean }> {
    const now = this.app.clock.now();
    const full = {
      ...BLANK,
      payable_at: kind === 'earned' ? await this.#heldUntil(row, groupId, now) : null,
      created_at: now,
      updated_at: now,
      ...row,
    };
    const id = await store.insertReferral(trx, full);
    if (id === null) {
      const stored =
        typeof full.dedup_key === 'string' ? await store.findByDedupKey(trx, full.dedup_key) : null;
      return { referral: stored ?? fail('busy'), created: false };
    }
    return { referral: { ...full, id, payout_id: null, payout_transaction_id: null }, created: true };
  }

  /** Books a row that was just inserted: ledger, counters, its visit, event log and audit log. */
  async book(trx: Db, referral: Referral, { kind, reason = null, note }: NewEntry): Promise<void> {
    const { total, unpaid } = earned(referral);
    const { id, affiliate_id, created_at: at, currency, visit_id: visit } = referral;
    const affiliateId = affiliate_id!; // a new row has one
    const orders = ordersOf(referral);
    const post = { affiliateId, referralId: id, kind, reason, currency };
    this.app.rollups.add(trx, { affiliateId, at, referrals: orders });
    await trx.pipeline(
      () =>
        this.app.ledger.post(trx, {
          ...post,
          totalDelta: total,
          unpaidDelta: unpaid,
          referralsDelta: orders,
        }),
      async () => visit !== null && this.app.visits.convert(trx, visit),
      () => this.app.ledger.count(trx, null, referral),
      () => this.#append(trx, 'referral.created', referral),
      async () => referral.type === 'bonus' && this.#append(trx, 'bonus.earned', referral),
      () => this.#payable(trx, referral, null),
      () => this.#audit(trx, 'referral.created', { after: referral, cause: { kind, reason, note } }),
    );
  }

  /**
   * Commissions wait the group's or the program's days before a payout takes them;
   * what takes money back never waits.
   */
  async #heldUntil(
    { amount_minor: amount, created_at: created }: NewReferral,
    groupId: number | null,
    now: number,
  ): Promise<number | null> {
    const group = amount >= 0 && groupId !== null ? await this.app.groups.find(groupId) : null;
    const own = group?.status === 'active' ? group.value.hold_days : '';
    const days = typeof own === 'number' ? own : (await this.app.settings.referralConfig()).hold_days;
    return days > 0 && amount >= 0 ? (created ?? now) + days * DAY : null;
  }

  /** The row as it is now, locked until the transaction ends. */
  async lock(trx: Db, id: number): Promise<Referral | null> {
    return store.lockReferral(trx, id);
  }

  /**
   * Ends a commission whose order a person gives to another affiliate. One that is in a payout remains there,
   * and an adjustment takes back what it earned. Null when it has changed in the meantime.
   */
  async endForTransfer(
    trx: Db,
    seen: Referral,
    { to, note }: { readonly to: number; readonly note: string },
  ): Promise<{ readonly ended: Referral; readonly adjustment: Referral | null } | null> {
    const settings = { ...seen.settings, given_to: { affiliate_id: to } };
    const release = (): Promise<void> => store.releaseOrder(trx, seen.id, settings, this.app.clock.now());
    if (seen.status !== 'paid') {
      const change = { status: 'rejected', reject_reason: GIVEN_AWAY } as const;
      const entry = { kind: 'adjusted', reason: 'order given away', note } as const;
      const ended = await this.change(trx, seen, change, entry);
      if (ended !== null) await release();
      return ended && { ended, adjustment: null };
    }
    await release();
    return { ended: seen, adjustment: await this.#takeBack(trx, seen, note) };
  }

  /**
   * A payout released a commission whose order was given away while it was paid: it ends now, so nothing is left to
   * take back. Null when it has changed in the meantime.
   */
  async endReleased(trx: Db, seen: Referral): Promise<Referral | null> {
    const change = { status: 'rejected', reject_reason: GIVEN_AWAY } as const;
    const ended = await this.change(trx, seen, change, { kind: 'adjusted', reason: 'order given away' });
    if (ended === null) return null;
    const adjustments = await store.findAdjustments(trx, seen.id);
    for (const open of adjustments.filter(({ status }) => status === 'unpaid')) await this.remove(trx, open);
    await this.#takeBack(trx, ended);
    return ended;
  }

  /** Books the difference for a commission that earns nothing any more. Null when its adjustments add up to it. */
  async #takeBack(trx: Db, paid: Referral, note?: string): Promise<Referral | null> {
    const known = await store.findAdjustments(trx, paid.id);
    const amount = known.reduce((sum, each) => sum + each.amount_minor, earned(paid).total);
    if (amount === 0 || paid.affiliate_id === null) return null;
    const { order_total_minor: total } = paid;
    const counted = paid.status === 'paid' ? Number(total ?? 0) : 0;
    const left = known.reduce((sum, each) => sum + (each.order_total_minor ?? 0), counted);
    const row: NewReferral = {
      affiliate_id: paid.affiliate_id,
      parent_id: paid.id,
      customer_id: paid.customer_id,
      status: 'unpaid',
      type: 'adjustment',
      amount_minor: minor(-amount),
      order_total_minor: total === null ? null : minor(-left),
      currency: paid.currency,
      description: paid.description,
      provider: paid.provider,
      provider_id: paid.provider_id,
      provider_sub_id: `adjustment:${paid.id}`,
    };
    const entry = { kind: 'clawed_back', reason: 'order given away', note } as const;
    return (await this.insert(trx, row, entry)).referral;
  }

  /** Later payments of a subscription follow the commission of its first payment. */
  async moveRenewals(trx: Db, from: number, to: number): Promise<void> {
    await store.moveRenewals(trx, from, to);
  }

  /** Changes only the settings, which is allowed in any status, since no money moves. */
  async changeSettings(trx: Db, referral: Referral, settings: Referral['settings']): Promise<void> {
    await store.changeSettings(trx, referral.id, settings, this.app.clock.now());
  }

  /** Changes what is left of the order's value, also of a paid commission, whose amount does not change. */
  async changeOrderTotal(trx: Db, seen: Referral, total: Minor, refunds: RefundsOfEvent): Promise<Referral> {
    const updated = { ...seen, order_total_minor: total, updated_at: this.app.clock.now() };
    await store.changeOrderTotal(trx, seen.id, total, updated.updated_at);
    await trx.pipeline(
      () => this.app.ledger.count(trx, seen, updated),
      () => this.#appendChange(trx, updated, seen, refunds),
      () => this.#audit(trx, 'referral.updated', { before: seen, after: updated }),
    );
    return updated;
  }

  /** Null when the row has changed since `seen` was read, or is part of a payout. */
  async change(
    trx: Db,
    seen: Referral,
    change: ReferralChange,
    { note, ...entry }: ChangeEntry,
  ): Promise<Referral | null> {
    const updated = { ...seen, ...change, updated_at: this.app.clock.now() };
    if (!(await store.changeReferral(trx, seen, { ...change, updated_at: updated.updated_at }))) return null;
    await trx.pipeline(
      () => this.#move(trx, seen, earned(updated), { kind: entry.kind, reason: entry.reason }),
      () => this.app.ledger.count(trx, seen, updated),
      () => this.#appendChange(trx, updated, seen, entry.refunds),
      () => this.#payable(trx, updated, seen),
      () => this.#audit(trx, 'referral.updated', { before: seen, after: updated, cause: { ...entry, note } }),
    );
    return updated;
  }

  async remove(trx: Db, seen: Referral): Promise<boolean> {
    if (!(await store.deleteReferral(trx, seen))) return false;
    await this.#move(
      trx,
      seen,
      { total: 0, unpaid: 0 },
      {
        kind: 'adjusted',
        reason: 'referral deleted',
        referralsDelta: -ordersOf(seen),
      },
    );
    if (seen.visit_id !== null) await this.app.visits.unconvert(trx, seen.visit_id);
    await this.app.ledger.count(trx, seen, null);
    if (seen.affiliate_id !== null)
      this.app.rollups.add(trx, {
        affiliateId: seen.affiliate_id,
        at: seen.created_at,
        referrals: -ordersOf(seen),
      });
    await this.#audit(trx, 'referral.deleted', { before: seen });
    await this.#append(trx, 'referral.deleted', seen);
    return true;
  }

  /**
   * Deletes all rows of an affiliate that is being deleted, also paid ones. The lines of payouts are not
   * deleted.
   */
  async removeAll(trx: Db, affiliateId: number): Promise<{ count: number; ids: readonly number[] }> {
    const ids = await store.idsOfAffiliate(trx, affiliateId, EVENTS_MAX);
    await this.app.eventLog.appendRows(trx, 'referral.deleted', {
      table: 'referrals',
      columns: record.columns,
      where: 'affiliate_id = ?',
      bindings: [affiliateId],
      previous: {},
    });
    const count = await store.deleteOfAffiliate(trx, affiliateId);
    await this.app.ledger.forget(trx, affiliateId);
    if (count > 0) {
      await this.app.audit.write(trx, 'referral.bulk_deleted', ['affiliate', affiliateId], {
        before: { referrals: count },
      });
    }
    return { count, ids };
  }

  /** Emits that a payout may take the referral now. */
  async #payable(trx: Db, referral: Referral, before: Referral | null): Promise<void> {
    if (referral.status === 'unpaid' && before?.status !== 'unpaid')
      await this.app.internal.emit(referralPayable, trx, { referral, isNew: before === null });
  }

  async #append(trx: Db, type: ReferralEvent, referral: Referral): Promise<void> {
    const { currency } = await this.app.settings.referralConfig();
    await this.app.eventLog.append(trx, type, {
      id: referral.id,
      data: presentReferral(referral, currency),
    });
  }

  /**
   * An event of a refund has what is due, also when the amount of the commission does not change; each change
   * of status is an event.
   */
  async #appendChange(
    trx: Db,
    referral: Referral,
    before: Referral,
    refunds: RefundsOfEvent | undefined,
  ): Promise<void> {
    const { currency } = await this.app.settings.referralConfig();
    const [data, was] = [presentReferral(referral, currency), presentReferral(before, currency)];
    const { id } = referral;
    if (refunds !== undefined)
      await this.app.eventLog.append(trx, 'referral.refunded', {
        id,
        data: { ...data, due: dueOf(referral, currency), refunds },
        before: { ...was, due: dueOf(before, currency) },
      });
    if (referral.status !== before.status)
      await this.app.eventLog.append(trx, 'referral.status_changed', { id, data, before: was });
    else if (refunds === undefined)
      await this.app.eventLog.append(trx, 'referral.updated', { id, data, before: was });
  }

  /** A refund changed what is due for a paid commission, whose amount does not change. */
  async appendRefunds(
    trx: Db,
    referral: Referral,
    { due, was, refunds }: { readonly due: number; readonly was: number; readonly refunds: RefundsOfEvent },
  ): Promise<void> {
    const { currency } = await this.app.settings.referralConfig();
    const shown = presentReferral(referral, currency);
    const amount = (value: number): number => toWire(minor(value), referral.currency ?? currency);
    await this.app.eventLog.append(trx, 'referral.refunded', {
      id: referral.id,
      data: { ...shown, due: amount(due), refunds },
      before: { ...shown, due: amount(was) },
    });
  }

  async #move(
    trx: Db,
    seen: Referral,
    after: EarningsPart,
    entry: Pick<LedgerPost, 'kind' | 'reason' | 'referralsDelta'>,
  ): Promise<void> {
    if (seen.affiliate_id === null) return;
    const before = earned(seen);
    await this.app.ledger.post(trx, {
      affiliateId: seen.affiliate_id,
      referralId: seen.id,
      currency: seen.currency,
      ...entry,
      totalDelta: after.total - before.total,
      unpaidDelta: after.unpaid - before.unpaid,
    });
  }

  async #audit(
    trx: Db,
    action: string,
    { before, after, cause }: { before?: Referral; after?: Referral; cause?: EntryCause },
  ): Promise<void> {
    await this.app.audit.write(trx, action, ['referral', (after ?? before)?.id ?? null], {
      before: before && money(before),
      after: after && { ...money(after), ...(cause && causeOf(cause)) },
    });
  }
}

interface EntryCause {
  readonly kind: LedgerKind;
  readonly reason?: string | null;
  readonly note?: string | undefined;
}

/** Why it changed, and a person's note. */
const causeOf = ({ kind, reason, note }: EntryCause): object => ({
  why: reason ?? kind,
  ...(note !== undefined && { reason: note }),
});

type ReferralEvent = Extract<EventType, `referral.${string}` | 'bonus.earned'>;

/** What an affiliate gets for the row, whether it was paid, is payable or waits. */
const dueOf = ({ status, amount_minor: amount, currency }: Referral, program: string): number =>
  toWire(status === 'rejected' || status === 'cancelled' ? minor(0) : amount, currency ?? program);

const money = ({ affiliate_id, status, amount_minor, currency, type }: Referral): object => ({
  affiliate_id,
  status,
  amount_minor,
  currency,
  type,
});
