import type { Db } from '../../database/db.js';
import type { ErrorCode } from '../../errors.js';
import type { Affiliate } from './types.js';

/** A field of the registration form, as far as affiliates have to know it. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly enabled: 'yes' | 'no';
  readonly required: 'yes' | 'no';
  /** `yes`: the administrator's own, answered in `custom_fields`. */
  readonly custom: 'yes' | 'no';
}

/** Two accounts of one person: `from` becomes part of `into`. */
export interface Merging {
  readonly from: number;
  readonly into: number;
}

/** What of an affiliate is counted in the preview of a merge, in the order it is shown. */
export const MERGED_PARTS = [
  'visits',
  'referrals',
  'customers',
  'payments',
  'coupons',
  'links',
  'creatives',
] as const;

/**
 * What a module keeps of an affiliate, and how it goes over to another one.
 * Registered when the service is built, and asked in that order.
 */
export interface AffiliatePart {
  /** How much there is, for the preview. */
  readonly counts?: {
    readonly name: (typeof MERGED_PARTS)[number];
    of(db: Db, affiliateId: number): Promise<number>;
  };
  /** Why these two can not be merged now; asked for the preview, and again under the locks. */
  refusal?(db: Db, merging: Merging): Promise<ErrorCode | null>;
  /** Both rows are locked; everything that names `from` names `into` afterwards. */
  move?(trx: Db, merging: Merging): Promise<void>;
}

/** What modules above add to an affiliate; registered when the service is built. */
export interface AffiliateContributions {
  /** The default link. */
  shareUrl(affiliate: Affiliate): Promise<string>;
  /** Whom a link with this value credits. */
  byLinkValue(value: string): Promise<Affiliate | null>;
  formFields(): Promise<readonly FormField[]>;
}

export const NO_CONTRIBUTIONS: AffiliateContributions = {
  shareUrl: async () => '',
  byLinkValue: async () => null,
  formFields: async () => [],
};
