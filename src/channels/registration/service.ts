import type { HostUser } from '../../../adapters/host.js';
import { mailboxKey } from '../../core/mailbox.js';
import { fail } from '../../errors.js';
import type { InvitedDto, InvitedManagerDto } from './schemas.js';
import type { Deps } from './deps.js';
import { RegistrationFields } from './fields.js';
import { Signup } from './signup.js';
import type {
  RegistrationField,
  RegistrationSettings,
  SignupForm,
  SignupOutcome,
  SignupRequest,
  SignupState,
  Submitted,
} from './types.js';

/** The sign-up form and what happens when it is sent (docs/settings.md §8, docs/tracking.md §12). */
export class RegistrationService {
  readonly #fields: RegistrationFields;
  readonly #signup: Signup;

  constructor(private readonly app: Deps) {
    this.#fields = new RegistrationFields(app);
    this.#signup = new Signup(app, this.#fields);
    app.affiliates.contribute({ formFields: () => this.fields() });
  }

  settings(): Promise<RegistrationSettings> {
    return this.#fields.settings();
  }

  /** All stored fields, without filters; also inside a transaction. */
  fields(): Promise<readonly RegistrationField[]> {
    return this.#fields.all();
  }

  /** The enabled fields that the administrator added, for forms where affiliates change their answers. */
  async customFields(): Promise<readonly RegistrationField[]> {
    return (await this.#fields.all()).filter((field) => field.custom === 'yes' && field.enabled === 'yes');
  }

  /**
   * Checks answers to those of the fields that the administrator added. Errors: `validation_failed`,
   * `hook_aborted`.
   */
  customValues(
    fields: readonly RegistrationField[],
    submitted: Submitted,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.#signup.customValues(fields, submitted);
  }

  /** Fields and settings for the administrator. */
  async list(): Promise<{ fields: readonly RegistrationField[]; settings: RegistrationSettings }> {
    return { fields: await this.#fields.listed(), settings: await this.#fields.settings() };
  }

  async save(
    fields: readonly unknown[],
    settings: Partial<RegistrationSettings>,
  ): ReturnType<RegistrationService['list']> {
    await this.#fields.save(fields, settings);
    return this.list();
  }

  /** The form for this visitor; affiliates are redirected. */
  async form(user: HostUser | null): Promise<SignupForm> {
    const affiliate = user && (await this.app.affiliates.findByUser(user.id));
    return {
      fields: await this.#fields.asked(user),
      settings: await this.#fields.settings(),
      supported: user !== null || this.#signup.users.canCreate,
      affiliate,
      redirectUrl: affiliate ? await this.#signup.redirectUrl(user, {}) : null,
      captcha: await this.app.captcha.challenge(),
    };
  }

  /**
   * Handles a submitted form. Guests first get a code by mail, unless option `registration.verifyEmail` is
   * off.
   */
  async register(submitted: Submitted, request: SignupRequest): Promise<SignupOutcome> {
    return this.#seen(await this.#signup.register(submitted, request), request);
  }

  async confirm(reference: string, code: string, request: SignupRequest): Promise<SignupOutcome> {
    return this.#seen(await this.#signup.confirm(reference, code, request), request);
  }

  /** What an invitation shows before it is accepted; errors: `invitation_unknown`, `_expired`, `_closed`. */
  async invited(key: string): Promise<InvitedDto> {
    const invitation = await this.app.invitations.byKey(key);
    return {
      email: invitation.email,
      has_account: await this.#signup.users.hasAccount(invitation.email),
      rate: await this.app.invitations.rateOf(invitation),
    };
  }

  /** The same for an invitation to become a manager. */
  async invitedManager(key: string): Promise<InvitedManagerDto> {
    const { email, permissions } = await this.app.invitations.managerByKey(key);
    return {
      email,
      has_account: await this.#signup.users.hasAccount(email),
      supported: this.#signup.users.canCreate,
      permissions: [...permissions],
    };
  }

  /** The signed-in user, or the new account of a visitor, gets the rights. Returns the address of the console. */
  async acceptManager(submitted: Submitted, request: SignupRequest): Promise<string> {
    const key = String(submitted['key'] ?? '');
    const invitation = await this.app.invitations.managerByKey(key);
    const user = request.user ?? (await this.#signup.accountFor(invitation.email, submitted, request.ip));
    if (mailboxKey(invitation.email) !== mailboxKey(user.email)) fail('invitation_other_account');
    await this.app.invitations.acceptRights(invitation, user.id);
    if (request.user === null) await this.#signup.users.signIn(user, request);
    return this.app.settings.consoleUrl('/');
  }

  /** Sends another code; errors: `verification_expired`, `rate_limited` within 30 seconds, `mail_not_sent`. */
  sendAgain(reference: string, request: SignupRequest): Promise<SignupOutcome> {
    return this.#signup.sendAgain(reference, request);
  }

  async #seen(outcome: SignupOutcome, { ip }: SignupRequest): Promise<SignupOutcome> {
    if (outcome.kind === 'applied') await this.app.fraud.sawAt(outcome.affiliate.id, ip);
    return outcome;
  }

  /** The state of a visitor, for the pages around the form and the portal. */
  async state(user: HostUser | null): Promise<SignupState> {
    const { affiliate, settings, supported, redirectUrl } = await this.form(user);
    const registration = settings.enabled === 'no' ? 'closed' : supported ? 'open' : 'unsupported';
    if (!affiliate) return { state: user === null ? 'guest' : 'none', registration, redirectUrl: null };
    // Imported rows may contain other words; affiliates that are neither active nor waiting count as
    // inactive.
    const state =
      affiliate.status === 'active' || affiliate.status === 'pending' ? affiliate.status : 'inactive';
    return { state, registration, redirectUrl };
  }
}
