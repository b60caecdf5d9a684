export const EMAIL_KEYS = [
  'account_created_to_admin',
  'new_sale_to_admin',
  'pending_account_created_to_affiliate',
  'account_approved_to_affiliate',
  'new_sale_to_affiliate',
  'payout_to_affiliate',
  'level_changed_to_affiliate',
  'rates_changed_to_affiliate',
] as const;
export type EmailKey = (typeof EMAIL_KEYS)[number];
/** The administrator's summary, which has no template to edit. */
export const DIGEST = 'digest';
/** Tells the administrator that an endpoint was switched off. */
export const ENDPOINT_DISABLED = 'endpoint_disabled';
/** Tells an applicant the reason of a rejection. */
export const APPLICATION_REJECTED = 'application_rejected';
/**
 * Tells the owner of an account, at the former address, that payment details changed. It cannot be switched
 * off or edited.
 */
export const PAYMENT_DETAILS = 'payment_details_changed';
/** Tells the owner of an API key that it was made, or that it may do something else. It cannot be switched off. */
export const API_KEY_GRANTED = 'api_key_granted';
/** Tells an affiliate that a payment failed or came back. It cannot be switched off or edited. */
export const PAYMENT_FAILED = 'payment_failed';
/** Tells the administrator that a payout of the schedule waits for a person. */
export const PAYOUT_WAITS = 'payout_waits';
/** `mail`: the codes of one mail of an extension. */
export type CodeGroup = 'affiliate' | 'user' | 'transaction' | 'referral' | 'site' | 'mail';

/** The settings of one notification. */
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
  /** The codes of the group `mail`, for a mail of an extension. */
  readonly codes?: Readonly<Record<string, { readonly label: string; readonly example: string }>>;
}

/** A mail of an extension that is to be sent. */
export interface MailToSend {
  /** For a mail to an affiliate; a mail to the administrator can be about one. */
  readonly affiliate_id?: number;
  /** Names the occasion, such as an order number. Each recipient gets the mail of an occasion once. At most 90 characters. */
  readonly id: string;
  /** Values of the codes `{{mail.<name>}}`, each at most 1,000 characters. They are escaped in HTML. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Layout and sender of all mails (docs/settings.md §2.1). */
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

/** Ids of the rows a mail is about; it is written with their state at the time of sending. */
export interface MailSubject {
  readonly affiliate_id?: number | null;
  readonly referral_id?: number | null;
  readonly transaction_id?: number | null;
  readonly payout_id?: number | null;
  /** When a payment was marked paid, and where it went then. */
  readonly paid_at?: number;
  readonly paid_to?: string;
  readonly endpoint_id?: number;
  /** The payment that failed or came back. */
  readonly attempt_id?: number;
  readonly user_id?: number;
  /** The name of an API key, and whether it is a new one. */
  readonly key_name?: string;
  readonly key_is_new?: boolean;
  /** The payment address before the change; null if there was none. */
  readonly old_address?: string | null;
  /**
   * Two copies are sent: true for the one to the address of the account, false for the one to the old
   * address.
   */
  readonly to_account?: boolean;
  readonly changed_at?: number;
  readonly invitation_id?: number;
  readonly message_id?: number;
  /** The reward rules that count next, and those before. */
  readonly reward_set_id?: number;
  readonly reward_set_before?: number | null;
  /** Why an application was rejected, as plain text. */
  readonly reason?: string;
  /** Values of the codes of an extension's mail. */
  readonly values?: Readonly<Record<string, string>>;
  /** The site days of a summary, both included. */
  readonly days?: { readonly from: number; readonly to: number };
}

/** Values of smart codes by group and key: plain text, or text and HTML where the HTML has our own markup. */
export type CodeValue = string | { readonly html: string; readonly text: string };
export type CodeValues = Readonly<Partial<Record<CodeGroup, Readonly<Record<string, CodeValue>>>>>;

/** A mail that another module writes; body and footer are clean HTML. */
export interface ModuleMail {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  /** Makes another footer of the one that mails have. */
  readonly footer?: (common: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Writes a mail about the rows as they are now; null when nobody should get it any more. */
export type MailWriter = (subject: MailSubject) => Promise<ModuleMail | null>;
