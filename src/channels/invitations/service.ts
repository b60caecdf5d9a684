import { isEmail } from '../../core/address.js';
import { DAY } from '../../core/duration.js';
import { mailboxKey } from '../../core/mailbox.js';
import { offsetOf, type Page } from '../../core/page.js';
import { parseRate, rateToWire } from '../../core/rate.js';
import { normalizePermissions } from '../../platform/access/keys.js';
import { cut, LINES } from '../../core/text.js';
import type { Db } from '../../platform/database/db.js';
import { fail, failFields } from '../../errors.js';
import type { Affiliate, AffiliateInput } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { Invitation } from './record.js';
import type { InvitationKind, InvitationState, InviteInput, LeftOut, ManagerInviteInput } from './types.js';

const PURPOSE = 'invitation';
export const INVITATION_MAIL = 'invitation';
const LIFE_MS = 14 * DAY;
const KEPT_MS = 90 * DAY;
/** 100 %. */
const PERCENT_E4 = 1_000_000;
const NOTE_MAX = 2000;
/** Mails of one invitation go out at this distance. */
const APART_MS = 1000;

type InvitationTerms = Pick<Invitation, 'group_id' | 'rate_type' | 'rate_e4' | 'note' | 'permissions'>;
export type ListedInvitation = Invitation & { readonly state: InvitationState };

/**
 * Invitations by mail: a signed link, valid for 14 days, proves the mailbox and brings group and rate with it. The
 * note is a message to the person: it is in the mail and stays with the invitation.
 */
export class InvitationsService {
  constructor(private readonly app: Deps) {
    app.emails.addKind(INVITATION_MAIL, async ({ invitation_id: id = 0 }) => {
      const invitation = await store.findInvitation(this.app.db, id);
      if (invitation === null || this.#stateOf(invitation) !== 'open') return null;
      const key = invitation.kind === 'manager' ? 'manager_invitation' : 'affiliate_invitation';
      const rate = invitation.kind === 'manager' ? null : await this.rateOf(invitation);
      const codes = {
        url: await this.linkOf(invitation),
        note: invitation.note ?? '',
        rate: await app.emails.rateSentence(rate),
      };
      return app.emails.write(key, invitation.email, { invitation: codes });
    });
  }

  /** Invites each address once. Returns how many, and which addresses were skipped and why. */
  async invite(input: InviteInput): Promise<{ invited: number; left_out: readonly LeftOut[] }> {
    return this.#send('affiliate', input.emails, { ...(await this.#termsOf(input)), permissions: [] });
  }

  async #send(
    kind: InvitationKind,
    emails: readonly string[],
    terms: InvitationTerms,
  ): Promise<{ invited: number; left_out: readonly LeftOut[] }> {
    const addresses = [...new Map(emails.map((email) => [mailboxKey(email.trim()), email.trim()]))];
    const { fresh: wanted, leftOut } = await this.#sorted(kind, addresses);
    const now = this.app.clock.now();
    return this.app.transaction(async (trx) => {
      const fresh = await this.#stillFresh(trx, { kind, wanted, now });
      const invited = new Set(fresh.map(([key]) => key));
      const response = {
        invited: fresh.length,
        left_out: [
          ...leftOut,
          ...wanted
            .filter(([key]) => !invited.has(key))
            .map(([, email]) => ({ email, reason: 'invited' as const })),
        ],
      };
      if (fresh.length === 0) return response;
      await store.insertInvitations(
        trx,
        fresh.map(([key, email]) => ({
          ...terms,
          kind,
          email,
          email_key: key,
          status: 'open' as const,
          affiliate_id: null,
          user_id: null,
          created_by: this.app.context.current().user?.id ?? null,
          created_at: now,
          sent_at: now,
          expires_at: now + LIFE_MS,
        })),
      );
      const made = await store.openOf(trx, { keys: fresh.map(([key]) => key), kind, now });
      await this.#queue(trx, made);
      await this.app.audit.write(trx, 'invitation.sent', ['invitation', null], {
        after:
          kind === 'manager'
            ? { count: made.length, permissions: terms.permissions }
            : { count: made.length, group_id: terms.group_id, rate_type: terms.rate_type },
      });
      return response;
    });
  }

