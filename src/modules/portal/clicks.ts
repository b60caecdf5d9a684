import type { App } from '../../app.js';
import { dayStart, siteDay } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import { offsetOf, type Page } from '../../core/page.js';
import type { Affiliate } from '../affiliates/types.js';
import { clickIds, countClicks, performance, type PerformanceOf } from './click-queries.js';
import { presentVisit } from './presenter.js';
import { findVisits, incomeOf } from './queries.js';
import type { Click, PerformanceAnswer } from './schemas.js';
import type { ClickFilter } from './types.js';

export interface ClicksQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly converted: string;
  readonly campaign?: string | undefined;
}

const BEST = 100;

/** Clicks with filters, and what campaigns and pages brought. */
export class Clicks {
  constructor(private readonly app: App) {}

  async list(affiliate: Affiliate, query: ClicksQuery): Promise<Page<Click>> {
    const { currency } = await this.app.settings.referralConfig();
    const { timeZone } = this.app.host.site();
    const filter: ClickFilter = {
      converted: query.converted === 'yes' ? true : query.converted === 'no' ? false : null,
      campaign: query.campaign ?? null,
      search: query.search,
    };
    const { db } = this.app;
    const total = await countClicks(db, affiliate.id, filter);
    const ids = await clickIds(db, affiliate.id, filter, { limit: query.per_page, offset: offsetOf(query) });
    const income = await incomeOf(db, affiliate.id, ids, currency);
    return {
      rows: (await findVisits(db, ids)).map((visit) => ({
        id: visit.id,
        ...presentVisit(visit, income.get(visit.id), { currency, timeZone }),
      })),
      total,
      page: query.page,
      per_page: query.per_page,
    };
  }

  async performance(affiliate: Affiliate, by: PerformanceOf, days: number): Promise<PerformanceAnswer> {
    const { currency } = await this.app.settings.referralConfig();
    const { timeZone } = this.app.host.site();
    const today = siteDay(this.app.clock.now(), timeZone);
    const rows = await performance(this.app.db, affiliate.id, {
      by,
      since: dayStart(today - days + 1, timeZone),
      currency,
      limit: BEST,
    });
    return {
      by,
      days,
      currency,
      rows: rows.map(({ name, clicks, orders, amount_minor: amount }) => ({
        name,
        clicks,
        orders,
        earnings: toWire(minor(amount), currency),
      })),
    };
  }
}
