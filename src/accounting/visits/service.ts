import { toSite } from '../../core/dates.js';
import { NO_SUB_IDS } from '../../core/sub-ids.js';
import type { ExportPages, ExportRow, Page, Window } from '../../core/page.js';
import type { Db } from '../../platform/database/db.js';
import type { ListQuery } from '../../platform/http/schema.js';
import type { VisitDto, VisitWithReferralsDto } from '../api-schemas.js';
import {
  type CreationRange,
  createdOf,
  givenSubIds,
  type RecordQuery,
  type SubIdQuery,
} from '../../records/filters.js';
import { exportPages, NEWEST_FIRST, orderOf, readIdPage, readPage } from '../../records/list.js';
import { affiliateRemoving } from '../../program/affiliates/domain-events.js';
import type { OperationRunner } from '../../program/operations/contributions.js';
import type { Deps } from './deps.js';
import { presentVisit, presentWithReferrals } from './presenter.js';
import { countLed, countStored, countVisits, EXPORTED_VISITS, visitsMatching } from './queries.js';
import { visits as record } from './record.js';
import * as store from './repository.js';
import type { VisitTotals, ListedVisitDto } from './schemas.js';
import type {
  AffiliateVisitQuery,
  ExportedVisit,
  NewVisit,
  Visit,
  VisitFilter,
  VisitListQuery,
  VisitContributions,
} from './types.js';

/** Visits that the first step of a purge deletes. */
const PURGE_SIZE = 200;
const MAX_NAMES = 20_000;
const FOUND_USERS = 200;

/** Counted clicks. The tracker, connected sites and imports write them. */
export class VisitsService {
  #contributions: VisitContributions = { referrals: async () => new Map() };

  constructor(private readonly app: Deps) {
    app.affiliates.addPart({
      counts: { name: 'visits', of: store.countOfAffiliate },
      moveSlice: store.moveVisitSlice,
      move: store.moveVisits,
    });
    app.operations.add(this.#purgeOperation);
    app.internal.on(affiliateRemoving, (trx, { id }) => this.deleteOfAffiliate(trx, id));
  }

  contribute(parts: VisitContributions): void {
    this.#contributions = parts;
  }

  find(id: number): Promise<Visit | null> {
    return store.findVisit(this.app.db, id);
  }

  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Visit>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    return new Map((await store.findVisits(this.app.db, wanted)).map((visit) => [visit.id, visit]));
  }

  /** Reports new visits, in the transaction that stores them. */
  appendCreated(trx: Db, visits: readonly Visit[]): Promise<void> {
    return this.app.eventLog.append(
      trx,
      'visit.created',
      ...visits.map((visit) => ({ id: visit.id, data: presentVisit(visit) })),
    );
  }

  /** Wire records by id, for the view of a referral. */
  async embed(ids: Iterable<number | null>): Promise<ReadonlyMap<number, VisitDto>> {
    return new Map([...(await this.findMany(ids))].map(([id, visit]) => [id, presentVisit(visit)]));
  }

  /** Deletes where these clicks came from; the counts do not change. */
  async forgetVisitors(trx: Db, ids: readonly number[]): Promise<void> {
    await store.forgetVisitors(trx, ids);
  }

  /** Deletes where the clicks of a removed host user came from; returns their number. */
  async forgetUser(trx: Db, userId: number): Promise<number> {
    return store.forgetUser(trx, userId);
  }

  /** The visit that a connected site sent earlier with the same event id. */
  async findByEvent(siteId: string, eventId: string): Promise<Visit | null> {
    return store.findByEvent(this.app.db, siteId, eventId);
  }

  async insert(trx: Db, visit: NewVisit): Promise<Visit> {
    return (await this.insertMany(trx, [visit]))[0]!;
  }

  /** Counts and stores visits. */
  async insertMany(trx: Db, visits: readonly NewVisit[]): Promise<Visit[]> {
    const perAffiliate = new Map<number, number>();
    for (const { affiliate_id: id } of visits)
      if (id !== null) perAffiliate.set(id, (perAffiliate.get(id) ?? 0) + 1);
    for (const [id, count] of [...perAffiliate].sort(([a], [b]) => a - b)) await this.count(trx, id, count);
    return this.insertCounted(trx, visits);
  }

