import {
  anyObject,
  anything,
  array,
  boolean,
  dateTime,
  filterWord,
  flag,
  integer,
  listQuery,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  Type,
} from '../../http/schema.js';
import { EARNING_STATES } from './types.js';

export const pageQuery = listQuery(15, {});
const closed = { additionalProperties: false } as const;
const text = nullable(string);

const card = object(
  {
    title: string,
    amount: Type.Unsafe<unknown>({ type: ['number', 'string'] }),
    is_currency: boolean,
    is_number: optional(boolean),
    icon: string,
  },
  closed,
);
export const statsAnswer = object(
  {
    stats: object(
      { total_paid: card, total_unpaid: card, total_referrals: card, conversion_rate: card },
      closed,
    ),
    recent_referrals: array(
      object(
        { description: string, created_at: dateTime, status: string, amount: number, human_date: string },
        closed,
      ),
    ),
    portal_notice_html: string,
  },
  closed,
);

export const referralPage = object({
  referrals: pageOf(
    object(
      {
        description: string,
        status: string,
        amount: number,
        currency: text,
        utm_campaign: text,
        type: string,
        created_at: dateTime,
        updated_at: dateTime,
        human_date: string,
      },
      closed,
    ),
  ),
});
export const visitPage = object({
  visits: pageOf(
    object(
      {
        url: string,
        referrer: text,
        utm_campaign: text,
        utm_medium: text,
        utm_source: text,
        created_at: dateTime,
        human_date: string,
        total_referral_amount: number,
        is_converted: boolean,
      },
      closed,
    ),
  ),
});
export const transactionPage = object({
  transactions: object(
    {
      data: array(
        object({ human_date: string, amount: number, status: string, description: string }, closed),
      ),
      total: integer,
      per_page: integer,
      current_page: integer,
    },
    closed,
  ),
});

export const settingsAnswer = object({ settings: anyObject, form_fields: anyObject });
/** The service judges what is in it, so that a missing map is told field by field. */
export const settingsBody = object({ settings: optional(anything) });
export const message = object({ message: string });

export const bootstrapAnswer = anyObject;
export const linkQuery = object({ url: optional(Type.Unsafe<string>({ type: 'string', maxLength: 2048 })) });
export const linkAnswer = object({
  link: string,
  links: array(anything),
  social: array(object({ key: string, title: string, icon_svg: string, url: string })),
});
export const qrQuery = object({
  format: optional(anything),
  url: optional(anything),
  size: optional(anything),
});
export const qrAnswer = Type.Unsafe<unknown>({ description: 'The image: SVG, or PNG with `format=png`.' });

const amounts = { currency: string, amount: number } as const;
const page = { page: pageQuery.properties.page, per_page: pageQuery.properties.per_page };
const line = object(
  {
    id: integer,
    kind: string,
    description: string,
    reason: text,
    commission_id: nullable(integer),
    payment_id: nullable(integer),
    commissions: integer,
    amount: number,
    created_at: dateTime,
    balance: optional(number),
  },
  closed,
);
const counts = object({ clicks: integer, orders: integer, earnings: number }, closed);

export const overviewQuery = object({ days: optional(anything) });
export const overviewAnswer = object(
  {
    days: integer,
    notice_html: string,
    link: string,
    figures: object({ now: counts, before: counts }, closed),
    chart: object(
      {
        labels: array(string),
        clicks: array(integer),
        orders: array(integer),
        earnings: array(number),
        earnings_before: array(number),
      },
      closed,
    ),
    outlook: object(
      {
        currency: string,
        ready: number,
        on_hold: number,
        on_its_way: number,
        paid: number,
        minimum: number,
        reaches_minimum: boolean,
        releases: array(object({ day: string, amount: number, count: integer }, closed)),
      },
      closed,
    ),
    events: array(line),
  },
  closed,
);

