import type { Db } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import { fail } from '../../errors.js';
import type { AffiliateDto, AffiliateColumnsDto, NestedAffiliateDto } from '../api-schemas.js';
import type { ImportedColumns } from '../../records/record.js';
import { groupRemoving } from '../groups/domain-events.js';
import type { Deps } from './deps.js';
import { AffiliateChanges } from './changes.js';
import {
  NO_CONTRIBUTIONS,
  partOfRows,
  type AffiliateContributions,
  type AffiliatePart,
  type PartRows,
} from './contributions.js';
import { AffiliateListing } from './listing.js';
import { AccountMerger } from './merge-accounts.js';
import { registerName, findMerged, findNameOwner, type MergedName, type NameOwner } from './names.js';
import { removeAffiliate } from './removal.js';
import { presentOwn, affiliateDto } from './presenter.js';
import { affiliates as record } from './record.js';
import { detachGroup, findAffiliate, findAffiliates, findByUser, lockAffiliate } from './repository.js';
import { AffiliateRows } from './rows.js';
import { trimmed, type TrimOptions } from './trimmed.js';
import { forbidSelfManagement, mayManageSelf } from './self-management.js';
import { affiliateStats, type Allows } from './stats.js';
import type { AffiliateDetailsDto, MergePreviewDto } from './schemas.js';
import type { Affiliate, ResolvedRate, Visibility } from './types.js';
import { viewAffiliate } from './view.js';

/** Affiliates: routes and other modules reach their rows only through this service. */
export class AffiliatesService {
  readonly changes: AffiliateChanges;
  readonly #rows: AffiliateRows;
  readonly listing: AffiliateListing;
  readonly merger: AccountMerger;
  #contributions = NO_CONTRIBUTIONS;

