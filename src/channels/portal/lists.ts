import { createdOf, type CreationRange } from '../../records/filters.js';
import { humanDate } from '../../core/dates.js';
import { cleanHtml } from '../../core/html.js';
import { minor, toWire } from '../../core/money.js';
import { offsetOf, type Page, type Window } from '../../core/page.js';
import { percentage } from '../../core/percentage.js';
import { rowsInOrder } from '../../records/list.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { presentRecent, presentReferral, presentVisit, type Locale } from './presenter.js';
import * as queries from './queries.js';
import { clicks } from './record.js';
import type { PortalReferralRow, PortalStats, PortalTransaction, PortalVisitRow } from './schemas.js';
import type { PageQuery } from './types.js';

const RECENT = 5;

/** Figures and lists of one affiliate, each in a fixed number of queries. */
export class PortalLists {
  constructor(private readonly app: Deps) {}

  /**
   * Cards in the order they are drawn, the newest referrals and the notice of the
   * host (docs/interface.md §11.1).
   */
  async stats(affiliate: Affiliate): Promise<PortalStats> {
    const locale = await this.#locale();
    const money = (amount: number): number => toWire(minor(amount), locale.currency);
    const [balance] = await this.app.balances.ofOne(affiliate.id);
    const notice = await this.app.hooks.applyFilters('portal_notice_html', '', affiliate);
    return {
      stats: {
        total_paid: {
          title: 'Total Paid',
          amount: money(balance.paid_minor),
          is_currency: true,
          icon: 'MoneyPaid',
        },
        total_unpaid: {
          title: 'Total Unpaid',
          amount: money(affiliate.unpaid_earnings_minor),
          is_currency: true,
          icon: 'MoneyUnPaid',
        },
        total_referrals: {
          title: 'Total Referrals',
          amount: affiliate.referrals,
          is_currency: false,
          is_number: true,
          icon: 'LinkReferal',
        },
        conversion_rate: {
          title: 'Conversion Rate',
          amount: percentage(affiliate.referrals, affiliate.visits),
          is_currency: false,
          is_number: false,
          icon: 'PercentIcon',
        },
      },
      recent_referrals: (await queries.recentReferrals(this.app.db, affiliate.id, RECENT)).map((referral) =>
        presentRecent(referral, locale),
      ),
      portal_notice_html: cleanHtml(notice),
    };
  }

  async referrals(affiliate: Affiliate, query: PageQuery): Promise<Page<PortalReferralRow>> {
    const locale = await this.#locale();
    const { referrals, total } = await this.app.referrals.lists.shownTo(affiliate.id, this.#windowOf(query));
    return pageOf(
      query,
      total,
      referrals.map((referral) => presentReferral(referral, locale)),
    );
  }

  async visits(affiliate: Affiliate, query: PageQuery): Promise<Page<PortalVisitRow>> {
    const locale = await this.#locale();
    const { ids, total } = await this.app.visits.newestOf(affiliate.id, this.#windowOf(query));
    const visits = await rowsInOrder(this.app.db, clicks, ids);
    const income = await queries.incomeOf(
      this.app.db,
      affiliate.id,
      visits.map((visit) => visit.id),
      locale.currency,
    );
    return pageOf(
      query,
      total,
      visits.map((visit) => presentVisit(visit, income.get(visit.id), locale)),
    );
  }

  async transactions(affiliate: Affiliate, query: PageQuery): Promise<Page<PortalTransaction>> {
    const { currency, timeZone } = await this.#locale();
    const page = await this.app.payouts.lists.pageOfAffiliate(affiliate.id, {
      ...query,
      search: '',
      order_by: 'id',
      order_type: 'DESC',
    });
    const payouts = await this.app.payouts.findMany(page.rows.map((transaction) => transaction.payout_id));
    return pageOf(
      query,
      page.total,
      page.rows.map((transaction) => ({
        human_date: humanDate(transaction.created_at, timeZone),
        amount: toWire(transaction.total_amount_minor, transaction.currency ?? currency),
        status: transaction.status,
        description: payouts.get(transaction.payout_id)?.title ?? '--',
      })),
    );
  }

  #windowOf(query: PageQuery): Window & { readonly created: CreationRange } {
    const created = createdOf(query, this.app.host.site().timeZone);
    return { limit: query.per_page, offset: offsetOf(query), created };
  }

  async #locale(): Promise<Locale> {
    const { currency } = await this.app.settings.referralConfig();
    return { currency, timeZone: this.app.host.site().timeZone };
  }
}

const pageOf = <T>({ page, per_page }: PageQuery, total: number, rows: T[]): Page<T> => ({
  rows,
  total,
  page,
  per_page,
});
