import type { Language } from '../../core/localized.js';

/** Mails about an affiliate, a commission or a payment, with the data of its row when they are sent. */
export const RECORD_KEYS = [
  'account_created_to_admin',
  'new_sale_to_admin',
  'pending_account_created_to_affiliate',
  'account_approved_to_affiliate',
  'new_sale_to_affiliate',
  'payout_to_affiliate',
  'level_changed_to_affiliate',
  'rates_changed_to_affiliate',
] as const;
export type RecordKey = (typeof RECORD_KEYS)[number];
/** Mails that have smart codes of their own. */
export const NOTICE_KEYS = [
  'application_rejected',
  'payment_failed',
  'payment_returned',
  'affiliate_invitation',
  'digest',
  'payout_waits',
  'endpoint_disabled',
  'manager_invitation',
  'test_mail',
  'payment_details_changed',
  'api_key_granted',
  'api_key_changed',
  'signup_code',
  'account_exists',
] as const;
export type NoticeKey = (typeof NOTICE_KEYS)[number];
export const EMAIL_KEYS = [...RECORD_KEYS, ...NOTICE_KEYS] as const;
export type EmailKey = RecordKey | NoticeKey;

export type CodeGroup =
  | 'affiliate'
  | 'user'
  | 'transaction'
  | 'referral'
  | 'site'
  | 'application'
  | 'payment'
  | 'invitation'
  | 'digest'
  | 'payout'
  | 'webhook'
  | 'payment_details'
  | 'api_key'
  | 'signup'
  | 'account'
  | 'test'
  /** The codes of one mail of an extension. */
  | 'mail';

/** The settings of one notification. */
export interface EmailSettings {
  readonly active: 'yes' | 'no';
  readonly subject: string;
  readonly is_default_body: 'yes' | 'no';
  readonly email_body: string;
  /** Own texts for readers of one language; '' where the text for all languages counts. */
  readonly texts?: Readonly<Partial<Record<Language, MailText>>>;
}

export interface MailText {
  readonly subject: string;
  readonly email_body: string;
}

/** Who reads a mail; its footer explains why. */
export type MailReader = 'admin' | 'affiliate' | 'applicant';

export interface EmailTemplate {
  readonly title: string;
  readonly description: string;
  readonly recipient: 'admin' | 'affiliate';
  readonly smartcode_groups: readonly CodeGroup[];
  readonly subject: string;
  readonly body: string;
  /** Codes of its groups that only this mail fills in. */
  readonly ownCodes?: readonly string[];
  /** It protects an account, and is listed apart. */
  readonly isSecurity?: boolean;
  /** It is always sent: the reader waits for it, or it protects an account. */
  readonly isRequired?: boolean;
  /** Values that the mail has to show; the block is added to a body that does not show the value of its code. */
  readonly must?: readonly {
    readonly code: readonly [group: CodeGroup, key: string];
    readonly block: string;
  }[];
  /** Where it is not the recipient: a person outside the program. */
  readonly reader?: 'applicant';
  /** In place of the footer that mails have. */
  readonly footer?: string;
  /** It is sent without the common layout. */
  readonly isBare?: boolean;
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
  /** Null: the rules have ended. */
  readonly reward_set_id?: number | null;
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

/** What a mail is filled with, and who gets it. */
export interface Notice {
  /** One of `EMAIL_KEYS`, or of a mail of an extension. */
  readonly key: string;
  readonly to: string;
  readonly values: CodeValues;
  /** Language of the mail; undefined for that of the site. */
  readonly language?: string | undefined;
}

/** A mail that another module writes; body and footer are clean HTML. */
export interface ModuleMail {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  /** Replaces the footer of mails. */
  readonly footer?: (common: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Writes a mail about the rows as they are now; null when it should no longer be sent. */
export type MailWriter = (subject: MailSubject) => Promise<ModuleMail | null>;
