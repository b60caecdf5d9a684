import type { HostUser } from '../../../adapters/host.js';
import { fail } from '../../errors.js';
import { RateLimiter } from '../../platform/http/rate-limit.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { PortalAccount, type PaymentDetailsInput } from './account.js';
import { bootstrap } from './bootstrap.js';
import { COLUMNS_OF, type PerformanceOf } from './click-queries.js';
import { closedAccountOf } from './closed.js';
import { Clicks } from './clicks.js';
import { Earnings } from './earnings.js';
import { PortalLinks } from './links.js';
import { PortalLists } from './lists.js';
import { Overview, PERIODS } from './overview.js';
import { OwnDataReader } from './own-data.js';
import { Payments } from './payments.js';
import { qrImage } from './qr.js';
import type { ClosedAccount, ProgramTerms } from './schemas.js';
import { SettingsForm } from './settings-form.js';
import { Terms } from './terms.js';
import { Statement } from './statement.js';
import type { QrImage, QrQuery } from './types.js';

/**
 * What signed-in affiliates see and change of their own. The user alone decides whose data it is, never the
 * request.
 */
export class PortalService {
  readonly account: PortalAccount;
  readonly clicks: Clicks;
  readonly earnings: Earnings;
  readonly form: SettingsForm;
  readonly lists: PortalLists;
  readonly overview: Overview;
  readonly ownData: OwnDataReader;
  readonly payments: Payments;
  readonly statement: Statement;
  readonly #links: PortalLinks;
  readonly #limiter: RateLimiter;

  constructor(private readonly app: Deps) {
    this.account = new PortalAccount(app);
    this.clicks = new Clicks(app);
    this.earnings = new Earnings(app);
    this.form = new SettingsForm(app);
    this.lists = new PortalLists(app);
    this.overview = new Overview(app);
    this.ownData = new OwnDataReader(app);
    this.payments = new Payments(app);
    this.statement = new Statement(app);
    this.#links = new PortalLinks(app);
    this.#limiter = new RateLimiter(app);
  }

  /** What the affiliate of this user earns and when it is paid; without one, what a new affiliate would. */
  async terms(user: HostUser | null): Promise<ProgramTerms> {
    return new Terms(this.app).of(user && (await this.app.affiliates.findByUser(user.id)));
  }

  /** The address that affiliates of the program write to; null for other users, and if there is none. */
  async contact(user: HostUser): Promise<string | null> {
    if ((await this.app.affiliates.findByUser(user.id)) === null) return null;
    return (await this.app.emails.contact()) || null;
  }

  /** Who closed the account of an inactive affiliate, with the reason that a rejected applicant was given. */
  async closed(user: HostUser): Promise<ClosedAccount> {
    const affiliate = await this.app.affiliates.findByUser(user.id);
    return affiliate?.status === 'inactive' ? closedAccountOf(this.app.audit, affiliate.id) : null;
  }

  async saveSettings(user: HostUser, submitted: unknown, address: string | null = null): Promise<void> {
    const affiliate = await this.own(user);
    await this.form.save(affiliate, submitted);
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

  async performance(user: HostUser, by: string, days: unknown): ReturnType<Clicks['performance']> {
    const length = PERIODS.find((each) => each === Number(days)) ?? 30;
    return this.clicks.performance(
      await this.own(user),
      (Object.keys(COLUMNS_OF) as PerformanceOf[]).find((each) => each === by) ?? 'campaign',
      length,
    );
  }

  async savePaymentDetails(
    user: HostUser,
    details: PaymentDetailsInput,
    address: string | null,
  ): ReturnType<PortalAccount['savePaymentDetails']> {
    const affiliate = await this.own(user);
    const saved = await this.account.savePaymentDetails(affiliate, details);
    await this.app.fraud.sawAt(affiliate.id, address);
    return saved;
  }

  /** The affiliate of the signed-in user, whose data the parts above show and change. */
  async own(user: HostUser): Promise<Affiliate> {
    return (await this.app.affiliates.findByUser(user.id)) ?? fail('affiliate_not_found', { status: 422 });
  }

  async #active(user: HostUser): Promise<Affiliate> {
    const affiliate = await this.own(user);
    return affiliate.status === 'active' ? affiliate : fail('affiliate_not_found', { status: 422 });
  }
}
