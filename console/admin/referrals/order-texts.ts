import { dayText } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import { t, word } from '../../shared/texts.js';
import { savedRate } from '../rates.js';
import { reasonText } from '../reasons.js';
import type { ReferralView } from './view.js';

// Formats the service's explanations of an order, which have a kind and values.

type Order = NonNullable<ReferralView['order']>;
type Step = Order['steps'][number];
type Entry = Order['timeline'][number];

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'base', 'from', 'to', 'left', 'total', 'refunded']);

/** Formats a decimal amount in the order's currency. */
const shown = (values: Readonly<Record<string, string>>, currency: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      AMOUNTS.has(name) && value !== '' ? money(value, currency) : value,
    ]),
  );

/** The source of a rate. */
export const ruleText = (rule: string | undefined): string => {
  const texts: Readonly<Record<string, string>> = {
    affiliate: t('own rate of the affiliate'),
    group: t('rate of the group'),
    global: t('rate of the program'),
    renewal: t('rate for renewals'),
    lifetime: t('rate for customers who come back'),
    lead: t('reward for leads'),
    product: t('rate of the product'),
    category: t('rate of the category'),
  };
  if (rule?.startsWith('rule:') === true) return t('rule {name}', { name: rule.slice('rule:'.length) });
  return texts[rule ?? ''] ?? word(rule);
};

/** One step of the calculation; the service's English text for an unknown kind. */
export function stepText({ kind, values, causes, text }: Step, currency: string): string {
  const v = shown(values, currency);
  const texts: Readonly<Record<string, () => string>> = {
    given: () => t('The commission was set to {amount}.', v),
    items: () => t('Rates of the products on {base}: {amount}.', v),
    rate: () =>
      v['rule']
        ? t('{rate} ({rule}) of {base}: {amount}.', {
            ...v,
            rate: savedRate(v['rate']),
            rule: ruleText(v['rule']),
          })
        : t('{rate} of {base}: {amount}.', { ...v, rate: savedRate(v['rate']) }),
    capped: () => t('Capped: {from} changed to {to}.', v),
    refunded: () =>
      t('{refunded} of {total} refunded, which leaves {left} of {base}: {from} becomes {to}.', v),
    converted: () =>
      t('A refund of {gross} was converted at {rate}.', {
        ...v,
        gross: money(v['gross'] ?? '', v['currency']),
      }),
    corrected: () => {
      const filled = { ...v, day: dayText(v['day'] ?? '') };
      return v['reason']
        ? t('Corrected to {to} on {day}: {reason}.', filled)
        : t('Corrected to {to} on {day}.', filled);
    },
    refunded_since: () => t('Refunded since then, in proportion: {from} becomes {to}.', v),
    due: () => t('Due: {amount}.', v),
    nothing_due: () => t('Nothing is due: {causes}.', { causes: causesText(causes) }),
    waits: () => t('{amount} waits: {causes}.', { ...v, causes: causesText(causes) }),
  };
  return texts[kind]?.() ?? text;
}

const causesText = (causes: readonly string[]): string =>
  causes
    .map((cause) =>
      cause.startsWith('first:')
        ? t('first order: {cause}', { cause: causeText(cause.slice('first:'.length)) })
        : causeText(cause),
    )
    .join(', ');

function causeText(cause: string): string {
  const texts: Readonly<Record<string, string>> = {
    unpaid_order: t('the order is not paid yet'),
    dispute: t('the payment is disputed'),
    manual: t('a manager put it on hold'),
    rejected: t('a manager rejected it'),
    unsigned: t('the report of the affiliate isn’t signed'),
    currency_mismatch: t('an amount is in another currency'),
    totals_mismatch: t('products and total of the order do not fit together'),
    refunded: t('the order was refunded in full'),
    disputed: t('the dispute was lost'),
    canceled: t('the order was canceled'),
    failed: t('the payment failed'),
    voided: t('the order was voided'),
    deleted: t('the order was deleted'),
  };
  return texts[cause] ?? reasonText(cause.replace(/^fraud:/, ''));
}

/** One entry of an order's history; the service's English text for an unknown kind. */
export function entryText({ kind, values, text }: Entry, currency: string): string {
  const v = shown(values, currency);
  const because = (sentence: string): string => (v['reason'] ? `${sentence} ${v['reason']}` : sentence);
  const texts: Readonly<Record<string, () => string>> = {
    order: () => t('Recorded: {amount} of {total}.', v),
    payment: () =>
      v['state'] === 'paid'
        ? t('The order was paid.')
        : t('The order: {state}.', { state: word(v['state']) }),
    content: () =>
      v['amount'] ? t('The order was changed: {amount} of {total}.', v) : t('The order was reported again.'),
    refund: () =>
      v['undone']
        ? t('A refund of {amount} was reversed.', v)
        : v['refund']
          ? t('Refund {refund}: {amount}.', v)
          : t('Refunded so far: {amount}.', v),
    refund_list: () =>
      v['ids'] ? t('The shop lists these refunds: {ids}.', v) : t('The shop lists no refunds.'),
    dispute: () => t('Dispute {dispute}: {state}.', { ...v, state: word(v['state']) }),
    judgement: () => because(verdictText(v['verdict'] ?? '')),
    correction: () => because(t('A manager corrected it to {amount}.', v)),
    moved: () => because(t('A manager moved it to another affiliate.')),
    flag: () => t('Marked: {word}.', { word: word(v['word']) }),
    deleted: () =>
      v['by'] === 'person' ? t('A manager deleted it.') : t('It was deleted with its affiliate.'),
    claim: () => t('Added to payment {transaction}: {amount}.', v),
    release: () => t('Payment {transaction} was undone: {amount} is open again.', v),
  };
  return texts[kind]?.() ?? text;
}

function verdictText(verdict: string): string {
  if (verdict === 'approved') return t('A manager approved it.');
  return verdict === 'rejected' ? t('A manager rejected it.') : t('A manager put it on hold.');
}

/** The name of the actor. */
export function doerText({ actor, source }: Entry): string {
  const texts: Readonly<Record<string, string>> = {
    rest: t('a person'),
    portal: t('the affiliate'),
    tracker: t('the tracker'),
    provider: t('the shop'),
    code: t('the shop'),
    job: t('the program'),
    import: t('an import'),
    payout: t('a payout'),
    manual: t('a person'),
  };
  return actor ?? texts[source] ?? word(source);
}
