import { createdOf, type DayQuery } from '../../records/filters.js';
import { dayText, siteDay, toIso } from '../../core/dates.js';
import { QUARTER_HOUR } from '../../core/duration.js';
import { cleanText } from '../../core/text.js';
import { minor, toWire } from '../../core/money.js';
import { offsetOf, type Page } from '../../core/page.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Needs } from './needs.js';
import { balanceOf, changesOf, earningsTotals, listEarnings, releaseSlots } from './money-queries.js';
import type { Earning, EarningsAnswer, PortalOverview } from './schemas.js';
import {
  EARNING_STATES,
  type EarningChange,
  type EarningsFilter,
  type EarningsRow,
  type EarningState,
  type Release,
} from './types.js';

export interface EarningsQuery extends DayQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly state: string;
}

/** Commissions for their affiliate: their state, when a hold ends, and what reduced them. */
export class Earnings {
  constructor(private readonly app: Needs) {}

  async list(
    affiliate: Affiliate,
    query: EarningsQuery,
  ): Promise<{ page: Page<Earning>; totals: EarningsAnswer['totals'] }> {
    const { currency } = await this.app.settings.referralConfig();
    const filter: EarningsFilter = {
      state: EARNING_STATES.find((state) => state === query.state) ?? null,
      search: query.search,
      created: createdOf(query, this.app.host.site().timeZone),
      now: this.app.clock.now(),
    };
    const { db } = this.app;
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
    const sums = new Map<string, { count: number; amount: number }>();
    for (const total of totals) {
      const key = total.currency ?? currency;
      const sum = sums.get(key) ?? { count: 0, amount: 0 };
      sums.set(key, { count: sum.count + total.count, amount: sum.amount + total.amount_minor });
    }
    return {
      page: {
        rows: rows.map((row) => presentEarning(row, { changes, currency, now: filter.now })),
        total: totals.reduce((sum, { count }) => sum + count, 0),
        page: query.page,
        per_page: query.per_page,
      },
      totals: [...sums].map(([code, { count, amount }]) => ({
        currency: code,
        count,
        amount: toWire(minor(amount), code),
      })),
    };
  }

  /** What is owed now, what each coming day releases, and how much is missing for the next payment. */
  async outlook(affiliate: Affiliate): Promise<PortalOverview['outlook']> {
    const { currency } = await this.app.settings.referralConfig();
    const now = this.app.clock.now();
    const money = (amount: number): number => toWire(minor(amount), currency);
    const balance = await balanceOf(this.app.db, affiliate.id, currency, now);
    const minimum = (await this.app.settings.rules()).minPayout;
    return {
      currency,
      ready: money(balance.ready_minor),
      on_hold: money(balance.held_minor),
      on_its_way: money(balance.on_its_way_minor),
      paid: money(
        Math.max(
          0,
          affiliate.total_earnings_minor - affiliate.unpaid_earnings_minor - balance.on_its_way_minor,
        ),
      ),
      minimum,
      reaches_minimum: balance.ready_minor > 0 && money(balance.ready_minor) >= minimum,
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

interface Shown {
  readonly changes: readonly EarningChange[];
  readonly currency: string;
  readonly now: number;
}

function presentEarning(row: EarningsRow, { changes, currency: program, now }: Shown): Earning {
  const currency = row.currency ?? program;
  const money = (amount: number): number => toWire(minor(amount), currency);
  const own = changes.filter(({ referral_id: id }) => id === row.id);
  const state = stateOf(row, now);
  return {
    id: row.id,
    description: cleanText(row.description ?? ''),
    type: row.type,
    state,
    amount: money(row.amount_minor),
    currency,
    utm_campaign: row.utm_campaign,
    created_at: toIso(row.created_at),
    /** The end of the hold, while it is held. */
    release_at: state === 'on_hold' ? toIso(row.payable_at) : null,
    reason: state === 'rejected' ? row.reject_reason : null,
    payment_id: row.transaction_id,
    changes: own.map(({ kind, delta_minor: delta, at }) => ({
      kind,
      amount: money(delta),
      at: toIso(at),
    })),
  };
}

function stateOf(row: EarningsRow, now: number): EarningState {
  if (row.status === 'paid') return row.transaction_status === 'processing' ? 'on_its_way' : 'paid';
  if (row.status === 'unpaid') return (row.payable_at ?? 0) > now ? 'on_hold' : 'ready';
  if (row.status === 'rejected' || row.status === 'cancelled') return row.status;
  return 'in_review';
}
