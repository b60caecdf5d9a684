import { toSite } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { ExportPages, ExportRow, Page } from '../../core/page.js';
import { DAY } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { ListQuery } from '../../platform/http/schema.js';
import type { CustomerDto, ReferralWithUrlDto, VisitDto } from '../api-schemas.js';
import { createdOf, type RecordQuery } from '../../records/filters.js';
import { countRows, exportPages, orderOf, readPage } from '../../records/list.js';
import { affiliateRemoving } from '../../program/affiliates/domain-events.js';
import type { Deps } from './deps.js';
import { customerErased } from './domain-events.js';
import { Buyers } from './buyers.js';
import { CustomerLinks } from './links.js';
import { CustomerDecisions, type CustomerPatch } from './decisions.js';
import { erasedFields, pictureOf, presentChoice, presentCustomer, presentName } from './presenter.js';
import { customersMatching, sumBought, type CustomerFilter } from './queries.js';
import { customers as record, ERASED } from './record.js';
import * as store from './repository.js';
import { appendCustomer } from './customer-events.js';
import type {
  CustomerTotals,
  CustomerChoiceDto,
  CustomerNameDto,
  CustomerViewDto,
  CustomerWithCountDto,
  ListedCustomerDto,
} from './schemas.js';
import type { Customer, CustomerInput, CustomerName } from './types.js';

const FOUND_USERS = 200;
/** How long an order may remain unpaid before its buyer's names are deleted. */
const UNCONFIRMED_DAYS = 400;

export interface CustomerListQuery extends ListQuery, RecordQuery {
  /** Is the lifetime term `active` or `expired`? Any other value does not filter. */
  readonly filter?: unknown;
}

/** Buyers who came through an affiliate; written by conversions, listed under their affiliate. */
export class CustomersService {
  readonly #links: CustomerLinks;
  /** The buyers of orders, and the names they are found by. */
  readonly buyers: Buyers;
  readonly #decisions: CustomerDecisions;

  constructor(private readonly app: Deps) {
    this.buyers = new Buyers(app);
    this.#decisions = new CustomerDecisions(app);
    this.#links = new CustomerLinks(app);
    app.referrals.contribute({ customer: async (id) => (await this.embed([id])).get(id) ?? null });
    app.affiliates.addRows('customers', { name: 'customers', column: 'by_affiliate_id' });
    app.internal.on(affiliateRemoving, (trx, { id }) => store.unlinkAffiliate(trx, id));
  }

  async find(id: number): Promise<Customer | null> {
    return (await store.findCustomers(this.app.db, [id]))[0] ?? null;
  }

  /** The customer with this e-mail address or of this host user; of two, the one who was bound first. */
  async match(email: string | null, userId: number | null): Promise<Customer | null> {
    return (await this.buyers.findBuyer(this.app.db, { email, user_id: userId }))?.customer ?? null;
  }

  /** Every e-mail address of the customer. */
  async addresses(db: Db, id: number): Promise<string[]> {
    const names = await store.namesOfCustomer(db, id);
    return names.flatMap(({ kind, label }) => (kind === 'email' && label !== null ? [label] : []));
  }

