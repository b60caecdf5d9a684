import type { ClickEvidence } from './types.js';

export type { ClickEvidence } from './types.js';

/** Well-known sites for coupons and cash-back; option `fraud.couponSites` adds more. */
const COUPON_SITES: readonly string[] = [
  'bravodeal.com',
  'brokescholar.com',
  'capitaloneshopping.com',
  'coupert.com',
  'couponbirds.com',
  'couponcabin.com',
  'couponchief.com',
  'couponfollow.com',
  'coupons.com',
  'couponxoo.com',
  'dealcatcher.com',
  'dealspotr.com',
  'dontpayfull.com',
  'goodsearch.com',
  'groupon.com',
  'gutscheine.de',
  'gutscheinsammler.de',
  'honey.com',
  'hotdeals.com',
  'hotukdeals.com',
  'joinhoney.com',
  'knoji.com',
  'lovecoupons.com',
  'mydealz.de',
  'offers.com',
  'pepper.com',
  'promocodes.com',
  'rakuten.com',
  'retailmenot.com',
  'savings.com',
  'simplycodes.com',
  'slickdeals.net',
  'topcashback.com',
  'valuecom.com',
  'vouchercodes.co.uk',
  'vouchercloud.com',
  'wethrift.com',
  'worthepenny.com',
];

/**
 * Parameters that advertising networks add to the address of a paid click; option `fraud.paidTrafficParams`
 * adds more.
 */
const PAID_PARAMS: readonly string[] = [
  'dclid',
  'gad_campaignid',
  'gad_source',
  'gbraid',
  'gclid',
  'gclsrc',
  'li_fat_id',
  'msclkid',
  'rdt_cid',
  'ttclid',
  'twclid',
  'wbraid',
  'yclid',
];
const PAID_MEDIA = /^(?:cpa|cpc|cpm|cpv|display|paid|paid[-_ ]?(?:search|social|media)|ppc|retargeting)$/i;
const CAMPAIGN_PARAMS = ['gad_campaignid', 'campaignid', 'campaign_id', 'utm_id'] as const;

/** The coupon site that the visitor came from, one of these or of the well-known ones. */
export const couponSiteOf = (visit: ClickEvidence | null, more: readonly string[]): string | null =>
  referrerAmong(visit, [...COUPON_SITES, ...more]);

export function referrerAmong(visit: ClickEvidence | null, hosts: readonly string[]): string | null {
  const from = URL.parse(visit?.referrer ?? '');
  return from !== null && hosts.some((host) => isBelow(from.hostname, host)) ? from.hostname : null;
}

/** The sign that the click was paid for, unless its campaign is one that the program allows. */
export function paidSignOf(
  visit: ClickEvidence | null,
  rules: { readonly params: readonly string[]; readonly campaigns: readonly string[] },
): string | null {
  if (visit === null) return null;
  const query = URL.parse(visit.url ?? '')?.searchParams ?? new URLSearchParams();
  const names = new Set([...query.keys()].map((name) => name.toLowerCase()));
  const param = [...PAID_PARAMS, ...rules.params].find((name) => names.has(name.toLowerCase()));
  const medium = visit.utm_medium ?? '';
  const sign = param ?? (PAID_MEDIA.test(medium) ? `utm_medium=${medium}` : null);
  const campaigns = [visit.utm_campaign, ...CAMPAIGN_PARAMS.map((name) => query.get(name))];
  const isAllowed = campaigns.some((campaign) => campaign !== null && rules.campaigns.includes(campaign));
  return isAllowed ? null : sign;
}

/** Is the host this domain or below it? `*.` in front means the same. */
export function isBelow(host: string, pattern: string): boolean {
  const domain = pattern
    .trim()
    .toLowerCase()
    .replace(/^\*?\./, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}
