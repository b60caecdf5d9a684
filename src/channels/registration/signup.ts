import { isMap } from '../../core/is-map.js';
import type { HostUser } from '../../../adapters/host.js';
import { mailboxKey } from '../../core/mailbox.js';
import type { Invitation } from '../invitations/types.js';
import { AffiliateError, fail, FieldCheck } from '../../errors.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { fellForBait, readAccount, readFullName, withoutPasswords, type Account } from './account.js';
import { readAnswers } from './answers.js';
import { reservedUsernames } from './built-in.js';
import { Challenges } from './challenges.js';
import { sendAccountNotice, sendCode } from './code-mail.js';
import type { RegistrationFields } from './fields.js';
import { HostUsers } from './host-users.js';
import { SignupLimits } from './limits.js';
import type { Application, RegistrationField, SignupOutcome, SignupRequest, Submitted } from './types.js';

interface SentApplication {
  readonly application: Application;
  readonly password: string;
}

const ACCOUNT_FIELDS = new Set(['full_name', 'email', 'username', 'password', 'conf_password']);

/** Turns a submitted form into an affiliate (docs/tracking.md §12). */
export class Signup {
  readonly users: HostUsers;
  readonly #challenges: Challenges;
  readonly #limits: SignupLimits;

  constructor(
    private readonly app: Deps,
    private readonly fields: RegistrationFields,
  ) {
    this.users = new HostUsers(app);
    this.#challenges = new Challenges(app);
    this.#limits = new SignupLimits(app);
  }

  async register(submitted: Submitted, request: SignupRequest): Promise<SignupOutcome> {
    const { user } = request;
    const affiliate = user && (await this.app.affiliates.findByUser(user.id));
    if (affiliate) return this.#outcome(affiliate, user, submitted, false);
    const invitation = await this.#invitationIn(submitted);
    if (invitation === null) await this.#requireOpen();
    if (user === null && !this.users.canCreate) fail('registration_unsupported');
    if (fellForBait(submitted)) fail('registration_refused');
    return user === null
      ? this.#guest(submitted, request, invitation)
      : this.#signedIn(submitted, request, { user, invitation });
  }

  /** Second step of a guest: the code from the mail. */
  async confirm(reference: string, code: string, request: SignupRequest): Promise<SignupOutcome> {
    await this.#requireOpen();
    await this.#limits.takeCode(request.ip);
    const { application, password } = await this.#challenges.redeem<SentApplication>(reference, code);
    return this.#createAccount(application, password, { request, invitation: null });
  }