  /** Wire records by id. */
  async embed(ids: Iterable<number | null>): Promise<ReadonlyMap<number, CustomerDto>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    const customers = wanted.length === 0 ? [] : await store.findCustomers(this.app.db, wanted);
    return new Map(
      await Promise.all(
        customers.map(async (customer) => [customer.id, await this.#present(customer)] as const),
      ),
    );
  }

  /** Stores the names of an unpaid order until `confirm`. */
  async saveUnconfirmed(
    trx: Db,
    of: { readonly order_id: number; readonly customer_id: number },
    names: readonly CustomerName[],
    isKnown = false,
  ): Promise<void> {
    if (isKnown) await store.deleteUnconfirmed(trx, of.order_id);
    if (names.length > 0) await store.saveUnconfirmed(trx, of, names, this.app.clock.now());
  }

  /**
   * Gives the customer to the affiliate of a first paid order. False when another affiliate has the customer,
   * or when the customer had bought without any affiliate before.
   */
  async bind(trx: Db, id: number, affiliateId: number, orderedAt: number): Promise<boolean> {
    if (!(await store.linkAffiliate(trx, id, affiliateId, orderedAt))) return false;
    const [linked] = await store.findCustomers(trx, [id]);
    if (linked)
      await appendCustomer(this.app, trx, 'customer.linked', linked, { ...linked, by_affiliate_id: null });
    return true;
  }

  /**
   * The buyer paid for an order without an affiliate: from now on, earlier orders cannot bind the buyer.
   * Returns the buyer, if known.
   */
  async confirmUnattributedBuyer(buyer: CustomerInput): Promise<number | null> {
    const known = await this.buyers.confirmUnattributedBuyer(buyer);
    if (known && known.by_affiliate_id === null && known.own_since === null)
      await store.markOwn(this.app.db, known.id, this.app.clock.now());
    return known?.id ?? null;
  }

  async lock(trx: Db, id: number): Promise<void> {
    await store.lockCustomer(trx, id);
  }

  /** Those of these customers who also bought from another provider, or from none. */
  async boughtElsewhere(ids: readonly number[], provider: string): Promise<ReadonlySet<number>> {
    return store.boughtElsewhere(this.app.db, ids, provider);
  }

  /**
   * Deletes the personal data of the buyer and the origin of the buyer's clicks. The row and its referrals
   * are not deleted.
   */
  async erase(trx: Db, id: number): Promise<void> {
    const customer = await store.lockCustomer(trx, id);
    if (customer === null) return;
    const visits = await store.visitIds(trx, id);
    const names = (await store.namesOfCustomer(trx, id)).map(({ label }) => label);
    await this.app.visits.forgetVisitors(trx, visits);
    await store.forgetNames(trx, id);
    await store.unflag(trx, id);
    const now = this.app.clock.now();
    await store.updateCustomer(trx, id, { ...ERASED, updated_at: now });
    const row = { ...customer, names };
    await this.app.erasure.customer(trx, id, { row, blank: erasedFields(customer), visits });
    await appendCustomer(this.app, trx, 'customer.forgotten', { ...customer, ...ERASED, updated_at: now });
  }

  /**
   * Removes the host user, whose account was deleted, from the buyer's rows, but not their e-mail address.
   * Returns the number of rows.
   */
  async forgetUser(trx: Db, userId: number): Promise<number> {
    const customers = await store.customersOfUser(trx, userId);
    const count = await store.forgetUser(trx, userId);
    for (const customer of customers)
      await appendCustomer(this.app, trx, 'customer.updated', { ...customer, user_id: null }, customer);
    return count;
  }

  /**
   * Everything stored about a buyer: the record, the purchases and the clicks that led to them. Null when no
   * buyer has this id or e-mail address.
   */
  async export(who: number | string): Promise<{
    readonly customer: CustomerDto;
    readonly names: readonly CustomerNameDto[];
    readonly referrals: readonly ReferralWithUrlDto[];
    readonly visits: readonly VisitDto[];
  } | null> {
    const customer = await this.#named(who);
    if (!customer) return null;
    const rows = [
      ...(await this.app.referrals.findMany(await store.referralIds(this.app.db, customer.id))).values(),
    ];
    const visits = await this.app.visits.embed(rows.map((row) => row.visit_id));
    return {
      customer: await this.#present(customer),
      names: (await store.namesOfCustomer(this.app.db, customer.id)).map(presentName),
      referrals: await Promise.all(rows.map((row) => this.app.referrals.present(row))),
      visits: [...visits.values()],
    };
  }

  /**
   * Deletes a buyer's personal data on request, but not the commissions. False when no buyer has this id or
   * e-mail address.
   */
  async forget(who: number | string): Promise<boolean> {
    const customer = await this.#named(who);
    if (!customer) return false;
    await this.app.transaction(async (trx) => {
      await this.erase(trx, customer.id);
      await this.app.internal.emit(customerErased, trx, { customer });
      await this.app.audit.write(trx, 'customer.erased', ['customer', customer.id]);
    });
    return true;
  }

  /** The retention job: IP addresses are deleted as visits are; buyers are not (docs/tracking.md §11). */
  async purge(now: number = this.app.clock.now()): Promise<number> {
    const { retentionDays: days } = this.app.options.tracking;
    await store.forgetUnconfirmed(this.app.db, now - UNCONFIRMED_DAYS * DAY);
    return days > 0 ? store.forgetAddresses(this.app.db, now - days * DAY) : 0;
  }

  async #named(who: number | string): Promise<Customer | null> {
    return typeof who === 'number' ? this.find(who) : this.match(who, null);
  }

