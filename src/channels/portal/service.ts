import type { HostUser } from '../../../adapters/host.js';
import { fail } from '../../errors.js';
import { RateLimiter } from '../../platform/http/rate-limit.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { PortalAccount, type PaymentDetailsInput, type ProfileInput } from './account.js';
import { bootstrap } from './bootstrap.js';
import { COLUMNS_OF, type PerformanceOf } from './click-queries.js';
import { whyClosed } from './closed.js';
import { Clicks, type ClicksQuery } from './clicks.js';
import { Earnings, type EarningsQuery } from './earnings.js';
import { PortalLinks } from './links.js';
import { PortalLists } from './lists.js';
import { Overview, PERIODS } from './overview.js';
import { OwnDataReader } from './own-data.js';
import { Payments } from './payments.js';
import { qrImage } from './qr.js';
import type { ClosedAccount, Notifications, ProgramTerms } from './schemas.js';
import { SettingsForm } from './settings-form.js';
import { Terms } from './terms.js';
import { Statement, type StatementQuery } from './statement.js';
import type { PageQuery, QrImage, QrQuery } from './types.js';

/**
 * What signed-in affiliates see and change of their own. The user alone decides whose data it is, never the
 * request.
 */
export class PortalService {
  readonly #lists: PortalLists;
  readonly #form: SettingsForm;
  readonly #links: PortalLinks;
  readonly #account: PortalAccount;

  readonly #limiter: RateLimiter;

  constructor(private readonly app: Deps) {
    this.#limiter = new RateLimiter(app);
    this.#lists = new PortalLists(app);
    this.#form = new SettingsForm(app);
    this.#links = new PortalLinks(app);
    this.#account = new PortalAccount(app);
  }

  /** What the affiliate of this user earns and when it is paid; without one, what a new affiliate would. */
  async terms(user: HostUser | null): Promise<ProgramTerms> {
    return new Terms(this.app).of(user && (await this.app.affiliates.findByUser(user.id)));
  }

  /** The address that answers to the program's mails go to, for its affiliates. */
  async contact(user: HostUser): Promise<string | null> {
    if ((await this.app.affiliates.findByUser(user.id)) === null) return null;
    const { reply_to_email: replies, send_from_email: sender } = await this.app.emails.config();
    return replies || sender || null;
  }

  /** Who closed the account of an inactive affiliate, with the reason that a rejected applicant was told. */
  async closed(user: HostUser): Promise<ClosedAccount> {
    const affiliate = await this.app.affiliates.findByUser(user.id);
    return affiliate?.status === 'inactive' ? whyClosed(this.app.audit, affiliate.id) : null;
  }

  async stats(user: HostUser): ReturnType<PortalLists['stats']> {
    return this.#lists.stats(await this.#own(user));
  }

  async referrals(user: HostUser, query: PageQuery): ReturnType<PortalLists['referrals']> {
    return this.#lists.referrals(await this.#own(user), query);
  }

  async transactions(user: HostUser, query: PageQuery): ReturnType<PortalLists['transactions']> {
    return this.#lists.transactions(await this.#own(user), query);
  }

  async visits(user: HostUser, query: PageQuery): ReturnType<PortalLists['visits']> {
    return this.#lists.visits(await this.#own(user), query);
  }

  async settings(user: HostUser): ReturnType<SettingsForm['read']> {
    return this.#form.read(await this.#own(user));
  }

  /** Lists in the settings form, which a form body leaves out when they are empty. */
  formParts(): ReturnType<SettingsForm['formParts']> {
    return this.#form.formParts();
  }

  async saveSettings(user: HostUser, submitted: unknown, address: string | null = null): Promise<void> {
    const affiliate = await this.#own(user);
    await this.#form.save(affiliate, submitted);
    await this.app.fraud.sawAt(affiliate.id, address);
  }

