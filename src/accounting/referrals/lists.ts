import { MONEY_STATES } from '../balances/types.js';
import type { Deps } from './deps.js';
import type { ReferralContributions } from './contributions.js';
import { toSite } from '../../core/dates.js';
import { subIdsOf } from '../../core/sub-ids.js';
import { minor, toWire } from '../../core/money.js';
import type { ExportPages, ExportRow, Page, Window } from '../../core/page.js';
import { DAY } from '../../core/duration.js';
import type { ReferralWithAffiliateDto, ReferralWithUrlDto } from '../api-schemas.js';
import { type CreationRange, createdOf, givenSubIds } from '../../records/filters.js';
import { exportPages, NEWEST_FIRST, orderOf, readIdPage, readPage, rowsInOrder } from '../../records/list.js';
import { presentReferral } from './presenter.js';
import { affiliateIdsOfPayout, referralsMatching, referralsShownTo, sumReferrals } from './queries.js';
import { referrals as record } from './record.js';
import type { ReferralTotal, ReferralDetailsDto, StaleReferralDto } from './schemas.js';
import {
  STATUSES,
  type Referral,
  type WaitsFor,
  type ReferralFilter,
  type ReferralListQuery,
} from './types.js';

const FOUND_USERS = 200;

/** Commissions that are still pending from before this instant are stale; 0: none is. */
export async function staleBefore(app: Deps): Promise<number> {
  const { stalePendingDays: days } = await app.settings.rules();
  return days === 0 ? 0 : app.clock.now() - days * DAY;
}

/** Reads referrals for lists, the view and the export, each in a fixed number of queries. */
export class ReferralLists {
  constructor(
    private readonly app: Deps,
    private readonly contributions: () => ReferralContributions,
  ) {}

