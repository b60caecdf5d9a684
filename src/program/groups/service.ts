import { createdOf } from '../../records/filters.js';
import { minor, toWire } from '../../core/money.js';
import { cells } from '../../core/csv.js';
import type { ExportPages, Page } from '../../core/page.js';
import { nameKey } from '../../core/text.js';
import type { Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { GroupDto } from '../api-schemas.js';
import { exportPages, NEWEST_FIRST, readPage, type Matching } from '../../records/list.js';
import type { Deps } from './deps.js';
import { groupRemoving } from './domain-events.js';
import { presentGroup } from './presenter.js';
import { countMembers, memberEarnings, memberIds } from './queries.js';
import {
  deleteGroup,
  findGroup,
  findGroups,
  groupNames,
  groupsMatching,
  insertGroup,
  lockGroup,
  updateGroup,
} from './repository.js';
import { GROUP_DEFAULTS, groups as record } from './record.js';
import type { GroupOverview } from './schemas.js';
import type { Group, GroupForm, GroupListQuery, GroupValue, LifetimeTerms, RenewalRates } from './types.js';
import { acceptValue, cleanData, readName, readValue } from './value.js';
import type { ExtensionField } from '../../core/extension-parts.js';

const MAX_ATTEMPTS = 3;

/** Groups of affiliates that share a rate. */
export class GroupsService {
  readonly #fields: readonly ExtensionField[];

  constructor(private readonly app: Deps) {
    this.#fields = app.options.extensions.flatMap(({ groupFields = [] }) => groupFields);
    const taken = this.#fields.find(({ name }) => name in GROUP_DEFAULTS || name === 'meta_key');
    if (taken)
      throw new TypeError(
        `Option "extensions": groups have a field "${taken.name}" already. Choose another name.`,
      );
  }

  find(id: number): Promise<Group | null> {
    return findGroup(this.app.db, id);
  }

  async get(id: number): Promise<Group> {
    return (await this.find(id)) ?? fail('group_not_found');
  }

  /**
   * What a member of this group earns from later orders of a customer: by the group's terms, else the
   * program's.
   */
  async lifetimeTerms(groupId: number | null): Promise<LifetimeTerms> {
    const active = await this.#valueIfActive(groupId);
    const own = active?.enable_lifetime_commission === 'yes' ? active : null;
    const program = await this.app.settings.referralConfig();
    const { lifetime_rate_type: type, lifetime_expiry_days: days } = own ?? program;
    return {
      enabled: own !== null || program.enable_lifetime_commission === 'yes',
      type: type === 'fixed' ? 'flat' : 'percentage',
      rate_e4: own === null ? program.lifetime_rate_e4 : Math.round(own.lifetime_rate * 10_000),
      days: days || 0,
    };
  }

  /** What renewals earn by the settings of a group, or of the program. */
  async renewalTerms(groupId: number | null): Promise<RenewalRates> {
    const program = await this.app.settings.referralConfig();
    const active = await this.#valueIfActive(groupId);
    const own = active?.enable_subscription_renewal === 'yes' ? active : null;
    const months = active?.renewal_max_months ?? '';
    return {
      enabled: program.enable_subscription_renewal === 'yes',
      type: (own ?? program).renewal_rate_type === 'fixed' ? 'flat' : 'percentage',
      rate_e4: own === null ? program.renewal_rate_e4 : Math.round(own.renewal_rate * 10_000),
      payments: (own ?? program).max_renewal_count,
      months: months === '' ? program.renewal_max_months : months,
    };
  }

  async #valueIfActive(groupId: number | null): Promise<GroupValue | null> {
    const group = groupId === null ? null : await this.find(groupId);
    return group?.status === 'active' ? group.value : null;
  }

  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Group>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    return new Map((await findGroups(this.app.db, wanted)).map((group) => [group.id, group]));
  }

  /** Groups for responses with the counts of their members, by two statements for any number of groups. */
  async present(groups: Iterable<Group>): Promise<ReadonlyMap<number, GroupDto>> {
    const list = [...groups];
    const counts = await countMembers(
      this.app.db,
      list.map((group) => group.id),
    );
    const { currency } = await this.app.settings.referralConfig();
    return new Map(list.map((group) => [group.id, presentGroup(group, currency, counts.get(group.id))]));
  }

  async presentOne(group: Group): Promise<GroupDto> {
    return (await this.present([group])).get(group.id) ?? fail('group_not_found');
  }

  async list(query: GroupListQuery): Promise<Page<GroupDto>> {
    const ordered = { ...query, order: NEWEST_FIRST };
    const page = await readPage(this.app.db, record, this.#matching(query), ordered);
    return { ...page, rows: [...(await this.present(page.rows)).values()] };
  }

  export(query: GroupListQuery): Promise<ExportPages> {
    return exportPages(this.app.db, record, { matching: this.#matching(query) }, async (groups) =>
      [...(await this.present(groups)).values()].map((group) => ({
        ...cells(group),
        affiliates: group.affiliates_count,
        clicks: group.visits_count,
        earned: group.total_earnings,
      })),
    );
  }

  #matching(query: GroupListQuery): Matching {
    return groupsMatching(this.app.db, query, createdOf(query, this.app.host.site().timeZone));
  }

  /** `{ id, name }` of every group, by name. */
  names(): Promise<{ id: number; name: string }[]> {
    return groupNames(this.app.db);
  }

  async create(form: GroupForm): Promise<Group> {
    const name = readName(form, true) as string;
    const data = cleanData(form, 0) as GroupForm;
    const checked = readValue(form, GROUP_DEFAULTS, this.#fields);
    const value = this.#accept(
      await this.app.hooks.applyFilters('create_affiliate_group_data_value', checked, data),
      checked,
    );
    await this.app.hooks.doAction('before_create_affiliate_group', data);
    return this.app.transaction(async (trx, afterCommit) => {
      const now = this.app.clock.now();
      const id = (await insertGroup(trx, name, value, now)) ?? fail('group_name_taken');
      await this.app.audit.write(trx, 'group.created', ['affiliate_group', id], {
        after: { meta_key: name, ...rateOf(value) },
      });
      const group = (await findGroup(trx, id)) ?? fail('group_not_found');
      await this.#append(trx, 'group.created', group);
      afterCommit(() => this.app.hooks.doAction('after_create_affiliate_group', group));
      return group;
    });
  }

  /**
   * The filter runs before the transaction, so the group it saw is compared again under the lock; if it
   * changed meanwhile, the filter is asked again.
   */
  async update(id: number, form: GroupForm): Promise<Group> {
    const data = cleanData(form, 0) as GroupForm;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const previous = await this.get(id);
      const name = readName(form, false) ?? previous.meta_key;
      const checked = readValue(form, previous.value, this.#fields);
      const value = this.#accept(
        await this.app.hooks.applyFilters('update_affiliate_group_data_value', checked, previous, data),
        checked,
      );
      await this.app.hooks.doAction('before_update_affiliate_group', previous, data);
      const group = await this.#store(previous, name, value);
      if (group) return group;
    }
    return fail('busy');
  }

  /** null when the group has changed since it was checked. */
  async #store(previous: Group, name: string, value: GroupValue): Promise<Group | null> {
    try {
      return await this.app.transaction(async (trx, afterCommit) => {
        const current = (await lockGroup(trx, previous.id)) ?? fail('group_not_found');
        if (JSON.stringify(current) !== JSON.stringify(previous)) return null;
        await updateGroup(trx, { id: previous.id, meta_key: name, value }, this.app.clock.now());
        await this.app.audit.write(trx, 'group.updated', ['affiliate_group', previous.id], {
          before: { meta_key: previous.meta_key, ...rateOf(previous.value) },
          after: { meta_key: name, ...rateOf(value) },
        });
        const group = (await findGroup(trx, previous.id)) ?? fail('group_not_found');
        await this.#append(trx, 'group.updated', group, previous);
        afterCommit(() => this.app.hooks.doAction('after_update_affiliate_group', group, previous));
        return group;
      });
    } catch (error) {
      if (nameKey(name) !== nameKey(previous.meta_key) && this.app.db.dialect.failure(error) === 'unique')
        fail('group_name_taken', { cause: error });
      throw error;
    }
  }

  async remove(id: number): Promise<void> {
    const group = await this.get(id);
    await this.app.hooks.doAction('before_delete_affiliate_group', group);
    await this.app.transaction(async (trx, afterCommit) => {
      const members = (await countMembers(trx, [id])).get(id)?.affiliates ?? 0;
      await this.app.internal.emit(groupRemoving, trx, { id });
      const last = (await lockGroup(trx, id)) ?? fail('group_not_found');
      await deleteGroup(trx, id); // its foreign key removes it from the lists of all creatives
      await this.app.audit.write(trx, 'group.deleted', ['affiliate_group', id], {
        before: { meta_key: last.meta_key, ...rateOf(last.value), members },
      });
      await this.#append(trx, 'group.deleted', last);
      afterCommit(() => this.app.hooks.doAction('after_delete_affiliate_group', id));
    });
  }

  async overview(id: number): Promise<GroupOverview> {
    await this.get(id);
    const { currency } = await this.app.settings.referralConfig();
    const { paid_minor: paid, unpaid_minor: unpaid, members } = await memberEarnings(this.app.db, id);
    const money = (amount: number): number => toWire(minor(amount), currency);
    return {
      total_earnings: money(paid + unpaid),
      paid_amount: money(paid),
      unpaid_amount: money(unpaid),
      total_affiliate: members,
    };
  }

  /** The current members. */
  memberIds(id: number): Promise<number[]> {
    return memberIds(this.app.db, id);
  }

  /** The event has no counts of members, because they change independently. */
  async #append(
    trx: Db,
    type: 'group.created' | 'group.updated' | 'group.deleted',
    group: Group,
    previous?: Group,
  ): Promise<void> {
    const { currency } = await this.app.settings.referralConfig();
    const before = previous && { before: presentGroup(previous, currency) };
    await this.app.eventLog.append(trx, type, {
      id: group.id,
      data: presentGroup(group, currency),
      ...before,
    });
  }

  /** An extension's value is checked like input; an unusable one is dropped. */
  #accept(response: unknown, checked: GroupValue): GroupValue {
    const value = acceptValue(response, checked);
    if (value === null) this.app.log.warn('An extension returned an invalid group value, which is ignored.');
    return value ?? checked;
  }
}

const rateOf = (value: GroupValue): object => ({
  rate_type: value.rate_type,
  rate: value.rate,
  status: value.status,
});
