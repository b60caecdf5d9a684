import { createdOf } from '../../records/filters.js';
import { toSite } from '../../core/dates.js';
import { cells } from '../../core/csv.js';
import type { ExportPages, Page } from '../../core/page.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import {
  countRows,
  exportPages,
  NEWEST_FIRST,
  readPage,
  type Matching,
  type Order,
} from '../../records/list.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { validate, readMedia, staleTarget } from './checks.js';
import { Pictures } from './pictures.js';
import { dataOf, DEFAULTS, readFields } from './form.js';
import { embedCode, presentCreative, presentForPortal } from './presenter.js';
import { creativesMatching, visibleTo } from './queries.js';
import { creatives as record } from './record.js';
import {
  deleteCreative,
  dropGivenTwice,
  dueIds,
  findCreative,
  findCreatives,
  insertCreative,
  lockCreative,
  storeStatus,
  updateCreative,
  withTargets,
} from './repository.js';
import type { CreativeDto, MaterialDto, PortalCreativeDto } from './schemas.js';
import { nextDue, statusAt } from './schedule.js';
import {
  CREATIVE_STATUSES,
  CREATIVE_TYPES,
  type Creative,
  type CreativeFields,
  type CreativeForm,
  type CreativeListQuery,
  type Targets,
  type Viewer,
} from './types.js';

type PortalQuery = Omit<CreativeListQuery, 'status' | 'type'>;

const MAX_ATTEMPTS = 3;
const SWEEP_PAGE = 200;
const LATEST_FIRST: Order = { by: 'updated_at', direction: 'desc' };

/** Promotional material: administrators maintain it, and affiliates see what is meant for them. */
export class CreativesService {
  readonly pictures: Pictures;

  constructor(private readonly app: Deps) {
    this.pictures = new Pictures(app);
    app.affiliates.addPart({ move: dropGivenTwice });
    app.affiliates.addRows('creative_affiliates', { name: 'creatives' });
  }