  /**
   * Counts new visits of an affiliate and so locks its row. Callers count several affiliates in ascending
   * order of their ids and before any other write, because every transaction locks in this order. Returns
   * false when the affiliate does not exist or, with `active`, is not active.
   */
  async count(trx: Db, affiliateId: number, visits: number, { active = false } = {}): Promise<boolean> {
    return (await store.addToCounter(trx, affiliateId, visits, active ? 'active' : null)) > 0;
  }

  /**
   * Stores the rows and day figures of visits that `count` has counted. `beside` writes more in the same
   * transaction, once the rows have their ids.
   */
  async insertCounted(
    trx: Db,
    visits: readonly NewVisit[],
    onInsert?: (stored: readonly Visit[]) => Promise<unknown>,
  ): Promise<Visit[]> {
    const now = this.app.clock.now();
    const rows = visits.map((visit) => ({ ...BLANK, created_at: now, updated_at: now, ...visit }));
    const ids = await store.insertVisits(trx, rows);
    const stored: Visit[] = rows.map((row, at) => ({ ...row, id: ids[at]! }));
    const perDay = stored.flatMap(({ affiliate_id: affiliateId, created_at: at }) =>
      affiliateId === null ? [] : [{ affiliateId, at, visits: 1 }],
    );
    this.app.rollups.add(trx, ...perDay);
    await onInsert?.(stored);
    return stored;
  }

  /** `GET /visits`: rows with their affiliate and referrals, in a fixed number of queries. */
  async list(query: VisitListQuery): Promise<Page<ListedVisitDto>> {
    const page = await this.#page(query, await this.#filter(query, query.convert_status));
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

  /** How many visits are stored. */
  async stored(): Promise<number> {
    return countStored(this.app.db);
  }

  /** The totals over the rows of the list. */
  async totals(query: VisitListQuery): Promise<VisitTotals> {
    const { db } = this.app;
    const filter = await this.#filter(query, query.convert_status);
    return {
      count: await countVisits(db, filter),
      converted_count: await countLed(db, visitsMatching(db, filter)),
    };
  }

  /** `GET /affiliates/{id}/visits`: without the affiliate (docs/interface.md §6.7). */
  async listOfAffiliate(
    affiliateId: number,
    query: AffiliateVisitQuery,
  ): Promise<Page<VisitWithReferralsDto>> {
    const filter = await this.#filter({ ...query, affiliate_id: affiliateId }, query.status);
    const page = await this.#page(query, filter);
    return { ...page, rows: await this.#withReferrals(page.rows) };
  }

  /** The ids of an affiliate's visits, newest first, and their number. */
  async newestOf(
    affiliateId: number,
    { created, ...window }: Window & { readonly created: CreationRange },
  ): Promise<{ ids: readonly number[]; total: number }> {
    const { db } = this.app;
    const filter = { ...NO_FILTER, affiliateId, created };
    const part = { ...window, order: NEWEST_FIRST };
    return readIdPage(db, record, visitsMatching(db, filter), part, () => countVisits(db, filter));
  }

  async export(query: VisitListQuery): Promise<ExportPages> {
    const { db } = this.app;
    const filter = await this.#filter(query, query.convert_status);
    const list = {
      matching: visitsMatching(db, filter),
      order: orderOf(record, query),
      count: () => countVisits(db, filter),
    };
    const names = new Map<number, string>();
    return exportPages(db, EXPORTED_VISITS, list, (visits) => this.#exportRows(visits, names));
  }

  /** Marks the visit of a new referral. */
  async convert(trx: Db, id: number): Promise<void> {
    await store.markConverted(trx, id);
  }

  /** Removes the mark after a referral of the visit was removed. */
  async unconvert(trx: Db, id: number): Promise<void> {
    await store.unmarkConverted(trx, id);
  }

  /** Marks the visits of imported referrals. */
  async convertMany(trx: Db, ids: readonly number[]): Promise<void> {
    await store.markManyConverted(trx, ids);
  }

  /**
   * Deletes all visits of an affiliate that is being deleted; the module `rollups` deletes its day
   * figures.
   */
  async deleteOfAffiliate(trx: Db, affiliateId: number): Promise<void> {
    await store.deleteOfAffiliate(trx, affiliateId);
  }

  /**
   * The retention job: deletes visits created before this instant. `visits_purged` corrects the counters
   * (docs/reliability.md §2, I3).
   */
  async purgeBefore(before: number): Promise<number> {
    const details = { before };
    await this.app.transaction((trx) =>
      this.app.operations.begin(trx, { kind: 'retention', done: 0, total: 0, details }),
    );
    return this.app.operations.take('retention', 0);
  }

  /** The engine's part of it: deletes slices of the oldest visits until none is older. */
  get #purgeOperation(): OperationRunner {
    return {
      kind: 'retention',
      lease: () => 'visits.purge',
      size: PURGE_SIZE,
      step: async ({ work, size, commit }) => {
        const old = await store.oldestBefore(this.app.db, Number(work.details['before']), size);
        await commit(async (trx) => ({
          done: old.length === 0 ? 0 : await this.#purge(trx, old),
          details: work.details,
          hasEnded: old.length === 0,
        }));
      },
    };
  }

  async #purge(trx: Db, old: readonly { id: number; affiliate_id: number | null }[]): Promise<number> {
    await this.app.ledger.lock(trx, ...new Set(old.map((visit) => visit.affiliate_id)));
    const ids = old.map((visit) => visit.id);
    for (const { affiliate_id: id, visits } of await store.countByAffiliate(trx, ids))
      if (id !== null) await store.addPurged(trx, id, visits);
    return store.deleteVisits(trx, ids);
  }

  #page(query: ListQuery, filter: VisitFilter): Promise<Page<Visit>> {
    const { db } = this.app;
    const ordered = { ...query, order: orderOf(record, query) };
    return readPage(db, record, visitsMatching(db, filter), ordered, () => countVisits(db, filter));
  }

