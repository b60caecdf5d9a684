import type { App } from '../../app.js';
import { toSite } from '../../core/dates.js';
import { offsetOf, type Page } from '../../core/page.js';
import type { Db } from '../../database/db.js';
import type { ListQuery } from '../../http/schema.js';
import { presentVisit, presentWithReferrals } from './presenter.js';
import { convertedAmong, countVisits, listVisits, nextVisits } from './queries.js';
import * as store from './repository.js';
import type { AffiliateVisitQuery, Converted, NewVisit, Visit, VisitFilter, VisitListQuery, VisitOrder } from './types.js';

const ORDER_COLUMNS = new Set(['id', 'created_at', 'affiliate_id', 'utm_campaign', 'utm_medium', 'utm_source', 'url']);
const EXPORT_PAGE = 1000;
const PURGE_PAGE = 500;
const FOUND_USERS = 200;

/** Counted clicks: read by the interface, written by the tracker, the connected sites and imports only. */
export class VisitsService {
  constructor(private readonly app: App) {}

  async find(id: number): Promise<Visit | null> {
    return (await store.findVisits(this.app.db, [id]))[0] ?? null;
  }

  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Visit>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    return new Map((await store.findVisits(this.app.db, wanted)).map((visit) => [visit.id, visit]));
  }

  /** Wire records by id, for the view of a referral. */
  async embed(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Record<string, unknown>>> {
    return new Map([...await this.findMany(ids)].map(([id, visit]) => [id, presentVisit(visit)]));
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
    for (const { affiliate_id: id } of visits) if (id !== null) perAffiliate.set(id, (perAffiliate.get(id) ?? 0) + 1);
    for (const [id, count] of [...perAffiliate].sort(([a], [b]) => a - b)) await store.addToCounter(trx, 'visits', id, count);
    const rows = visits.map((visit) => ({ ...BLANK, created_at: now, updated_at: now, ...visit }));
    const ids = await store.insertVisits(trx, rows);
    const stored: Visit[] = rows.map((row, at) => ({ ...row, id: ids[at]! }));
    await this.app.rollups.add(trx, ...stored.flatMap((visit) => (
      visit.affiliate_id === null ? [] : [{ affiliateId: visit.affiliate_id, at: visit.created_at, visits: 1 }]
    )));
    return stored;
  }

  /** `GET /visits`: rows with their affiliate and referrals, in a fixed number of queries. */
  async list(query: VisitListQuery): Promise<Page<Record<string, unknown>>> {
    const page = await this.#page(query, await this.#filter(query.search, toConverted(query.convert_status)));
    const affiliates = await this.app.affiliates.embed(page.rows.map((visit) => visit.affiliate_id));
    const rows = await this.#withReferrals(page.rows);
    return {
      ...page,
      rows: rows.map(({ referrals, ...row }, at) => ({ ...row, affiliate: affiliates.get(page.rows[at]?.affiliate_id ?? 0) ?? null, referrals })),
    };
  }

  /** `GET /affiliates/{id}/visits`: without the affiliate (affiliates §5.9). */
  async listOfAffiliate(affiliateId: number, query: AffiliateVisitQuery): Promise<Page<Record<string, unknown>>> {
    const filter = await this.#filter(query.search, toConverted(query.status));
    const page = await this.#page(query, { ...filter, affiliateId });
    return { ...page, rows: await this.#withReferrals(page.rows) };
  }

  /** Number of matching visits and their export rows, read in pages by key. */
  async export(query: VisitListQuery): Promise<{ total: number; rows: AsyncIterable<readonly Record<string, string | number | null>[]> }> {
    const filter = await this.#filter(query.search, toConverted(query.convert_status));
    return { total: await countVisits(this.app.db, filter), rows: this.#exportPages(filter, directionOf(query)) };
  }

  /** Removes every visit of an affiliate that is being deleted; its day figures go with `rollups.removeAffiliate`. */
  async deleteOfAffiliate(trx: Db, affiliateId: number): Promise<void> {
    await store.deleteOfAffiliate(trx, affiliateId);
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
    for (const { affiliate_id: id, visits } of await store.countByAffiliate(trx, ids)) {
      if (id !== null) await store.addToCounter(trx, 'visits_purged', id, visits);
    }
    return store.deleteVisits(trx, ids);
  }

  async #page(query: ListQuery, filter: VisitFilter): Promise<Page<Visit>> {
    const total = await countVisits(this.app.db, filter);
    const offset = offsetOf(query);
    const order: VisitOrder = { column: ORDER_COLUMNS.has(query.order_by) ? query.order_by : 'id', direction: directionOf(query) };
    const rows = offset >= total ? [] : await listVisits(this.app.db, filter, order, { limit: query.per_page, offset, total });
    return { rows, total, page: query.page, per_page: query.per_page };
  }

  async #filter(search: string, converted: Converted): Promise<VisitFilter> {
    const users = search === '' ? [] : await this.app.host.users.search(search, FOUND_USERS);
    return { converted, search, userIds: users.map((user) => user.id) };
  }

  async #withReferrals(visits: readonly Visit[]): Promise<Record<string, unknown>[]> {
    const referrals = await this.app.referrals.summaryByVisit(visits.map((visit) => visit.id));
    return visits.map((visit) => presentWithReferrals(visit, referrals.get(visit.id)));
  }

  async* #exportPages(filter: VisitFilter, direction: 'asc' | 'desc'): AsyncGenerator<readonly Record<string, string | number | null>[]> {
    const { timeZone } = this.app.host.site();
    for (let after: number | null = null; ;) {
      const visits: Visit[] = await nextVisits(this.app.db, filter, direction, { after, limit: EXPORT_PAGE });
      if (visits.length === 0) return;
      const converted = await convertedAmong(this.app.db, visits.map((visit) => visit.id));
      const affiliates = await this.app.affiliates.embed(visits.map((visit) => visit.affiliate_id));
      yield visits.map((visit) => ({
        id: visit.id, affiliate_name: fullName(affiliates.get(visit.affiliate_id ?? 0)), url: visit.url, referrer: visit.referrer,
        utm_campaign: visit.utm_campaign, utm_medium: visit.utm_medium, utm_source: visit.utm_source,
        converted: converted.has(visit.id) ? 'yes' : 'no', created_at: toSite(visit.created_at, timeZone),
      }));
      after = visits.at(-1)!.id;
    }
  }
}

const BLANK = {
  affiliate_id: null, user_id: null, referral_id: null, site_id: null, event_id: null, url: null, referrer: null,
  utm_campaign: null, utm_medium: null, utm_source: null, ip: null, visitor_key: null,
};

const toConverted = (value: unknown): Converted => (value === 'converted' || value === 'not_converted' ? value : null);
const directionOf = (query: ListQuery): 'asc' | 'desc' => (query.order_type === 'ASC' ? 'asc' : 'desc');

function fullName(affiliate: object | undefined): string {
  const { user_details: user } = (affiliate ?? {}) as { user_details?: { full_name?: string } | null };
  return user?.full_name ?? '';
}
