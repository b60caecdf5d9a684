import type { HostUser } from '../../../adapters/host.js';
import { minor } from '../../core/money.js';
import { LINES } from '../../core/text.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { fail, failFields, FieldCheck } from '../../errors.js';
import type { Deps } from './deps.js';
import type { AffiliateContributions } from './contributions.js';
import { affiliateCreated, affiliateRejected, affiliateSaved } from './domain-events.js';
import { readCustomFields } from './custom-fields.js';
import { auditedChange, mergePatch, readNew, type NewFields, type PayoutRules } from './merge.js';
import { registerName, retireNames } from './names.js';
import { findAffiliate, findByUser, insertAffiliate, lockAffiliate, updateAffiliate } from './repository.js';
import { affiliates, ERASED } from './record.js';
import { erasedFields, affiliateDto } from './presenter.js';
import { forbidSelfManagement } from './self-management.js';
import {
  AFFILIATE_STATUSES,
  type Affiliate,
  type AffiliateForm,
  type AffiliateInput,
  type AffiliatePatch,
  type AffiliateSettings,
  type AffiliateStatus,
  type EditableFields,
  type ProfilePatch,
} from './types.js';

/** Such a login is never used in links, because digits alone are ids. */
const ONLY_DIGITS = /^\d*$/;

type Submitted = Readonly<Record<string, unknown>>;

interface SaveContext {
  readonly trx: Db;
  readonly afterCommit: AfterCommit;
}

/** All changes of an affiliate's row, except its counters, which the ledger and visits change. */
export class AffiliateChanges {
  constructor(
    private readonly app: Deps,
    private readonly contributions: () => AffiliateContributions,
  ) {}

  /**
   * For calls from code: registration and imports have made their own checks. Errors: `validation_failed`,
   * `group_not_found`, `affiliate_exists`.
   */
  create(input: AffiliateInput): Promise<Affiliate> {
    return this.#create({ rate_type: 'default', ...input }, false, input);
  }

  /** For the administrator's form, where payment details are required. */
  createFromForm(form: AffiliateForm): Promise<Affiliate> {
    return this.#create(form, true, { custom_fields: readCustomFields(this.app, form.custom_fields, {}) });
  }

