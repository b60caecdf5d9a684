import type { CommissionStateDto } from '../api-schemas.js';
import type { BalanceDto } from '../../program/api-schemas.js';
import type { Matching } from '../../records/list.js';
import type { Deps } from './deps.js';
import { presentBalance, presentState } from './presenter.js';
import {
  canceledAmounts,
  foundOwners,
  openAmong,
  partSums,
  stateWhere,
  wouldHaveBeen,
  type Owners,
  type Part,
  type PartSum,
} from './queries.js';
import type {
  Balance,
  BalanceScope,
  CommissionState,
  MoneyState,
  PaidAndOwed,
  StatedReferral,
} from './types.js';

const PARTS: readonly Part[] = ['claimed', 'unpaid', 'waiting', 'held', 'on_its_way', 'canceled'];
/** The parts that are read from stored sums alone, however many referrals there are. */
const STORED: readonly Part[] = ['claimed', 'unpaid', 'on_its_way'];
const TOGETHER = 0;
/** The reason of a canceled commission without one. */
const NO_REASON = 'none';

type Sums = Record<Part, number> & { reasons: Record<string, number> };

/**
 * Where the money of affiliates is: ready to pay, in the waiting period, on hold, on its way, paid or
 * canceled. Every page, list, export and response that shows one of these amounts reads it here
 * (docs/money.md).
 */
export class BalancesService {
  constructor(private readonly app: Deps) {
    app.affiliates.contribute({
      balances: (ids) => this.dtoOf(ids),
      balancesOfList: (matching) => this.totalDtos({ matching }),
      paid: async ({ id }) => (await this.ofOne(id))[0].paid_minor,
    });
  }

  /** The balances of each affiliate by currency, the program's first. */
  async of(ids: readonly number[]): Promise<ReadonlyMap<number, readonly [Balance, ...Balance[]]>> {
    const currency = await this.#currency();
    const found = this.#added(await this.#read(PARTS, { ids }), currency);
    return new Map(ids.map((id) => [id, balancesOf(found.get(id) ?? new Map<string, Sums>(), currency)]));
  }

  /** The balances of one affiliate by currency, the program's first. */
  async ofOne(id: number): Promise<readonly [Balance, ...Balance[]]> {
    return (await this.of([id])).get(id)!; // there is an entry for each id
  }