export const earningsQuery = object({
  ...page,
  search: pageQuery.properties.search,
  state: filterWord,
});
export const earningsAnswer = object({
  earnings: pageOf(
    object(
      {
        id: integer,
        description: string,
        type: string,
        state: oneOf(...EARNING_STATES),
        ...amounts,
        utm_campaign: text,
        created_at: dateTime,
        release_at: dateTime,
        reason: text,
        payment_id: nullable(integer),
        changes: array(object({ kind: string, amount: number, at: dateTime }, closed)),
      },
      closed,
    ),
  ),
  totals: array(object({ ...amounts, count: integer }, closed)),
});

const dates = { start_date: optional(string), end_date: optional(string) } as const;
export const statementQuery = object({ ...page, ...dates });
export const statementExportQuery = object(dates);
export const statementAnswer = object({
  statement: pageOf(line),
  balance: object({ currency: string, opening: number, closing: number }, closed),
});

const payment = object(
  {
    id: integer,
    reference: string,
    title: string,
    status: oneOf('paid', 'processing'),
    method: string,
    ...amounts,
    commissions: integer,
    created_at: dateTime,
    paid_at: dateTime,
  },
  closed,
);
export const paymentsQuery = object(page);
export const paymentsAnswer = object({ payments: pageOf(payment) });
export const paymentAnswer = object(
  {
    payment,
    payer: object({ name: string, url: string }, closed),
    payee: object({ name: string, email: string, details: string }, closed),
    commissions: object(
      {
        data: array(object({ id: integer, description: string, earned_at: dateTime, ...amounts }, closed)),
        total: integer,
        per_page: integer,
        current_page: integer,
      },
      closed,
    ),
  },
  closed,
);
export const exportAnswer = Type.Unsafe<unknown>({
  description: 'A CSV file; rows as JSON with `format=json`.',
});

export const clicksQuery = object({
  ...page,
  search: pageQuery.properties.search,
  converted: filterWord,
  /** Blank: clicks without a campaign. */
  campaign: optional(Type.Unsafe<string>({ type: 'string', clean: 'text', maxLength: 255 })),
});
export const clicksAnswer = object({
  clicks: pageOf(
    object(
      {
        id: integer,
        url: string,
        referrer: text,
        utm_campaign: text,
        utm_medium: text,
        utm_source: text,
        created_at: dateTime,
        human_date: string,
        total_referral_amount: number,
        is_converted: boolean,
      },
      closed,
    ),
  ),
});
export const performanceQuery = object({ by: filterWord, days: optional(anything) });
export const performanceAnswer = object(
  {
    by: oneOf('campaign', 'page'),
    days: integer,
    currency: string,
    rows: array(object({ name: string, clicks: integer, orders: integer, earnings: number }, closed)),
  },
  closed,
);

const yesNo = oneOf('yes', 'no');
export const paymentDetailsBody = object({
  payment_email: optional(string),
  account_holder: optional(string),
  iban: optional(string),
  bic: optional(string),
  bank_name: optional(string),
  other_details: optional(string),
});
export const paymentDetailsAnswer = object(
  {
    method: oneOf('paypal', 'bank_transfer'),
    complete: boolean,
    details: object({
      payment_email: optional(string),
      account_holder: optional(string),
      iban: optional(string),
      bic: optional(string),
      bank_name: optional(string),
      other_details: optional(string),
    }),
  },
  closed,
);
export const notificationsBody = object({ new_commission: optional(flag), payment_sent: optional(flag) });
export const notificationsAnswer = object({ new_commission: yesNo, payment_sent: yesNo }, closed);
export const profileBody = object({
  first_name: optional(string),
  last_name: optional(string),
  url: optional(string),
  custom_fields: optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
});
export const profileAnswer = object(
  {
    first_name: string,
    last_name: string,
    full_name: string,
    email: string,
    login: string,
    url: string,
    member_since: dateTime,
    editable: boolean,
    custom_fields: array(anyObject),
  },
  closed,
);
export const linkNameBody = object({
  name: optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
});
export const linkNameAnswer = object({ enabled: boolean, name: text, link: string }, closed);