  async #create(
    form: AffiliateForm,
    payoutDetails: boolean,
    more: Pick<AffiliateInput, 'custom_fields'>,
  ): Promise<Affiliate> {
    const exists = async (userId: number): Promise<boolean> => (await this.app.users([userId])).has(userId);
    const fields = await readNew(form, await this.#payoutRules(), exists, payoutDetails);
    await forbidSelfManagement(this.app, fields.user_id);
    const user = (await this.app.users([fields.user_id])).get(fields.user_id) ?? null;
    await this.#requireFreeParam(fields.custom_param, null, fields.user_id);
    return this.app.transaction(async (trx, afterCommit) => {
      await this.#requireGroup(fields.group_id);
      const id = (await insertAffiliate(trx, this.#newRow(fields, more))) ?? fail('affiliate_exists');
      if (fields.custom_param !== null) {
        await this.#registerName(trx, { id, user_id: fields.user_id }, fields.custom_param);
        await updateAffiliate(trx, { id, status: fields.status }, { custom_param: fields.custom_param });
      }
      if (user !== null) await this.#holdLogin(trx, id, user);
      const affiliate = (await findAffiliate(trx, id)) ?? fail('affiliate_not_found');
      await this.#audit(trx, 'affiliate.created', id, undefined, withoutTexts(fields));
      await this.app.eventLog.append(trx, 'affiliate.created', {
        id,
        data: await affiliateDto(this.app, affiliate),
      });
      await this.app.internal.emit(affiliateCreated, trx, { affiliate, afterCommit });
      afterCommit(() => this.app.hooks.doAction('affiliate_created', affiliate, user));
      if (affiliate.status === 'active')
        afterCommit(() => this.app.hooks.doAction('affiliate_status_to_active', affiliate, ''));
      return affiliate;
    });
  }

  /** `submitted` is the request as listeners of the action see it. */
  async update(id: number, patch: AffiliatePatch, submitted: Submitted = { ...patch }): Promise<Affiliate> {
    const seen = await this.#forbidOwn(id);
    const rules = { ...(await this.#payoutRules()), wholeRecord: isWholeRecord(submitted) };
    if (patch.custom_param !== undefined)
      await this.#requireFreeParam(mergePatch(seen, patch, rules).custom_param, id, seen.user_id);
    return this.app.transaction(async (trx, afterCommit) => {
      const current = (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found');
      const fields = mergePatch(current, patch, rules);
      if (fields.group_id !== current.group_id) await this.#requireGroup(fields.group_id);
      const affiliate = await this.#save({ trx, afterCommit }, current, fields, {
        custom_fields: readCustomFields(this.app, patch.custom_fields, current.custom_fields),
      });
      this.#announce(afterCommit, affiliate, current, submitted);
      return affiliate;
    });
  }

  /** An applicant who is rejected with a reason gets it by mail. */
  async changeStatus(id: number, given: unknown, reason = ''): Promise<Affiliate> {
    await this.#forbidOwn(id);
    const status = AFFILIATE_STATUSES.find((known) => known === given) ?? fail('invalid_status');
    if (!LINES.fits(reason)) failFields({ reason: { [LINES.rule]: LINES.says } });
    return this.app.transaction(async (trx, afterCommit) => {
      const current = (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found');
      if (current.status === status) fail('status_unchanged');
      const affiliate = await this.#save({ trx, afterCommit }, current, {
        ...editable(current),
        status,
      });
      const text = LINES.read(reason);
      if (text !== '') {
        await this.#audit(trx, 'affiliate.status_reason', id, undefined, { status, reason: text });
        if (current.status === 'pending' && status === 'inactive')
          await this.app.internal.emit(affiliateRejected, trx, { affiliate, reason: text });
      }
      this.#announce(afterCommit, affiliate, current, { status, ...(text !== '' && { reason: text }) });
      return affiliate;
    });
  }

  /** Changes that affiliates make to their own row; the portal has checked the values. */
  async saveProfile(id: number, patch: ProfilePatch): Promise<Affiliate> {
    const param = this.#profileParam(patch);
    const seen = (await findAffiliate(this.app.db, id)) ?? fail('affiliate_not_found');
    if (param !== undefined && param !== seen.custom_param)
      await this.#requireFreeParam(param, id, seen.user_id);
    return this.app.transaction(async (trx, afterCommit) => {
      const current = (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found');
      const fields: EditableFields = {
        ...editable(current),
        payment_email: patch.payment_email === undefined ? current.payment_email : patch.payment_email,
        settings: profileSettings(current.settings, patch),
        custom_param: param === undefined ? current.custom_param : param,
      };
      return this.#save({ trx, afterCommit }, current, fields, {
        custom_fields: { ...current.custom_fields, ...patch.custom_fields },
      });
    });
  }

  /** The owner leaves: links stop counting, and what was earned is still paid. */
  async leave(id: number): Promise<Affiliate> {
    return this.app.transaction(async (trx, afterCommit) => {
      const current = (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found');
      if (current.status === 'inactive') return current;
      const status: AffiliateStatus = 'inactive';
      const affiliate = await this.#save({ trx, afterCommit }, current, { ...editable(current), status });
      await this.#audit(trx, 'affiliate.left', id, undefined, { status });
      this.#announce(afterCommit, affiliate, current, { status });
      return affiliate;
    });
  }

  /**
   * The owner asks for the deletion of the personal data, or takes that back. A repeated request does not
   * change the time of the first.
   */
  async askDeletion(id: number, isAsked: boolean): Promise<Affiliate> {
    return this.app.transaction(async (trx, afterCommit) => {
      const current = (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found');
      if (isAsked === (current.deletion_asked_at !== null)) return current;
      const deletion_asked_at = isAsked ? this.app.clock.now() : null;
      const action = isAsked ? 'affiliate.deletion_asked' : 'affiliate.deletion_withdrawn';
      await this.#audit(trx, action, id, undefined, undefined);
      return this.#save({ trx, afterCommit }, current, editable(current), { deletion_asked_at });
    });
  }

  /**
   * A level moves it to another group, in the caller's transaction. A rate of the group needs one, so without a
   * group the program's rate counts.
   */
  async moveToGroup(
    trx: Db,
    afterCommit: AfterCommit,
    current: Affiliate,
    groupId: number | null,
  ): Promise<Affiliate> {
    const own = editable(current);
    const isBare = groupId === null && own.rate_type === 'group';
    const fields = { ...own, group_id: groupId, ...(isBare && { rate_type: 'default' as const }) };
    const affiliate = await this.#save({ trx, afterCommit }, current, fields);
    await this.app.eventLog.append(trx, 'affiliate.level_changed', {
      id: current.id,
      data: await affiliateDto(this.app, affiliate),
      before: await affiliateDto(this.app, current),
    });
    this.#announce(afterCommit, affiliate, current, { group_id: groupId });
    return affiliate;
  }

  /** Pins it to its group, or lets levels move it again. */
  async pinGroup(id: number, isPinned: boolean): Promise<Affiliate> {
    await this.#forbidOwn(id);
    return this.app.transaction(async (trx, afterCommit) => {
      const current = (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found');
      if (current.group_pinned === isPinned) return current;
      const action = isPinned ? 'affiliate.group_pinned' : 'affiliate.group_unpinned';
      await this.#audit(trx, action, id, undefined, { group_id: current.group_id });
      return this.#save({ trx, afterCommit }, current, editable(current), { group_pinned: isPinned });
    });
  }

  #profileParam({ custom_param: given }: ProfilePatch): string | null | undefined {
    if (given === undefined) return undefined;
    const check = new FieldCheck();
    const param = affiliates.readForm(check, { custom_param: given }).read('custom_param');
    check.throwIfAny();
    return param;
  }

  /**
   * Called when a host user is deleted: the affiliate stays, inactive, without user and personal data. Null
   * when there is none. `user`: the account as the host still knows it.
   */
  async forgetUser(userId: number, user: HostUser | null): Promise<Affiliate | null> {
    return this.app.transaction(async (trx, afterCommit) => {
      const seen = await findByUser(trx, userId);
      const current = seen && (await lockAffiliate(trx, seen.id));
      if (current?.user_id !== userId) return null;
      const status: AffiliateStatus = 'inactive';
      const forgotten = { ...current, ...ERASED, status };
      const affiliate = await this.#save({ trx, afterCommit }, current, editable(forgotten), ERASED);
      // afterwards, as the change itself leaves an event, an entry of the audit log and mails
      await this.app.erasure.affiliate(trx, current.id, {
        row: [current, user],
        blank: erasedFields(current),
      });
      await this.app.eventLog.append(trx, 'affiliate.forgotten', {
        id: affiliate.id,
        data: await affiliateDto(this.app, affiliate),
      });
      await retireNames(trx, current, { userId: null, now: this.app.clock.now() });
      this.#announce(afterCommit, affiliate, current, { status });
      return affiliate;
    });
  }

  /**
   * Writes under the row lock if the status is still the one that was read, and adds an audit entry for
   * changes that must be traceable.
   */
  async #save(
    { trx, afterCommit }: SaveContext,
    current: Affiliate,
    fields: EditableFields,
    more: Partial<Affiliate> = {},
  ): Promise<Affiliate> {
    if (fields.custom_param !== current.custom_param)
      await this.#changeParam(trx, current, fields.custom_param);
    const changes = { ...fields, ...more, updated_at: this.app.clock.now() };
    if (!(await updateAffiliate(trx, current, changes))) fail('busy');
    const traced = auditedChange(current, fields);
    if (traced) await this.#audit(trx, 'affiliate.updated', current.id, traced.before, traced.after);
    const affiliate = { ...current, ...changes };
    await appendChange(this.app, trx, affiliate, current);
    await this.app.internal.emit(affiliateSaved, trx, { before: current, after: affiliate, afterCommit });
    return affiliate;
  }

  #announce(afterCommit: AfterCommit, affiliate: Affiliate, previous: Affiliate, submitted: Submitted): void {
    afterCommit(() => this.app.hooks.doAction('affiliate_updated', affiliate, 'by_admin', submitted));
    if (affiliate.status === previous.status) return;
    afterCommit(() =>
      this.app.hooks.doAction(`affiliate_status_to_${affiliate.status}`, affiliate, previous.status),
    );
  }

  async #requireGroup(groupId: number | null): Promise<void> {
    if (groupId !== null && !(await this.app.groups.find(groupId))) fail('group_not_found', { status: 422 });
  }

  async #forbidOwn(id: number): Promise<Affiliate> {
    const affiliate = (await findAffiliate(this.app.db, id)) ?? fail('affiliate_not_found');
    await forbidSelfManagement(this.app, affiliate.user_id);
    return affiliate;
  }

  /**
   * Refuses a link name that is another affiliate's login or token, because it would take over the links they
   * shared. It asks the host, so it is called before a transaction.
   */
  async #requireFreeParam(param: string | null, id: number | null, userId: number | null): Promise<void> {
    if (param === null) return;
    const other = await this.contributions().byLinkValue(param);
    if (other !== null && other.id !== id && other.user_id !== userId) failTaken();
  }

  /** The former value still credits the affiliate. */
  async #changeParam(trx: Db, current: Affiliate, next: string | null): Promise<void> {
    if (current.custom_param !== null) await this.#register(trx, current, current.custom_param);
    if (next !== null) await this.#registerName(trx, current, next);
  }

  async #registerName(trx: Db, affiliate: Pick<Affiliate, 'id' | 'user_id'>, name: string): Promise<void> {
    if (!(await this.#register(trx, affiliate, name))) failTaken();
  }

  #register(
    trx: Db,
    { id: affiliateId, user_id: userId }: Pick<Affiliate, 'id' | 'user_id'>,
    name: string,
    kind: 'own' | 'login' = 'own',
  ): Promise<boolean> {
    return registerName(trx, { affiliateId, userId, kind, name, now: this.app.clock.now() });
  }

  /** From now on, links with the login belong to this affiliate, unless they belong to another one. */
  async #holdLogin(trx: Db, id: number, { id: userId, login }: HostUser): Promise<void> {
    if (!ONLY_DIGITS.test(login.trim())) await this.#register(trx, { id, user_id: userId }, login, 'login');
  }

  async #payoutRules(): Promise<PayoutRules> {
    const { payout_method: method } = await this.app.settings.referralConfig();
    const field = (await this.contributions().formFields()).find(({ name }) => name === 'payment_email');
    return { method, emailOptional: field?.enabled === 'no' || field?.required === 'no' };
  }

  #audit(trx: Db, action: string, id: number, before: unknown, after: unknown): Promise<void> {
    return this.app.audit.write(trx, action, ['affiliate', id], { before, after });
  }

  #newRow(fields: NewFields, more: Pick<AffiliateInput, 'custom_fields'>): Omit<Affiliate, 'id'> {
    const now = this.app.clock.now();
    return {
      ...fields,
      contact_id: null,
      total_earnings_minor: minor(0),
      unpaid_earnings_minor: minor(0),
      referrals: 0,
      visits: 0,
      lead_counts: 0,
      group_pinned: false,
      custom_param: null, // set when it is known to be free
      deletion_asked_at: null,
      custom_fields: more.custom_fields ?? {},
      created_at: now,
      updated_at: now,
    };
  }
}

