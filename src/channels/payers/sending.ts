import { chunks } from '../../core/chunks.js';
import { minor, toDecimal } from '../../core/money.js';
import { fail } from '../../errors.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type {
  PaidTo,
  Payment,
  PaymentFee,
  Payout,
  PayoutMethod,
  SentBatch,
} from '../../accounting/payouts/types.js';
import { refusalOf, type Details, type PaymentDetailsStore } from './details.js';
import { batchSizeOf, keepsOwn, profileKind, within } from './method-facts.js';
import type { Deps } from './deps.js';
import type { Payers } from './registry.js';
import * as store from './repository.js';
import type { Attempt, DetailsRow } from './record.js';
import type { Candidate, FeeBy, FrozenPayee, SendLeftOut } from './types.js';

const PAGE = 500;
export const FROZEN = 'payment';
const KEY = 'payment-key';
const KEY_LENGTH = 12;
const NOTE_MAX = 200;

/** What sending a payout would pay. */
export interface SendPlan {
  readonly payout: Payout;
  readonly method: PayoutMethod;
  readonly candidates: readonly Candidate[];
  readonly ready: readonly Candidate[];
  readonly fee_by: FeeBy;
}

export interface PreparedBatches {
  readonly batches: readonly number[];
  readonly count: number;
  readonly amount_minor: number;
}

/** Plans what is sent and stores the attempts before a payer is called (docs/payout-methods.md §2). */
export class PaymentSender {
  constructor(
    private readonly app: Deps,
    private readonly payers: Payers,
    private readonly details: PaymentDetailsStore,
    private readonly feeBy: () => Promise<FeeBy>,
  ) {}

