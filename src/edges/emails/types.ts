export const EMAIL_KEYS = [
  'account_created_to_admin',
  'new_sale_to_admin',
  'pending_account_created_to_affiliate',
  'account_approved_to_affiliate',
  'new_sale_to_affiliate',
  'payout_to_affiliate',
] as const;
export type EmailKey = (typeof EMAIL_KEYS)[number];
/** The administrator's summary: no template of its own to edit. */
export const DIGEST = 'digest';
/** To the administrator: an endpoint of outgoing events was switched off. */
export const ENDPOINT_DISABLED = 'endpoint_disabled';
/** To an applicant who was turned down with a reason. */
export const APPLICATION_REJECTED = 'application_rejected';
/** To the owner of an account, at the address before: sent whatever is switched off, and not edited. */
export const PAYMENT_DETAILS = 'payment_details_changed';
export type CodeGroup = 'affiliate' | 'user' | 'transaction' | 'referral' | 'site';

/** How a program manager has set one notification. */
export interface EmailSettings {
  readonly active: 'yes' | 'no';
  readonly subject: string;
  readonly is_default_body: 'yes' | 'no';
  readonly email_body: string;
}

export interface EmailTemplate {
  readonly title: string;
  readonly description: string;
  readonly recipient: 'admin' | 'affiliate';
  readonly smartcode_groups: readonly CodeGroup[];
  readonly subject: string;
  readonly body: string;
}

/** Look and sender of all mails (docs/settings.md §2.1). */
export type EmailConfig = Readonly<
  Record<
    | 'logo'
    | 'body_bg'
    | 'content_bg'
    | 'content_color'
    | 'footer_content_color'
    | 'highlight_bg'
    | 'highlight_color'
    | 'font_family'
    | 'template'
    | 'email_footer'
    | 'send_from_email'
    | 'send_from_name'
    | 'reply_to_email'
    | 'reply_to_name'
    | 'disable_powered_by'
    | 'summary_email_day'
    | 'admin_email',
    string
  >
>;

/** Rows a mail speaks of, by id; it is written with their state at the time of sending. */
export interface MailSubject {
  readonly affiliate_id?: number | null;
  readonly referral_id?: number | null;
  readonly transaction_id?: number | null;
  readonly payout_id?: number | null;
  readonly endpoint_id?: number;
  /** The address a payment went to before it was changed; null where there was none. */
  readonly old_address?: string | null;
  /** Which of two copies this is: for the address of the account, or for the old one. */
  readonly to_account?: boolean;
  readonly changed_at?: number;
  /** Why an application was turned down, as plain text. */
  readonly reason?: string;
  /** Site days of a summary, both included. */
  readonly days?: { readonly from: number; readonly to: number };
}

/**
 * Values of smart codes by group and key: plain text, or both forms where the HTML one has markup of ours.
 */
export type CodeValue = string | { readonly html: string; readonly text: string };
export type CodeValues = Readonly<Partial<Record<CodeGroup, Readonly<Record<string, CodeValue>>>>>;
