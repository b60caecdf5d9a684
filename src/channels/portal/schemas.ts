import type { Static } from 'typebox';
import {
  anyObject,
  array,
  boolean,
  dateTime,
  dayFilters,
  exportOf,
  filterWord,
  flag,
  integer,
  deferred,
  listQuery,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  subIdFilters,
  Type,
} from '../../platform/http/schema.js';
import { SUB_IDS } from '../../core/sub-ids.js';
import { RHYTHMS } from '../../core/payout-day.js';
import { LEDGER_KINDS } from '../../accounting/ledger/types.js';
import { TRANSACTION_STATUSES } from '../../accounting/payouts/types.js';
import { TYPES } from '../../accounting/referrals/types.js';
import { commissionState, referralStatus } from '../../accounting/api-schemas.js';
import { registrationField } from '../api-schemas.js';
import { numberOrText, yesNo } from '../../core/dto-schema.js';
import { card } from '../../platform/http/responses.js';
import { response, balanceList, ownColumns } from '../../program/api-schemas.js';
import { clicks, commissions } from './record.js';
import { CHANGE_KINDS, EARNING_STATES, STATEMENT_CHANGES } from './types.js';

export const pageQuery = listQuery(15, dayFilters);
const closed = { additionalProperties: false } as const;
const text = nullable(string);

const recentReferral = object(
  { description: string, created_at: dateTime, status: referralStatus, amount: number, human_date: string },
  closed,
);
export type RecentReferral = Static<typeof recentReferral>;
export const statsResponse = object(
  {
    stats: object(
      { total_paid: card, total_unpaid: card, total_referrals: card, conversion_rate: card },
      closed,
    ),
    recent_referrals: array(recentReferral),
    portal_notice_html: string,
  },
  closed,
);

export const shownReferral = object({ ...commissions.wire, description: string, human_date: string }, closed);
export type PortalReferralRow = Static<typeof shownReferral>;
const { id, ...clickColumns } = clicks.wire;
export const shownVisit = object(
  { ...clickColumns, human_date: string, total_referral_amount: number, is_converted: boolean },
  closed,
);
export type PortalVisitRow = Static<typeof shownVisit>;
const transaction = object(
  { human_date: string, amount: number, status: oneOf(...TRANSACTION_STATUSES), description: string },
  closed,
);
export type PortalTransaction = Static<typeof transaction>;
export const transactionPage = object({
  transactions: object(
    {
      data: array(transaction),
      total: integer,
      per_page: integer,
      current_page: integer,
    },
    closed,
  ),
});

