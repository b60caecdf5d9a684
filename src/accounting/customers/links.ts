import { mailboxKey } from '../../core/mailbox.js';
import { fail } from '../../errors.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import { appendCustomer } from './customer-events.js';
import type { Customer } from './types.js';

const FOUND_MAX = 20;

/** Changes the affiliate of a customer by hand. Earlier commissions are not moved (docs/tracking.md §7). */
export class CustomerLinks {
  constructor(private readonly app: Deps) {}

  /** Customers of any affiliate, by e-mail address or name; without a text the newest. */
  async search(text: string): Promise<Customer[]> {
    return store.searchCustomers(this.app.db, text.trim(), FOUND_MAX);
  }

  /**
   * Links a customer to an affiliate. A customer of another affiliate is moved only when `transfer` is set.
   * Linking twice changes nothing.
   */
  async link(affiliateId: number, customerId: number, transfer: boolean): Promise<Customer> {
    const affiliate = await this.app.affiliates.get(affiliateId);
    await this.app.affiliates.forbidSelf(affiliate);
    const mailbox = await this.#mailboxOf(affiliate);
    return this.#change(customerId, affiliateId, (customer) => {
      if (customer.by_affiliate_id === affiliateId) return null;
      const isUser = affiliate.user_id !== null && customer.user_id === affiliate.user_id;
      if (isUser || (customer.email && mailboxKey(customer.email) === mailbox)) fail('own_customer');
      if (customer.by_affiliate_id !== null && !transfer) fail('customer_linked');
      return (linked) =>
        this.app.hooks.doAction('customer_linked', linked, affiliate, customer.by_affiliate_id);
    });
  }

  async unlink(affiliateId: number, customerId: number): Promise<Customer> {
    const affiliate = await this.app.affiliates.get(affiliateId);
    await this.app.affiliates.forbidSelf(affiliate);
    return this.#change(customerId, null, (customer) => {
      if (customer.by_affiliate_id !== affiliateId) fail('customer_not_found');
      return (unlinked) => this.app.hooks.doAction('customer_unlinked', unlinked, affiliate, affiliateId);
    });
  }

  async #mailboxOf({ user_id: userId }: Affiliate): Promise<string | null> {
    const email = userId === null ? '' : ((await this.app.users([userId])).get(userId)?.email ?? '');
    return email === '' ? null : mailboxKey(email);
  }

  async #change(
    id: number,
    to: number | null,
    decide: (customer: Customer) => ((changed: Customer) => Promise<void>) | null,
  ): Promise<Customer> {
    return this.app.transaction(async (trx, afterCommit) => {
      const customer = (await store.lockCustomer(trx, id)) ?? fail('customer_not_found');
      const notify = decide(customer);
      if (notify === null) return customer;
      const now = this.app.clock.now();
      const change = { by_affiliate_id: to, bound_at: to === null ? null : now, updated_at: now };
      const changed = { ...customer, ...change };
      await store.updateCustomer(trx, id, change);
      await this.app.audit.write(
        trx,
        to === null ? 'customer.unlinked' : 'customer.linked',
        ['customer', id],
        { before: { by_affiliate_id: customer.by_affiliate_id }, after: { by_affiliate_id: to } },
      );
      const type = to === null ? 'customer.unlinked' : 'customer.linked';
      await appendCustomer(this.app, trx, type, changed, customer);
      afterCommit(() => notify(changed));
      return changed;
    });
  }
}
