import { createdOf, givenSubIds, type DayQuery, type SubIdQuery } from '../../records/filters.js';
import { dayText, siteDay, toIso } from '../../core/dates.js';
import { QUARTER_HOUR } from '../../core/duration.js';
import { subIdsOf } from '../../core/sub-ids.js';
import { minor, toWire } from '../../core/money.js';
import { offsetOf, type Page } from '../../core/page.js';
import { MONEY_STATES, type CommissionState, type MoneyState } from '../../accounting/balances/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { changesOf, earningsTotals, listEarnings, releaseSlots, writeNote } from './money-queries.js';
import type { Earning, EarningsResponse, PortalOverview } from './schemas.js';
import {
  EARNING_STATES,
  type EarningChange,
  type EarningsFilter,
  type EarningsRow,
  type EarningState,
  type Release,
} from './types.js';

export interface EarningsQuery extends DayQuery, SubIdQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly state: string;
}

/** Commissions for their affiliate: their state, when a hold ends, and what reduced them. */
export class Earnings {
  constructor(private readonly app: Deps) {}

  async list(
    affiliate: Affiliate,
    query: EarningsQuery,
  ): Promise<{ page: Page<Earning>; totals: EarningsResponse['totals'] }> {
    const { currency, show_products } = await this.app.settings.referralConfig();
    const { db, balances } = this.app;
    const wanted = EARNING_STATES.find((state) => state === query.state) ?? null;
    const money = wanted === null ? MONEY_STATES.find((state) => state === query.state) : MONEY_OF[wanted];
    const filter: EarningsFilter = {
      inState: money === undefined ? null : balances.matching(money),
      status: wanted === 'rejected' || wanted === 'cancelled' ? wanted : null,
      search: query.search,
      created: createdOf(query, this.app.host.site().timeZone),
      subIds: givenSubIds(query),
      wouldHaveBeen: balances.wouldHaveBeenSql,
    };
    const totals = await earningsTotals(db, affiliate.id, filter);
    const rows = await listEarnings(db, affiliate.id, filter, {
      limit: query.per_page,
      offset: offsetOf(query),
    });
    const changes = await changesOf(
      db,
      affiliate.id,
      rows.map((row) => row.id),
    );
    const sentences = await this.app.rewards.sentencesOf(rows.map(({ id }) => id));
    const states = await balances.statesOf(rows);
    const rejected = rows.filter(({ reject_reason: reason }) => reason === 'manual');
    const explanations = await this.app.referrals.shownReasons(rejected.map(({ id }) => id));
    const sums = new Map<string, { count: number; amount: number; would: number }>();
    for (const total of totals) {
      const key = total.currency ?? currency;
      const sum = sums.get(key) ?? { count: 0, amount: 0, would: 0 };
      sums.set(key, {
        count: sum.count + total.count,
        amount: sum.amount + total.amount_minor,
        would: sum.would + total.would_have_been_minor,
      });
    }
    return {
      page: {
        rows: rows.map((row, at) =>
          presentEarning(row, states[at]!, {
            changes,
            currency,
            rules: sentences.get(row.id) ?? [],
            explanation: explanations.get(row.id) ?? null,
            products: show_products === 'yes' ? row.products : [],
          }),
        ),
        total: totals.reduce((sum, { count }) => sum + count, 0),
        page: query.page,
        per_page: query.per_page,
      },
      totals: [...sums].map(([code, { count, amount, would }]) => ({
        currency: code,
        count,
        amount: toWire(minor(amount), code),
        would_have_been: toWire(minor(would), code),
      })),
    };
  }

  /** An empty note removes it. 404 `referral_not_found` for a commission the affiliate does not see. */
  async saveNote(affiliate: Affiliate, referralId: number, note: string): Promise<{ note: string }> {
    const isThere = await this.app.transaction((trx) => writeNote(trx, affiliate.id, { referralId, note }));
    return isThere ? { note } : fail('referral_not_found');
  }

  /** Where the money is now, what each coming day releases, and how much is missing for the next payment. */
  async outlook(affiliate: Affiliate): Promise<PortalOverview['outlook']> {
    const { currency } = await this.app.settings.referralConfig();
    const now = this.app.clock.now();
    const money = (amount: number): number => toWire(minor(amount), currency);
    const balances = (await this.app.balances.dtoOf([affiliate.id])).get(affiliate.id) ?? [];
    const balance = balances[0]!; // the program's currency always comes first
    const minimum = (await this.app.settings.rules()).minPayout;
    return {
      currency,
      ready: balance.payable,
      on_hold: balance.waiting,
      on_its_way: balance.on_its_way,
      paid: balance.paid,
      minimum,
      reaches_minimum: balance.payable > 0 && balance.payable >= minimum,
      balances,
      releases: (await this.#releases(affiliate, currency, now)).map(({ day, amount_minor, count }) => ({
        day: dayText(day),
        amount: money(amount_minor),
        count,
      })),
    };
  }

  async #releases(affiliate: Affiliate, currency: string, now: number): Promise<Release[]> {
    const { timeZone } = this.app.host.site();
    const days = new Map<number, Release>();
    const slots = await releaseSlots(this.app.db, affiliate.id, { currency, now, slotMs: QUARTER_HOUR });
    for (const { at, amount_minor, count } of slots) {
      const day = siteDay(at, timeZone);
      const known = days.get(day);
      days.set(day, {
        day,
        amount_minor: (known?.amount_minor ?? 0) + amount_minor,
        count: (known?.count ?? 0) + count,
      });
    }
    return [...days.values()];
  }
}

interface EarningContext {
  readonly changes: readonly EarningChange[];
  readonly currency: string;
  readonly rules: readonly Readonly<Record<string, string>>[];
  readonly products: readonly string[];
  readonly explanation: string | null;
}

function presentEarning(
  row: EarningsRow,
  { state: money, counted_minor: counted, would_have_been_minor: would }: CommissionState,
  { changes, currency: program, rules, products, explanation }: EarningContext,
): Earning {
  const currency = row.currency ?? program;
  const wire = (amount: number): number => toWire(minor(amount), currency);
  const own = changes.filter(({ referral_id: id }) => id === row.id);
  const state = stateOf(row, money);
  return {
    id: row.id,
    description: row.description ?? '',
    order_number: row.order_number,
    products: [...products],
    note: row.note,
    type: row.type,
    state,
    amount: wire(row.amount_minor),
    counted_amount: wire(counted),
    would_have_been: would === null ? null : wire(would),
    currency,
    utm_campaign: row.utm_campaign,
    ...subIdsOf(row),
    created_at: toIso(row.created_at),
    /** The end of the waiting period, while it lasts. */
    release_at: state === 'on_hold' ? toIso(row.payable_at) : null,
    reason: state === 'rejected' ? row.reject_reason : null,
    explanation: state === 'rejected' ? explanation : null,
    payment_id: row.payout_transaction_id,
    rules,
    changes: own.map(({ kind, delta_minor: delta, at }) => ({
      kind,
      amount: wire(delta),
      at: toIso(at),
    })),
  };
}

/** The states of money behind the portal's words for a commission. */
const MONEY_OF: Readonly<Record<EarningState, MoneyState>> = {
  in_review: 'held',
  on_hold: 'waiting',
  ready: 'payable',
  on_its_way: 'on_its_way',
  paid: 'paid',
  rejected: 'canceled',
  cancelled: 'canceled',
};

function stateOf({ status }: EarningsRow, money: MoneyState): EarningState {
  if (status === 'rejected' || status === 'cancelled') return status;
  return EARNING_STATES.find((state) => MONEY_OF[state] === money) ?? 'in_review';
}