  async find(id: number): Promise<Creative | null> {
    const creative = await findCreative(this.app.db, id);
    return creative && this.#inForce(creative);
  }

  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Creative>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    const found = wanted.length === 0 ? [] : await findCreatives(this.app.db, wanted);
    return new Map(found.map((creative) => [creative.id, this.#inForce(creative)]));
  }

  async get(id: number): Promise<Creative> {
    return (await this.find(id)) ?? fail('creative_not_found');
  }

  present(creative: Creative): CreativeDto {
    const wire = presentCreative(creative, this.#timeZone);
    if (this.app.options.compat === undefined) return wire;
    // The select inputs of those clients compare ids as text.
    return {
      ...wire,
      affiliate_ids: creative.affiliate_ids.map(String),
      group_ids: creative.group_ids.map(String),
    };
  }

  async list(query: CreativeListQuery): Promise<Page<CreativeDto>> {
    const page = await this.#page(this.#matching(query), query, NEWEST_FIRST);
    return { ...page, rows: page.rows.map((creative) => this.present(this.#inForce(creative))) };
  }

  export(query: CreativeListQuery): Promise<ExportPages> {
    const time = (at: number | null): string => (at === null ? '' : toSite(at, this.#timeZone));
    return exportPages(this.app.db, record, { matching: this.#matching(query) }, (creatives) =>
      creatives.map((stored) => ({
        ...cells(this.#inForce(stored)),
        starts_at: time(stored.starts_at),
        ends_at: time(stored.ends_at),
        created_at: time(stored.created_at),
      })),
    );
  }

  #matching({ search, status, type, ...days }: CreativeListQuery): Matching {
    return creativesMatching(this.app.db, {
      search: search ?? '',
      created: createdOf(days, this.#timeZone),
      now: this.app.clock.now(),
      status: CREATIVE_STATUSES.find((each) => each === status) ?? null,
      type: CREATIVE_TYPES.find((each) => each === type) ?? null,
    });
  }

  async create(form: CreativeForm): Promise<Creative> {
    const complete = await readMedia(this.app, form);
    const fields = await this.#filtered(readFields(complete, DEFAULTS, this.#context()), (data) =>
      this.app.hooks.applyFilters('create_creative_data', data),
    );
    await validate(this.app, fields, null, form);
    return this.#targeted(() =>
      this.app.transaction(async (trx, afterCommit) => {
        const id = await insertCreative(trx, fields, this.app.clock.now());
        await this.app.audit.write(trx, 'creative.created', ['creative', id], { after: traced(fields) });
        const creative = (await findCreative(trx, id)) ?? fail('creative_not_found');
        await this.#append(trx, 'creative.created', creative);
        afterCommit(() => this.app.hooks.doAction('after_create_creative', creative));
        return creative;
      }),
    );
  }

  /**
   * The filter runs before the transaction, so the creative it saw is compared again under the lock; if it
   * changed meanwhile, the filter is asked again.
   */
  async update(id: number, form: CreativeForm): Promise<Creative> {
    const complete = await readMedia(this.app, form);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const stored = (await findCreative(this.app.db, id)) ?? fail('creative_not_found');
      const previous = this.#inForce(stored);
      const merged = readFields(complete, previous, this.#context());
      const fields = await this.#filtered(merged, (data) =>
        this.app.hooks.applyFilters('update_creative_data', data, previous),
      );
      await validate(this.app, fields, previous, form);
      const saved = await this.#targeted(() =>
        this.app.transaction((trx, afterCommit) =>
          this.#store(trx, afterCommit, { stored, previous, fields }),
        ),
      );
      if (saved) return saved;
    }
    return fail('busy');
  }

  async remove(id: number): Promise<void> {
    const creative = await this.get(id);
    await this.app.hooks.doAction('before_delete_creative', creative);
    await this.app.transaction(async (trx, afterCommit) => {
      const last = this.#inForce((await lockCreative(trx, id)) ?? fail('creative_not_found'));
      await deleteCreative(trx, id);
      await this.app.audit.write(trx, 'creative.deleted', ['creative', id], { before: traced(last) });
      await this.#append(trx, 'creative.deleted', last);
      afterCommit(() => this.app.hooks.doAction('after_delete_creative', last, id));
    });
  }

  /**
   * The job that runs every minute: stores starts and ends that have passed, and fires the hook once for
   * each. Returns how many there were.
   */
  async sweep(): Promise<number> {
    let changed = 0;
    for (;;) {
      const due = await dueIds(this.app.db, this.app.clock.now(), SWEEP_PAGE);
      for (const id of due) if (await this.#settle(id)) changed += 1;
      if (due.length < SWEEP_PAGE) return changed;
    }
  }

  /** The material that an active affiliate can see and use, newest first (docs/interface.md §10.3). */
  async listForUser(userId: number, query: PortalQuery): Promise<Page<PortalCreativeDto>> {
    const affiliate = await this.app.affiliates.findByUser(userId);
    if (affiliate?.status !== 'active') fail('affiliate_not_found', { status: 422 });
    const page = await this.#page(this.#visible(affiliate, query), query, LATEST_FIRST);
    const link = await this.#linker(affiliate);
    return {
      ...page,
      rows: page.rows.map((creative) => presentForPortal(creative, link(creative), this.#timeZone)),
    };
  }

  /** Like `listForUser`, with the affiliate's link and the HTML to paste. */
  async materialForUser(userId: number, query: PortalQuery): Promise<Page<MaterialDto>> {
    const affiliate = await this.app.affiliates.findByUser(userId);
    const page = await this.listForUser(userId, query);
    const creatives = await this.findMany(page.rows.map((row) => row.id));
    const link = affiliate && (await this.#linker(affiliate));
    return {
      ...page,
      rows: page.rows.map((row) => {
        const creative = creatives.get(row.id);
        const address = creative && link ? link(creative) : '';
        return { ...row, link: address, code: creative ? embedCode(creative, address) : '' };
      }),
    };
  }

  /** How many creatives an affiliate sees. */
  async countFor(affiliate: Affiliate): Promise<number> {
    return countRows(this.app.db, record, this.#visible(affiliate));
  }

  /**
   * HTML for a page of the affiliate's own, with the affiliate's link; null when this affiliate does not see
   * the creative.
   */
  async embedCode(id: number, affiliate: Affiliate): Promise<string | null> {
    const sees = this.#visible(affiliate);
    const isVisible = (await countRows(this.app.db, record, (query) => sees(query.where({ id })))) === 1;
    const creative = isVisible ? await findCreative(this.app.db, id) : null;
    return creative && embedCode(creative, (await this.#linker(affiliate))(creative));
  }

  #visible(affiliate: Affiliate, { search = '', ...days }: Partial<PortalQuery> = {}): Matching {
    const created = createdOf(days, this.#timeZone);
    const filter = { search, status: 'active', type: null, created, now: this.app.clock.now() } as const;
    return visibleTo(this.app.db, filter, viewerOf(affiliate));
  }

  async #page(
    matching: Matching,
    { page, per_page }: Pick<CreativeListQuery, 'page' | 'per_page'>,
    order: Order,
  ): Promise<Page<Creative>> {
    const found = await readPage(this.app.db, record, matching, { page, per_page, order });
    return { ...found, rows: await withTargets(this.app.db, found.rows) };
  }

  // An administrator chose the address, so the parameter is added on any host.
  async #linker(affiliate: Affiliate): Promise<(creative: Creative) => string> {
    const { referral_variable: name } = await this.app.settings.referralConfig();
    const value = (await this.app.tracking.valueOf(affiliate)) ?? String(affiliate.id);
    return ({ url }) => {
      const link = new URL(url);
      link.searchParams.set(name, value);
      return link.href;
    };
  }

  /** null when the creative has changed since it was checked. */
  async #store(
    trx: Db,
    afterCommit: AfterCommit,
    change: { stored: Creative; previous: Creative; fields: CreativeFields },
  ): Promise<Creative | null> {
    const { stored, previous, fields } = change;
    const current = (await lockCreative(trx, stored.id)) ?? fail('creative_not_found');
    if (JSON.stringify(current) !== JSON.stringify(stored)) return null;
    await updateCreative(trx, stored.id, fields, this.app.clock.now());
    await this.app.audit.write(trx, 'creative.updated', ['creative', stored.id], {
      before: traced(previous),
      after: traced(fields),
    });
    const creative = (await findCreative(trx, stored.id)) ?? fail('creative_not_found');
    await this.#append(trx, 'creative.updated', creative, stored);
    afterCommit(() => this.app.hooks.doAction('creative_updated', creative, previous));
    // Compared with the stored status: a start that the job has not announced yet is announced here.
    if (creative.status !== stored.status)
      afterCommit(() => this.app.hooks.doAction('creative_status_changed', creative, creative.status));
    return creative;
  }

  async #settle(id: number): Promise<boolean> {
    return this.app.transaction(async (trx, afterCommit) => {
      const stored = await lockCreative(trx, id);
      const due = stored && nextDue(stored);
      if (!stored || due === null || due > this.app.clock.now()) return false;
      const creative = this.#inForce(stored);
      await storeStatus(trx, creative);
      if (creative.status === stored.status) return false;
      await this.#append(trx, 'creative.updated', creative, stored);
      afterCommit(() => this.app.hooks.doAction('creative_status_changed', creative, creative.status));
      return true;
    });
  }

  async #append(
    trx: Db,
    type: 'creative.created' | 'creative.updated' | 'creative.deleted',
    creative: Creative,
    previous?: Creative,
  ): Promise<void> {
    const before = previous && { before: presentCreative(previous, this.#timeZone) };
    await this.app.eventLog.append(trx, type, {
      id: creative.id,
      data: presentCreative(creative, this.#timeZone),
      ...before,
    });
  }

  /** The value of a filter is checked like input, so it is read again before it is written. */
  async #filtered(
    fields: CreativeFields,
    ask: (data: CreativeForm) => Promise<CreativeForm>,
  ): Promise<CreativeFields> {
    const data = dataOf(fields, this.#timeZone);
    const response = await ask(data);
    if (response === data) return fields;
    const base =
      response['meta'] === undefined ? fields : { ...fields, meta: {}, starts_at: null, ends_at: null };
    return readFields(response, base, this.#context());
  }

  // A target may be deleted between the check and the write.
  async #targeted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.app.db.dialect.failure(error) === 'foreign_key') staleTarget();
      throw error;
    }
  }

  #inForce<Of extends Omit<Creative, keyof Targets>>(creative: Of): Of {
    return { ...creative, status: statusAt(creative, this.app.clock.now()) };
  }

  #context(): { timeZone: string; now: number } {
    return { timeZone: this.#timeZone, now: this.app.clock.now() };
  }

  get #timeZone(): string {
    return this.app.host.site().timeZone;
  }
}

const viewerOf = (affiliate: Affiliate): Viewer => ({
  affiliateId: affiliate.id,
  groupId: affiliate.group_id,
});
const traced = ({ name, type, url, privacy, status, affiliate_ids, group_ids }: CreativeFields): object => ({
  name,
  type,
  url,
  privacy,
  status,
  affiliate_ids,
  group_ids,
});