async function appendChange(app: Deps, trx: Db, after: Affiliate, before: Affiliate): Promise<void> {
  const type = after.status === before.status ? 'affiliate.updated' : 'affiliate.status_changed';
  const [data, was] = [await affiliateDto(app, after), await affiliateDto(app, before)];
  await app.eventLog.appendChange(trx, type, { id: after.id, data, before: was });
  const isElsewhere =
    after.payment_email !== before.payment_email ||
    after.settings.bank_details !== before.settings.bank_details;
  if (isElsewhere && after.user_id !== null)
    await app.eventLog.append(trx, 'affiliate.payment_details_changed', { id: after.id, data, before: was });
}

function editable(affiliate: Affiliate): EditableFields {
  const { user_id: _user, ...columns } = affiliates.editable(affiliate);
  return { ...columns, settings: affiliate.settings };
}

const failTaken = (): never =>
  failFields({ custom_param: { taken: 'Another affiliate uses or used this link name.' } });

/**
 * True for the form of an existing client that posts the whole record it read; only that form has keys of
 * responses.
 */
const isWholeRecord = (submitted: Submitted): boolean =>
  'rate_details' in submitted || 'created_at' in submitted;

const withoutTexts = ({ note: _note, settings: _settings, ...fields }: NewFields): object => fields;

function profileSettings(current: AffiliateSettings, patch: ProfilePatch): AffiliateSettings {
  const {
    disable_payout_email: before,
    disable_announcements: stopped,
    invoice: known,
    ...settings
  } = current;
  const invoice = patch.invoice ?? known;
  const silent = patch.disable_payout_email ?? before;
  const none = patch.disable_announcements ?? stopped;
  return {
    ...settings,
    ...(patch.disable_new_ref_email && { disable_new_ref_email: patch.disable_new_ref_email }),
    ...(patch.bank_details !== undefined && { bank_details: patch.bank_details }),
    ...(silent === 'yes' && { disable_payout_email: silent }),
    ...(none === 'yes' && { disable_announcements: none }),
    ...(invoice && Object.values(invoice).some((text) => text !== '') && { invoice }),
  };
}