  async list(query: ReferralListQuery): Promise<Page<ReferralWithAffiliateDto>> {
    const page = await this.#page(query, await this.#filter(query), 'created_at');
    return { ...page, rows: await this.#withAffiliates(page.rows) };
  }

  /** The sums over the rows of a list, in each currency. */
  async totals(query: ReferralListQuery): Promise<readonly ReferralTotal[]> {
    const { db } = this.app;
    const filter = await this.#filter(query);
    const sums = await sumReferrals(db, referralsMatching(db, filter));
    return sums.map(({ currency, count, amount, counted, orders }) => {
      const code = currency ?? filter.currency;
      const money = (sum: number): number => toWire(minor(sum), code);
      return {
        currency: code,
        count,
        amount: money(amount),
        counted_amount: money(counted),
        order_total: money(orders),
      };
    });
  }

  /** Pending for too long, the oldest first, with what each one waits for. */
  async stale(query: ReferralListQuery): Promise<Page<StaleReferralDto>> {
    const before = await staleBefore(this.app);
    const filter: ReferralFilter = { ...(await this.#filter(query)), statuses: ['pending'], before };
    const { rows: found, ...page } = await readPage(
      this.app.db,
      record,
      referralsMatching(this.app.db, filter),
      {
        ...query,
        order: { by: 'created_at', direction: 'asc' },
      },
    );
    const now = this.app.clock.now();
    const reasons = await this.contributions().orders.reasons(found.map(({ id }) => id));
    const rows = (await this.#withAffiliates(found)).map((row, at) => ({
      ...row,
      waits_for: waitsFor(reasons.get(found[at]!.id) ?? null),
      days: Math.floor((now - found[at]!.created_at) / DAY),
    }));
    return { ...page, rows };
  }

  async ofAffiliate(affiliateId: number, query: ReferralListQuery): Promise<Page<ReferralWithUrlDto>> {
    const page = await this.#page(query, { ...(await this.#filter(query)), affiliateId }, 'id');
    return { ...page, rows: await this.present(page.rows) };
  }

  /** A page of what the affiliate sees, newest first (docs/interface.md §11.2). */
  async shownTo(
    affiliateId: number,
    { created, ...window }: Window & { readonly created: CreationRange },
  ): Promise<{ referrals: readonly Referral[]; total: number }> {
    const { db } = this.app;
    const matching = referralsShownTo(affiliateId, created);
    const { ids, total } = await readIdPage(db, record, matching, { ...window, order: NEWEST_FIRST });
    return { referrals: await rowsInOrder(db, record, ids), total };
  }

  async ofPayout(payoutId: number, query: ReferralListQuery): Promise<Page<ReferralWithAffiliateDto>> {
    const filter = { ...(await this.#filter(query)), statuses: [], payoutId };
    const page = await this.#page(query, filter, 'id');
    return { ...page, rows: await this.#withAffiliates(page.rows) };
  }

  async affiliateIdsOfPayout(payoutId: number): Promise<number[]> {
    return affiliateIdsOfPayout(this.app.db, payoutId);
  }

  async export(query: ReferralListQuery): Promise<ExportPages> {
    const filter = await this.#filter(query);
    const list = {
      matching: referralsMatching(this.app.db, filter),
      order: orderOf(record, query, 'created_at'),
    };
    return exportPages(this.app.db, record, list, (rows) => this.#exportRows(rows, filter.currency));
  }

  /** Records with provider_url. */
  async present(referrals: readonly Referral[]): Promise<ReferralWithUrlDto[]> {
    const { currency } = await this.app.settings.referralConfig();
    const states = await this.app.balances.stateDtosOf(referrals);
    return Promise.all(
      referrals.map(async (referral, at) => ({
        ...presentReferral(referral, currency),
        ...states[at]!,
        provider_url: await this.providerUrl(referral),
      })),
    );
  }

  /** One record with its affiliate, as in the list. */
  async whole(referral: Referral): Promise<ReferralWithAffiliateDto> {
    return (await this.#withAffiliates([referral]))[0]!;
  }

  async view(referral: Referral): Promise<ReferralDetailsDto> {
    const [wire] = await this.present([referral]);
    const visits = await this.app.visits.embed([referral.visit_id]);
    const more = this.contributions();
    const { payout_id: payoutId, customer_id: customerId } = referral;
    return {
      ...wire!,
      order: await more.orders.explain(referral),
      rules: await more.rules(referral),
      visit: visits.get(referral.visit_id ?? 0) ?? null,
      payout: payoutId === null ? null : await more.payout(payoutId),
      customer: customerId === null ? null : await more.customer(customerId),
    };
  }

  async #withAffiliates(referrals: readonly Referral[]): Promise<ReferralWithAffiliateDto[]> {
    const affiliates = await this.app.affiliates.embed(referrals.map((referral) => referral.affiliate_id));
    const rows = await this.present(referrals);
    return rows.map((row, at) => ({
      ...row,
      affiliate: affiliates.get(referrals[at]?.affiliate_id ?? 0) ?? null,
    }));
  }

  /** Where the order is in the back office of its shop; "" when that is not known. */
  async providerUrl(referral: Referral): Promise<string> {
    if (referral.provider === null || !/^[^/{}\s]+$/u.test(referral.provider)) return '';
    const name = `provider_reference_${referral.provider}_url` as const;
    const account = referral.settings?.['account'];
    const known = this.contributions().orderUrl(
      referral.provider,
      referral.provider_id ?? '',
      typeof account === 'string' ? account : '',
    );
    return this.app.hooks.isUsed(name) ? this.app.hooks.applyFilters(name, known, referral) : known;
  }

  async #filter(query: ReferralListQuery): Promise<ReferralFilter> {
    const { search, affiliate_id: affiliateId } = query;
    const users = search === '' ? [] : await this.app.host.users.search(search, FOUND_USERS);
    const states = MONEY_STATES.filter((each) => [query.state].flat().includes(each));
    return {
      statuses: STATUSES.filter((each) => [query.status].flat().includes(each)),
      inState: states.length === 0 ? null : this.app.balances.matching(...states),
      search,
      userIds: users.map((user) => user.id),
      created: createdOf(query, this.app.host.site().timeZone),
      subIds: givenSubIds(query),
      currency: (await this.app.settings.referralConfig()).currency,
      ...(affiliateId !== undefined && { affiliateId }),
    };
  }

  #page(query: ReferralListQuery, filter: ReferralFilter, orderBy: string): Promise<Page<Referral>> {
    const order = orderOf(record, query, orderBy);
    return readPage(this.app.db, record, referralsMatching(this.app.db, filter), { ...query, order });
  }

  async #exportRows(referrals: readonly Referral[], programCurrency: string): Promise<ExportRow[]> {
    const { timeZone } = this.app.host.site();
    const affiliates = await this.app.affiliates.findMany(referrals.map((referral) => referral.affiliate_id));
    const users = await this.app.users([...affiliates.values()].map((affiliate) => affiliate.user_id));
    const states = await this.app.balances.stateDtosOf(referrals);
    return referrals.map((referral, at) => {
      const user = users.get(affiliates.get(referral.affiliate_id ?? 0)?.user_id ?? 0);
      const {
        amount,
        order_total: total,
        provider_id: providerId,
      } = presentReferral(referral, programCurrency);
      return {
        id: referral.id,
        affiliate_name: user?.full_name ?? '',
        affiliate_email: user?.email ?? '',
        amount,
        order_total: total,
        currency: referral.currency,
        description: referral.description,
        provider: referral.provider,
        provider_id: providerId,
        type: referral.type,
        status: referral.status,
        created_at: toSite(referral.created_at, timeZone),
        affiliate_id: referral.affiliate_id,
        parent_id: referral.parent_id,
        provider_sub_id: referral.provider_sub_id,
        utm_campaign: referral.utm_campaign,
        ...subIdsOf(referral),
        ...states[at]!,
      };
    });
  }
}

const WAITS: readonly (readonly [reason: string, word: WaitsFor])[] = [
  ['dispute', 'dispute'],
  ['unsigned', 'unsigned'],
  ['currency_mismatch', 'currency_mismatch'],
  ['totals_mismatch', 'totals_mismatch'],
  ['manual', 'person'],
  ['unpaid_order', 'payment'],
];

/** The reason that has to be resolved first; a row without an order waits for a person. */
function waitsFor(reasons: readonly string[] | null): WaitsFor {
  if (reasons?.some((reason) => reason.startsWith('fraud:')) === true) return 'fraud';
  return WAITS.find(([reason]) => reasons?.includes(reason) === true)?.[1] ?? 'person';
}
