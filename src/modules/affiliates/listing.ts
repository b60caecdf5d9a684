import type { HostUser } from '../../../adapters/host.js';
import type { App } from '../../app.js';
import { toSite } from '../../core/dates.js';
import { toWire } from '../../core/money.js';
import { offsetOf, type Page, type Window } from '../../core/page.js';
import { rateToWire } from '../../core/rate.js';
import { parseFilters, readStatuses } from './filters.js';
import {
  affiliateList,
  affiliatePages,
  countAffiliates,
  listAffiliates,
  readOrder,
  type AffiliateFilter,
  type AffiliateOrder,
} from './queries.js';
import type { AffiliateRows } from './rows.js';
import type { Affiliate, AffiliateListQuery, Visibility } from './types.js';

/** Host users a search may bring in; beyond it the text is too short to mean anything. */
const MAX_USERS = 500;

type Cell = string | number | null;
interface Found {
  readonly found: readonly Affiliate[];
  readonly total: number;
}

export const EXPORT_COLUMNS = [
  'id',
  'full_name',
  'email',
  'payment_email',
  'rate_type',
  'rate',
  'status',
  'total_earnings',
  'unpaid_earnings',
  'referrals',
  'visits',
  'created_at',
  'login',
  'group',
  'custom_param',
] as const;

/** The affiliate list and its export: same filters, same order. */
export class AffiliateListing {
  constructor(
    private readonly app: App,
    private readonly rows: AffiliateRows,
  ) {}

  async list(query: AffiliateListQuery, visibility: Visibility): Promise<Page<Record<string, unknown>>> {
    const filter = await this.#filter(query);
    const order = readOrder(query.order_by, query.order_type);
    const window = { limit: query.per_page, offset: offsetOf(query) };
    const { found, total } = await (isWhole(filter)
      ? this.#longPage(order, window)
      : this.#filteredPage(filter, order, window));
    return {
      rows: await this.rows.listed(found, visibility),
      total,
      page: query.page,
      per_page: query.per_page,
    };
  }

  async #longPage(order: AffiliateOrder, window: Window): Promise<Found> {
    const { ids, total } = await this.app.longLists.page(
      affiliateList(this.app.db),
      { ...order, indexed: false },
      window,
    );
    const affiliates = await this.app.affiliates.findMany(ids);
    return { found: ids.flatMap((id) => affiliates.get(id) ?? []), total };
  }

  async #filteredPage(filter: AffiliateFilter, order: AffiliateOrder, window: Window): Promise<Found> {
    const total = await countAffiliates(this.app.db, filter);
    return {
      found: window.offset < total ? await listAffiliates(this.app.db, filter, order, window) : [],
      total,
    };
  }

  async ids(query: AffiliateListQuery): Promise<number[]> {
    const filter = await this.#filter(query);
    const page = { limit: query.per_page, offset: offsetOf(query) };
    return (await listAffiliates(this.app.db, filter, readOrder(query.order_by, query.order_type), page)).map(
      (affiliate) => affiliate.id,
    );
  }

  async export(
    query: Omit<AffiliateListQuery, 'page' | 'per_page'>,
  ): Promise<{ total: number; rows: AsyncIterable<readonly Record<string, Cell>[]> }> {
    const filter = await this.#filter(query);
    return { total: await countAffiliates(this.app.db, filter), rows: this.#exportPages(filter, query) };
  }

  async *#exportPages(
    filter: AffiliateFilter,
    query: Pick<AffiliateListQuery, 'order_by' | 'order_type'>,
  ): AsyncGenerator<readonly Record<string, Cell>[]> {
    for await (const page of affiliatePages(
      this.app.db,
      filter,
      readOrder(query.order_by, query.order_type),
    )) {
      const users = await this.app.users(page.map((affiliate) => affiliate.user_id));
      const { timeZone } = this.app.host.site();
      const groups = await this.app.groups.findMany(page.map((affiliate) => affiliate.group_id));
      yield page.map((affiliate) => ({
        ...exportRow(affiliate, users.get(affiliate.user_id ?? 0), filter.currency, timeZone),
        group: groups.get(affiliate.group_id ?? 0)?.meta_key ?? null,
      }));
    }
  }

  async #filter({
    search = '',
    status,
    filters,
    groupId,
  }: Partial<AffiliateListQuery>): Promise<AffiliateFilter> {
    const { currency } = await this.app.settings.referralConfig();
    const users = search === '' ? [] : await this.app.host.users.search(search, MAX_USERS);
    const { conditions, groupIds } = parseFilters(filters, currency);
    const inGroup = groupId === undefined ? groupIds : [groupId];
    return {
      search,
      searchUserIds: users.slice(0, MAX_USERS).map((user) => user.id),
      statuses: readStatuses(status),
      conditions,
      groupIds: inGroup,
      currency,
    };
  }
}

const isWhole = ({ search, statuses, conditions, groupIds }: AffiliateFilter): boolean =>
  search === '' && statuses.length === 0 && conditions.length === 0 && groupIds === null;

const exportRow = (
  affiliate: Affiliate,
  user: HostUser | undefined,
  currency: string,
  timeZone: string,
): Record<string, Cell> => ({
  id: affiliate.id,
  full_name: user?.full_name ?? '',
  email: user?.email ?? '',
  payment_email: affiliate.payment_email,
  rate_type: affiliate.rate_type,
  rate: affiliate.rate_e4 === null ? null : rateToWire(affiliate.rate_e4),
  status: affiliate.status,
  total_earnings: toWire(affiliate.total_earnings_minor, currency),
  unpaid_earnings: toWire(affiliate.unpaid_earnings_minor, currency),
  referrals: affiliate.referrals,
  visits: affiliate.visits,
  created_at: toSite(affiliate.created_at, timeZone),
  login: user?.login ?? '',
  custom_param: affiliate.custom_param,
});
