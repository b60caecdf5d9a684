import type { App } from '../../app.js';
import { toSite } from '../../core/dates.js';
import { offsetOf, type Page, type Window } from '../../core/page.js';
import type { LongList } from '../../database/long-list.js';
import { presentReferral } from './presenter.js';
import {
  affiliateIdsOfPayout,
  countReferrals,
  listOrder,
  listStale,
  longListOf,
  nextReferrals,
  pageIds,
  referralsInOrder,
  shownListOf,
  sortColumn,
  staleSummary,
  statusListOf,
} from './queries.js';
import {
  STATUSES,
  type Referral,
  type WaitsFor,
  type ReferralFilter,
  type ReferralListQuery,
  type ReferralOrder,
} from './types.js';

const EXPORT_PAGE = 1000;
const DAY = 86_400_000;
type Wire = Record<string, unknown>;
export type ExportRow = Record<string, string | number | null>;
export interface ExportPages {
  readonly total: number;
  readonly rows: AsyncIterable<readonly ExportRow[]>;
}

/** Reading referrals: lists, the view and the export, each in a fixed number of queries. */
export class ReferralLists {
  constructor(private readonly app: App) {}

  async list(query: ReferralListQuery): Promise<Page<Wire>> {
    const page = await this.#page(query, await this.#filter(query), 'created_at');
    return { ...page, rows: await this.#withAffiliates(page.rows) };
  }

  /** Pending for too long, the oldest first, with what each one waits for. */
  async stale(query: ReferralListQuery, before: number): Promise<Page<Wire>> {
    const { count: total } = await staleSummary(this.app.db, before);
    const offset = offsetOf(query);
    const found =
      offset >= total ? [] : await listStale(this.app.db, before, { limit: query.per_page, offset });
    const now = this.app.clock.now();
    const orders = await this.app.orders.ofReferrals(found.map(({ id }) => id));
    const rows = (await this.#withAffiliates(found)).map((row, at) => ({
      ...row,
      waits_for: waitsFor(orders.get(found[at]!.id)?.reasons ?? null),
      days: Math.floor((now - found[at]!.created_at) / DAY),
    }));
    return { rows, total, page: query.page, per_page: query.per_page };
  }

  async ofAffiliate(affiliateId: number, query: ReferralListQuery): Promise<Page<Wire>> {
    const page = await this.#page(query, { ...(await this.#filter(query)), affiliateId }, 'id');
    return { ...page, rows: await this.present(page.rows) };
  }

  /** A page of what the affiliate sees, newest first (portal §4). */
  async shownTo(
    affiliateId: number,
    window: Window,
  ): Promise<{ referrals: readonly Referral[]; total: number }> {
    const order = { column: 'id', nullable: false, direction: 'desc', indexed: true } as const;
    const { ids, total } = await this.app.longLists.page(
      shownListOf(this.app.db, affiliateId),
      order,
      window,
    );
    return { referrals: await referralsInOrder(this.app.db, ids), total };
  }

  async ofPayout(
    payoutId: number,
    query: ReferralListQuery & { readonly affiliate_id?: number | null },
  ): Promise<Page<Wire>> {
    const filter = { ...(await this.#filter(query)), status: null, payoutId };
    const page = await this.#page(
      query,
      query.affiliate_id ? { ...filter, affiliateId: query.affiliate_id } : filter,
      'id',
    );
    return { ...page, rows: await this.#withAffiliates(page.rows) };
  }

  async affiliateIdsOfPayout(payoutId: number): Promise<number[]> {
    return affiliateIdsOfPayout(this.app.db, payoutId);
  }

  async export(query: ReferralListQuery): Promise<ExportPages> {
    const filter = await this.#filter(query);
    return {
      total: await countReferrals(this.app.db, filter),
      rows: this.#exportPages(filter, orderOf(query, 'created_at')),
    };
  }

  /** Records with provider_url. */
  async present(referrals: readonly Referral[]): Promise<Wire[]> {
    const { currency } = await this.app.settings.referralConfig();
    return Promise.all(
      referrals.map(async (referral) => ({
        ...presentReferral(referral, currency),
        provider_url: await this.#providerUrl(referral),
      })),
    );
  }

  /** One record with its affiliate, as in the list. */
  async whole(referral: Referral): Promise<Wire> {
    return (await this.#withAffiliates([referral]))[0] ?? {};
  }

  async view(referral: Referral): Promise<Wire> {
    const [wire] = await this.present([referral]);
    const visits = await this.app.visits.embed([referral.visit_id]);
    const payout =
      referral.payout_id === null
        ? undefined
        : (await this.app.payouts.findMany([referral.payout_id])).get(referral.payout_id);
    const customers = await this.app.customers.embed([referral.customer_id]);
    return {
      ...wire,
      order: await this.app.orders.explain(referral),
      visit: visits.get(referral.visit_id ?? 0) ?? null,
      payout: payout === undefined ? null : await this.app.payouts.present(payout),
      customer: customers.get(referral.customer_id ?? 0) ?? null,
    };
  }

  async #withAffiliates(referrals: readonly Referral[]): Promise<Wire[]> {
    const affiliates = await this.app.affiliates.embed(referrals.map((referral) => referral.affiliate_id));
    const rows = await this.present(referrals);
    return rows.map((row, at) => ({
      ...row,
      affiliate: affiliates.get(referrals[at]?.affiliate_id ?? 0) ?? null,
    }));
  }

  async #providerUrl(referral: Referral): Promise<string> {
    if (referral.provider === null || !/^[^/{}\s]+$/u.test(referral.provider)) return '';
    const name = `provider_reference_${referral.provider}_url` as const;
    const account = referral.settings?.['account'];
    const known = this.app.integrations.orderUrl(
      referral.provider,
      referral.provider_id ?? '',
      typeof account === 'string' ? account : '',
    );
    return this.app.hooks.isUsed(name) ? this.app.hooks.applyFilters(name, known, referral) : known;
  }

  async #filter(query: ReferralListQuery): Promise<ReferralFilter> {
    const status = STATUSES.find((each) => each === query.status) ?? null;
    return { status, search: query.search, currency: (await this.app.settings.referralConfig()).currency };
  }

  async #page(query: ReferralListQuery, filter: ReferralFilter, orderBy: string): Promise<Page<Referral>> {
    const order = orderOf(query, orderBy);
    const window = { limit: query.per_page, offset: offsetOf(query) };
    const list = this.#longList(filter, order);
    const { ids, total } = await (list
      ? this.app.longLists.page(list, listOrder(order, filter), window)
      : this.#filteredPage(filter, order, window));
    return {
      rows: await referralsInOrder(this.app.db, ids),
      total,
      page: query.page,
      per_page: query.per_page,
    };
  }

  /** Where counters know the number of rows. */
  #longList(
    { affiliateId, payoutId, status, search }: ReferralFilter,
    order: ReferralOrder,
  ): LongList | null {
    if (payoutId !== undefined || search !== '' || (status !== null && affiliateId !== undefined))
      return null;
    return status === null ? longListOf(this.app.db, order, affiliateId) : statusListOf(this.app.db, status);
  }

  async #filteredPage(
    filter: ReferralFilter,
    order: ReferralOrder,
    window: Window,
  ): Promise<{ ids: readonly number[]; total: number }> {
    const total = await countReferrals(this.app.db, filter);
    return {
      total,
      ids: window.offset >= total ? [] : await pageIds(this.app.db, filter, order, { ...window, total }),
    };
  }

  async *#exportPages(filter: ReferralFilter, order: ReferralOrder): AsyncGenerator<readonly ExportRow[]> {
    for (let after: Referral | null = null; ;) {
      const referrals: Referral[] = await nextReferrals(this.app.db, filter, order, {
        after,
        limit: EXPORT_PAGE,
      });
      if (referrals.length === 0) return;
      yield await this.#exportRows(referrals, filter.currency);
      after = referrals.at(-1) ?? null;
    }
  }

  async #exportRows(referrals: readonly Referral[], programCurrency: string): Promise<ExportRow[]> {
    const { timeZone } = this.app.host.site();
    const affiliates = await this.app.affiliates.findMany(referrals.map((referral) => referral.affiliate_id));
    const users = await this.app.users([...affiliates.values()].map((affiliate) => affiliate.user_id));
    return referrals.map((referral) => {
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
        amount: amount as number,
        order_total: total as number | null,
        currency: referral.currency,
        description: referral.description,
        provider: referral.provider,
        provider_id: providerId as string | number | null,
        type: referral.type,
        status: referral.status,
        created_at: toSite(referral.created_at, timeZone),
        affiliate_id: referral.affiliate_id,
        parent_id: referral.parent_id,
        provider_sub_id: referral.provider_sub_id,
        utm_campaign: referral.utm_campaign,
      };
    });
  }
}

const orderOf = (query: ReferralListQuery, fallback: string): ReferralOrder => ({
  column: sortColumn(query.order_by, fallback),
  direction: query.order_type === 'ASC' ? 'asc' : 'desc',
});

const WAITS: readonly (readonly [reason: string, word: WaitsFor])[] = [
  ['dispute', 'dispute'],
  ['unsigned', 'unsigned'],
  ['currency_mismatch', 'currency_mismatch'],
  ['totals_mismatch', 'totals_mismatch'],
  ['manual', 'person'],
  ['unpaid_order', 'payment'],
];

/** The one of its reasons that somebody has to see to first; a row without an order waits for a person. */
function waitsFor(reasons: readonly string[] | null): WaitsFor {
  if (reasons?.some((reason) => reason.startsWith('fraud:')) === true) return 'fraud';
  return WAITS.find(([reason]) => reasons?.includes(reason) === true)?.[1] ?? 'person';
}
