import { isMap } from '../../core/is-map.js';
import { currencySymbol } from '../../core/money.js';
import type { HostUser } from '../../../adapters/host.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import type { PortalLinks } from './links.js';
import type { PortalBootstrap } from './schemas.js';
import { colorsOf, QR_FEATURE } from './qr.js';
import { portalWords } from './words.js';

/** The data that the portal app starts with (docs/interface.md §11.5). */
export async function bootstrap(
  app: Deps,
  links: PortalLinks,
  affiliate: Affiliate,
  user: HostUser,
): Promise<PortalBootstrap> {
  const bound = (await app.conversions.couponsOf(affiliate.id)).map(({ code }) => ({
    code,
    description: '',
  }));
  const coupons = await app.hooks.applyFilters('affiliate_attached_coupons', bound, affiliate, 'view');
  const social = await links.platforms();
  const { currency, currency_symbol_position: position } = await app.settings.referralConfig();
  return app.hooks.applyFilters('portal_localize_data', {
    site_info: await siteInfo(app, affiliate),
    additional_sites: await app.connectedSites.additionalSites(affiliate),
    i18n: portalWords(app.host.site().language),
    user: {
      full_name: user.full_name,
      email: user.email,
      affiliate_id: affiliate.id,
      website: user.url,
      user_name: user.login,
      edit_url: '',
      avatar: '',
    },
    branded_coupons: coupons.filter(isMap),
    currency: { currency, currency_symbol: currencySymbol(currency), currency_symbol_position: position },
    menu_items: await menuItems(app, affiliate),
    qr_code_settings: await qrSettings(app),
    ...(social.length > 0 && { social_links: social }),
  });
}

async function siteInfo(app: Deps, affiliate: Affiliate): Promise<PortalBootstrap['site_info']> {
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

async function qrSettings(app: Deps): Promise<PortalBootstrap['qr_code_settings']> {
  const { is_enabled, settings } = await app.settings.features.get(QR_FEATURE);
  return { is_enabled, settings: colorsOf(settings) };
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

/** Titles in the portal app of the WordPress plugin, where they differ from ours. */
const PLUGIN_TITLES: Readonly<Partial<Record<keyof typeof MENU, string>>> = {
  home: 'Dashboard',
  creatives: 'Promo Materials',
};
/** The same icons as SVG, for clients that print them as they are. */
const DRAWN: Readonly<Record<keyof typeof MENU, string>> = {
  home: 'M4 11l8-7 8 7v9h-6v-6h-4v6H4z',
  links: 'M10 14l4-4M8 12l-2 2a3 3 0 004 4l2-2M12 8l2-2a3 3 0 014 4l-2 2',
  creatives: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M9 9h0',
  referrals: 'M8 8a3 3 0 100-6 3 3 0 000 6zM2 20c0-5 12-5 12 0M17 8v6M14 11h6',
  payouts: 'M3 6h18v12H3zM12 15a3 3 0 100-6 3 3 0 000 6z',
  visits: 'M5 3l14 8-6 2-2 6z',
  settings: 'M12 15a3 3 0 100-6 3 3 0 000 6zM12 2v4M12 18v4M2 12h4M18 12h4',
};
const svg = (path: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2"><path d="${path}"/></svg>`;

async function menuItems(app: Deps, affiliate: Affiliate): Promise<PortalBootstrap['menu_items']> {
  const hasCreatives = (await app.creatives.countFor(affiliate)) > 0;
  const forPlugin = app.options.compat !== undefined;
  const words = forPlugin ? portalWords(app.host.site().language) : {};
  const titled = (english: string): string => words[english] ?? english;
  const item = (key: keyof typeof MENU): PortalBootstrap['menu_items'][string] => ({
    title: titled((forPlugin && PLUGIN_TITLES[key]) || MENU[key][0]),
    enabled: key !== 'creatives' || hasCreatives,
    icon: forPlugin ? svg(DRAWN[key]) : MENU[key][1],
    route: { name: key },
  });
  const items = Object.fromEntries(
    (Object.keys(MENU) as (keyof typeof MENU)[]).map((key) => [key, item(key)]),
  );
  return app.hooks.applyFilters('portal_menu_items', items, affiliate);
}
