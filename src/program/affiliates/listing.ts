import { importedName } from './presenter.js';
import type { HostUser } from '../../../adapters/host.js';
import { toSite } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import { cells } from '../../core/csv.js';
import { offsetOf, type ExportPages, type ExportRow, type Page } from '../../core/page.js';
import type { AffiliateDto } from '../api-schemas.js';
import { createdOf } from '../../records/filters.js';
import { countRows, exportPages, orderOf, readIds, readPage, type Matching } from '../../records/list.js';
import type { AffiliateContributions } from './contributions.js';
import type { Deps } from './deps.js';
import { parseFilters, readStatuses, refuseUnread } from './filters.js';
import { affiliatesMatching, sumAffiliates, type AffiliateFilter } from './queries.js';
import { affiliates as record } from './record.js';
import type { AffiliateRows } from './rows.js';
import type { AffiliateTotals } from './schemas.js';
import type { Affiliate, AffiliateListQuery, Visibility } from './types.js';

/** The most host users a search includes; a text that finds more is too short to mean anything. */
const MAX_USERS = 500;

/** The affiliate list and its export: same filters, same order. */
export class AffiliateListing {
  constructor(
    private readonly app: Deps,
    private readonly rows: AffiliateRows,
    private readonly contributions: () => AffiliateContributions,
  ) {}

  /** Bank details only for callers that may see them. */
  async list(
    query: AffiliateListQuery,
    visibility: Visibility = { bankDetails: false },
  ): Promise<Page<AffiliateDto>> {
    const page = await readPage(this.app.db, record, await this.#matching(query), {
      ...query,
      order: orderOf(record, query),
    });
    return { ...page, rows: await this.rows.listed(page.rows, visibility) };
  }

  /** The sums of what the rows earned and are owed, in the currency of the program. */
  async totals(query: AffiliateListQuery): Promise<AffiliateTotals> {
    const filter = await this.#filter(query);
    const matching = affiliatesMatching(this.app.db, filter);
    const sums = await sumAffiliates(this.app.db, matching);
    const money = (sum: number): number => toWire(minor(sum), filter.currency);
    return {
      count: sums.count,
      total_earnings: money(sums.earned),
      unpaid_earnings: money(sums.unpaid),
      balances: await this.contributions().balancesOfList(matching),
    };
  }

  /** The ids on one page of the affiliates a search finds, newest first. */
  async ids(query: AffiliateListQuery): Promise<number[]> {
    const window = { limit: query.per_page, offset: offsetOf(query), order: orderOf(record, query) };
    return readIds(this.app.db, record, await this.#matching(query), window);
  }

  /** The next affiliates that match, by id, for work that goes over all of them in steps. */
  async idsAfter(query: Partial<AffiliateListQuery>, after: number, limit: number): Promise<number[]> {
    const matching = affiliatesMatching(this.app.db, await this.#filter(query));
    const further: Matching = (rows) => {
      matching(rows);
      rows.where('id', '>', after);
    };
    const order = { by: 'id', direction: 'asc' } as const;
    return readIds(this.app.db, record, further, { limit, offset: 0, order });
  }

  async countMatching(query: Partial<AffiliateListQuery>): Promise<number> {
    return countRows(this.app.db, record, affiliatesMatching(this.app.db, await this.#filter(query)));
  }

  async export(query: Omit<AffiliateListQuery, 'page' | 'per_page'>): Promise<ExportPages> {
    const filter = await this.#filter(query);
    refuseUnread(query.filters, filter.currency);
    const list = { matching: affiliatesMatching(this.app.db, filter), order: orderOf(record, query) };
    return exportPages(this.app.db, record, list, (rows) => this.#exportRows(rows, filter.currency));
  }

  async #exportRows(affiliates: readonly Affiliate[], currency: string): Promise<ExportRow[]> {
    const users = await this.app.users(affiliates.map((affiliate) => affiliate.user_id));
    const { timeZone } = this.app.host.site();
    const groups = await this.app.groups.findMany(affiliates.map((affiliate) => affiliate.group_id));
    const balances = await this.contributions().balances(affiliates.map(({ id }) => id));
    return affiliates.map((affiliate) => ({
      ...exportRow(affiliate, users.get(affiliate.user_id ?? 0), currency, timeZone),
      group: groups.get(affiliate.group_id ?? 0)?.meta_key ?? null,
      ...cells(balances.get(affiliate.id)?.[0] ?? {}),
    }));
  }

  async #matching(query: AffiliateListQuery): Promise<Matching> {
    return affiliatesMatching(this.app.db, await this.#filter(query));
  }

  async #filter(query: Partial<AffiliateListQuery>): Promise<AffiliateFilter> {
    const { search = '', status, filters, groupId, affiliate_id: affiliateId } = query;
    const { currency } = await this.app.settings.referralConfig();
    const users = search === '' ? [] : await this.app.host.users.search(search, MAX_USERS);
    const { conditions, groupIds } = parseFilters(filters, currency);
    const inGroup = groupId === undefined ? groupIds : [groupId];
    return {
      search,
      created: createdOf(query, this.app.host.site().timeZone),
      ...(affiliateId !== undefined && { affiliateId }),
      searchUserIds: users.slice(0, MAX_USERS).map((user) => user.id),
      statuses: readStatuses(status),
      ...(query.asks_deletion !== undefined && { asksDeletion: query.asks_deletion === 'yes' }),
      conditions,
      groupIds: inGroup,
      currency,
    };
  }
}

const exportRow = (
  affiliate: Affiliate,
  user: HostUser | undefined,
  currency: string,
  timeZone: string,
): ExportRow => ({
  ...cells(record.present(affiliate, currency)),
  full_name: user?.full_name ?? importedName(affiliate),
  email: user?.email ?? '',
  login: user?.login ?? '',
  created_at: toSite(affiliate.created_at, timeZone),
});
