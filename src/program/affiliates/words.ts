// The words and shapes that the record of an affiliate is made of.

export const AFFILIATE_STATUSES = ['pending', 'active', 'inactive'] as const;
export const RATE_TYPES = ['default', 'group', 'flat', 'percentage'] as const;

export type AffiliateStatus = (typeof AFFILIATE_STATUSES)[number];
export type RateType = (typeof RATE_TYPES)[number];
export type YesNo = 'yes' | 'no';

export interface AffiliateSettings {
  readonly disable_new_ref_email: YesNo;
  readonly bank_details: string;
  /** Only where it is `yes`: no mail when a payment was sent. */
  readonly disable_payout_email?: YesNo;
  /** Only where it is `yes`: no messages of the program. */
  readonly disable_announcements?: YesNo;
  /** Who issues the invoices of this affiliate; only where it was given. */
  readonly invoice?: InvoiceDetails;
}

/** The affiliate's own data on invoices. */
export interface InvoiceDetails {
  readonly name: string;
  readonly address: string;
  readonly tax_number: string;
}
export const NO_INVOICE: InvoiceDetails = { name: '', address: '', tax_number: '' };
