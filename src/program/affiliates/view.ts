import { toIso } from '../../core/dates.js';
import { readAnswer } from '../../core/answer.js';
import { cleanHtml } from '../../core/html.js';
import { isMap, type JsonMap } from '../../core/is-map.js';
import { minor, parseAmount, toWire } from '../../core/money.js';
import type { AffiliateDto } from '../api-schemas.js';
import type { Deps } from './deps.js';
import type { AffiliateContributions, FormField } from './contributions.js';
import type { AffiliateDetailsDto } from './schemas.js';
import type { Affiliate } from './types.js';

/**
 * The response for one affiliate: the fields of the list, cards and coupons of extensions, and the share link
 * (docs/interface.md §6.5). Changes nothing.
 */
export async function viewAffiliate(
  app: Deps,
  contributions: AffiliateContributions,
  affiliate: Affiliate,
  row: AffiliateDto,
): Promise<AffiliateDetailsDto> {
  const widgets = await app.hooks.applyFilters('affiliate_widgets', [], affiliate);
  const bound = (await contributions.coupons(affiliate.id)).map(asAttached);
  const coupons = await app.hooks.applyFilters('affiliate_attached_coupons', bound, affiliate, 'edit');
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
      deletion_asked_at: toIso(affiliate.deletion_asked_at),
      ...byCurrency(row),
    },
    affiliate,
  );
  return {
    ...view,
    widgets: itemsOf(view.widgets).map(withCleanContent),
    attached_coupons: itemsOf(view.attached_coupons),
  };
}

/** A bound coupon in the form that extensions add theirs in. */
export const asAttached = ({ provider, code }: { provider: string; code: string }): JsonMap => ({
  code,
  provider,
  description: provider,
});

/**
 * Amounts earned and owed in other currencies, which are paid by payouts in those; absent when there are
 * none, as in the reports.
 */
function byCurrency({ balances: [, ...others] }: AffiliateDto): Pick<AffiliateDetailsDto, 'by_currency'> {
  const earned = others
    .map(({ currency, payable, waiting, on_its_way: sent, paid }) => ({
      currency,
      total_earnings: exact(payable + waiting + sent + paid, currency),
      unpaid_earnings: exact(payable + waiting, currency),
    }))
    .filter(({ total_earnings: total, unpaid_earnings: unpaid }) => total !== 0 || unpaid !== 0);
  if (earned.length === 0) return {};
  return { by_currency: Object.fromEntries(earned.map(({ currency, ...sums }) => [currency, sums])) };
}

/** A sum of amounts without the error of adding decimals in binary. */
const exact = (sum: number, currency: string): number =>
  toWire(parseAmount(sum, currency) ?? minor(0), currency);

/** The objects in a list or in a map; anything else that an extension put there cannot be shown. */
const itemsOf = (given: unknown): JsonMap[] => Object.values(given ?? {}).filter(isMap);

/** Labels and answers of the enabled custom registration fields, in the form's order. */
function customFieldDetails(
  fields: readonly FormField[],
  affiliate: Affiliate,
): AffiliateDetailsDto['custom_field_details'] {
  return fields
    .filter((field) => field.custom === 'yes' && field.enabled === 'yes')
    .map((field) => ({ label: field.label, value: readAnswer(affiliate.custom_fields[field.name]) ?? '' }));
}

/** Pages show the content as HTML. */
const withCleanContent = (item: JsonMap): JsonMap => {
  const { content } = item;
  return typeof content === 'string' ? { ...item, content: cleanHtml(content) } : item;
};