  /** Invitations wait for each other here, so that an address has one open at most. */
  async #lock(trx: Db): Promise<void> {
    await this.app.settings.readLocked(trx, 'invitations', null);
  }

  /** Those that another user has not invited meanwhile. */
  async #stillFresh(
    trx: Db,
    {
      kind,
      wanted,
      now,
    }: {
      readonly kind: InvitationKind;
      readonly wanted: readonly (readonly [key: string, email: string])[];
      readonly now: number;
    },
  ): Promise<readonly (readonly [string, string])[]> {
    if (wanted.length === 0) return wanted;
    await this.#lock(trx);
    const open = await store.openOf(trx, { keys: wanted.map(([key]) => key), kind, now });
    const known = new Set(open.map(({ email_key: key }) => key));
    return wanted.filter(([key]) => !known.has(key));
  }

  /** Invites people to help, with these rights. Users of the host need not exist before. */
  async inviteManagers(
    input: ManagerInviteInput,
  ): Promise<{ invited: number; left_out: readonly LeftOut[] }> {
    const permissions = normalizePermissions(input.permissions);
    if (permissions.length === 0) fail('permissions_required');
    const { note } = await this.#termsOf({ emails: [], note: input.note ?? null });
    const terms = { group_id: null, rate_type: 'default', rate_e4: null, note } as const;
    return this.#send('manager', input.emails, { ...terms, permissions });
  }

  async list(query: {
    readonly kind?: InvitationKind;
    readonly page: number;
    readonly per_page: number;
    readonly search?: string;
    readonly state?: string;
  }): Promise<Page<ListedInvitation>> {
    const { kind = 'affiliate', page, per_page, search = '', state = '' } = query;
    const filter = {
      kind,
      search,
      state: state as InvitationState | '',
      now: this.app.clock.now(),
    };
    const total = await store.countInvitations(this.app.db, filter);
    const rows = await store.listInvitations(this.app.db, filter, {
      limit: per_page,
      offset: offsetOf({ page, per_page }),
    });
    return { rows: rows.map((row) => ({ ...row, state: this.#stateOf(row) })), total, page, per_page };
  }

  /**
   * Sends the link again, valid for another 14 days. 422 `invitation_closed` once it was accepted or withdrawn,
   * `invitation_open` while another one to the same address is open.
   */
  async resend(id: number, kind: InvitationKind = 'affiliate'): Promise<void> {
    const now = this.app.clock.now();
    await this.app.transaction(async (trx) => {
      await this.#lock(trx);
      const invitation = (await this.#known(trx, id, kind)) ?? fail('invitation_not_found');
      const change = { sent_at: now, expires_at: now + LIFE_MS, updated_at: now };
      if (!(await store.changeOpen(trx, id, change))) fail('invitation_closed');
      const open = await store.openOf(trx, { keys: [mailboxKey(invitation.email)], kind, now });
      if (open.length > 1) fail('invitation_open');
      await this.#queue(trx, [{ ...invitation, ...change }]);
      await this.app.audit.write(trx, 'invitation.resent', ['invitation', id]);
    });
  }

  async withdraw(id: number, kind: InvitationKind = 'affiliate'): Promise<void> {
    await this.app.transaction(async (trx) => {
      if ((await this.#known(trx, id, kind)) === null) fail('invitation_not_found');
      const change = { status: 'withdrawn' as const, updated_at: this.app.clock.now() };
      if (!(await store.changeOpen(trx, id, change))) fail('invitation_closed');
      await this.app.audit.write(trx, 'invitation.withdrawn', ['invitation', id]);
    });
  }

  async #known(trx: Db, id: number, kind: InvitationKind): Promise<Invitation | null> {
    const invitation = await store.findInvitation(trx, id);
    return invitation?.kind === kind ? invitation : null;
  }

  /** The open invitation of a link; 422 `invitation_unknown`, `invitation_expired` or `invitation_closed`. */
  async byKey(key: string, kind: InvitationKind = 'affiliate'): Promise<Invitation> {
    const [, id = '', signature = ''] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(key) ?? [];
    const invitation = id === '' ? null : await this.#known(this.app.db, Number(id), kind);
    if (invitation === null || !this.app.secrets.verify(PURPOSE, signedText(invitation), signature))
      return fail('invitation_unknown');
    const state = this.#stateOf(invitation);
    if (state === 'expired') fail('invitation_expired');
    return state === 'open' ? invitation : fail('invitation_closed');
  }

  /** What the invitation gives an affiliate. */
  termsOf({ group_id, rate_type, rate_e4 }: Invitation): Partial<AffiliateInput> {
    return {
      rate_type,
      ...(group_id !== null && { group_id }),
      ...(rate_e4 !== null && { rate: rateToWire(rate_e4) }),
    };
  }

  /** The rate of a person who accepts; null: the program's rate. */
  async rateOf(invitation: Invitation): Promise<{ rate: number; rate_type: 'percentage' | 'fixed' } | null> {
    const group = invitation.group_id === null ? null : await this.app.groups.find(invitation.group_id);
    const own = invitation.rate_e4 === null ? group : invitation;
    if (own === null || own.rate_e4 === null || own.rate_type === 'default' || own.rate_type === 'group')
      return null;
    return {
      rate: rateToWire(own.rate_e4),
      rate_type: own.rate_type === 'percentage' ? 'percentage' : 'fixed',
    };
  }

  /** A person joined by the link. False when another request was faster. */
  accept(id: number, affiliate: Pick<Affiliate, 'id' | 'user_id'>): Promise<boolean> {
    return store.changeOpen(this.app.db, id, {
      status: 'accepted',
      affiliate_id: affiliate.id,
      user_id: affiliate.user_id,
      updated_at: this.app.clock.now(),
    });
  }

  /**
   * The open invitation of a manager. The user who invited must still be an administrator, so that no right
   * outlives theirs.
   */
  async managerByKey(key: string): Promise<Invitation> {
    const invitation = await this.byKey(key, 'manager');
    const { created_by: inviter } = invitation;
    const isGood = inviter !== null && (await this.app.host.can(inviter, 'manage_options'));
    return isGood ? invitation : fail('invitation_closed');
  }

  /** A user takes the rights of an invitation. */
  async acceptRights({ id, permissions }: Invitation, userId: number): Promise<void> {
    const change = { status: 'accepted', user_id: userId, updated_at: this.app.clock.now() } as const;
    if (!(await store.changeOpen(this.app.db, id, change))) fail('invitation_closed');
    await this.app.managers.add(userId, permissions);
  }

  async linkOf(invitation: Invitation): Promise<string> {
    const key = `${invitation.id}.${this.app.secrets.sign(PURPOSE, signedText(invitation))}`;
    const parameter = invitation.kind === 'manager' ? 'manager' : 'invitation';
    return this.app.settings.portalScreenUrl(`/?${parameter}=${key}`);
  }

  /** Was a person ever invited, in any status? */
  async isUsed(): Promise<boolean> {
    const filter = { kind: 'affiliate', search: '', state: '' as const, now: this.app.clock.now() };
    return (await store.countInvitations(this.app.db, filter)) > 0;
  }

  purge(now: number = this.app.clock.now()): Promise<number> {
    return store.purgeInvitations(this.app.db, now - KEPT_MS);
  }

  async #sorted(
    kind: InvitationKind,
    addresses: readonly (readonly [key: string, email: string])[],
  ): Promise<{ fresh: readonly (readonly [string, string])[]; leftOut: readonly LeftOut[] }> {
    const keys = addresses.map(([key]) => key);
    const open = await store.openOf(this.app.db, { keys, kind, now: this.app.clock.now() });
    const invited = new Set(open.map(({ email_key: key }) => key));
    const fresh: (readonly [string, string])[] = [];
    const leftOut: LeftOut[] = [];
    for (const [key, email] of addresses) {
      const reason = !isEmail(email)
        ? 'invalid'
        : invited.has(key)
          ? 'invited'
          : await this.#isIn(kind, email);
      if (reason === null) fresh.push([key, email]);
      else leftOut.push({ email, reason });
    }
    return { fresh, leftOut };
  }

  /** In a host that cannot look up addresses, no user is found; the sign-up then checks again. */
  async #isIn(kind: InvitationKind, email: string): Promise<LeftOut['reason'] | null> {
    const user = await this.app.host.users.findByEmail?.(email);
    if (user == null) return null;
    if (kind === 'affiliate')
      return (await this.app.affiliates.findByUser(user.id)) === null ? null : 'is_affiliate';
    return (await this.app.managers.isOne(user.id)) ? 'is_manager' : null;
  }

  async #termsOf(
    input: InviteInput,
  ): Promise<Pick<Invitation, 'group_id' | 'rate_type' | 'rate_e4' | 'note'>> {
    const { group_id: groupId = null, rate_type: type = 'default', note } = input;
    if (groupId !== null) await this.app.groups.get(groupId);
    const rateE4 = checkedRate(input);
    const text = cut(LINES.read(note ?? ''), NOTE_MAX);
    if (!LINES.fits(text)) failFields({ note: { [LINES.rule]: LINES.says } });
    return {
      group_id: groupId,
      rate_type: type === 'default' && groupId !== null ? 'group' : type,
      rate_e4: rateE4,
      note: text === '' ? null : text,
    };
  }

  async #queue(trx: Db, invitations: readonly Invitation[]): Promise<void> {
    await this.app.outbox.enqueue(
      trx,
      invitations.map(({ id, sent_at: sentAt }, at) => ({
        event: `invitation:${id}:${sentAt}`,
        recipient: `invitation:${id}`,
        kind: INVITATION_MAIL,
        payload: { invitation_id: id },
        delayMs: at * APART_MS,
      })),
    );
  }

  #stateOf({ status, expires_at: expiresAt }: Invitation): InvitationState {
    return status === 'open' && expiresAt <= this.app.clock.now() ? 'expired' : status;
  }
}

const signedText = ({ id, email, created_at: at }: Invitation): string => `${id}|${email}|${at}`;

/** The rate of their own that the invited get; null for that of the program or the group. */
function checkedRate({ rate_type: type = 'default', rate = null }: InviteInput): number | null {
  if (type === 'default' && (rate === null || String(rate).trim() === '')) return null;
  if (type === 'default') failFields({ rate: { without: 'Choose percentage or flat to set a rate.' } });
  const rateE4 = parseRate(rate ?? '');
  if (rateE4 === null)
    return failFields({ rate: { numeric: 'Use a number of 0 or more with at most four decimals.' } });
  if (type === 'percentage' && rateE4 > PERCENT_E4)
    failFields({ rate: { max: 'The percentage must be at most 100.' } });
  return rateE4;
}
