import { readAnswer } from '../../core/answer.js';
import { isMap, type JsonMap } from '../../core/is-map.js';
import { minor, toWire } from '../../core/money.js';
import type { WireAffiliate } from '../../wire-records.js';
import type { Needs } from './needs.js';
import type { AffiliateContributions, FormField } from './contributions.js';
import { otherBalances } from './queries.js';
import type { WireAffiliateDetails } from './schemas.js';
import type { Affiliate } from './types.js';

/**
 * The answer for one affiliate: the fields of the list, cards and coupons of extensions, and the share link
 * (docs/interface.md §6.5). Changes nothing.
 */
export async function viewAffiliate(
  app: Needs,
  contributions: AffiliateContributions,
  affiliate: Affiliate,
  row: WireAffiliate,
): Promise<WireAffiliateDetails> {
  const widgets = await app.hooks.applyFilters('affiliate_widgets', [], affiliate);
  const coupons = await app.hooks.applyFilters('affiliate_attached_coupons', [], affiliate, 'edit');
  const shareUrl = await contributions.shareUrl(affiliate);
  const custom = customFieldDetails(await contributions.formFields(), affiliate);
  const view = await app.hooks.applyFilters(
    'affiliate_view_data',
    {
      ...row,
      widgets: itemsOf(widgets),
      attached_coupons: itemsOf(coupons),
      share_url: shareUrl,
      custom_field_details: custom,
      ...(await byCurrency(app, affiliate)),
    },
    affiliate,
  );
  return { ...view, widgets: itemsOf(view.widgets), attached_coupons: itemsOf(view.attached_coupons) };
}

/**
 * Amounts earned and owed in other currencies, which are paid by payouts in those; absent when there are
 * none, as in the reports.
 */
async function byCurrency(app: Needs, { id }: Affiliate): Promise<Pick<WireAffiliateDetails, 'by_currency'>> {
  const { currency } = await app.settings.referralConfig();
  const balances = await otherBalances(app.db, id, currency);
  if (balances.length === 0) return {};
  return {
    by_currency: Object.fromEntries(
      balances.map(({ currency: code, total_minor, unpaid_minor }) => [
        code,
        {
          total_earnings: toWire(minor(total_minor), code),
          unpaid_earnings: toWire(minor(unpaid_minor), code),
        },
      ]),
    ),
  };
}

/** The objects in a list or in a map; anything else that an extension put there cannot be shown. */
const itemsOf = (given: unknown): JsonMap[] => Object.values(given ?? {}).filter(isMap);

/** Labels and answers of the enabled custom registration fields, in the form's order. */
function customFieldDetails(
  fields: readonly FormField[],
  affiliate: Affiliate,
): WireAffiliateDetails['custom_field_details'] {
  return fields
    .filter((field) => field.custom === 'yes' && field.enabled === 'yes')
    .map((field) => ({ label: field.label, value: readAnswer(affiliate.custom_fields[field.name]) ?? '' }));
}
