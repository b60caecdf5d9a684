import {
  anyObject,
  anything,
  array,
  boolean,
  dateTime,
  integer,
  listQuery,
  nullable,
  number,
  object,
  optional,
  pageOf,
  string,
  Type,
} from '../../http/schema.js';

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