  /**
   * Customers that this affiliate could be given, by e-mail address or name, each with its affiliate; without
   * a text the newest 20.
   */
  async search(affiliateId: number, text: string): Promise<CustomerChoiceDto[]> {
    const found = await this.#links.search(text);
    const owners = await this.app.affiliates.embed(found.map((customer) => customer.by_affiliate_id));
    return Promise.all(
      found.map(async (customer) =>
        presentChoice(
          await this.#present(customer),
          affiliateId,
          owners.get(customer.by_affiliate_id ?? 0) ?? null,
        ),
      ),
    );
  }

  /**
   * Gives the later orders of this customer to the affiliate, as if it had brought the first one. `transfer`
   * allows taking the customer from another affiliate.
   */
  async link(affiliateId: number, customerId: number, transfer = false): Promise<CustomerDto> {
    return this.#present(await this.#links.link(affiliateId, customerId, transfer));
  }

  async unlink(affiliateId: number, customerId: number): Promise<void> {
    await this.#links.unlink(affiliateId, customerId);
  }

  /**
   * Changes a customer by hand. The earlier address still finds the customer, unless `keep_old_email` is
   * false.
   */
  async update(id: number, patch: CustomerPatch): Promise<CustomerDto> {
    return this.#present(await this.#decisions.update(id, patch));
  }

  /** Two customers are one person: `id` is merged into the other one, which is returned. */
  async merge(id: number, into: number): Promise<CustomerDto> {
    return this.#present(await this.#decisions.merge(id, into));
  }

  /** Two customers are two people: the mark between them goes and does not come back. Returns the first one. */
  async keepApart(id: number, from: number): Promise<CustomerDto> {
    return this.#present(await this.#decisions.keepApart(id, from));
  }

