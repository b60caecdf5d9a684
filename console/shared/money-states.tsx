import type { ReactNode } from 'react';
import { Money, money } from './money.js';
import { Facts, Status, type Figure } from './parts.js';
import { t, word } from './texts.js';

/** Names of money states, the same in console, portal and mails. */
export const MONEY_STATES = ['payable', 'waiting', 'held', 'on_its_way', 'paid', 'canceled'] as const;
export type MoneyState = (typeof MONEY_STATES)[number];

export interface Balance extends Readonly<Record<MoneyState, number>> {
  readonly currency: string;
}

export function stateText(state: MoneyState): string {
  const texts: Readonly<Record<MoneyState, string>> = {
    payable: t('Ready to pay'),
    waiting: t('In the waiting period'),
    held: t('On hold'),
    on_its_way: t('On its way'),
    paid: t('Paid'),
    canceled: t('Canceled'),
  };
  return texts[state];
}

const TONES = {
  payable: 'blue',
  waiting: 'amber',
  held: 'amber',
  on_its_way: 'blue',
  paid: 'green',
  canceled: 'red',
} as const;

export const stateChoices = (): { value: string; label: string }[] =>
  MONEY_STATES.map((value) => ({ value, label: stateText(value) }));

/** The stored status of a commission in the words for money. */
export function commissionStatusText(status: string): string {
  const states: Readonly<Record<string, MoneyState>> = {
    unpaid: 'payable',
    pending: 'held',
    processing: 'held',
    paid: 'paid',
    rejected: 'canceled',
    cancelled: 'canceled',
  };
  const state = states[status];
  return state === undefined ? word(status) : stateText(state);
}

/** Statuses a manager can set on a commission. */
export const settableChoices = (): { value: 'unpaid' | 'pending' | 'rejected'; label: string }[] => [
  { value: 'unpaid', label: stateText('payable') },
  { value: 'pending', label: stateText('held') },
  { value: 'rejected', label: stateText('canceled') },
];

export const StateMark = ({ of }: { of: MoneyState }): ReactNode => (
  <Status of={of} label={stateText(of)} tone={TONES[of]} />
);

/** The amount of a commission; if canceled, with the amount it would have been. */
export const CommissionAmount = ({
  of: { counted_amount: counted, would_have_been: would, currency },
}: {
  of: {
    readonly counted_amount: number;
    readonly would_have_been: number | null;
    readonly currency: string | null;
  };
}): ReactNode => (
  <>
    <Money amount={counted} currency={currency} />
    {would !== null && (
      <span className="fa-faint"> {t('would have been {amount}', { amount: money(would, currency) })}</span>
    )}
  </>
);

/** The balances of one currency as figures; canceled amounts only if there are any. */
export const balanceFigures = (balance: Balance): Figure[] =>
  MONEY_STATES.filter((state) => state !== 'canceled' || balance.canceled !== 0).map((state) => ({
    label: stateText(state),
    value: money(balance[state], balance.currency),
  }));

/** Balances in other currencies, one line per amount that is not 0. */
export const OtherBalances = ({ balances }: { balances: readonly Balance[] }): ReactNode =>
  balances.length > 1 && (
    <Facts
      facts={balances.slice(1).flatMap((balance) =>
        MONEY_STATES.filter((state) => balance[state] !== 0).map((state) => ({
          label: `${balance.currency} · ${stateText(state)}`,
          value: money(balance[state], balance.currency),
        })),
      )}
    />
  );
