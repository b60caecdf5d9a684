import type { App } from '../../app.js';
import type { AffiliateRows } from './rows.js';
import type { Affiliate, Visibility } from './types.js';

/** The answer for one affiliate: list keys, cards and coupons of extensions, the share link (affiliates §5.4). Changes nothing. */
export async function viewAffiliate(
  app: App,
  rows: AffiliateRows,
  affiliate: Affiliate,
  visibility: Visibility,
): Promise<object> {
  const [row] = await rows.full([affiliate], visibility);
  const widgets = await app.hooks.applyFilters('affiliate_widgets', [], affiliate);
  const coupons = await app.hooks.applyFilters('affiliate_attached_coupons', [], affiliate, 'edit');
  const shareUrl = await app.tracking.shareUrlOf(affiliate);
  const custom = await customFieldDetails(app, affiliate);
  const view = await app.hooks.applyFilters(
    'affiliate_view_data',
    {
      ...row,
      widgets: itemsOf(widgets),
      attached_coupons: itemsOf(coupons),
      share_url: shareUrl,
      custom_field_details: custom,
    },
    affiliate,
  );
  return { ...view, widgets: itemsOf(view['widgets']), attached_coupons: itemsOf(view['attached_coupons']) };
}

/** The objects of a list or of a map by key; whatever else an extension put there can not be shown. */
const itemsOf = (given: unknown): object[] =>
  Object.values(given ?? {}).filter(
    (item): item is object => typeof item === 'object' && item !== null && !Array.isArray(item),
  );

/** Labels and answers of the enabled custom registration fields, in the form's order. */
async function customFieldDetails(
  app: App,
  affiliate: Affiliate,
): Promise<readonly { label: unknown; value: unknown }[]> {
  return (await app.registration.customFields()).map((field) => ({
    label: field.label,
    value: affiliate.custom_fields[field.name] ?? '',
  }));
}
