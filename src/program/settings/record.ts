import {
  array,
  integer,
  nullable,
  number,
  numberOrBlank,
  oneOf,
  string,
  wireIdOf,
  yesNo,
  type Static,
  type TSchema,
} from '../../core/dto-schema.js';
import { variableProblem } from '../../core/link-variable.js';
import { isCurrency } from '../../core/money.js';
import { RHYTHMS } from '../../core/payout-day.js';
import { parseRate, rateToWire } from '../../core/rate.js';
import * as checked from '../../records/checked.js';
import { read, refused, type ReadResult } from '../../records/checked.js';

/** What the checks of some fields need to know. */
export interface CheckContext {
  /** Forms that links can have. */
  readonly formats: readonly string[];
  readonly providers: ReadonlySet<string>;
}

/** One field of the configuration. */
interface Field<S extends TSchema, T> {
  readonly schema: S;
  /** The value a program starts with. */
  readonly initial: Static<S>;
  /** Checks a submitted value; returns the value to store. */
  check(value: unknown, context: CheckContext): ReadResult;
  /** Reads a stored value. A value that a filter made unusable is replaced. */
  read(value: unknown): T;
}

/** A rate or amount: a decimal when stored, × 10 000 in the program, where its name ends in `_e4`. */
export interface RateField extends Field<typeof number, number> {
  readonly isRate: true;
}

const field = <S extends TSchema, T>(of: Field<S, T>): Field<S, T> => of;

const choice = <const W extends readonly [string, ...string[]]>(...words: W) =>
  field({
    schema: oneOf(...words),
    initial: words[0],
    check: checked.word(...words),
    read: (value): W[number] => words.find((word) => word === value) ?? words[0],
  });

const commissionType = {
  ...choice('percentage', 'fixed'),
  check: (value: unknown) => checked.word('percentage', 'fixed')(value === 'flat' ? 'fixed' : value),
};

const yesOrNo = (initial: 'yes' | 'no') =>
  field({
    schema: yesNo,
    initial,
    check: checked.yesOrNo,
    read: (value) => (value === 'yes' || value === 'no' ? value : initial),
  });

const wholeOf = (value: unknown): number => (Number.isSafeInteger(Number(value)) ? Number(value) : 0);

const whole = (initial: number, min: number, max: number) =>
  field({
    schema: integer,
    initial,
    check: checked.whole(min, max),
    read: (value) => Math.max(min, wholeOf(value)),
  });

// larger than any amount; the limit for percentages is checked on the merged pair
const MAX_FLAT_E4 = 999_999_999_999_990_000;

const rate = (initial: number): RateField => ({
  isRate: true,
  schema: number,
  initial,
  check(value) {
    const e4 = parseRate(value as string | number);
    return e4 === null || e4 > MAX_FLAT_E4
      ? refused('numeric', 'Use a number of 0 or more with at most four decimals.')
      : read(rateToWire(e4));
  },
  read: (value) => parseRate(value as string | number) ?? parseRate(initial) ?? 0,
});

/** A whole number; 0 and blank mean none. */
const wholeOrBlank = <S extends TSchema>(schema: S, max: number) => ({
  schema,
  initial: '' as const,
  check: (value: unknown) =>
    value === '' || value === null || Number(value) === 0 ? read('') : checked.whole(1, max)(value),
  read: (value: unknown): number | '' => wholeOf(value) || '',
});

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

// Product ids of shops: numbers or short texts. A form sends a single one without a list.
const shopIds = field({
  schema: array(string),
  initial: [],
  check(value) {
    const list = ([] as unknown[]).concat(value === '' || value === null ? [] : value);
    const usable =
      list.length <= 1000 &&
      list.every(
        (id) =>
          (typeof id === 'string' || typeof id === 'number') &&
          /^[^,;]*[^,;\s][^,;]*$/.test(String(id)) &&
          String(id).length <= 191,
      );
    return usable
      ? read([...new Set(list.map((id) => String(id).trim()))])
      : refused('array', 'Use a list of IDs, one in each entry.');
  },
  read: texts,
});

