import type { ResponseOf } from '../../shared/data.js';
import { t } from '../../shared/texts.js';

/** The affiliate in the response of `affiliates.get`. */
export type AffiliateView = ResponseOf<'affiliates.get'>['affiliate'];

export const groupName = (affiliate: AffiliateView): string | null => {
  const group = affiliate.group as { readonly name?: string; readonly meta_key?: string } | null;
  return group?.name ?? group?.meta_key ?? null;
};

/** The source of the current rate. */
export function rateSource(affiliate: AffiliateView): string {
  const { is_custom, is_default } = affiliate.rate_details;
  if (is_custom === 'yes') return t('own rate');
  return is_default === 'yes'
    ? t('rate of the program')
    : t('rate of the group {name}', { name: groupName(affiliate) ?? '' });
}

/** A value of the sign-up form or of an extension's field. */
export const answerText = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : '';