  /** The sums over affiliates, by currency, the program's first. */
  async readTotals(scope: BalanceScope): Promise<readonly [Balance, ...Balance[]]> {
    const currency = await this.#currency();
    const sums = (await this.#read(PARTS, scope)).map((sum) => ({ ...sum, affiliate_id: TOGETHER }));
    return balancesOf(this.#added(sums, currency).get(TOGETHER) ?? new Map<string, Sums>(), currency);
  }

  /** Paid and owed money of the whole program, from stored sums. */
  async paidAndOwed(): Promise<PaidAndOwed[]> {
    const currency = await this.#currency();
    const found = this.#added(await this.#read(STORED, 'all'), currency).get(TOGETHER);
    return [...(found ?? [])].map(([code, sums]) => ({
      currency: code,
      paid_minor: sums.claimed - sums.on_its_way,
      on_its_way_minor: sums.on_its_way,
      owed_minor: sums.unpaid,
    }));
  }

  async dtoOf(ids: readonly number[]): Promise<ReadonlyMap<number, BalanceDto[]>> {
    return new Map([...(await this.of(ids))].map(([id, balances]) => [id, balances.map(presentBalance)]));
  }

  async totalDtos(scope: BalanceScope): Promise<BalanceDto[]> {
    return (await this.readTotals(scope)).map(presentBalance);
  }

  /** The state of each commission, in the order given; two queries at most. */
  async statesOf(referrals: readonly StatedReferral[]): Promise<CommissionState[]> {
    const now = this.app.clock.now();
    const transactions = referrals.map(({ payout_transaction_id: id }) => id).filter((id) => id !== null);
    const open = await openAmong(this.app.db, [...new Set(transactions)]);
    const states = referrals.map((referral) => stateOf(referral, open, now));
    const canceled = referrals.filter((_, at) => states[at] === 'canceled').map(({ id }) => id);
    const amounts = await canceledAmounts(this.app.db, canceled);
    return referrals.map(({ id, amount_minor: amount }, at) => {
      const state = states[at]!;
      return state === 'canceled'
        ? { state, counted_minor: 0, would_have_been_minor: amounts.get(id) ?? amount }
        : { state, counted_minor: amount, would_have_been_minor: null };
    });
  }

  /** Like `statesOf`, for responses; a referral without a currency is in the program's. */
  async stateDtosOf(
    referrals: readonly (StatedReferral & { readonly currency: string | null })[],
  ): Promise<CommissionStateDto[]> {
    const currency = await this.#currency();
    const states = await this.statesOf(referrals);
    return states.map((state, at) => presentState(state, referrals[at]!.currency ?? currency));
  }

  /** Narrows a query over referrals to these states. */
  matching(...states: readonly MoneyState[]): Matching {
    const now = this.app.clock.now();
    const any = states.map((state) => `(${stateWhere(this.app.db, state, now)})`).join(' or ');
    return (query) => void query.whereRaw(`(${any})`);
  }

  /** SQL for what a canceled row of `referrals` would have been. */
  get wouldHaveBeenSql(): string {
    const { db } = this.app;
    return wouldHaveBeen(db, `${db.name('referrals')}.`);
  }

  async #read(parts: readonly Part[], scope: BalanceScope): Promise<PartSum[]> {
    if (scope !== 'all' && 'ids' in scope && scope.ids.length === 0) return [];
    const { db } = this.app;
    return partSums(
      db,
      parts,
      scope !== 'all' && 'matching' in scope ? foundOwners(db, scope.matching) : owners(scope),
      this.app.clock.now(),
    );
  }

  #added(sums: readonly PartSum[], program: string): Map<number, Map<string, Sums>> {
    const all = new Map<number, Map<string, Sums>>();
    for (const { affiliate_id: id, currency, part, reason, amount_minor: amount } of sums) {
      const own = all.get(id) ?? new Map<string, Sums>();
      all.set(id, own);
      const code = currency === '' ? program : currency;
      const known = own.get(code) ?? noSums();
      own.set(code, known);
      known[part] += amount;
      if (part === 'canceled' && amount !== 0)
        known.reasons[reason || NO_REASON] = (known.reasons[reason || NO_REASON] ?? 0) + amount;
    }
    return all;
  }

  async #currency(): Promise<string> {
    return (await this.app.settings.referralConfig()).currency;
  }
}

const noSums = (): Sums => ({
  claimed: 0,
  unpaid: 0,
  waiting: 0,
  held: 0,
  on_its_way: 0,
  canceled: 0,
  reasons: {},
});

function owners(scope: 'all' | { readonly ids: readonly number[] }): Owners {
  if (scope === 'all') return { where: (column) => `${column} > 0`, bindings: [], asOneSum: true };
  const marks = scope.ids.map(() => '?').join(', ');
  return { where: (column) => `${column} in (${marks})`, bindings: scope.ids, asOneSum: false };
}

function stateOf(referral: StatedReferral, open: ReadonlySet<number>, now: number): MoneyState {
  const { status, payable_at: until, payout_transaction_id: transaction } = referral;
  if (status === 'unpaid') return until !== null && until > now ? 'waiting' : 'payable';
  if (status === 'paid') return transaction !== null && open.has(transaction) ? 'on_its_way' : 'paid';
  return status === 'rejected' || status === 'cancelled' ? 'canceled' : 'held';
}

/** The program's currency always, others when there is money in them; by code. */
function balancesOf(sums: ReadonlyMap<string, Sums>, program: string): [Balance, ...Balance[]] {
  const others = [...sums]
    .filter(([code]) => code !== program)
    .map(([code, found]) => balanceOf(code, found))
    .filter((balance) => Object.values(balance).some((value) => typeof value === 'number' && value !== 0))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
  return [balanceOf(program, sums.get(program) ?? noSums()), ...others];
}

const balanceOf = (currency: string, sums: Sums): Balance => ({
  currency,
  payable_minor: sums.unpaid - sums.waiting,
  waiting_minor: sums.waiting,
  held_minor: sums.held,
  on_its_way_minor: sums.on_its_way,
  paid_minor: sums.claimed - sums.on_its_way,
  canceled_minor: sums.canceled,
  canceled_reasons: sums.reasons,
});
