import type { ReactNode } from 'react';
import type { ResponseOf } from '../../shared/data.js';
import { dayText } from '../../shared/dates.js';
import { RATE_DIGITS, money, unitText } from '../../shared/money.js';
import { Facts, Panel, type Fact } from '../../shared/parts.js';
import { boot } from '../../shared/boot.js';
import { QueryView } from '../../shared/query-view.js';
import { number, t, tn } from '../../shared/texts.js';
import { methodText } from '../payments/words.js';

export type Terms = ResponseOf<'portal.terms'>['terms'];

/** A formatted rate. */
const rateText = ({ rate, rate_type: type }: Pick<Terms, 'rate' | 'rate_type'>, currency: string): string =>
  unitText(rate, type === 'percentage' ? '%' : currency, RATE_DIGITS);

export const shareText = (terms: Terms): string =>
  terms.rate_type === 'percentage'
    ? t('{rate} of each sale', { rate: rateText(terms, terms.currency) })
    : t('{rate} for each sale', { rate: rateText(terms, terms.currency) });

/** 1970-01-05 was a Monday. */
const weekday = (day: number): string =>
  new Intl.DateTimeFormat(boot().locale, { weekday: 'long', timeZone: 'UTC' }).format(
    new Date(Date.UTC(1970, 0, 4 + Math.min(day, 7))),
  );

/** The payout schedule; null if not set. */
export function rhythmText({ payout_rhythm: rhythm, payout_day: day }: Terms): string | null {
  switch (rhythm) {
    case 'weekly':
      return t('every week, on {day}', { day: weekday(day) });
    case 'monthly':
      return t('every month, on day {day}', { day: number(day) });
    case 'quarterly':
      return t('every quarter, on day {day} of its first month', { day: number(day) });
    default:
      return null;
  }
}

const payoutsText = (terms: Terms): string | null => {
  const rhythm = rhythmText(terms);
  if (rhythm === null || terms.next_payout === null) return rhythm;
  return `${rhythm} · ${t('next on {day}', { day: dayText(terms.next_payout) })}`;
};

function exceptionsOf(terms: Terms): readonly string[] {
  const rate = (of: Pick<Terms, 'rate' | 'rate_type'>): string => rateText(of, terms.currency);
  const {
    excluded_products: products,
    excluded_categories: categories,
    renewals,
    later_orders: later,
  } = terms;
  return [
    ...terms.exceptions.map(({ kind, count, ...own }) =>
      kind === 'product'
        ? tn('{rate} on {count} product', '{rate} on {count} products', count, { rate: rate(own) })
        : tn('{rate} on {count} category', '{rate} on {count} categories', count, { rate: rate(own) }),
    ),
    ...(products > 0 ? [tn('nothing on {count} product', 'nothing on {count} products', products)] : []),
    ...(categories > 0
      ? [tn('nothing on {count} category', 'nothing on {count} categories', categories)]
      : []),
    ...(renewals === null ? [] : [t('{rate} on renewals', { rate: rate(renewals) })]),
    ...(later === null ? [] : [t('{rate} on later orders of your customers', { rate: rate(later) })]),
  ];
}

/** The terms as facts: what affiliates earn and when it is paid. */
export function dealFacts(terms: Terms): readonly (Fact | false)[] {
  const exceptions = exceptionsOf(terms);
  const payouts = payoutsText(terms);
  return [
    { label: t('Your share'), value: <strong>{shareText(terms)}</strong> },
    exceptions.length > 0 && { label: t('Other rates'), value: exceptions.join(', ') },
    {
      label: t('A click counts'),
      value: `${tn('{count} day', '{count} days', terms.cookie_days)} · ${
        terms.last_click_counts ? t('the last one before the order') : t('the first one')
      }`,
    },
    {
      label: t('Waiting period'),
      value:
        terms.waiting_days === 0
          ? t('none')
          : tn(
              '{count} day after the order, for returns',
              '{count} days after the order, for returns',
              terms.waiting_days,
            ),
    },
    {
      label: t('Payments'),
      value:
        terms.minimum > 0
          ? t('{method}, from {minimum}', {
              method: methodText(terms.payment_method),
              minimum: money(terms.minimum, terms.currency),
            })
          : methodText(terms.payment_method),
    },
    payouts !== null && { label: t('Payout schedule'), value: payouts },
  ];
}

/** The terms in the portal, with the affiliate's own rate. */
export const Deal = (): ReactNode => (
  <Panel title={t('Your terms')}>
    <QueryView of="portal.terms" lines={5}>
      {({ terms }) => <Facts facts={dealFacts(terms).map((fact) => fact)} />}
    </QueryView>
  </Panel>
);