  async #filter(query: ListQuery & RecordQuery & SubIdQuery, converted: unknown): Promise<VisitFilter> {
    const { search, affiliate_id: affiliateId } = query;
    const users = search === '' ? [] : await this.app.host.users.search(search, FOUND_USERS);
    return {
      converted: converted === 'converted' || converted === 'not_converted' ? converted : null,
      search,
      userIds: users.map((user) => user.id),
      created: createdOf(query, this.app.host.site().timeZone),
      subIds: givenSubIds(query),
      ...(affiliateId !== undefined && { affiliateId }),
    };
  }

  async #withReferrals(visits: readonly Visit[]): Promise<VisitWithReferralsDto[]> {
    const referrals = await this.#contributions.referrals(visits.map((visit) => visit.id));
    return visits.map((visit) => presentWithReferrals(visit, referrals.get(visit.id)));
  }

  async #exportRows(visits: readonly ExportedVisit[], names: Map<number, string>): Promise<ExportRow[]> {
    const { timeZone } = this.app.host.site();
    await this.#learnNames(names, visits);
    return visits.map((visit) => ({
      ...visit,
      affiliate_name: names.get(visit.affiliate_id ?? 0) ?? '',
      converted: visit.converted === 1 ? 'yes' : 'no',
      created_at: toSite(visit.created_at, timeZone),
    }));
  }

  /** Adds the names of affiliates that this export has not read yet. */
  async #learnNames(names: Map<number, string>, visits: readonly ExportedVisit[]): Promise<void> {
    if (names.size > MAX_NAMES) names.clear();
    const ids = new Set<number>();
    for (const { affiliate_id: id } of visits) if (id !== null && !names.has(id)) ids.add(id);
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
  link_id: null,
  site_id: null,
  event_id: null,
  url: null,
  referrer: null,
  utm_campaign: null,
  utm_medium: null,
  utm_source: null,
  ...NO_SUB_IDS,
  ip: null,
  visitor_key: null,
};

const NO_FILTER = { converted: null, search: '', userIds: [], subIds: {} };
