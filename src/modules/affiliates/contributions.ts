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