  /** Looks at every open transaction that the method would pay. Payers are asked, so it runs outside transactions. */
  async plan(payoutId: number, key: string, confirm: boolean): Promise<SendPlan> {
    const payout = await this.app.payouts.get(payoutId);
    const method = await this.payers.sending(key);
    const feeBy = await this.feeBy();
    const candidates: Candidate[] = [];
    for (let afterId = 0; ;) {
      const open = await store.openFor(this.app.db, payoutId, key, { afterId, limit: PAGE });
      candidates.push(...(await this.#checkCandidates(payout, method, open, { confirm, feeBy })));
      if (open.length < PAGE) break;
      afterId = open.at(-1)!.id;
    }
    const ready = candidates.filter((each) => each.left_out === null);
    return { payout, method, candidates, ready, fee_by: feeBy };
  }

  async #checkCandidates(
    payout: Payout,
    method: PayoutMethod,
    open: readonly store.OpenTransaction[],
    { confirm, feeBy }: { readonly confirm: boolean; readonly feeBy: FeeBy },
  ): Promise<Candidate[]> {
    const ids = open.map(({ id }) => id);
    const people = await this.#people(method, open);
    const sent = await store.sentAmong(this.app.db, ids, method.sandbox === true);
    const changed = confirm ? new Set<number>() : await this.app.payouts.changedAmong(this.app.db, ids);
    const payees = await this.app.payouts.payeesAmong(this.app.db, open, method.key);
    const moved = this.#movedAmong(method, payees, confirm);
    const found: Candidate[] = [];
    for (const row of open) {
      const { stored, ...person } = people.get(row.affiliate_id ?? 0) ?? NOBODY;
      const payee = payees.get(row.id);
      const candidate: Candidate = {
        ...person,
        details: this.#frozenDetails(method, payee) ?? person.details,
        transaction_id: row.id,
        affiliate_id: row.affiliate_id,
        amount_minor: row.amount_minor,
        currency: row.currency ?? payout.currency ?? '',
        left_out: null,
        reason: null,
        fee: null,
      };
      if (sent.has(row.id)) found.push({ ...candidate, left_out: 'payment_in_flight' });
      else if (moved.has(row.id)) found.push({ ...candidate, left_out: 'payee_changed' });
      else if (changed.has(row.id)) found.push({ ...candidate, left_out: 'commissions_changed' });
      else found.push({ ...candidate, ...(await this.#obstacle(method, candidate, knownOf(payee, stored))) });
    }
    return feeBy === 'affiliate' ? this.#withFees(payout, method, found) : found;
  }

  /** Those that wait for a person, since the affiliate wants the money elsewhere by now. */
  #movedAmong(
    method: PayoutMethod,
    payees: ReadonlyMap<number, PaidTo>,
    confirm: boolean,
  ): ReadonlySet<number> {
    const usesDetails = profileKind(method) !== null || keepsOwn(method);
    if (confirm || !usesDetails) return new Set();
    return new Set([...payees].flatMap(([id, { changed }]) => (changed ? [id] : [])));
  }

  /** The payee's details in the payout, as the method reads them; null: it has none that the method uses. */
  #frozenDetails(method: PayoutMethod, payee: PaidTo | undefined): Details | null {
    if (payee?.form) return this.app.payouts.openForm(payee.form);
    const kind = profileKind(method);
    const value = kind === null ? undefined : payee?.[kind];
    return kind === null || !value ? null : { [kind]: value };
  }

  /** The affiliates behind these transactions, each with the details that the method would use. */
  async #people(
    method: PayoutMethod,
    open: readonly store.OpenTransaction[],
  ): Promise<ReadonlyMap<number, Payee>> {
    const affiliates = await this.app.affiliates.findMany(
      open.flatMap(({ affiliate_id: id }) => (id === null ? [] : [id])),
    );
    const users = await this.app.users([...affiliates.values()].map(({ user_id: id }) => id));
    const details = await this.details.of(method, affiliates);
    return new Map(
      [...affiliates].map(([id, affiliate]) => [
        id,
        {
          details: details.get(id)?.details ?? null,
          stored: details.get(id)?.stored ?? null,
          name: nameOf(affiliate, users.get(affiliate.user_id ?? 0)?.full_name),
          user_id: affiliate.user_id,
        },
      ]),
    );
  }

  async #obstacle(
    method: PayoutMethod,
    { details, amount_minor: amount, currency }: Candidate,
    stored: { readonly state: string; readonly reason: string | null } | null,
  ): Promise<Pick<Candidate, 'left_out' | 'reason'>> {
    const because = (left_out: SendLeftOut, reason: string | null = null) => ({ left_out, reason });
    if (details === null) return because('missing_payment_details');
    if (stored !== null && stored.state !== 'ok')
      return because(stored.state === 'check' ? 'details_to_check' : 'details_refused', stored.reason);
    if (method.currencies && !method.currencies.includes(currency)) return because('currency_not_supported');
    if (!isWithin(method, amount)) return because('amount_out_of_range');
    const payment = { amount: toDecimal(minor(amount), currency), currency };
    const refusal = await refusalOf(this.app, method, details, payment);
    return refusal === null ? { left_out: null, reason: null } : because('details_refused', refusal);
  }