/**
 * The fields of the configuration of the referral program (docs/settings.md §6). Schemas, defaults, checks and
 * types follow from this table.
 */
export const CONFIG_FIELDS = {
  referral_variable: field({
    schema: string,
    initial: 'ref',
    check(value) {
      const name = String(value).trim();
      const problem = variableProblem(name);
      return problem === null ? read(name) : refused(problem.rule, problem.says);
    },
    read: (value) => String(value || 'ref'),
  }),
  rate_type: commissionType,
  rate: rate(20),
  cookie_duration: whole(30, 1, 3650),
  referral_format: field({
    schema: string,
    initial: 'id',
    check: (value, { formats }) => checked.word(...formats)(value),
    read: String,
  }),
  payout_method: choice('paypal', 'bank_transfer'),
  number_format: { ...choice('comma_separated', 'dot_separated'), schema: string },
  /** The option `currency` until a program chooses another one. */
  currency: field({
    schema: string,
    initial: '',
    check(value) {
      const code = String(value).toUpperCase();
      return isCurrency(code) ? read(code) : refused('in', 'Use a currency code of ISO 4217.');
    },
    read: (value) => String(value).toUpperCase(),
  }),
  currency_symbol_position: { ...choice('left', 'right'), schema: string },
  credit_last_referrer: yesOrNo('yes'),
  exclude_shipping: yesOrNo('yes'),
  exclude_tax: yesOrNo('yes'),
  exclude_discount: yesOrNo('yes'),
  self_referral_disabled: yesOrNo('yes'),
  dashboard_page_id: wholeOrBlank(nullable(wireIdOf), Number.MAX_SAFE_INTEGER),
  enabled_integrations: field({
    schema: array(string),
    initial: [],
    check: (value, { providers }) =>
      read(
        [...new Set(([] as unknown[]).concat(value ?? []).map(String))].filter((key) => providers.has(key)),
      ),
    read: texts,
  }),
  enable_subscription_renewal: yesOrNo('no'),
  renewal_rate_type: commissionType,
  renewal_rate: rate(0),
  max_renewal_count: whole(0, 0, 1_000_000),
  enable_lifetime_commission: yesOrNo('no'),
  lifetime_rate_type: commissionType,
  lifetime_rate: rate(0),
  lifetime_expiry_days: wholeOrBlank(numberOrBlank, 36_500),
  /** Days a commission waits before it can be paid out. */
  hold_days: whole(0, 0, 365),
  /** Blank = no limit, 0 = the first sale only. */
  renewal_max_months: field({
    schema: numberOrBlank,
    initial: '',
    check: (value) => (value === '' || value === null ? read('') : checked.whole(0, 1200)(value)),
    read: (value): number | '' => (value === '' ? '' : Math.max(0, wholeOf(value))),
  }),
  excluded_products: shopIds,
  excluded_categories: shopIds,
  /** Which one applies when several product rules match. */
  rate_rules: choice('first', 'best'),
  /** The most an affiliate earns from one customer, in whole currency units; 0 = no limit. */
  commission_cap_amount: whole(0, 0, 1_000_000_000),
  /** The days over which that limit counts; 0 = forever. */
  commission_cap_days: whole(0, 0, 36_500),
  /** What a lead earns; 0 = nothing. */
  lead_amount: rate(0),
  /** When payouts are made, as affiliates see it; a person starts the payouts. */
  payout_rhythm: choice(...RHYTHMS),
  /** The weekday from Monday as 1, or the day of the month. */
  payout_day: whole(1, 1, 28),
  /** Affiliates are asked for what their invoices need. */
  ask_invoice_details: yesOrNo('no'),
  /** Affiliates see the products of the orders that they earned on. */
  show_products: yesOrNo('yes'),
};
