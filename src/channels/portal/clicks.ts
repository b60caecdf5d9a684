import { createdOf, givenSubIds, type DayQuery, type SubIdQuery } from '../../records/filters.js';
import { dayStart, siteDay } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { Page } from '../../core/page.js';
import { NEWEST_FIRST, readPage } from '../../records/list.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { clicksMatching, performance, type PerformanceOf } from './click-queries.js';
import { presentClick } from './presenter.js';
import { incomeOf } from './queries.js';
import { clicks as record } from './record.js';
import type { Click, PerformanceResponse } from './schemas.js';
import type { ClickFilter } from './types.js';

export interface ClicksQuery extends DayQuery, SubIdQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly converted: string;
  readonly campaign?: string | undefined;
}

const BEST = 100;

/** Clicks with filters, and results by campaign, page and sub id. */
export class Clicks {
  constructor(private readonly app: Deps) {}

  async list(affiliate: Affiliate, query: ClicksQuery): Promise<Page<Click>> {
    const { currency } = await this.app.settings.referralConfig();
    const { timeZone } = this.app.host.site();
    const filter: ClickFilter = {
      converted: query.converted === 'yes' ? true : query.converted === 'no' ? false : null,
      campaign: query.campaign ?? null,
      search: query.search,
      created: createdOf(query, timeZone),
      subIds: givenSubIds(query),
    };
    const { db } = this.app;
    const matching = clicksMatching(db, affiliate.id, filter);
    const page = await readPage(db, record, matching, { ...query, order: NEWEST_FIRST });
    const ids = page.rows.map(({ id }) => id);
    const income = await incomeOf(db, affiliate.id, ids, currency);
    return {
      ...page,
      rows: page.rows.map((click) => presentClick(click, income.get(click.id), { currency, timeZone })),
    };
  }

  async performance(affiliate: Affiliate, by: PerformanceOf, days: number): Promise<PerformanceResponse> {
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