  /**
   * The number of days in which an affiliate earns from a customer. It is '' when there is no limit and when
   * there is no lifetime commission.
   */
  async lifetimeDays(affiliateId: number): Promise<number | ''> {
    return (await this.#lifetimeDays(affiliateId)) || '';
  }

  /** `GET /affiliates/{id}/customers` (docs/interface.md §6.7). */
  async listOfAffiliate(affiliateId: number, query: CustomerListQuery): Promise<Page<CustomerWithCountDto>> {
    const term = await this.#term(affiliateId, query.filter);
    return this.#page({ ...(await this.#filter(query)), affiliateId, ...(term && { term }) }, query);
  }

  /** Customers of all affiliates, each with its affiliate. */
  async list(query: CustomerListQuery): Promise<Page<ListedCustomerDto>> {
    const page = await this.#page(await this.#filter(query), query);
    const owners = await this.app.affiliates.embed(page.rows.map((row) => row.by_affiliate_id));
    return {
      ...page,
      rows: page.rows.map((row) => ({ ...row, affiliate: owners.get(row.by_affiliate_id ?? 0) ?? null })),
    };
  }

  /** The totals over the rows of the list. */
  async totals(query: CustomerListQuery): Promise<CustomerTotals> {
    const { db } = this.app;
    const matching = customersMatching(db, await this.#filter(query));
    const { currency: program } = await this.app.settings.referralConfig();
    const bought = (await sumBought(db, matching)).map(({ currency, amount, orders }) => {
      const code = currency ?? program;
      return {
        currency: code,
        amount: toWire(minor(amount), code),
        order_total: toWire(minor(orders), code),
      };
    });
    return { count: await countRows(db, record, matching), bought };
  }

  async exportList(query: CustomerListQuery): Promise<ExportPages> {
    const { db } = this.app;
    const list = {
      matching: customersMatching(db, await this.#filter(query)),
      order: orderOf(record, query),
    };
    return exportPages(db, record, list, (customers) => this.#exportRows(customers));
  }

  async #exportRows(customers: readonly Customer[]): Promise<ExportRow[]> {
    const { timeZone } = this.app.host.site();
    const ids = customers.map(({ id }) => id);
    const counts = await store.countReferrals(this.app.db, ids);
    const owners = await this.app.affiliates.embed(customers.map((row) => row.by_affiliate_id));
    return customers.map((customer) => ({
      id: customer.id,
      first_name: customer.first_name,
      last_name: customer.last_name,
      email: customer.email,
      affiliate_id: customer.by_affiliate_id,
      affiliate_name: owners.get(customer.by_affiliate_id ?? 0)?.user?.full_name ?? '',
      referrals: counts.get(customer.id) ?? 0,
      created_at: toSite(customer.created_at, timeZone),
    }));
  }

  /** Everything stored about a customer, and its affiliate. */
  async view(id: number): Promise<CustomerViewDto | null> {
    const found = await this.export(id);
    if (found === null) return null;
    const owner = found.customer.by_affiliate_id;
    const affiliates = await this.app.affiliates.embed([owner]);
    const same = found.customer.same_person_as;
    const other = same === null ? null : await this.find(same);
    return {
      ...found,
      affiliate: affiliates.get(owner ?? 0) ?? null,
      same_person: other && (await this.#present(other)),
    };
  }

  async #filter(query: CustomerListQuery): Promise<CustomerFilter> {
    const { search, affiliate_id: affiliateId } = query;
    const { host } = this.app;
    const users = search === '' ? [] : await host.users.search(search, FOUND_USERS);
    return {
      search,
      userIds: users.map((user) => user.id),
      created: createdOf(query, host.site().timeZone),
      ...(affiliateId !== undefined && { affiliateId }),
    };
  }

  async #page(filter: CustomerFilter, query: CustomerListQuery): Promise<Page<CustomerWithCountDto>> {
    const { db } = this.app;
    const order = orderOf(record, query);
    const page = await readPage(db, record, customersMatching(db, filter), { ...query, order });
    const counts = await store.countReferrals(
      db,
      page.rows.map((customer) => customer.id),
    );
    const rows = await Promise.all(
      page.rows.map(async (customer) => ({
        ...(await this.#present(customer)),
        referrals_count: counts.get(customer.id) ?? 0,
      })),
    );
    return { ...page, rows };
  }

  /** Customers whose lifetime term is running or has expired. The term is the group's, else the program's. */
  async #term(
    affiliateId: number,
    kind: unknown,
  ): Promise<{ kind: 'active' | 'expired'; since: number } | null> {
    if (kind !== 'active' && kind !== 'expired') return null;
    const days = await this.#lifetimeDays(affiliateId);
    return { kind, since: days === 0 ? 0 : this.app.clock.now() - days * DAY };
  }

  /** 0 means no limit. */
  async #lifetimeDays(affiliateId: number): Promise<number> {
    const affiliate = await this.app.affiliates.find(affiliateId);
    return (await this.app.groups.lifetimeTerms(affiliate?.group_id ?? null)).days;
  }

  async #present(customer: Customer): Promise<CustomerDto> {
    return presentCustomer(
      customer,
      await this.app.hooks.applyFilters('affiliate_avatar', pictureOf(customer), customer.email ?? ''),
    );
  }
}
