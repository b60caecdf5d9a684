import { flatAmount, formatMoney } from '../../core/money.js';
import { rateText, rateToWire } from '../../core/rate.js';
import type { GroupDto, RateDto } from '../api-schemas.js';
import type { Group } from '../groups/types.js';
import type { ReferralConfig } from '../settings/types.js';
import type { Affiliate, ResolvedRate } from './types.js';

type OwnRate = Pick<Affiliate, 'rate_type' | 'rate_e4'>;

/**
 * The affiliate's own rate, else the rate of an active group, else the program's (docs/tracking.md §8.2). A
 * rate of 0 counts as a rate.
 */
export function resolveRate(affiliate: OwnRate, group: Group | null, config: ReferralConfig): ResolvedRate {
  if (
    (affiliate.rate_type === 'percentage' || affiliate.rate_type === 'flat') &&
    affiliate.rate_e4 !== null
  ) {
    return { source: 'affiliate', type: affiliate.rate_type, rate_e4: affiliate.rate_e4, group: null };
  }
  if (group?.status === 'active' && group.rate_type !== 'default') {
    return { source: 'group', type: group.rate_type, rate_e4: group.rate_e4, group };
  }
  return {
    source: 'global',
    type: config.rate_type === 'percentage' ? 'percentage' : 'flat',
    rate_e4: config.rate_e4,
    group: null,
  };
}

/** A resolved rate as responses show it, with its text for people. */
export function rateDetails(rate: ResolvedRate, config: ReferralConfig, group: GroupDto | null): RateDto {
  const wire = { type: rate.type, rate: rateToWire(rate.rate_e4) };
  const text = rateForPeople(rate, config);
  if (rate.source === 'affiliate') return { ...wire, is_custom: 'yes', human_readable: `${text} (custom)` };
  if (rate.source === 'group')
    return { group, ...wire, is_custom: 'no', human_readable: `${text} (${rate.group?.meta_key ?? ''})` };
  return {
    ...wire,
    type: config.rate_type,
    is_custom: 'no',
    is_default: 'yes',
    human_readable: `${text} (default)`,
  };
}

const rateForPeople = (rate: ResolvedRate, config: ReferralConfig): string =>
  rate.type === 'percentage'
    ? `${rateText(rate.rate_e4)}%`
    : formatMoney(flatAmount(rate.rate_e4, config.currency), config.currency, {
        position: config.currency_symbol_position,
        numberFormat: config.number_format,
      });
