import type { Db } from '../../platform/database/db.js';
import { cut } from '../../core/text.js';
import { fail } from '../../errors.js';
import { isNamed, namesOf, type NameInput } from './names.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import { appendCustomer } from './customer-events.js';
import type { Customer, CustomerInput, CustomerName, Holder, SavedBuyer, FoundBuyer } from './types.js';

const TEXT_MAX = 191;
const IP_MAX = 100;

/** The order that is stored: only a paid one proves that its names belong to one buyer. */
interface BuyerState {
  readonly known: FoundBuyer | null;
  readonly paid: boolean;
}

/** Recognizes buyers by their names (docs/tracking.md §7). */
export class Buyers {
  constructor(private readonly app: Deps) {}

  /** The buyer of an order, found by any of its names; one statement. */
  async findBuyer(db: Db, input: CustomerInput): Promise<FoundBuyer | null> {
    return this.#holding(db, this.#namesOf(input));
  }

  /**
   * Stores the buyer of an order and updates a known one; the affiliate is set later, by a paid order (`bind`). Null
   * when the order names neither address nor account, so that different buyers never share a row.
   */
  async save(trx: Db, input: CustomerInput, { known, paid }: BuyerState): Promise<SavedBuyer | null> {
    const names = this.#namesOf(input);
    if (known) return this.#refresh(trx, { known, input, names, paid });
    return names.some(({ kind }) => kind !== 'card') ? this.#insert(trx, { input, names, paid }) : null;
  }

  /** The order was paid: its names belong to its buyer from now on. */
  async confirm(trx: Db, orderId: number, customerId: number): Promise<void> {
    const unconfirmed = await store.unconfirmedNames(trx, orderId);
    if (unconfirmed.length === 0) return;
    await store.deleteUnconfirmed(trx, orderId);
    const [customer] = await store.findCustomers(trx, [customerId]);
    if (customer === undefined) return;
    const names = unconfirmed.map((each) => ({ ...each, forms: [each.name] }));
    const holders = (await this.#holding(trx, names))?.holders ?? [];
    await this.#learn(trx, { customer, holders }, names);
  }

  /** A paid order without an affiliate also shows which names are the buyer's. */
  async confirmUnattributedBuyer(input: CustomerInput): Promise<Customer | null> {
    const names = this.#namesOf(input);
    const known = await this.#holding(this.app.db, names);
    if (known && newNames(known.holders, names).length > 0)
      await this.app.transaction(async (trx) => this.#learn(trx, known, names));
    return known?.customer ?? null;
  }

  /** Do all names belong to this customer, or to this order until it is paid? */
  async isBuyer(customerId: number | null, orderId: number, input: CustomerInput): Promise<boolean> {
    const names = this.#namesOf(input).filter(({ kind }) => kind !== 'card');
    if (names.length === 0) return true;
    const holders = (await this.#holding(this.app.db, names))?.holders ?? [];
    const unconfirmed = await store.unconfirmedNames(this.app.db, orderId);
    const own = holders.filter(({ customer }) => customer.id === customerId);
    return names.every((given) => [...own, ...unconfirmed].some((held) => isNamed(given, held)));
  }

  #namesOf(input: CustomerInput): NameInput[] {
    return namesOf(input, this.app.secrets);
  }

  async #holding(db: Db, names: readonly NameInput[]): Promise<FoundBuyer | null> {
    const found = await store.findHolders(
      db,
      names.flatMap(({ forms }) => forms),
    );
    const holders = found.filter((held) => names.some((given) => isNamed(given, held)));
    const [first] = holders.map(({ customer }) => customer).toSorted(byBinding);
    return first === undefined ? null : { customer: first, holders };
  }

  async #insert(
    trx: Db,
    { input, names, paid }: { input: CustomerInput; names: readonly NameInput[]; paid: boolean },
  ): Promise<SavedBuyer> {
    const [first, ...others] = names;
    if (first === undefined) return fail('busy');
    const own = paid ? names : [first];
    const now = this.app.clock.now();
    const row = {
      user_id: null,
      email: null,
      email_key: null,
      first_name: null,
      last_name: null,
      ip: null,
      ...fieldsOf(input),
      ...columnsOf(own),
      by_affiliate_id: null,
      bound_at: null,
      same_person_as: null,
      own_since: null,
      created_at: now,
      updated_at: now,
    };
    const id = await store.insertCustomer(trx, row);
    if (id !== null && (await store.addNames(trx, id, [first], now)) === 1) {
      if (paid) await store.addNames(trx, id, others, now);
      const customer = { ...row, id, settings: null };
      await appendCustomer(this.app, trx, 'customer.created', customer);
      return { customer, isNew: true, unconfirmed: paid ? [] : others };
    }
    // Another order of the same buyer was stored between the query and the insert.
    if (id !== null) await store.deleteCustomer(trx, id);
    const known = (await this.#holding(trx, names)) ?? fail('busy');
    return this.#refresh(trx, { known, input, names, paid });
  }

  async #refresh(
    trx: Db,
    given: { known: FoundBuyer; input: CustomerInput; names: readonly NameInput[]; paid: boolean },
  ): Promise<SavedBuyer> {
    const { known, input, names, paid } = given;
    const fields = fieldsOf(input);
    if (paid)
      return { customer: await this.#learn(trx, known, names, fields), isNew: false, unconfirmed: [] };
    const customer = await this.#change(trx, known.customer, fields);
    return { customer, isNew: false, unconfirmed: namesToConfirm(known, names) };
  }

  /** Adds the names that no customer has, and flags the other customers who have one of them. */
  async #learn(
    trx: Db,
    { customer, holders }: FoundBuyer,
    names: readonly NameInput[],
    fields: Partial<Customer> = {},
  ): Promise<Customer> {
    const others = holders.flatMap(({ customer: { id, same_person_as: flagged } }) =>
      id === customer.id || flagged === customer.id || customer.same_person_as === id ? [] : [id],
    );
    if (others.length > 0) {
      const apart = await store.apartFrom(trx, customer.id);
      const same = others.filter((id) => !apart.has(id));
      if (same.length > 0) await store.flagSame(trx, [...new Set(same)], customer.id);
    }
    const fresh = newNames(holders, names);
    // Another order has just stored one of them.
    if ((await store.addNames(trx, customer.id, fresh, this.app.clock.now())) < fresh.length) fail('busy');
    const own = names.filter(
      (given) => !holders.some((held) => held.customer.id !== customer.id && isNamed(given, held)),
    );
    return this.#change(trx, customer, { ...fields, ...columnsOf(own) });
  }

