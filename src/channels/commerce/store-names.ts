import type { CommerceProvider } from '../../../adapters/commerce.js';
import type { Deps } from './deps.js';
import {
  accountOfStore,
  accountsOfProvider,
  accountWithOrders,
  insertStoreName,
  moveStores,
  namesOfStore,
} from './repository.js';

/** The only shop of a provider, in orders that were stored while no other one was named. */
const ONLY = '';

/**
 * The names of shops. A shop is named once: the account that its orders are stored under does not change with
 * the list of shops, and its former names still find it (docs/integrations.md §12).
 */
export class StoreNames {
  /** The name by which the host calls a shop now, by provider and by any name of the shop. */
  readonly #current = new Map<string, string>();

  constructor(private readonly app: Deps) {}

  /**
   * The account of a shop, then its other names, under which orders may be stored too. A shop whose name was
   * deleted with other data gets it again.
   */
  async accountsOf(provider: CommerceProvider, name: string): Promise<readonly [string, ...string[]]> {
    const accounts = await this.#accountsOf(provider.key, name);
    const { stores = [], aliases = {} } = provider;
    if (accounts !== null || !(stores.includes(name) || Object.hasOwn(aliases, name)))
      return accounts ?? [name];
    await this.saveAccounts(provider);
    return (await this.#accountsOf(provider.key, name)) ?? [name];
  }

  async #accountsOf(provider: string, name: string): Promise<readonly [string, ...string[]] | null> {
    const names = await namesOfStore(this.app.db, provider, name);
    if (names.length === 0) return null;
    const account = names[0]?.account ?? name;
    return [account, ...names.map((each) => each.name).filter((each) => each !== account)];
  }

  /** The name by which the host calls the shop with this account. */
  nameOf(provider: string, account: string): string {
    return this.#current.get(keyOf(provider, account)) ?? account;
  }

  /** Gives each shop that the host names its account. Called on start. */
  async saveAccounts({ key, stores = [], aliases = {} }: CommerceProvider): Promise<void> {
    for (const [name, of] of Object.entries(aliases)) await this.#alias(key, { name, of, stores });
    for (const [at, name] of stores.entries()) {
      await this.#account(key, name, { isFirst: at === 0, isOnly: stores.length === 1 });
      await this.#remember(key, name);
    }
    for (const name of Object.keys(aliases))
      if (!stores.some((store) => aliases[name] === store)) await this.#remember(key, name);
    await this.#logShared(key, stores);
  }

  async #remember(provider: string, name: string): Promise<void> {
    for (const each of (await this.#accountsOf(provider, name)) ?? [name])
      this.#current.set(keyOf(provider, each), name);
  }

  /** The host has renamed a shop. */
  async #alias(
    provider: string,
    { name, of, stores }: { name: string; of: string; stores: readonly string[] },
  ): Promise<void> {
    const isOnly = stores.length === 1;
    const account = await this.#account(provider, of, {
      isFirst: isOnly || stores.indexOf(of) === 0,
      isOnly,
    });
    const known = await accountOfStore(this.app.db, provider, [name]);
    if (known === null) await this.#insert(provider, name, account);
    else if (known !== account) await moveStores(this.app.db, provider, known, account);
  }

  /** The account of a shop; it is decided when the shop is named for the first time. */
  async #account(
    provider: string,
    name: string,
    place: { readonly isFirst: boolean; readonly isOnly: boolean },
  ): Promise<string> {
    const { db } = this.app;
    const known = await accountOfStore(db, provider, [name]);
    const account = known ?? (await this.#decided(provider, name, place));
    if (known === null) await this.#insert(provider, name, account);
    if (account !== ONLY && (await this.#isFormerOnly(provider, place)))
      await this.#insert(provider, ONLY, account);
    return account;
  }

  async #decided(
    provider: string,
    name: string,
    place: { readonly isFirst: boolean; readonly isOnly: boolean },
  ): Promise<string> {
    const { db } = this.app;
    const spellings = spellingsOf(name);
    const same =
      (await accountOfStore(db, provider, spellings)) ?? (await accountWithOrders(db, provider, spellings));
    if (same !== null) return same;
    if (await this.#isFormerOnly(provider, place)) return ONLY;
    const others = await accountsOfProvider(db, provider, 2);
    if (others.length === 0) return name;
    const [only] = others;
    if (only === undefined || others.length > 1 || !place.isOnly) {
      this.app.log.warn('a shop is named for the first time', {
        provider,
        shop: name,
        help: 'If it is a known shop with a new address, add it to `aliases`.',
      });
      return name;
    }
    await this.#logMoved(provider, name, only);
    return only;
  }

  /** Are there orders of an only shop that no name leads to, and is this that shop? */
  async #isFormerOnly(
    provider: string,
    { isFirst, isOnly }: { readonly isFirst: boolean; readonly isOnly: boolean },
  ): Promise<boolean> {
    if (!isFirst || (await accountOfStore(this.app.db, provider, [ONLY])) !== null) return false;
    return isOnly || (await accountWithOrders(this.app.db, provider, [ONLY])) !== null;
  }

  async #insert(provider: string, name: string, account: string): Promise<void> {
    const now = this.app.clock.now();
    await insertStoreName(this.app.db, { provider, name, account, created_at: now });
    if (name !== account)
      await insertStoreName(this.app.db, { provider, name: account, account, created_at: now });
  }

  /** The only shop has another address: it moved, since otherwise its orders would be paid for again. */
  async #logMoved(provider: string, name: string, account: string): Promise<void> {
    this.app.log.warn('the only shop of a provider has another address', { provider, shop: name });
    await this.app.transaction((trx) =>
      this.app.audit.write(trx, 'integration.shop_moved', ['settings', null], {
        before: { provider, account },
        after: { provider, shop: name },
      }),
    );
  }

  async #logShared(provider: string, stores: readonly string[]): Promise<void> {
    const accounts = new Map<string, string>();
    for (const store of stores) {
      const [account = store] = (await this.#accountsOf(provider, store)) ?? [];
      const other = accounts.get(account);
      if (other !== undefined && !spellingsOf(store).includes(other))
        this.app.log.error('two shops are treated as one, because one of them replaced the other', {
          provider,
          shops: `${other}, ${store}`,
        });
      accounts.set(account, store);
    }
  }
}

const keyOf = (provider: string, account: string): string => `${provider} ${account}`;

/** The spellings of one address: with and without `www.`, by http and by https. */
function spellingsOf(name: string): string[] {
  const [, rest] = /^https?:\/\/(?:www\.)?(.+)$/.exec(name) ?? [];
  return rest === undefined
    ? [name]
    : ['https://', 'http://'].flatMap((scheme) => [`${scheme}${rest}`, `${scheme}www.${rest}`]);
}