  /** Where the affiliate bears the fee, it is asked for before and taken off what is sent. */
  async #withFees(payout: Payout, method: PayoutMethod, found: readonly Candidate[]): Promise<Candidate[]> {
    const fees = await this.quote(payout, method, found);
    return found.map((each) => {
      const fee = fees[String(each.transaction_id)];
      if (each.left_out !== null || fee === undefined || fee.currency !== each.currency) return each;
      return fee.amount_minor >= each.amount_minor
        ? { ...each, left_out: 'fee_exceeds_amount' as const }
        : { ...each, fee };
    });
  }

  async quote(
    payout: Payout,
    method: PayoutMethod,
    candidates: readonly Candidate[],
  ): Promise<Readonly<Record<string, PaymentFee>>> {
    const ready = candidates.filter((each) => each.left_out === null);
    if (method.quote === undefined || ready.length === 0) return {};
    const payments = ready.map((each) => ({
      id: each.transaction_id,
      key: String(each.transaction_id),
      ...paymentOf(each, noteOf(payout), each.amount_minor),
    }));
    const batch: SentBatch = {
      key: `quote-${payout.id}`,
      ref: null,
      created_at: this.app.clock.now(),
      repeated: false,
      payments,
    };
    try {
      return await within(method, () => method.quote!(batch));
    } catch (cause) {
      return fail('payer_failed', { cause });
    }
  }

  /** Stores the attempts, a batch per database transaction. A transaction that changed since the plan waits. */
  async prepare(plan: SendPlan, confirm: boolean): Promise<PreparedBatches> {
    const size = batchSizeOf(plan.method);
    const batches: number[] = [];
    let [count, amount] = [0, 0];
    for (const chunk of chunks(plan.ready, size)) {
      const done = await this.#batch(plan, chunk, confirm);
      if (done === null) continue;
      batches.push(done.id);
      count += done.count;
      amount += done.amount;
    }
    return { batches, count, amount_minor: amount };
  }

  async #batch(
    { payout, method, fee_by }: SendPlan,
    part: readonly Candidate[],
    confirm: boolean,
  ): Promise<{ readonly id: number; readonly count: number; readonly amount: number } | null> {
    const sandbox = method.sandbox === true;
    const ids = part.map((each) => each.transaction_id);
    return this.app.transaction(async (trx) => {
      const now = this.app.clock.now();
      const open = await store.lockOpen(trx, payout.id, ids);
      const sent = await store.sentAmong(trx, ids, sandbox);
      const changed = confirm ? new Set<number>() : await this.app.payouts.changedAmong(trx, ids);
      const moved = this.#movedAmong(
        method,
        await this.app.payouts.payeesAmong(trx, [...open.values()], method.key),
        confirm,
      );
      const taken = part.filter(
        ({ transaction_id: id, amount_minor: amount, affiliate_id: affiliate }) =>
          open.get(id)?.amount_minor === amount &&
          open.get(id)?.affiliate_id === affiliate &&
          !sent.has(id) &&
          !changed.has(id) &&
          !moved.has(id),
      );
      const [first] = taken;
      if (first === undefined) return null;
      const tries = await store.triesOf(trx, ids);
      const key = this.#key('B', payout.id, first.transaction_id, (tries.get(first.transaction_id) ?? 0) + 1);
      const { user } = this.app.context.current();
      const id = await store.insertBatch(trx, {
        payout_id: payout.id,
        method: method.key,
        batch_key: key,
        // a file waits for the bank's report and is not called
        state: method.send === undefined ? 'sent' : 'prepared',
        sandbox,
        next_at: method.send === undefined ? null : now,
        created_at: now,
        created_by: user?.id ?? null,
      });
      const rows = taken.map((each) =>
        this.#attempt(each, {
          batchId: id,
          payout,
          method,
          feeBy: fee_by,
          now,
          try: (tries.get(each.transaction_id) ?? 0) + 1,
        }),
      );
      await store.insertAttempts(trx, rows);
      const amount = rows.reduce((sum, row) => sum + row.sent_minor, 0);
      await this.app.audit.write(trx, 'payout.sent', ['payout', payout.id], {
        after: {
          method: method.key,
          batch_key: key,
          payments: rows.length,
          total_amount_minor: amount,
          currency: payout.currency,
          sandbox,
        },
      });
      return { id, count: rows.length, amount };
    });
  }

  #attempt(
    candidate: Candidate,
    frame: {
      readonly batchId: number;
      readonly payout: Payout;
      readonly method: PayoutMethod;
      readonly feeBy: FeeBy;
      readonly now: number;
      readonly try: number;
    },
  ): Omit<Attempt, 'id' | 'updated_at'> {
    const { payout, method, now } = frame;
    const details = candidate.details ?? {};
    const key = this.#key('T', payout.id, candidate.transaction_id, frame.try);
    const frozen: FrozenPayee = {
      details,
      name: candidate.name,
      note: noteOf(payout),
      user_id: candidate.user_id,
    };
    return {
      batch_id: frame.batchId,
      payout_id: payout.id,
      transaction_id: candidate.transaction_id,
      affiliate_id: candidate.affiliate_id,
      try: frame.try,
      method: method.key,
      attempt_key: key,
      state: method.send === undefined ? 'submitted' : 'prepared',
      booked: true,
      sandbox: method.sandbox === true,
      amount_minor: candidate.amount_minor,
      sent_minor: candidate.amount_minor - (candidate.fee?.amount_minor ?? 0),
      currency: candidate.currency,
      fee_minor: candidate.fee?.amount_minor ?? null,
      fee_currency: candidate.fee?.currency ?? null,
      fee_by: frame.feeBy,
      ref: method.fileRef?.(key) ?? null,
      code: null,
      message: null,
      details_mark: this.details.mark(method.key, details),
      sealed: this.app.secrets.seal(FROZEN, JSON.stringify(frozen)),
      payer_at: null,
      until_at: null,
      next_at: null,
      checks: 0,
      created_at: now,
    };
  }

  /** `P5-T41-1-9f3c21ab04de`: the end distinguishes two installations with one account at the payer. */
  #key(kind: 'B' | 'T', payoutId: number, transactionId: number, attempt: number): string {
    const name = `P${payoutId}-${kind}${transactionId}-${attempt}`;
    return `${name}-${this.app.secrets.sign(KEY, name).slice(0, Math.min(KEY_LENGTH, 34 - name.length))}`;
  }

  /** The batch as the payer gets it, each time the same. */
  sentBatch(
    batch: { readonly batch_key: string; readonly ref: string | null; readonly created_at: number },
    attempts: readonly Attempt[],
    repeated = false,
  ): SentBatch {
    return {
      key: batch.batch_key,
      ref: batch.ref,
      created_at: batch.created_at,
      repeated,
      payments: attempts.map((attempt) => this.#payment(attempt)),
    };
  }

  #payment(attempt: Attempt): Payment {
    const opened = attempt.sealed === null ? null : this.app.secrets.open(FROZEN, attempt.sealed);
    if (opened === null) throw new Error('The details of a payment cannot be read with this secret.');
    const frozen = JSON.parse(opened) as FrozenPayee; // sealed by `#attempt`
    return {
      id: attempt.id,
      key: attempt.attempt_key,
      amount: toDecimal(minor(attempt.sent_minor), attempt.currency),
      amount_minor: attempt.sent_minor,
      currency: attempt.currency,
      ...frozen,
    };
  }
}

interface Payee extends Pick<Candidate, 'details' | 'name' | 'user_id'> {
  readonly stored: DetailsRow | null;
}
/** The state of other details does not apply to those that are paid. */
const knownOf = (payee: PaidTo | undefined, stored: DetailsRow | null): DetailsRow | null =>
  payee?.form && payee.form.mark !== stored?.mark ? null : stored;

const NOBODY: Payee = { details: null, stored: null, name: '', user_id: null };

function isWithin({ limits = {} }: PayoutMethod, amount: number): boolean {
  const { smallest_minor: least = 1, largest_minor: most = Number.MAX_SAFE_INTEGER } = limits;
  return amount >= least && amount <= most;
}

const noteOf = (payout: Payout): string => Array.from(payout.title).slice(0, NOTE_MAX).join('');

const nameOf = (affiliate: Affiliate, name: string | undefined): string =>
  name !== undefined && name !== '' ? name : (affiliate.payment_email ?? '');

const paymentOf = (
  { details, name, user_id, currency }: Candidate,
  note: string,
  amount: number,
): Omit<Payment, 'id' | 'key'> => ({
  amount: toDecimal(minor(amount), currency),
  amount_minor: amount,
  currency,
  details: details ?? {},
  name,
  user_id,
  note,
});
