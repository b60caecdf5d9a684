import type { App } from '../../app.js';
import { toSite } from '../../core/dates.js';
import { offsetOf, type Page, type Window } from '../../core/page.js';
import type { Db } from '../../database/db.js';
import type { ListQuery } from '../../http/schema.js';
import { presentVisit, presentWithReferrals } from './presenter.js';
import {
  countVisits,
  listOrder,
  longListOf,
  nextVisits,
  pageIds,
  sortColumn,
  visitsInOrder,
} from './queries.js';
import * as store from './repository.js';
import type {
  AffiliateVisitQuery,
  Converted,
  ExportedVisit,
  NewVisit,
  Visit,
  VisitFilter,
  VisitListQuery,
  VisitOrder,
} from './types.js';

const EXPORT_PAGE = 1000;
const PURGE_PAGE = 500;
const MAX_NAMES = 20_000;
const FOUND_USERS = 200;

/** Counted clicks: read by the interface, written by the tracker, the connected sites and imports only. */
export class VisitsService {
  constructor(private readonly app: App) {}

  find(id: number): Promise<Visit | null> {
    return store.findVisit(this.app.db, id);
  }

  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Visit>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    return new Map((await store.findVisits(this.app.db, wanted)).map((visit) => [visit.id, visit]));
  }

  /** Tells new visits, in the transaction that stores them. */
  tellCreated(trx: Db, visits: readonly Visit[]): Promise<void> {
    return this.app.events.tell(
      trx,
      'visit.created',
      ...visits.map((visit) => ({ id: visit.id, data: presentVisit(visit) })),
    );
  }

  /** Wire records by id, for the view of a referral. */
  async embed(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Record<string, unknown>>> {
    return new Map([...(await this.findMany(ids))].map(([id, visit]) => [id, presentVisit(visit)]));
  }

  /** Where these clicks came from is forgotten; they stay counted. */
  async forgetVisitors(trx: Db, ids: readonly number[]): Promise<void> {
    await store.forgetVisitors(trx, ids);
  }

  /** The clicks of a user the host has deleted lose where they came from; how many there were. */
  async forgetUser(trx: Db, userId: number): Promise<number> {
    return store.forgetUser(trx, userId);
  }

  /** The visit a connected site sent before under the same event id. */
  async findByEvent(siteId: string, eventId: string): Promise<Visit | null> {
    return store.findByEvent(this.app.db, siteId, eventId);
  }

  async insert(trx: Db, visit: NewVisit): Promise<Visit> {
    return (await this.insertMany(trx, [visit]))[0]!;
  }

  /** Rows, counters and day figures together. The affiliates come first: that is the lock order of the whole library. */
  async insertMany(trx: Db, visits: readonly NewVisit[]): Promise<Visit[]> {
    const now = this.app.clock.now();
    const perAffiliate = new Map<number, number>();
    for (const { affiliate_id: id } of visits)
      if (id !== null) perAffiliate.set(id, (perAffiliate.get(id) ?? 0) + 1);
    for (const [id, count] of [...perAffiliate].sort(([a], [b]) => a - b))
      await store.addToCounter(trx, id, count);
    const rows = visits.map((visit) => ({ ...BLANK, created_at: now, updated_at: now, ...visit }));
    const ids = await store.insertVisits(trx, rows);
    const stored: Visit[] = rows.map((row, at) => ({ ...row, id: ids[at]! }));
    await this.app.rollups.add(
      trx,
      ...stored.flatMap((visit) =>
        visit.affiliate_id === null
          ? []
          : [{ affiliateId: visit.affiliate_id, at: visit.created_at, visits: 1 }],
      ),
    );
    return stored;
  }

  /** `GET /visits`: rows with their affiliate and referrals, in a fixed number of queries. */
  async list(query: VisitListQuery): Promise<Page<Record<string, unknown>>> {
    const page = await this.#page(query, await this.#filter(query.search, toConverted(query.convert_status)));
    const affiliates = await this.app.affiliates.embed(page.rows.map((visit) => visit.affiliate_id));
    const rows = await this.#withReferrals(page.rows);
    return {
      ...page,
      rows: rows.map(({ referrals, ...row }, at) => ({
        ...row,
        affiliate: affiliates.get(page.rows[at]?.affiliate_id ?? 0) ?? null,
        referrals,
      })),
    };
  }

  /** `GET /affiliates/{id}/visits`: without the affiliate (affiliates §5.9). */
  async listOfAffiliate(
    affiliateId: number,
    query: AffiliateVisitQuery,
  ): Promise<Page<Record<string, unknown>>> {
    const filter = await this.#filter(query.search, toConverted(query.status));
    const page = await this.#page(query, { ...filter, affiliateId });
    return { ...page, rows: await this.#withReferrals(page.rows) };
  }

  /** Ids of an affiliate's visits, newest first, and how many there are. */
  async newestOf(affiliateId: number, window: Window): Promise<{ ids: readonly number[]; total: number }> {
    return this.#longPage(
      { affiliateId, converted: null, search: '', userIds: [] },
      { column: 'id', direction: 'desc' },
      window,
    );
  }

  /** Number of matching visits and their export rows, read in pages by key. */
  async export(
    query: VisitListQuery,
  ): Promise<{ total: number; rows: AsyncIterable<readonly Record<string, string | number | null>[]> }> {
    const filter = await this.#filter(query.search, toConverted(query.convert_status));
    return { total: await this.#total(filter), rows: this.#exportPages(filter, orderOf(query)) };
  }

  /** A referral names this visit now. Returns by how much the number of converted visits grows; the caller counts it under the affiliate's lock. */
  async convert(trx: Db, id: number): Promise<number> {
    return store.markConverted(trx, id);
  }

  /** A referral of this visit is gone. Returns 1 when it was the last one, so that the visit is converted no more. */
  async unconvert(trx: Db, id: number): Promise<number> {
    const left = await store.unmarkConverted(trx, id);
    await this.app.longLists.removed(trx, 'visits', left); // it left the list of converted visits
    return left;
  }

  /** Imported referrals name these visits now. Returns by how much each affiliate's converted visits grow. */
  async convertMany(trx: Db, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return store.markManyConverted(trx, ids);
  }

  /** Removes every visit of an affiliate that is being deleted; its day figures go with `rollups.removeAffiliate`. */
  async deleteOfAffiliate(trx: Db, affiliateId: number): Promise<void> {
    await this.app.longLists.removed(trx, 'visits', await store.deleteOfAffiliate(trx, affiliateId));
  }

  /** Retention: removes visits created before this instant. Counters stay right through `visits_purged` (reliability I3). */
  async purgeBefore(before: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const old = await store.oldestBefore(this.app.db, before, PURGE_PAGE);
      if (old.length === 0) return removed;
      removed += await this.app.transaction((trx) => this.#purge(trx, old));
    }
  }

  async #purge(trx: Db, old: readonly { id: number; affiliate_id: number | null }[]): Promise<number> {
    await this.app.ledger.lock(trx, ...new Set(old.map((visit) => visit.affiliate_id)));
    const ids = old.map((visit) => visit.id);
    for (const { affiliate_id: id, visits, converted } of await store.countByAffiliate(trx, ids)) {
      if (id !== null) await store.addPurged(trx, id, { visits, converted });
    }
    const removed = await store.deleteVisits(trx, ids);
    await this.app.longLists.removed(trx, 'visits', removed);
    return removed;
  }

  async #page(query: ListQuery, filter: VisitFilter): Promise<Page<Visit>> {
    const order = orderOf(query);
    const window = { limit: query.per_page, offset: offsetOf(query) };
    const { ids, total } = await (isWhole(filter)
      ? this.#longPage(filter, order, window)
      : this.#filteredPage(filter, order, window));
    return { rows: await visitsInOrder(this.app.db, ids), total, page: query.page, per_page: query.per_page };
  }

  async #longPage(
    filter: VisitFilter,
    order: VisitOrder,
    window: Window,
  ): Promise<{ ids: readonly number[]; total: number }> {
    return this.app.longLists.page(longListOf(this.app.db, filter), listOrder(order, filter), window);
  }

  async #filteredPage(
    filter: VisitFilter,
    order: VisitOrder,
    window: Window,
  ): Promise<{ ids: readonly number[]; total: number }> {
    const total = await countVisits(this.app.db, filter);
    return {
      total,
      ids: window.offset >= total ? [] : await pageIds(this.app.db, filter, order, { ...window, total }),
    };
  }

  async #total(filter: VisitFilter): Promise<number> {
    return isWhole(filter)
      ? this.app.longLists.total(longListOf(this.app.db, filter))
      : countVisits(this.app.db, filter);
  }

  async #filter(search: string, converted: Converted): Promise<VisitFilter> {
    const users = search === '' ? [] : await this.app.host.users.search(search, FOUND_USERS);
    return { converted, search, userIds: users.map((user) => user.id) };
  }

  async #withReferrals(visits: readonly Visit[]): Promise<Record<string, unknown>[]> {
    const referrals = await this.app.referrals.summaryByVisit(visits.map((visit) => visit.id));
    return visits.map((visit) => presentWithReferrals(visit, referrals.get(visit.id)));
  }

  async *#exportPages(
    filter: VisitFilter,
    order: VisitOrder,
  ): AsyncGenerator<readonly Record<string, string | number | null>[]> {
    const { timeZone } = this.app.host.site();
    const names = new Map<number, string>();
    const read = (after: ExportedVisit | null): Promise<ExportedVisit[]> =>
      nextVisits(this.app.db, filter, order, { after, limit: EXPORT_PAGE });
    for (let visits = await read(null); visits.length > 0;) {
      const next = visits.length < EXPORT_PAGE ? [] : read(visits.at(-1)!); // the database reads on while this page is made
      Promise.resolve(next).catch(() => {}); // told when it is awaited
      await this.#learnNames(names, visits);
      yield visits.map((visit) => ({
        id: visit.id,
        affiliate_name: names.get(visit.affiliate_id ?? 0) ?? '',
        url: visit.url,
        referrer: visit.referrer,
        utm_campaign: visit.utm_campaign,
        utm_medium: visit.utm_medium,
        utm_source: visit.utm_source,
        converted: visit.converted === 1 ? 'yes' : 'no',
        created_at: toSite(visit.created_at, timeZone),
      }));
      visits = await next;
    }
  }

  /** Adds the names of affiliates that were not met before in this export. */
  async #learnNames(names: Map<number, string>, visits: readonly ExportedVisit[]): Promise<void> {
    if (names.size > MAX_NAMES) names.clear();
    const ids = new Set(visits.flatMap(({ affiliate_id: id }) => (id === null || names.has(id) ? [] : [id])));
    if (ids.size === 0) return;
    const affiliates = await this.app.affiliates.findMany(ids);
    const users = await this.app.users([...affiliates.values()].map((affiliate) => affiliate.user_id));
    for (const id of ids) names.set(id, users.get(affiliates.get(id)?.user_id ?? 0)?.full_name ?? '');
  }
}

const BLANK = {
  affiliate_id: null,
  user_id: null,
  referral_id: null,
  site_id: null,
  event_id: null,
  url: null,
  referrer: null,
  utm_campaign: null,
  utm_medium: null,
  utm_source: null,
  ip: null,
  visitor_key: null,
};

/** Nothing is searched for, so the counters know the number of rows. */
const isWhole = ({ search }: VisitFilter): boolean => search === '';
const toConverted = (value: unknown): Converted =>
  value === 'converted' || value === 'not_converted' ? value : null;
const orderOf = (query: ListQuery): VisitOrder => ({
  column: sortColumn(query.order_by),
  direction: query.order_type === 'ASC' ? 'asc' : 'desc',
});
