import type { HostUser } from '../../../adapters/host.js';
import type { App } from '../../app.js';
import type { Page } from '../../core/page.js';
import { fail } from '../../errors.js';
import type { Affiliate } from '../affiliates/types.js';
import { bootstrap } from './bootstrap.js';
import { PortalLinks } from './links.js';
import { PortalLists } from './lists.js';
import { qrImage } from './qr.js';
import { SettingsForm } from './settings-form.js';
import type { PageQuery, QrImage, QrQuery } from './types.js';

type Wire = Readonly<Record<string, unknown>>;

/** The signed-in affiliate's own view. Whose data it is follows from the user alone, never from the request. */
export class PortalService {
  readonly #lists: PortalLists;
  readonly #form: SettingsForm;
  readonly #links: PortalLinks;

  constructor(private readonly app: App) {
    this.#lists = new PortalLists(app);
    this.#form = new SettingsForm(app);
    this.#links = new PortalLinks(app);
  }

  async stats(user: HostUser): Promise<Wire> {
    return this.#lists.stats(await this.#own(user));
  }

  async referrals(user: HostUser, query: PageQuery): Promise<Page<Wire>> {
    return this.#lists.referrals(await this.#own(user), query);
  }

  async transactions(user: HostUser, query: PageQuery): Promise<Page<Wire>> {
    return this.#lists.transactions(await this.#own(user), query);
  }

  async visits(user: HostUser, query: PageQuery): Promise<Page<Wire>> {
    return this.#lists.visits(await this.#own(user), query);
  }

  async settings(user: HostUser): Promise<Wire> {
    return this.#form.read(await this.#own(user));
  }

  async saveSettings(user: HostUser, submitted: unknown, address: string | null = null): Promise<void> {
    const affiliate = await this.#own(user);
    await this.#form.save(affiliate, submitted);
    await this.app.fraud.sawAt(affiliate.id, address);
  }

  async bootstrap(user: HostUser): Promise<Wire> {
    return bootstrap(this.app, this.#links, await this.#active(user), user);
  }

  /** Links to a page (default: the home page) on this site and connected ones, and where to share them. */
  async links(user: HostUser, page?: string): Promise<Wire> {
    return this.#links.share(await this.#active(user), page);
  }

  async qrCode(user: HostUser, query: QrQuery): Promise<QrImage> {
    return qrImage(this.app, this.#links, await this.#active(user), query);
  }

  async #own(user: HostUser): Promise<Affiliate> {
    return (await this.app.affiliates.findByUser(user.id)) ?? fail('affiliate_not_found', { status: 422 });
  }

  async #active(user: HostUser): Promise<Affiliate> {
    const affiliate = await this.#own(user);
    return affiliate.status === 'active' ? affiliate : fail('affiliate_not_found', { status: 422 });
  }
}
