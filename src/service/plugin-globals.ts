import type { IncomingMessage } from 'node:http';
import type { App } from '../app/app.js';
import { CUSTOM_TYPES } from '../channels/registration/types.js';
import { currencies, currencySymbol } from '../core/money.js';
import { createPermissions } from '../platform/access/permissions.js';
import { sessionOf } from '../platform/access/read-session.js';
import { fail } from '../errors.js';

/** Where the page and the files of the plugin's app are. */
export interface PluginPlaces {
  /** The page that loads the app, such as `https://shop.example/affiliates-admin`. */
  readonly pageUrl: string;
  /** The folder with the app's files, such as `https://shop.example/plugin/assets/`. */
  readonly assetUrl: string;
}

/** Values of the page for the plugin's admin app: print them as `window.fluentAffiliateAdmin`. */
export type PluginGlobals = Readonly<Record<string, unknown>>;

/** The screens of its settings: key → title. Without the license, which does not exist here. */
const SETTINGS_SCREENS = {
  referral_settings: 'Referral Settings',
  affiliate_group_settings: 'Affiliate Groups',
  affiliate_creatives: 'Promo Materials',
  integration_settings: 'Integration Settings',
  email_settings: 'Email Notifications',
  registration_settings: 'Registration Settings',
  captcha_settings: 'Captcha',
  permission_settings: 'Permission Management',
  migrator_settings: 'Migrator Settings',
  domain_settings: 'Domain Management',
} as const;
const MAIL_SCREENS = {
  email_settings: 'Mail Settings',
  notification_settings: 'Notification Settings',
} as const;
const RTL = /^(?:ar|fa|he|ur)\b/u;

/**
 * The values that WordPress prints into the page of the plugin's admin app. Throws `rest_forbidden` without a
 * signed-in user.
 */
export async function pluginGlobals(
  app: App,
  req: IncomingMessage,
  { pageUrl, assetUrl }: PluginPlaces,
): Promise<PluginGlobals> {
  const session = await sessionOf(app, req);
  if (session.user === null) fail('rest_forbidden');
  const { id, name, email, avatar } = session.user;
  const [config, permissions, formats, integrations] = await Promise.all([
    app.settings.referralConfig(),
    createPermissions(app).getPermissions(id),
    app.tracking.referralFormats(),
    app.commerce.settings.list(),
  ]);
  const site = app.host.site();
  const restUrl = site.url + site.restPrefix.replace(/\/$/u, '');
  const language = site.language ?? 'en';
  return {
    site_name: site.name,
    slug: app.options.namespace,
    nonce: session.nonce,
    base_url: `${pageUrl}#`,
    site_url: `${site.url}/`,
    rest: {
      base_url: `${restUrl}/`,
      url: site.url + app.basePath,
      nonce: session.nonce,
      namespace: app.options.namespace,
      version: 'v2',
    },
    brand_logo: '',
    asset_url: assetUrl,
    locale: language.replace('-', '_'),
    is_rtl: RTL.test(language),
    user: { id, name, email, avatar },
    me: {
      id,
      full_name: name,
      email,
      permissions,
      is_admin: session.rights.administrator,
      is_site_admin: session.rights.administrator,
    },
    currency: {
      currency: config.currency,
      currency_symbol: currencySymbol(config.currency),
      currency_symbol_position: config.currency_symbol_position,
      number_format: config.number_format,
    },
    currencies: Object.fromEntries(currencies().map(({ code, name: title }) => [code, title])),
    referral_formats: formats,
    settings_menu_items: settingsMenu(),
    registration_custom_field_types: CUSTOM_TYPES,
    integration_types: integrations,
    dashboard_notices: [],
    payout_method: config.payout_method,
    enable_renewal: config.enable_subscription_renewal,
    is_onboarded: true,
    has_pro: true,
    upgrade_url: '',
    suggested_colors: [],
    i18n: {},
  };
}

const screen = (key: string, title: string): object => ({
  title,
  disable: false,
  component_type: 'StandAloneComponent',
  route: { name: key },
});

const settingsMenu = (): object => ({
  ...screens(SETTINGS_SCREENS),
  email_settings: {
    ...screen('email_settings', SETTINGS_SCREENS.email_settings),
    children: screens(MAIL_SCREENS),
  },
});

const screens = (titles: Readonly<Record<string, string>>): Record<string, object> =>
  Object.fromEntries(Object.entries(titles).map(([key, title]) => [key, screen(key, title)]));
