import { toSite } from '../../core/dates.js';
import type { ExportPages, ExportRow, Page } from '../../core/page.js';
import { randomToken } from '../../core/random.js';
import { fail, failFields } from '../../errors.js';
import { AT_ANY_TIME, createdOf } from '../../records/filters.js';
import {
  countRows,
  exportPages,
  NEWEST_FIRST,
  readPage,
  rowsInOrder,
  type Matching,
} from '../../records/list.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ShortLink } from '../rewards/contributions.js';
import type { Redirect } from '../tracking/contributions.js';
import type { Creative } from '../creatives/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import { links as record } from './record.js';
import type { LinkDto } from './schemas.js';
import type { LinkInput, LinkListQuery, RedirectLink } from './types.js';

/** A limit per affiliate, so that no affiliate takes all good names. */
const OWN_LINKS_MAX = 200;
const SLUG = /^[a-z0-9][a-z0-9_-]{1,99}$/;

const allMatching = ({ affiliate_id, creative_id }: LinkListQuery): Which => ({
  affiliateId: affiliate_id ?? null,
  creativeId: creative_id ?? null,
  activeOnly: false,
});
type Which = Omit<store.LinkFilter, 'search' | 'created'>;

/** Redirect links: short addresses with names of their own, each for one affiliate. */
export class LinksService {
  constructor(private readonly app: Deps) {
    app.affiliates.addRows('redirect_links', { name: 'links' });
    app.tracking.contribute({ redirect: (slug) => this.#redirect(slug) });
    app.rewards.contribute({ links: (ids) => this.#named(ids) });
  }

  async get(id: number): Promise<RedirectLink> {
    return (await store.findLink(this.app.db, { id })) ?? fail('link_not_found');
  }

  /** An active link by its name, in any letter case; null when there is none. */
  async findActive(slug: string): Promise<RedirectLink | null> {
    const name = slug.toLowerCase();
    const link = SLUG.test(name) ? await store.findLink(this.app.db, { slug: name }) : null;
    return link?.status === 'active' ? link : null;
  }

  async #named(ids: readonly number[]): Promise<ShortLink[]> {
    const { redirectPath } = this.app.options.tracking;
    return (await rowsInOrder(this.app.db, record, ids)).map(({ id, affiliate_id, slug }) => ({
      id,
      affiliate_id,
      path: `${redirectPath}/${slug}`,
    }));
  }

  async #redirect(slug: string): Promise<Redirect | null> {
    const link = await this.findActive(slug);
    const affiliate = link && (await this.app.affiliates.find(link.affiliate_id));
    if (!link || !affiliate) return null;
    const creative = link.creative_id === null ? null : await this.app.creatives.find(link.creative_id);
    return {
      id: link.id,
      affiliate,
      target: await this.target(link, affiliate, creative),
      utm_campaign: link.utm_campaign,
    };
  }

  async create(input: LinkInput & { readonly affiliate_id: number }): Promise<RedirectLink> {
    const now = this.app.clock.now();
    const row = {
      slug: slugOf(input.slug ?? randomToken(6).toLowerCase()),
      affiliate_id: input.affiliate_id,
      creative_id: input.creative_id ?? null,
      url: input.url || null,
      utm_campaign: input.utm_campaign || null,
      status: input.status ?? 'active',
      created_at: now,
      updated_at: now,
    };
    await this.#check(row);
    return this.app.transaction(async (trx) => {
      const id = (await store.insertLink(trx, row)) ?? fail('slug_taken');
      await this.app.audit.write(trx, 'link.created', ['link', id], { after: row });
      return { ...row, id };
    });
  }

  /** Absent fields do not change; null clears a field. */
  async update(id: number, input: LinkInput): Promise<RedirectLink> {
    const before = await this.get(id);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const changes: LinkInput & { updated_at: number } = {
      ...given,
      ...(input.slug !== undefined && { slug: slugOf(input.slug) }),
      // an HTML form sends null as ""
      ...(input.url !== undefined && { url: input.url || null }),
      ...(input.utm_campaign !== undefined && { utm_campaign: input.utm_campaign || null }),
      updated_at: this.app.clock.now(),
    };
    const after: RedirectLink = { ...before, ...changes };
    await this.#check(after);
    try {
      await this.app.transaction(async (trx) => {
        if (!(await store.updateLink(trx, id, changes))) fail('link_not_found');
        await this.app.audit.write(trx, 'link.updated', ['link', id], { before, after });
      });
    } catch (error) {
      if (this.app.db.dialect.failure(error) === 'unique') fail('slug_taken', { cause: error });
      throw error;
    }
    return after;
  }

  async remove(id: number): Promise<void> {
    const before = await this.get(id);
    await this.app.transaction(async (trx) => {
      if (!(await store.deleteLink(trx, id))) fail('link_not_found');
      await this.app.audit.write(trx, 'link.deleted', ['link', id], { before });
    });
  }

  async list(query: LinkListQuery): Promise<Page<LinkDto>> {
    return this.#page(query, allMatching(query));
  }

  export(query: LinkListQuery): Promise<ExportPages> {
    const matching = this.#matching(query, allMatching(query));
    return exportPages(this.app.db, record, { matching }, (links) => this.#exportRows(links));
  }

  async #exportRows(links: readonly RedirectLink[]): Promise<ExportRow[]> {
    const { timeZone } = this.app.host.site();
    const owners = await this.app.affiliates.embed(links.map((link) => link.affiliate_id));
    const dtos = await this.#presentAll(links);
    return links.map((link, at) => ({
      ...dtos[at]!,
      affiliate_name: owners.get(link.affiliate_id)?.user?.full_name ?? '',
      created_at: toSite(link.created_at, timeZone),
    }));
  }

  /** The links that the signed-in affiliate can share. */
  async listForUser(userId: number, query: LinkListQuery): Promise<Page<LinkDto>> {
    const affiliate = await this.#activeOf(userId);
    return this.#page(query, { affiliateId: affiliate.id, activeOnly: true });
  }

  /** Makes a short address for the affiliate, to a page of the site or of a connected one. */
  async createForUser(
    userId: number,
    { slug, url, utm_campaign }: Pick<LinkInput, 'slug' | 'url' | 'utm_campaign'>,
  ): Promise<RedirectLink> {
    const { id } = await this.#activeOf(userId);
    const own = { affiliateId: id, activeOnly: false, search: '', created: AT_ANY_TIME };
    const { db } = this.app;
    if ((await countRows(db, record, store.linksMatching(db, own))) >= OWN_LINKS_MAX) fail('too_many_links');
    return this.create({
      affiliate_id: id,
      ...(slug !== undefined && slug !== '' && { slug }),
      ...(url !== undefined && { url }),
      ...(utm_campaign !== undefined && { utm_campaign }),
    });
  }

  /** Removes a link of the affiliate; links to a creative belong to the administrator. */
  async removeForUser(userId: number, id: number): Promise<void> {
    const affiliate = await this.#activeOf(userId);
    const link = await this.get(id);
    if (link.affiliate_id !== affiliate.id || link.creative_id !== null) fail('link_not_found');
    await this.remove(id);
  }

  async #activeOf(userId: number): Promise<Affiliate> {
    const affiliate = await this.app.affiliates.findByUser(userId);
    return affiliate?.status === 'active' ? affiliate : fail('affiliate_not_found', { status: 422 });
  }

  async present(link: RedirectLink): Promise<LinkDto> {
    return (await this.#presentAll([link]))[0]!;
  }

  /** The target of a link; never another site, even if that was allowed when the link was made. */
  async target(link: RedirectLink, affiliate: Affiliate, creative: Creative | null): Promise<URL> {
    const page =
      link.url ??
      (creative?.status === 'active' ? creative.url : null) ??
      (await this.app.tracking.shareBaseOf(affiliate));
    const url = URL.parse(page);
    return url && (await this.app.tracking.mayLeadTo(url)) ? url : new URL(`${this.app.host.site().url}/`);
  }

  async #page(query: LinkListQuery, which: Which): Promise<Page<LinkDto>> {
    const matching = this.#matching(query, which);
    const page = await readPage(this.app.db, record, matching, { ...query, order: NEWEST_FIRST });
    return { ...page, rows: await this.#presentAll(page.rows) };
  }

  #matching(query: LinkListQuery, which: Which): Matching {
    const created = createdOf(query, this.app.host.site().timeZone);
    return store.linksMatching(this.app.db, { ...which, search: query.search, created });
  }

  async #presentAll(links: readonly RedirectLink[]): Promise<LinkDto[]> {
    const affiliates = await this.app.affiliates.findMany(links.map((link) => link.affiliate_id));
    const creatives = await this.app.creatives.findMany(links.map((link) => link.creative_id));
    return Promise.all(
      links.map(async (link) => {
        const { id, slug, ...rest } = record.present(link);
        const affiliate = affiliates.get(link.affiliate_id);
        const target = affiliate
          ? (await this.target(link, affiliate, creatives.get(link.creative_id ?? 0) ?? null)).href
          : '';
        const address = `${this.app.host.site().url}${this.app.options.tracking.redirectPath}/${slug}`;
        return { id, slug, link: address, target, ...rest };
      }),
    );
  }

  async #check(link: Omit<RedirectLink, 'id'>): Promise<void> {
    if (!(await this.app.affiliates.find(link.affiliate_id))) fail('affiliate_not_found', { status: 422 });
    const creative = link.creative_id === null ? null : await this.app.creatives.find(link.creative_id);
    if (link.creative_id !== null && !creative) fail('creative_not_found', { status: 422 });
    for (const address of [link.url, creative?.url ?? null]) {
      if (address === null) continue;
      const url = URL.parse(address);
      if (url === null || !(await this.app.tracking.mayLeadTo(url))) fail('foreign_url');
    }
  }
}

function slugOf(text: string): string {
  const slug = text.trim().toLowerCase();
  if (!SLUG.test(slug))
    failFields({
      slug: { alpha_dash: 'Use 2 to 100 letters, digits, - and _. Begin with a letter or digit.' },
    });
  return slug;
}