  /** Another code by mail for a sign-up that waits; the former one is no longer good. */
  async sendAgain(reference: string, request: SignupRequest): Promise<SignupOutcome> {
    await this.#requireOpen();
    await this.#limits.takeCode(request.ip);
    await this.#challenges.renew(reference, async (code, payload) => {
      const { application } = payload as SentApplication; // as it was sealed in #sendMail
      await this.#limits.takeMail(application.email);
      await this.#mailCode(code, application);
    });
    return this.#codeSent(reference);
  }

  /** The address to go to next; a value of the filter that is not an address is ignored. */
  async redirectUrl(user: HostUser | null, submitted: Submitted): Promise<string> {
    const portal = await this.app.settings.portalUrl();
    const url = await this.app.hooks.applyFilters(
      'auth/after_signup_redirect_url',
      portal,
      user,
      withoutPasswords(submitted),
    );
    return /^(?:https?:\/\/|\/(?![/\\]))[^\s<>"]*$/i.test(url) ? url : portal;
  }

  /** Checks answers to fields that the administrator added; the filter of extensions runs last. */
  async customValues(
    fields: readonly RegistrationField[],
    submitted: Submitted,
  ): Promise<Readonly<Record<string, unknown>>> {
    const check = new FieldCheck();
    const values = readAnswers(
      check,
      fields.filter((field) => field.custom === 'yes'),
      submitted,
    );
    check.throwIfAny();
    return this.#filteredValues(values, fields, submitted);
  }

  /** A new account of the host for this address, which is proven. */
  async accountFor(email: string, submitted: Submitted, ip: string | null): Promise<HostUser> {
    const check = new FieldCheck();
    const reserved = await this.app.hooks.applyFilters('reserved_usernames', reservedUsernames());
    const account = readAccount(check, { ...submitted, email }, reserved);
    check.throwIfAny();
    await this.#limits.takeSignup(ip, email);
    await this.users.requireFree(account);
    return this.users.create(account);
  }

  /** The open invitation that the form was opened with; null without one. */
  async #invitationIn(submitted: Submitted): Promise<Invitation | null> {
    const key = submitted['invitation'];
    return typeof key === 'string' && key !== '' ? this.app.invitations.byKey(key) : null;
  }

  async #guest(
    submitted: Submitted,
    request: SignupRequest,
    invitation: Invitation | null,
  ): Promise<SignupOutcome> {
    const check = new FieldCheck();
    const account = readAccount(
      check,
      invitation === null ? submitted : { ...submitted, email: invitation.email },
      await this.app.hooks.applyFilters('reserved_usernames', reservedUsernames()),
    );
    const application = await this.#application(check, account, submitted, null);
    // Counted before the host is asked, so that trying out addresses is limited like signing up.
    await this.#limits.takeSignup(request.ip, account.email);
    // A person with the link of an invitation has read the mailbox.
    const verifyEmail = this.app.options.registration.verifyEmail && invitation === null;
    if (!verifyEmail) await this.users.requireFree(account);
    await this.#preCheck(application, submitted, request);
    return verifyEmail
      ? this.#sendMail(application, account.password)
      : this.#createAccount(application, account.password, { request, invitation });
  }

  async #signedIn(
    submitted: Submitted,
    request: SignupRequest,
    { user, invitation }: { readonly user: HostUser; readonly invitation: Invitation | null },
  ): Promise<SignupOutcome> {
    if (invitation !== null && mailboxKey(invitation.email) !== mailboxKey(user.email))
      fail('invitation_other_account');
    const check = new FieldCheck();
    // The host's name does not change; the form shows it and may omit it.
    const fullName = readFullName(check, { full_name: user.full_name, ...submitted });
    const application = await this.#application(
      check,
      { full_name: fullName, email: user.email, username: user.login },
      submitted,
      user,
    );
    await this.#limits.takeSignup(request.ip, user.email);
    await this.#preCheck(application, submitted, request);
    return this.#outcome(await this.#createAffiliate(user, application, invitation), user, submitted, true);
  }

  /**
   * Everything except the account: answers to the other fields, checked together with the errors found
   * before.
   */
  async #application(
    check: FieldCheck,
    account: Pick<Account, 'full_name' | 'email' | 'username'>,
    submitted: Submitted,
    user: HostUser | null,
  ): Promise<Application> {
    const fields = (await this.fields.asked(user)).filter(({ name }) => !ACCOUNT_FIELDS.has(name));
    const answers = readAnswers(check, fields, submitted);
    check.throwIfAny();
    const own = Object.fromEntries(
      fields
        .filter(({ name, custom }) => custom === 'yes' && Object.hasOwn(answers, name))
        .map(({ name }) => [name, answers[name]]),
    );
    const custom = await this.#filteredValues(own, fields, submitted);
    const text = (name: string): string => (typeof answers[name] === 'string' ? answers[name] : '');
    return {
      full_name: account.full_name,
      email: account.email,
      username: account.username,
      note: text('note'),
      payment_email: text('payment_email'),
      bank_details: text('bank_details'),
      custom_fields: text('url') === '' ? custom : { url: text('url'), ...custom },
    };
  }

  async #filteredValues(
    values: Submitted,
    fields: readonly RegistrationField[],
    submitted: Submitted,
  ): Promise<Submitted> {
    const answer = await this.app.hooks.applyFilters(
      'auth/custom_field_values',
      values,
      fields,
      withoutPasswords(submitted),
    );
    return isMap(answer) ? answer : values;
  }

  /**
   * Runs captcha and similar checks. Not repeated with the code, because an answer to a captcha can be used
   * once.
   */
  async #preCheck(
    application: Application,
    submitted: Submitted,
    { id, url, ip, raw }: SignupRequest,
  ): Promise<void> {
    await this.app.captcha.check(submitted);
    const seen = {
      id,
      method: 'POST',
      url,
      ip,
      user_agent: raw.headers['user-agent'] ?? '',
      submitted: withoutPasswords(submitted),
    };
    const found: unknown = await this.app.hooks.applyFilters(
      'auth/pre_registration_errors',
      [],
      { ...application },
      seen,
    );
    if (Array.isArray(found) ? found.length === 0 : !isMap(found) || Object.keys(found).length === 0) return;
    const { message, errors } = (isMap(found) ? found : {}) as { message?: unknown; errors?: unknown };
    fail('registration_refused', {
      ...(typeof message === 'string' ? { message } : {}),
      fields: fieldErrors(errors),
    });
  }

  /**
   * A sender learns nothing about others: if the address has an account, a mail to it explains this, and the
   * code is not sent.
   */
  async #sendMail(application: Application, password: string): Promise<SignupOutcome> {
    await this.#limits.takeMail(application.email);
    const { reference, code } = await this.#challenges.open({
      application,
      password,
    } satisfies SentApplication);
    try {
      await this.#mailCode(code, application);
    } catch (error) {
      await this.#challenges.drop(reference);
      throw error;
    }
    return this.#codeSent(reference);
  }

  async #mailCode(code: string, application: Application): Promise<void> {
    const hasAccount = await this.users.hasAccount(application.email);
    try {
      await (hasAccount ? sendAccountNotice(this.app, application) : sendCode(this.app, code, application));
    } catch (error) {
      this.app.log.error('the mail with a sign-up code could not be sent', { error });
      fail('mail_not_sent', { cause: error });
    }
  }

  #codeSent(reference: string): SignupOutcome {
    return { kind: 'code_sent', reference, expiresIn: this.#challenges.lifeSeconds };
  }

  async #createAccount(
    application: Application,
    password: string,
    { request, invitation }: { readonly request: SignupRequest; readonly invitation: Invitation | null },
  ): Promise<SignupOutcome> {
    const account: Account = {
      full_name: application.full_name,
      email: application.email,
      username: application.username,
      password,
    };
    await this.users.requireFree(account);
    const user = await this.users.create(account);
    const affiliate = await this.#createAffiliate(user, application, invitation);
    await this.users.signIn(user, request);
    return this.#outcome(affiliate, user, { ...application }, true);
  }

  async #createAffiliate(
    user: HostUser,
    application: Application,
    invitation: Invitation | null,
  ): Promise<Affiliate> {
    const affiliate = await this.#insertAffiliate(user, application, invitation);
    if (invitation !== null) await this.app.invitations.accept(invitation.id, affiliate);
    return affiliate;
  }

  async #insertAffiliate(
    user: HostUser,
    application: Application,
    invitation: Invitation | null,
  ): Promise<Affiliate> {
    const { require_approval: approval } = await this.fields.settings();
    const isApproved = await this.app.hooks.applyFilters('auth/auto_approve_affiliates', false, user);
    const context = { ...this.app.context.current(), user, source: 'code' as const };
    try {
      return await this.app.context.run(context, () =>
        this.app.affiliates.changes.create({
          user_id: user.id,
          status: isApproved || approval === 'no' || invitation !== null ? 'active' : 'pending',
          rate_type: 'default',
          payment_email: application.payment_email || null,
          bank_details: application.bank_details,
          note: application.note || null,
          custom_fields: application.custom_fields,
          ...(invitation && this.app.invitations.termsOf(invitation)),
        }),
      );
    } catch (error) {
      // The same form was sent twice at the same time.
      if (error instanceof AffiliateError && error.code === 'affiliate_exists')
        return (await this.app.affiliates.findByUser(user.id)) ?? fail('busy');
      throw error;
    }
  }

  async #outcome(
    affiliate: Affiliate,
    user: HostUser | null,
    submitted: Submitted,
    isNew: boolean,
  ): Promise<SignupOutcome> {
    return { kind: 'applied', affiliate, redirectUrl: await this.redirectUrl(user, submitted), isNew };
  }

  async #requireOpen(): Promise<void> {
    if ((await this.fields.settings()).enabled === 'no') fail('registration_closed');
  }
}

/** Reads both `{captcha: 'wrong'}` and `{captcha: {invalid: 'wrong'}}`. */
function fieldErrors(errors: unknown): Record<string, Record<string, string>> {
  if (!isMap(errors)) return {};
  return Object.fromEntries(
    Object.entries(errors).map(([field, rules]) => [
      field,
      isMap(rules)
        ? Object.fromEntries(Object.entries(rules).map(([rule, text]) => [rule, String(text)]))
        : { invalid: String(rules) },
    ]),
  );
}
