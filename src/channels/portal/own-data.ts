import type { HostUser } from '../../../adapters/host.js';
import { toIso } from '../../core/dates.js';
import type { Page } from '../../core/page.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import { PortalAccount } from './account.js';
import { Clicks } from './clicks.js';
import { Earnings } from './earnings.js';
import type { Deps } from './deps.js';
import { Payments } from './payments.js';
import type { OwnData } from './schemas.js';

const PAGE = 200;
/** Of each list; the newest rows. Larger accounts read the rest page by page. */
const MOST = 5000;

/** Everything the program holds of one affiliate, for its owner. */
export class OwnDataReader {
  constructor(private readonly app: Deps) {}

  async of(affiliate: Affiliate, user: HostUser): Promise<OwnData> {
    const account = new PortalAccount(this.app);
    const all = { search: '' };
    const commissions = await firstOf(
      async (page) => (await new Earnings(this.app).list(affiliate, { ...page, ...all, state: '' })).page,
    );
    const payments = await firstOf((page) => new Payments(this.app).list(affiliate, page));
    const clicks = await firstOf((page) =>
      new Clicks(this.app).list(affiliate, { ...page, ...all, converted: '' }),
    );
    return {
      exported_at: toIso(this.app.clock.now()),
      site: this.app.host.site().name,
      affiliate_id: affiliate.id,
      status: affiliate.status,
      profile: await account.profile(affiliate, user),
      link: await account.linkName(affiliate),
      payment_details: await account.paymentDetails(affiliate),
      invoice_details: affiliate.settings.invoice ?? null,
      mails: account.notifications(affiliate),
      deletion_asked_at: toIso(affiliate.deletion_asked_at),
      commissions: commissions.rows,
      payments: payments.rows,
      clicks: clicks.rows,
      totals: { commissions: commissions.total, payments: payments.total, clicks: clicks.total },
    };
  }
}

async function firstOf<T>(
  read: (page: { readonly page: number; readonly per_page: number }) => Promise<Page<T>>,
): Promise<{ rows: T[]; total: number }> {
  const rows: T[] = [];
  for (let page = 1; ; page += 1) {
    const { rows: more, total } = await read({ page, per_page: PAGE });
    rows.push(...more);
    if (more.length < PAGE || rows.length >= MOST) return { rows, total };
  }
}