const choice = object({ label: string, value: string });
/** A field of the form; extensions may add other types. */
const formField = Type.Object(
  {
    type: string,
    label: optional(string),
    help_text: optional(string),
    data_type: optional(string),
    checkbox_label: optional(string),
    true_value: optional(string),
    false_value: optional(string),
    is_multiple: optional(boolean),
    options: optional(array(choice)),
    atts: optional(
      Type.Object(
        { size: optional(string), rows: optional(integer), placeholder: optional(string) },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true },
);
export type FormField = Static<typeof formField>;
/** Values by name of the field; fields that the administrator added are among them. */
const formValues = Type.Object(
  {
    ref_email_notification: optional(yesNo),
    payment_email: optional(nullable(string)),
    bank_details: optional(string),
    custom_param: optional(string),
  },
  { additionalProperties: true },
);
export const settingsResponse = object({ settings: formValues, form_fields: mapOf(formField) });
/** The service checks the content, so that a missing map gives an error for each field. */
export const settingsBody = object({ settings: optional(deferred(formValues)) });

/** The known keys; filters of extensions may add more. */
export const bootstrapResponse = Type.Object(
  {
    site_info: object({
      site_url: string,
      site_name: string,
      share_url: string,
      aff_var: string,
      aff_value: Type.Unsafe<number | string | null>({ type: ['integer', 'string', 'null'] }),
    }),
    additional_sites: array(
      Type.Object({ url: string, name: string, param: string }, { additionalProperties: true }),
    ),
    i18n: mapOf(string),
    user: object({
      full_name: string,
      email: string,
      affiliate_id: integer,
      website: string,
      user_name: string,
      edit_url: string,
      avatar: string,
    }),
    branded_coupons: array(
      Type.Unsafe<Readonly<Record<string, unknown>>>(
        Type.Object(
          { code: optional(string), description: optional(string) },
          { additionalProperties: true },
        ),
      ),
    ),
    currency: object({ currency: string, currency_symbol: string, currency_symbol_position: string }),
    // Items of an extension may have fewer keys.
    menu_items: mapOf(
      Type.Object(
        {
          title: optional(string),
          enabled: optional(boolean),
          icon: optional(string),
          route: optional(object({ name: string })),
        },
        { additionalProperties: true },
      ),
    ),
    qr_code_settings: object({
      is_enabled: optional(yesNo),
      settings: optional(object({ qr_color: string, qr_bg_color: string })),
    }),
    social_links: optional(
      array(object({ key: string, title: string, icon_svg: string, placeholder: string })),
    ),
  },
  { additionalProperties: true },
);
export const linkQuery = object({ url: optional(Type.Unsafe<string>({ type: 'string', maxLength: 2048 })) });
const shareLink = object({ title: string, url: string });
export const linkResponse = object({
  link: string,
  /** The affiliate's login, when links with it credit another affiliate. */
  login_taken: optional(string),
  links: array(shareLink),
  social: array(object({ key: string, title: string, icon_svg: string, url: string })),
});
export const qrQuery = object({
  format: optional(deferred(oneOf('svg', 'png'))),
  url: optional(deferred(string, 'A page on this site or a connected site')),
  size: optional(deferred(integer, 'Width and height in pixels, for PNG')),
});
export const qrResponse = Type.Unsafe<string | Buffer>({
  type: 'string',
  description: 'The image: SVG, or PNG with `format=png`.',
});

const amounts = { currency: string, amount: number } as const;
const page = { page: pageQuery.properties.page, per_page: pageQuery.properties.per_page };
const line = object(
  {
    id: integer,
    kind: oneOf(...LEDGER_KINDS),
    description: string,
    reason: text,
    commission_id: nullable(integer),
    payment_id: nullable(integer),
    /** The payment was undone and has no statement any more. */
    payment_undone: boolean,
    payout_id: nullable(integer),
    /** What a person did to the commission or the balance. */
    change: nullable(oneOf(...STATEMENT_CHANGES)),
    /** The reason of that person; affiliates get it if it was shared with them. */
    note: nullable(string),
    commissions: integer,
    amount: number,
    created_at: dateTime,
    balance: optional(number),
  },
  closed,
);
export type StatementRow = Static<typeof line>;
const counts = object({ clicks: integer, orders: integer, earnings: number }, closed);

const rateOf = object({ rate: number, rate_type: oneOf('percentage', 'fixed') }, closed);
export const programTerms = object(
  {
    rate: number,
    rate_type: oneOf('percentage', 'fixed'),
    /** The rate is the affiliate's own or their group's. */
    is_own: boolean,
    currency: string,
    cookie_days: integer,
    last_click_counts: boolean,
    waiting_days: integer,
    minimum: number,
    payment_method: oneOf('paypal', 'bank_transfer'),
    payout_rhythm: oneOf(...RHYTHMS),
    payout_day: integer,
    /** A day of the calendar. */
    next_payout: nullable(string),
    renewals: nullable(rateOf),
    later_orders: nullable(rateOf),
    exceptions: array(
      object(
        {
          provider: string,
          kind: oneOf('product', 'category'),
          count: integer,
          rate: number,
          rate_type: oneOf('percentage', 'fixed'),
        },
        closed,
      ),
    ),
    excluded_products: integer,
    excluded_categories: integer,
  },
  closed,
);
export const termsResponse = object(
  {
    terms: programTerms,
    /** Where affiliates ask; null for visitors, and where mails have no reply address. */
    contact: nullable(string),
    /** Why the account is inactive; null for other accounts, and where the audit log does not know. */
    closed: nullable(object({ why: oneOf('rejected', 'closed', 'left'), reason: nullable(string) }, closed)),
  },
  closed,
);

export const overviewQuery = object({ days: optional(deferred(numberOrText, 'A whole number')) });
export const overviewResponse = object(
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
        balances: balanceList,
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
  ...dayFilters,
  ...subIdFilters,
  search: pageQuery.properties.search,
  state: filterWord,
});
const earning = object(
  {
    id: integer,
    description: string,
    /** The number of the order in its shop. */
    order_number: text,
    /** Titles of the products; empty where setting `show_products` is `no`. */
    products: array(string),
    /** The affiliate's own note; '' is none. */
    note: string,
    type: oneOf(...TYPES),
    state: oneOf(...EARNING_STATES),
    ...amounts,
    counted_amount: commissionState.counted_amount,
    would_have_been: commissionState.would_have_been,
    utm_campaign: text,
    sub1: text,
    sub2: text,
    sub3: text,
    sub4: text,
    sub5: text,
    created_at: dateTime,
    release_at: dateTime,
    reason: text,
    /** What the person who rejected it wrote to the affiliate. */
    explanation: text,
    payment_id: nullable(integer),
    changes: array(object({ kind: oneOf(...CHANGE_KINDS), amount: number, at: dateTime }, closed)),
    /** The reward rules that counted: a sentence by language for each. */
    rules: array(mapOf(string)),
  },
  closed,
);
export const noteBody = object({
  note: optional(Type.Unsafe<string>({ type: 'string', clean: 'text', maxLength: 200 })),
});
export const noteResponse = object({ note: string }, closed);
export type Earning = Static<typeof earning>;
export const earningsResponse = object({
  earnings: pageOf(earning),
  totals: array(object({ ...amounts, count: integer, would_have_been: number }, closed)),
});

const dates = { start_date: optional(string), end_date: optional(string) } as const;
/** The currency of the entries; the program's unless given. */
const currency = optional(Type.Unsafe<string>({ type: 'string', clean: 'text', maxLength: 3 }));
export const statementQuery = object({ ...page, ...dates, currency });
export const statementExportQuery = object({ ...dates, currency });
export const statementResponse = object({
  statement: pageOf(line),
  balance: object({ currency: string, opening: number, closing: number, balances: balanceList }, closed),
});

export const payment = object(
  {
    id: integer,
    reference: string,
    title: string,
    status: oneOf(...TRANSACTION_STATUSES),
    method: string,
    ...amounts,
    commissions: integer,
    created_at: dateTime,
    paid_at: dateTime,
  },
  closed,
);
export type Payment = Static<typeof payment>;
/** Where a payer sent it: how much of it, and what it took for that. */
const sentBy = object(
  {
    method: string,
    title: string,
    ...amounts,
    fee: nullable(number),
    fee_currency: nullable(string),
    fee_by: oneOf('program', 'affiliate'),
    to: string,
  },
  closed,
);
export const paymentsQuery = object({ ...page, ...dayFilters });
const invoiceParty = object({ name: string, address: string, tax_number: string }, closed);
export const paymentResponse = object(
  {
    payment,
    payer: object({ name: string, url: string }, closed),
    payee: object({ name: string, email: string, details: string, invoice: nullable(invoiceParty) }, closed),
    sent: nullable(sentBy),
    commissions: object(
      {
        data: array(
          object(
            {
              id: integer,
              description: string,
              order_number: text,
              products: array(string),
              note: string,
              earned_at: dateTime,
              ...amounts,
            },
            closed,
          ),
        ),
        total: integer,
        per_page: integer,
        current_page: integer,
      },
      closed,
    ),
  },
  closed,
);
export const STATEMENT_COLUMNS = [
  'date',
  'kind',
  'description',
  'commission_id',
  'payment_id',
  'amount',
  'balance',
  'currency',
];
export const statementExport = exportOf('statement', STATEMENT_COLUMNS);
export const PAYMENT_COLUMNS = [
  'commission_id',
  'date',
  'description',
  'amount',
  'currency',
  'order_number',
  'products',
  'note',
];
export const paymentExport = exportOf('commissions', PAYMENT_COLUMNS);

export const clicksQuery = object({
  ...page,
  ...dayFilters,
  ...subIdFilters,
  search: pageQuery.properties.search,
  converted: filterWord,
  /** Blank: clicks without a campaign. */
  campaign: optional(Type.Unsafe<string>({ type: 'string', clean: 'text', maxLength: 255 })),
});
export const click = object({ id, ...shownVisit.properties }, closed);
export type Click = Static<typeof click>;
export const performanceQuery = object({
  by: filterWord,
  days: optional(deferred(numberOrText, 'A whole number')),
});
export const performanceResponse = object(
  {
    by: oneOf('campaign', 'page', ...SUB_IDS),
    days: integer,
    currency: string,
    rows: array(object({ name: string, clicks: integer, orders: integer, earnings: number }, closed)),
  },
  closed,
);

export const paymentDetailsBody = object({
  payment_email: optional(string),
  account_holder: optional(string),
  iban: optional(string),
  bic: optional(string),
  bank_name: optional(string),
  other_details: optional(string),
});
export const paymentDetailsResponse = object(
  {
    method: oneOf('paypal', 'bank_transfer'),
    complete: boolean,
    details: paymentDetailsBody,
  },
  closed,
);
export const notificationsBody = object({
  new_commission: optional(flag),
  payment_sent: optional(flag),
  announcements: optional(flag),
});
export const notificationsResponse = object(
  { new_commission: yesNo, payment_sent: yesNo, announcements: yesNo },
  closed,
);
/** The affiliate's own data on statements of payments, when the program asks for it. */
export const invoiceBody = object({
  name: optional(string),
  address: optional(string),
  tax_number: optional(string),
});
export const invoiceResponse = object({ asked: boolean, details: invoiceParty }, closed);
export type InvoiceResponse = Static<typeof invoiceResponse>;
export const profileBody = object({
  first_name: optional(string),
  last_name: optional(string),
  url: optional(string),
  custom_fields: optional(anyObject),
});
/** A field of the registration form with the affiliate's answer. */
const answeredField = object({ ...registrationField.properties, answer: response });
const profile = object(
  {
    first_name: string,
    last_name: string,
    full_name: string,
    email: string,
    login: string,
    url: string,
    member_since: dateTime,
    editable: boolean,
    deletion_asked_at: nullable(dateTime),
    custom_fields: array(answeredField),
  },
  closed,
);
export const profileResponse = Type.Unsafe<Profile>(object({ ...ownColumns, ...profile.properties }, closed));
export const linkNameBody = object({
  name: optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
});
export const linkNameResponse = object({ enabled: boolean, name: text, link: string }, closed);

export type PortalStats = Static<typeof statsResponse>;
export type PortalSettings = Static<typeof settingsResponse>;
export type PortalBootstrap = Static<typeof bootstrapResponse>;
export type PortalLinkResponse = Static<typeof linkResponse>;
export type ClosedAccount = Static<typeof termsResponse>['closed'];
export type ProgramTerms = Static<typeof programTerms>;
export type PortalOverview = Static<typeof overviewResponse>;
export type EarningsResponse = Static<typeof earningsResponse>;
export type StatementResponse = Static<typeof statementResponse>;
export type PaymentResponse = Static<typeof paymentResponse>;
export type PerformanceResponse = Static<typeof performanceResponse>;
export type PaymentDetails = Static<typeof paymentDetailsResponse>;
export type Notifications = Static<typeof notificationsResponse>;
export type Profile = Static<typeof profile>;
export type LinkName = Static<typeof linkNameResponse>;

/** Everything the program holds of the signed-in affiliate; the newest rows of each list. */
const ownData = object(
  {
    exported_at: dateTime,
    site: string,
    affiliate_id: integer,
    status: string,
    profile: profileResponse,
    link: linkNameResponse,
    invoice_details: nullable(invoiceParty),
    payment_details: paymentDetailsResponse,
    mails: notificationsResponse,
    deletion_asked_at: nullable(dateTime),
    commissions: array(earning),
    payments: array(payment),
    clicks: array(click),
    totals: object({ commissions: integer, payments: integer, clicks: integer }),
  },
  closed,
);
export type OwnData = Static<typeof ownData>;
export const ownDataResponse = object({ data: ownData });
export const leavingResponse = object(
  { status: string, deletion_asked_at: nullable(dateTime), message: string },
  closed,
);
