import type { Db } from '../../platform/database/db.js';
import { fail, failFields } from '../../errors.js';
import { cut, LINE } from '../../core/text.js';
import { mailbox } from '../../core/mailbox.js';
import { customersMerged } from './domain-events.js';
import { emailName } from './names.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import { appendCustomer } from './customer-events.js';
import type { Customer } from './types.js';

const TEXT_MAX = 191;

export interface CustomerPatch {
  readonly email?: string | undefined;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  /** Default: yes. With no, the earlier address no longer finds the customer. */
  readonly keep_old_email?: boolean | undefined;
}

/** What a person decides about who a buyer is (docs/tracking.md §7). */
export class CustomerDecisions {
  constructor(private readonly app: Deps) {}

  /**
   * Moves names and orders of a customer to another one and deletes the first. The earlier binding wins, and
   * limits per customer count anew.
   */
  async merge(id: number, into: number): Promise<Customer> {
    if (id === into) failFields({ into: { different: 'Choose two different customers.' } });
    return this.app.transaction(async (trx, afterCommit) => {
      for (const affiliateId of await store.affiliatesOf(trx, [id, into]))
        await this.app.affiliates.lock(trx, affiliateId);
      const [first, second] = [Math.min(id, into), Math.max(id, into)];
      const locked = [await store.lockCustomer(trx, first), await store.lockCustomer(trx, second)];
      const from = locked.find((each) => each?.id === id) ?? fail('customer_not_found');
      const kept = locked.find((each) => each?.id === into) ?? fail('customer_not_found');
      for (const { by_affiliate_id: affiliateId } of [from, kept])
        if (affiliateId !== null)
          await this.app.affiliates.forbidSelf(await this.app.affiliates.get(affiliateId));
      const now = this.app.clock.now();
      await store.mergeRows(trx, from.id, kept.id, now);
      const apart = await store.apartFrom(trx, kept.id);
      const change = { ...joinCustomers(kept, from, apart), updated_at: now };
      await store.updateCustomer(trx, kept.id, change);
      await this.app.internal.emit(customersMerged, trx, { customerId: kept.id, afterCommit });
      await this.app.audit.write(trx, 'customer.merged', ['customer', kept.id], {
        before: { by_affiliate_id: kept.by_affiliate_id },
        after: { by_affiliate_id: change.by_affiliate_id, merged_id: from.id },
      });
      const merged = { ...kept, ...change };
      await this.app.eventLog.append(trx, 'customer.merged', {
        id: kept.id,
        data: { customer_id: kept.id, merged_id: from.id },
      });
      await appendCustomer(this.app, trx, 'customer.updated', merged, kept);
      afterCommit(() => this.app.hooks.doAction('customer_merged', merged, from.id));
      return merged;
    });
  }

  /** Two customers are two people: the mark between them goes and does not come back. */
  async keepApart(id: number, from: number): Promise<Customer> {
    if (id === from) failFields({ from: { different: 'Choose two different customers.' } });
    return this.app.transaction(async (trx) => {
      const locked: Customer[] = [];
      for (const each of [Math.min(id, from), Math.max(id, from)])
        locked.push((await store.lockCustomer(trx, each)) ?? fail('customer_not_found'));
      await store.keepApart(trx, id, from, this.app.clock.now());
      await this.app.audit.write(trx, 'customer.kept_apart', ['customer', id], { after: { other_id: from } });
      const changed = locked.map((before) => {
        const isFlagged = [id, from].includes(before.same_person_as ?? 0);
        return { before, after: isFlagged ? { ...before, same_person_as: null } : before };
      });
      for (const { before, after } of changed)
        await appendCustomer(this.app, trx, 'customer.updated', after, before);
      return changed.find(({ after }) => after.id === id)?.after ?? fail('customer_not_found');
    });
  }

  async update(id: number, patch: CustomerPatch): Promise<Customer> {
    const email = patch.email === undefined ? undefined : emailOf(patch.email);
    return this.app.transaction(async (trx) => {
      const customer = (await store.lockCustomer(trx, id)) ?? fail('customer_not_found');
      const change: Partial<Customer> = {
        ...(email !== undefined && { email: email.label, email_key: email.name }),
        ...(patch.first_name !== undefined && { first_name: lineOf('first_name', patch.first_name) }),
        ...(patch.last_name !== undefined && { last_name: lineOf('last_name', patch.last_name) }),
      };
      if (email !== undefined && email.name !== customer.email_key)
        await this.#addEmail(trx, customer, email, patch.keep_old_email !== false);
      const now = this.app.clock.now();
      await store.updateCustomer(trx, id, { ...change, updated_at: now });
      await this.app.audit.write(trx, 'customer.updated', ['customer', id], {
        before: Object.fromEntries(Object.keys(change).map((key) => [key, customer[key as keyof Customer]])),
        after: { ...change },
      });
      const changed = { ...customer, ...change, updated_at: now };
      await appendCustomer(this.app, trx, 'customer.updated', changed, customer);
      return changed;
    });
  }

  /** The buyer's new address; the old one still finds the buyer, unless `keep_old_email` is false. */
  async #addEmail(
    trx: Db,
    { id, email_key: old }: Customer,
    email: ReturnType<typeof emailOf>,
    keepsOld: boolean,
  ): Promise<void> {
    const holder = (await store.findHolders(trx, [email.name])).find(({ kind }) => kind === 'email');
    if (holder !== undefined && holder.customer.id !== id)
      fail('customer_name_taken', { data: { customer_id: holder.customer.id } });
    const added = await store.addNames(trx, id, [email], this.app.clock.now());
    if (holder === undefined && added === 0) fail('busy');
    if (!keepsOld && old !== null) await store.removeName(trx, id, 'email', old);
  }
}

function emailOf(text: string): { kind: 'email'; name: string; label: string } {
  const label = cut(text.trim(), TEXT_MAX);
  const name = mailbox(label) === null ? null : emailName(label);
  return name === null
    ? failFields({ email: { email: 'email must be one mail address.' } })
    : { kind: 'email', name, label };
}

function lineOf(field: string, text: string): string | null {
  if (!LINE.fits(text)) failFields({ [field]: { [LINE.rule]: LINE.says } });
  return cut(LINE.read(text), TEXT_MAX) || null;
}

/** The row of both: the earlier binding, the data of the remaining row, else of the other. */
function joinCustomers(kept: Customer, from: Customer, apart: ReadonlySet<number>): Partial<Customer> {
  const boundAt = (each: Customer): number => each.bound_at ?? each.created_at;
  const bound =
    from.by_affiliate_id !== null && (kept.by_affiliate_id === null || boundAt(from) < boundAt(kept))
      ? from
      : kept;
  const own = [kept.own_since, from.own_since].filter((at) => at !== null);
  const others = [kept.same_person_as, from.same_person_as].filter(
    (id) => id !== null && id !== kept.id && id !== from.id,
  ) as number[];
  return {
    by_affiliate_id: bound.by_affiliate_id,
    bound_at: bound.bound_at,
    own_since: own.length === 0 ? null : Math.min(...own),
    same_person_as: others.find((id) => !apart.has(id)) ?? null,
    created_at: Math.min(kept.created_at, from.created_at),
    user_id: kept.user_id ?? from.user_id,
    first_name: kept.first_name ?? from.first_name,
    last_name: kept.last_name ?? from.last_name,
    ...(kept.email_key === null && { email: from.email, email_key: from.email_key }),
  };
}