  async bootstrap(user: HostUser): ReturnType<typeof bootstrap> {
    return bootstrap(this.app, this.#links, await this.#active(user), user);
  }

  /** Links to a page (default: the home page) on this site and connected ones, and where to share them. */
  async links(user: HostUser, page?: string): ReturnType<PortalLinks['share']> {
    return this.#links.share(await this.#active(user), page);
  }

  async qrCode(user: HostUser, query: QrQuery): Promise<QrImage> {
    return qrImage({ app: this.app, limiter: this.#limiter }, this.#links, await this.#active(user), query);
  }

  async overview(user: HostUser, days: unknown): ReturnType<Overview['of']> {
    return new Overview(this.app).of(await this.#own(user), Number(days));
  }

  async earnings(user: HostUser, query: EarningsQuery): ReturnType<Earnings['list']> {
    return new Earnings(this.app).list(await this.#own(user), query);
  }

  async statement(user: HostUser, query: StatementQuery): ReturnType<Statement['list']> {
    return this.statementOf(await this.#own(user), query);
  }

  /** For those who run the program. */
  statementOf(affiliate: Affiliate, query: StatementQuery): ReturnType<Statement['list']> {
    return new Statement(this.app).list(affiliate, query);
  }

  async statementExport(
    user: HostUser,
    dates: Pick<StatementQuery, 'start_date' | 'end_date'>,
  ): ReturnType<Statement['export']> {
    return new Statement(this.app).export(await this.#own(user), dates);
  }

  async payments(user: HostUser, query: PageQuery): ReturnType<Payments['list']> {
    return new Payments(this.app).list(await this.#own(user), query);
  }

  async payment(user: HostUser, id: number, query: PageQuery): ReturnType<Payments['statement']> {
    return new Payments(this.app).statement(await this.#own(user), user, id, query);
  }

  async paymentExport(user: HostUser, id: number): ReturnType<Payments['export']> {
    return new Payments(this.app).export(await this.#own(user), id);
  }

  async clicks(user: HostUser, query: ClicksQuery): ReturnType<Clicks['list']> {
    return new Clicks(this.app).list(await this.#own(user), query);
  }

  async performance(user: HostUser, by: string, days: unknown): ReturnType<Clicks['performance']> {
    const length = PERIODS.find((each) => each === Number(days)) ?? 30;
    return new Clicks(this.app).performance(
      await this.#own(user),
      (Object.keys(COLUMNS_OF) as PerformanceOf[]).find((each) => each === by) ?? 'campaign',
      length,
    );
  }

  async paymentDetails(user: HostUser): ReturnType<PortalAccount['paymentDetails']> {
    return this.#account.paymentDetails(await this.#own(user));
  }

  async savePaymentDetails(
    user: HostUser,
    details: PaymentDetailsInput,
    address: string | null,
  ): ReturnType<PortalAccount['savePaymentDetails']> {
    const affiliate = await this.#own(user);
    const saved = await this.#account.savePaymentDetails(affiliate, details);
    await this.app.fraud.sawAt(affiliate.id, address);
    return saved;
  }

  async notifications(user: HostUser): Promise<Notifications> {
    return this.#account.notifications(await this.#own(user));
  }

  async saveNotifications(
    user: HostUser,
    given: Parameters<PortalAccount['saveNotifications']>[1],
  ): Promise<Notifications> {
    return this.#account.saveNotifications(await this.#own(user), given);
  }

  async invoiceDetails(user: HostUser): ReturnType<PortalAccount['invoiceDetails']> {
    return this.#account.invoiceDetails(await this.#own(user));
  }

  async saveInvoiceDetails(
    user: HostUser,
    given: Parameters<PortalAccount['saveInvoiceDetails']>[1],
  ): ReturnType<PortalAccount['invoiceDetails']> {
    return this.#account.saveInvoiceDetails(await this.#own(user), given);
  }

  async profile(user: HostUser): ReturnType<PortalAccount['profile']> {
    return this.#account.profile(await this.#own(user), user);
  }

  async saveProfile(user: HostUser, given: ProfileInput): ReturnType<PortalAccount['profile']> {
    return this.#account.saveProfile(await this.#own(user), user, given);
  }

  async ownData(user: HostUser): ReturnType<OwnDataReader['of']> {
    return new OwnDataReader(this.app).of(await this.#own(user), user);
  }

  async leave(user: HostUser): Promise<Affiliate> {
    return this.app.affiliates.leave((await this.#own(user)).id);
  }

  async saveNote(user: HostUser, referralId: number, note: string): ReturnType<Earnings['saveNote']> {
    return new Earnings(this.app).saveNote(await this.#own(user), referralId, note);
  }

  async askDeletion(user: HostUser, isAsked: boolean): Promise<Affiliate> {
    return this.app.affiliates.askDeletion((await this.#own(user)).id, isAsked);
  }

  async linkName(user: HostUser): ReturnType<PortalAccount['linkName']> {
    return this.#account.linkName(await this.#own(user));
  }

  async saveLinkName(user: HostUser, name: string | null): ReturnType<PortalAccount['linkName']> {
    return this.#account.saveLinkName(await this.#own(user), name);
  }

  async #own(user: HostUser): Promise<Affiliate> {
    return (await this.app.affiliates.findByUser(user.id)) ?? fail('affiliate_not_found', { status: 422 });
  }

  async #active(user: HostUser): Promise<Affiliate> {
    const affiliate = await this.#own(user);
    return affiliate.status === 'active' ? affiliate : fail('affiliate_not_found', { status: 422 });
  }
}
