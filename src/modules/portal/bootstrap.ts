import type { App } from '../../app.js';
import { currencySymbol } from '../../core/money.js';
import type { HostUser } from '../../../adapters/host.js';
import type { Affiliate } from '../affiliates/types.js';
import type { PortalLinks } from './links.js';
import { QR_FEATURE } from './qr.js';

type Wire = Record<string, unknown>;

/** Everything the portal app starts with (portal §9). */
export async function bootstrap(
  app: App,
  links: PortalLinks,
  affiliate: Affiliate,
  user: HostUser,
): Promise<Wire> {
  const coupons = await app.hooks.applyFilters('affiliate_attached_coupons', [], affiliate, 'view');
  const social = await links.platforms();
  const { currency, currency_symbol_position: position } = await app.settings.referralConfig();
  return app.hooks.applyFilters('portal_localize_data', {
    site_info: await siteInfo(app, affiliate),
    additional_sites: await app.sites.additionalSites(affiliate),
    i18n: {},
    user: {
      full_name: user.full_name,
      email: user.email,
      affiliate_id: affiliate.id,
      website: user.url,
      user_name: user.login,
      edit_url: '',
      avatar: '',
    },
    branded_coupons: [...coupons],
    currency: { currency, currency_symbol: currencySymbol(currency), currency_symbol_position: position },
    menu_items: await menuItems(app, affiliate),
    qr_code_settings: await qrSettings(app),
    ...(social.length > 0 && { social_links: social }),
  });
}

async function siteInfo(app: App, affiliate: Affiliate): Promise<Wire> {
  const { referral_variable: variable, referral_format: format } = await app.settings.referralConfig();
  const { url, name } = app.host.site();
  const value = await app.tracking.valueOf(affiliate);
  return {
    site_url: `${url}/`,
    site_name: name,
    share_url: await app.tracking.shareBaseOf(affiliate),
    aff_var: variable,
    aff_value: format === 'id' && value === String(affiliate.id) ? affiliate.id : value,
  };
}

async function qrSettings(app: App): Promise<Wire> {
  const { is_enabled, settings } = await app.settings.features.get(QR_FEATURE);
  return { is_enabled, settings };
}

const MENU = {
  home: ['Home', 'Home'],
  links: ['Links', 'Link'],
  creatives: ['Creatives', 'Picture'],
  referrals: ['Referrals', 'LinkReferal'],
  payouts: ['Payouts', 'MoneyPaid'],
  visits: ['Visits', 'LinkClick'],
  settings: ['Settings', 'Setting'],
} as const;

async function menuItems(app: App, affiliate: Affiliate): Promise<Wire> {
  const hasCreatives = (await app.creatives.countFor(affiliate)) > 0;
  const items = Object.fromEntries(
    Object.entries(MENU).map(([key, [title, icon]]) => [
      key,
      { title, enabled: key !== 'creatives' || hasCreatives, icon, route: { name: key } },
    ]),
  );
  return app.hooks.applyFilters('portal_menu_items', items, affiliate);
}