  async #change(trx: Db, known: Customer, given: Partial<Customer>): Promise<Customer> {
    const changed = Object.fromEntries(
      Object.entries(given).filter(([name, value]) => known[name as keyof Customer] !== value),
    );
    if (Object.keys(changed).length === 0) return known;
    const now = this.app.clock.now();
    const customer = { ...known, ...changed, updated_at: now };
    await store.updateCustomer(trx, known.id, { ...changed, updated_at: now });
    await appendCustomer(this.app, trx, 'customer.updated', customer, known);
    return customer;
  }
}

const newNames = (holders: readonly Holder[], names: readonly NameInput[]): NameInput[] =>
  names.filter((given) => !holders.some((held) => isNamed(given, held)));

/** Names of others wait too, since only the payment shows that both are one person. */
const namesToConfirm = ({ customer, holders }: FoundBuyer, names: readonly NameInput[]): NameInput[] =>
  names.filter((given) => !holders.some((held) => held.customer.id === customer.id && isNamed(given, held)));

/** The customer who was bound first, else the oldest. */
function byBinding(a: Customer, b: Customer): number {
  const [boundA, boundB] = [a, b].map(({ by_affiliate_id: id, bound_at: at, created_at: since }) =>
    id === null ? Number.MAX_SAFE_INTEGER : (at ?? since),
  );
  return (boundA ?? 0) - (boundB ?? 0) || a.id - b.id;
}

/** The columns that show the names. */
function columnsOf(names: readonly CustomerName[]): Partial<Customer> {
  const email = names.find(({ kind }) => kind === 'email');
  const user = names.find(({ kind }) => kind === 'user');
  return {
    ...(email && { email: email.label, email_key: email.name }),
    ...(user && { user_id: Number(user.name) }),
  };
}

/** Only the fields that the order contains; others do not change. */
function fieldsOf({ first_name, last_name, ip }: CustomerInput): Partial<Customer> {
  return Object.fromEntries(
    Object.entries({ first_name, last_name, ip })
      .filter(([, value]) => value)
      .map(([name, value]) => [name, cut(String(value), name === 'ip' ? IP_MAX : TEXT_MAX)]),
  );
}