  constructor(private readonly app: Deps) {
    this.changes = new AffiliateChanges(app, () => this.#contributions);
    this.#rows = new AffiliateRows(app, () => this.#contributions);
    this.listing = new AffiliateListing(app, this.#rows, () => this.#contributions);
    this.merger = new AccountMerger(app);
    app.operations.add(this.merger.work);
    app.internal.on(groupRemoving, (trx, { id }) => detachGroup(trx, id, app.clock.now()));
  }

  contribute(parts: Partial<AffiliateContributions>): void {
    this.#contributions = { ...this.#contributions, ...parts };
  }

  /** Registers what a module stores about an affiliate, so that a merge moves it. */
  addPart(part: AffiliatePart): void {
    this.merger.add(part);
  }

  /** The usual case: rows of one table that name the affiliate. */
  addRows(table: TableName, rows?: PartRows): void {
    this.addPart(partOfRows(table, rows));
  }

  find(id: number): Promise<Affiliate | null> {
    return findAffiliate(this.app.db, id);
  }

  /** The affiliate credited for this id: the one with the id, or the one it was merged into. */
  async findCredited(id: number): Promise<Affiliate | null> {
    return (await this.find(id)) ?? this.findMerged('merged_id', String(id));
  }

  /** The affiliate into which the one with this name was merged. */
  findMerged(kind: MergedName, value: string): Promise<Affiliate | null> {
    return findMerged(this.app.db, kind, value);
  }

  /** Whose link name this is; null when it is free (docs/tracking.md §1). */
  nameOwner(name: string): Promise<NameOwner | null> {
    return findNameOwner(this.app.db, name);
  }

  /** Links with this login belong to the affiliate from now on; false when they belong to another one. */
  holdLogin({ id, user_id: userId }: Pick<Affiliate, 'id' | 'user_id'>, name: string): Promise<boolean> {
    return registerName(this.app.db, {
      affiliateId: id,
      userId,
      kind: 'login',
      name,
      now: this.app.clock.now(),
    });
  }

  /** The row, locked until the transaction ends; the first lock of a change of one affiliate's money. */
  lock(trx: Db, id: number): Promise<Affiliate | null> {
    return lockAffiliate(trx, id);
  }

  async get(id: number): Promise<Affiliate> {
    return (await this.find(id)) ?? fail('affiliate_not_found');
  }

  /** Records for events, by id. */
  async dtosOf(ids: readonly number[]): Promise<ReadonlyMap<number, AffiliateColumnsDto>> {
    const dtos = new Map<number, AffiliateColumnsDto>();
    for (const affiliate of (await this.findMany(ids)).values())
      dtos.set(affiliate.id, await affiliateDto(this.app, affiliate));
    return dtos;
  }

  /** The default links of these affiliates. */
  async shareUrls(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const links = new Map<number, string>();
    for (const affiliate of (await this.findMany(ids)).values())
      links.set(affiliate.id, await this.#contributions.shareUrl(affiliate));
    return links;
  }

  /** By id, in the order of the ids. */
  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Affiliate>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    const found = new Map((await findAffiliates(this.app.db, wanted)).map((one) => [one.id, one]));
    return new Map(
      wanted.flatMap((id) => {
        const affiliate = found.get(id);
        return affiliate ? [[id, affiliate] as const] : [];
      }),
    );
  }

  findByUser(userId: number): Promise<Affiliate | null> {
    return findByUser(this.app.db, userId);
  }

  /** By host user id, for searches by name. */
  async findByUsers(userIds: Iterable<number>): Promise<ReadonlyMap<number, Affiliate>> {
    const found = await findAffiliates(this.app.db, [...new Set(userIds)], 'user_id');
    return new Map(found.map((affiliate) => [affiliate.user_id ?? 0, affiliate]));
  }

  /** Affiliates for use inside other records, by id; bank details only for callers that may see them. */
  async embed(
    ids: Iterable<number | null>,
    visibility: Visibility = { bankDetails: false },
  ): Promise<ReadonlyMap<number, NestedAffiliateDto>> {
    return this.#rows.nested([...(await this.findMany(ids)).values()], visibility);
  }

  /**
   * A response for a caller who may not read affiliates: those in it have only id, name, picture and status.
   */
  trimmed<T>(this: void, response: T, options: TrimOptions): T {
    return trimmed(response, options) as T; // the same keys, emptied
  }

  /** The columns that the portal shows their owner. */
  async ownColumns(affiliate: Affiliate): Promise<Readonly<Record<string, unknown>>> {
    return presentOwn(affiliate, (await this.app.settings.referralConfig()).currency);
  }

  /** The columns that imports can set, besides those every old system has. */
  imported(given: Readonly<Record<string, unknown>>): ImportedColumns {
    return record.imported(given);
  }

  /** The display names of these affiliates, by id. */
  async names(ids: Iterable<number | null>): Promise<ReadonlyMap<number, string>> {
    return this.#rows.names([...(await this.findMany(ids)).values()]);
  }

  rates(affiliates: Iterable<Affiliate>): Promise<Map<number, ResolvedRate>> {
    return this.#rows.rates([...affiliates]);
  }

  async view(id: number, visibility: Visibility): Promise<AffiliateDetailsDto> {
    const affiliate = await this.get(id);
    const [row] = await this.#rows.full([affiliate], visibility);
    return viewAffiliate(this.app, this.#contributions, affiliate, row!);
  }

  /** One affiliate as the list shows it. */
  async present(affiliate: Affiliate, visibility: Visibility): Promise<AffiliateDto> {
    const [row] = await this.#rows.full([affiliate], visibility);
    return row ?? fail('affiliate_not_found');
  }

  async stats(id: number, allows: Allows): ReturnType<typeof affiliateStats> {
    return affiliateStats(this.app, this.#contributions, await this.get(id), allows);
  }

  remove(id: number): Promise<void> {
    return removeAffiliate(this.app, id);
  }

  /**
   * Merges two accounts of one person: `from` becomes part of `into`. Errors: `merge_…`,
   * `affiliate_not_found`.
   */
  merge(into: number, from: number): Promise<Affiliate> {
    return this.merger.merge(into, from);
  }

  async mergePreview(into: number, from: number, visibility: Visibility): Promise<MergePreviewDto> {
    const { kept, gone, ...rest } = await this.merger.preview(into, from);
    const present = (affiliate: Affiliate): Promise<AffiliateDto> => this.present(affiliate, visibility);
    return { kept: await present(kept), merged: await present(gone), ...rest };
  }

  /** Refuses managers who act on their own affiliate account (option `forbidSelfManagement`). */
  forbidSelf(affiliate: Pick<Affiliate, 'user_id'>): Promise<void> {
    return forbidSelfManagement(this.app, affiliate.user_id);
  }

  /**
   * The id of the affiliate account that the caller may not manage because it is the caller's own; null when
   * there is none.
   */
  async ownForbidden(): Promise<number | null> {
    const { user } = this.app.context.current();
    if (user === null || (await mayManageSelf(this.app))) return null;
    return (await this.findByUser(user.id))?.id ?? null;
  }
}
